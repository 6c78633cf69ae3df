"""Bets against all held-out rows: bounds that hold for all scores at once, and what they cost."""

import numpy as np
import pytest
from scipy.stats import binom

from monitors import Litter, alarm_row, normal
from samelaw import DriftMonitor, Ever, RunLength
from samelaw.monitor.reference import as_batch
from samelaw.monitor.whole_reference import REFRESH, bernstein
from samelaw.routes import WholeReference

RNG = np.random.default_rng
POINTS = np.array([[0.0, 0.0], [1.0, -1.0], [2.0, 1.0]])
LAW = np.array([0.5, 0.3, 0.2])


@pytest.mark.parametrize("level", [0.05, 0.3])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_the_bound_is_missed_no_more_often_than_it_says(level, share):
    """Samples of 200 zeros and ones, each weighted by its probability."""
    counts, missed = np.arange(201), 0.0
    for ones in counts:
        values = (np.arange(200) < ones).astype(float)[:, None]
        upper = values.mean() + bernstein(values, np.ones(1), level)[0]
        missed += binom.pmf(ones, 200, share) * (upper < share)
    assert missed <= level


def growth(monitor, law):
    """E[R_t | past] over R_{t−1} + c_t by enumeration of the next row."""
    state, mean = monitor.state_dict(), 0.0
    before = monitor.reading.evidence + monitor._promise.deposits(monitor._run.judged, 1)[0]
    for y in range(3):
        one = DriftMonitor.from_state(state)
        mean += law[y] * one.update(POINTS[y : y + 1]).evidence
    return mean / before


def test_evidence_shrinks_on_average_whatever_rows_were_held_out():
    """Thirty held-out samples; a past that suggests a change, and one that does not."""
    rng = RNG(1)
    monitor = DriftMonitor(
        POINTS[rng.choice(3, 2_000, p=LAW)], promise=Ever(0.001), route=WholeReference(), rng=0
    )
    encoded = monitor._reference.rules.encode(as_batch(POINTS, ()))[0]
    start, count = monitor.state_dict(), len(monitor._reference.whole)
    changed = 0.0
    for i in range(30):
        points = encoded[RNG([i, 2]).choice(3, count, p=LAW)]
        one = DriftMonitor.from_state(
            {**start, "arrays": {**start["arrays"], "whole.points": points}}
        )
        law = LAW[::-1] if i % 2 else LAW
        one.update(POINTS[RNG([i, 3]).choice(3, 10 * REFRESH + 7, p=law)])
        assert growth(one, LAW) <= 1.0 + 1e-9
        changed = max(changed, growth(one, LAW[::-1]))
    assert changed > 1.1  # the same enumeration sees a change


def test_scores_do_not_depend_on_held_out_rows():
    state, found = Litter(rows=1_000, route=WholeReference()).state, []
    for shift in (0.0, 1.0):
        arrays = {**state["arrays"], "whole.points": state["arrays"]["whole.points"] + shift}
        found.append(DriftMonitor.from_state({**state, "arrays": arrays}))
        found[-1].update(normal(RNG(0), 300) + 0.2)
    assert np.array_equal(found[0]._run.past.sums, found[1]._run.past.sums)
    assert found[0].reading.evidence != found[1].reading.evidence


def test_nothing_is_used_up_and_a_new_run_needs_a_new_reference():
    monitor = DriftMonitor(normal(RNG(0), 2_000), route=WholeReference(), rng=0)
    held_out = len(monitor._reference.whole)
    assert monitor.threshold == 80.0  # 1/(α − δ): half of half of the level
    reading = monitor.update(normal(RNG(1), 3_000))
    assert (reading.rows_left, reading.unjudged, reading.alarm) == (None, 0, False)
    assert len(monitor._reference.whole) == held_out
    assert "any number of rows" in str(reading)
    assert monitor.update(normal(RNG(2), 300) + 1).alarm
    with pytest.raises(ValueError, match="needs a new reference for a new run"):
        monitor.accept()
    monitor.accept(collect=1_000)
    assert not monitor.update(normal(RNG(3), 1_500) + 1).alarm


def test_a_reserve_is_of_no_use():
    with pytest.raises(ValueError, match="reserve=True is for pairing rows that are used up"):
        DriftMonitor(normal(RNG(0), 1_000), route=WholeReference(), reserve=True, rng=0)


def test_a_small_reference_is_refused():
    with pytest.raises(ValueError, match=r"would hold out 36 rows .* at least 100"):
        DriftMonitor(normal(RNG(0), 100), route=WholeReference(), rng=0)


def test_a_run_length_holds_with_a_probability_over_the_reference():
    monitor = DriftMonitor(
        normal(RNG(0), 1_000), promise=RunLength(500), route=WholeReference(0.01), rng=0
    )
    assert monitor.reading.promise.endswith("with a probability of 0.99 over the reference")
    assert monitor.threshold == 500.0


@pytest.mark.heavy
def test_many_held_out_rows_are_nearly_as_fast_as_pairs():
    rows = []
    for i in range(20):
        monitor = DriftMonitor(
            normal(RNG([i, 1]), 20_000),
            promise=RunLength(10_000),
            route=WholeReference(),
            shuffle=False,
            rng=i,
        )
        stream = normal(RNG([i, 2]), 1_500)
        stream[500:, 0] += 0.5
        rows.append(alarm_row(monitor, stream) - 500)
    assert np.median(rows) <= 1.4 * 128
