"""Names are tested by rows after the alarm alone, exactly, at any time."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from levels import check
from monitors import Litter, changed, normal
from samelaw import DriftMonitor, RunLength
from samelaw.monitor.reference import Rows, as_batch
from samelaw.monitor.tests_after_alarm import ENOUGH, MOST_TESTED, Aftermath, pvalue_of_higher

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def litter():
    return Litter()


def rows(points):
    return Rows(points, np.zeros((len(points), 5), dtype=bool))


def test_evidence_of_a_name_is_a_martingale(litter):
    """All pairs of a law on three points, once and twice: the mean of the wealth stays 1."""
    score, points = litter.first._reference.score, normal(RNG(0), 3)
    names = np.zeros((2, score.size))
    names[0, 0], names[1, 3] = 0.7, -1.3
    start, law = Aftermath.start(names[0], names), np.array([0.5, 0.3, 0.2])
    mean = np.zeros(2)
    for y, x, y2, x2 in product(range(3), repeat=4):
        after = start.testing(score, rows(points[[y, y2]]), rows(points[[x, x2]]))
        mean += law[[y, x, y2, x2]].prod() * after.wealth.sum(axis=1)
    assert np.allclose(mean, 1.0, rtol=1e-6)


def test_a_name_that_holds_is_shown_by_rows_after_the_alarm(litter):
    monitor = litter.monitor(RNG(0), 4_000)
    reading = monitor.update(changed("mean", RNG(1), 3_000))
    assert 0 < reading.tested <= MOST_TESTED
    first = reading.changes[0]
    assert (first.columns, first.what) == (("x1",), "level")
    assert first.pvalue < 0.001
    assert "on rows since" in str(reading)


def test_rows_are_spent_until_there_is_enough_and_no_longer(litter):
    score, names = litter.first._reference.score, np.zeros((1, litter.first._reference.score.size))
    names[0, 0] = 1.0
    start = Aftermath.start(names[0], names)
    stream, partners = rows(normal(RNG(0), 400) + 1), rows(normal(RNG(1), 400))
    after = start.testing(score, stream, partners)
    assert after.tested < 200
    assert after.peak[0] >= ENOUGH
    assert after.room(100, 100) == 0
    one_less = slice(after.tested - 1)
    assert start.testing(score, stream.take(one_less), partners.take(one_less)).peak[0] < ENOUGH
    assert start.room(1_000, 10_000) == MOST_TESTED
    assert start.room(1_000, 7) == 7


@pytest.mark.long
def test_names_of_false_alarms_are_seldom_shown(litter):
    """A run length of 20 makes false alarms; what they name is wrong, and p-values say so."""
    named = wrong = 0
    for i in range(60):
        reading = litter.monitor(RNG([i, 0]), 400, RunLength(20)).update(normal(RNG([i, 1]), 400))
        named += bool(reading.changes)
        wrong += any(change.pvalue <= 0.2 for change in reading.changes)
    assert named > 45
    check(wrong, named, 0.2, exact=False)


def test_without_rows_after_the_alarm_there_is_no_p_value(litter):
    monitor = litter.monitor(RNG(0), 3_000)
    for row in normal(RNG(1), 500) + 1:
        reading = monitor.update(row)
        if reading.alarm:
            break
    assert reading.changes
    assert {change.pvalue for change in reading.changes} == {None}
    assert reading.tested == 0


def measured(scores, partners):
    return Aftermath.start(np.zeros(3), np.zeros((0, 3))).measuring(scores, partners)[1]


def test_effects_are_between_nothing_and_one_bit():
    other = RNG(0).normal(size=50)
    sure = measured(np.full(1_000, 99.0), other)
    assert sure[-1] == pytest.approx(1.0, abs=1e-4)
    assert sure.max() <= 1.0
    assert measured(np.zeros(400), np.zeros(9)) == pytest.approx(0.0)


def test_a_score_that_says_too_much_is_read_at_a_smaller_scale():
    """Ten times the log-ratio of two normal laws: the truth is found from rows before."""
    x, y = RNG(0).normal(size=200), RNG(1).normal(1.0, size=2_000)
    found, right = (measured(scale * y, scale * x)[500:].mean() for scale in (6.0, 1.0))
    assert found == pytest.approx(right, abs=0.05)
    assert found > 0.1
    nothing = measured(8 * RNG(2).normal(size=2_000), 8 * x)
    assert nothing[500:].mean() == pytest.approx(0.0, abs=0.02)


def test_a_batch_after_an_alarm_is_ranked_among_hold_out_rows():
    """By chance as often as the exact test of ranks says; ties count half."""
    rng = RNG(0)
    for shift in (0.0, 0.8):
        scores, holdout = rng.normal(size=9) + shift, rng.normal(size=7)
        exact = mannwhitneyu(scores, holdout, alternative="greater", method="exact").pvalue
        assert pvalue_of_higher(scores, holdout, rng) == pytest.approx(exact, abs=0.05)
    assert pvalue_of_higher(np.zeros(50), np.zeros(50), rng) == 1.0
    assert pvalue_of_higher(np.zeros(50), np.ones(50), rng) == 1.0


@pytest.mark.long
def test_quiet_files_after_an_alarm_have_small_pvalues_no_more_often_than_chance(litter):
    """The score of the alarm has never met the hold-out rows, which are fresh in each stream."""
    found = []
    for i in range(150):
        rng = RNG([i, 7])
        state = litter.monitor(rng, 600).state_dict()
        rules = litter.first._reference.rules
        points, new = rules.encode(as_batch(normal(rng, 200), rules.names))
        state["arrays"] |= {"holdout.points": points, "holdout.new": new}
        monitor = DriftMonitor.from_state(state)
        assert monitor.update(normal(rng, 200) + 1).alarm
        found.append(monitor.pvalue_since_alarm(normal(rng, 150)))
    for level in (0.05, 0.2):
        check(int(np.sum(np.array(found) <= level)), 150, level)
