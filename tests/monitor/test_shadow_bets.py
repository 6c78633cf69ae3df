"""Bets on suspicion: active and banked wealth are a martingale; quiet rows cost nothing."""

from itertools import product

import numpy as np
import pytest

from levels import check
from monitors import Litter, alarm_row, changed, normal
from samelaw import DriftMonitor, Ever, RunLength
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.reference import as_batch
from samelaw.monitor.shadow_bets import Purse, _decisions

RNG = np.random.default_rng
POINTS = np.array([[0.0, 0.0], [1.0, -1.0], [2.0, 1.0]])
LAW = np.array([0.5, 0.3, 0.2])


@pytest.fixture(scope="module")
def litter():
    return Litter(rows=5_000, pairs=4, suspicion=True)


def purse(monitor):
    return Purse.of(monitor._run.memory, monitor._promise)


def held(monitor):
    """Active wealth and what is in the bank."""
    return float(monitor._run.wealth.sum()) + purse(monitor).banked


def enumerated(monitor, law=LAW):
    """Mean of all wealth after one more row of a law, over all rows it may meet."""
    encoded = monitor._reference.rules.encode(as_batch(POINTS, ()))[0]
    state, mean, values = monitor.state_dict(), 0.0, set()
    for y, x in product(range(3), repeat=2):
        points = state["arrays"]["pairing.points"].copy()
        points[0] = encoded[x]
        arrays = {**state["arrays"], "pairing.points": points}
        one = DriftMonitor.from_state({**state, "arrays": arrays})
        one.update(POINTS[y : y + 1])
        mean += law[y] * LAW[x] * held(one)
        values.add(round(held(one), 9))
    return mean, len(values)


@pytest.mark.parametrize(("promise", "deposit"), [(Ever(1e-99), 0.0), (RunLength(10**99), 1.0)])
@pytest.mark.parametrize("rows", [157, 160])  # within a block, and where bets begin and end
@pytest.mark.parametrize("suspicious", [True, False])
def test_all_wealth_is_a_martingale_but_for_deposits(promise, deposit, rows, suspicious):
    """E[M + V | past] by enumeration of a law on three points."""
    rng = RNG(1)
    reference = POINTS[rng.choice(3, 600, p=LAW)]
    monitor = DriftMonitor(reference, promise=promise, suspicion=True, rng=0)
    monitor.update(POINTS[rng.choice(3, rows, p=LAW[::-1] if suspicious else LAW)])
    assert purse(monitor).betting == suspicious
    before = held(monitor)
    mean, values = enumerated(monitor)
    assert values > 3 if suspicious else values == 1
    assert mean == pytest.approx(before + deposit, rel=1e-6)


def test_the_enumeration_can_tell_a_changed_law():
    rng = RNG(1)
    reference = POINTS[rng.choice(3, 600, p=LAW)]
    monitor = DriftMonitor(reference, promise=Ever(1e-99), suspicion=True, rng=0)
    monitor.update(POINTS[rng.choice(3, 157, p=LAW[::-1])])
    mean, _ = enumerated(monitor, LAW[::-1])
    assert mean > 1.05 * held(monitor)


def test_whether_to_bet_is_decided_without_a_pairing_row(litter):
    stream, found = changed("mean", RNG(5), 600, start=200), []
    state = litter.monitor(RNG(4), 2_000, Ever(1e-300)).state_dict()
    for shift in (0.0, 2.0):
        arrays = dict(state["arrays"])
        arrays["pairing.points"] = arrays["pairing.points"] + shift
        found.append(DriftMonitor.from_state({**state, "arrays": arrays}))
        found[-1].update(stream)
    assert purse(found[0]).met == purse(found[1]).met > 50
    assert np.array_equal(purse(found[0]).shadow, purse(found[1]).shadow)
    assert found[0].reading.evidence != found[1].reading.evidence


def test_blocks_bet_from_start_to_stop():
    shadow = np.array([0.0, 1.4, 1.6, 1.0, 0.6, 1.0])
    assert _decisions(shadow, betting=False, part=0).tolist() == [0, 0, 1, 1, 0, 0]
    assert _decisions(shadow, betting=True, part=3).tolist() == [1, 1, 1, 1, 0, 0]


def test_pairing_rows_last_several_times_as_long(litter):
    monitor = litter.monitor(RNG(0), 1_200, Ever(0.001))
    reading = monitor.update(normal(RNG(1), 3_000))
    assert (reading.unjudged, reading.alarm) == (0, False)
    assert 1_200 - len(monitor._reference.pairing) == 4 * purse(monitor).met < 1_000
    assert reading.rows_left > 1_000
    assert "more rows" in str(reading)


def test_training_rows_are_kept_for_suspicion_alone():
    reference = normal(RNG(0), 400)
    kept = [
        len(DriftMonitor(reference, suspicion=suspicion, rng=0)._reference.training)
        for suspicion in (False, True)
    ]
    assert kept == [0, 160]


def test_rows_without_a_bet_have_no_effect(litter):
    """The effects are those of rows that met partners."""
    monitor = litter.monitor(RNG(0), 3_000, Ever(1e-9))
    monitor.update(changed("mean", RNG(2), 500, start=250))
    assert monitor._run.past.total[0] == purse(monitor).met > BLOCK


@pytest.mark.heavy
@pytest.mark.parametrize("promise", [RunLength(10_000), Ever(0.05)])
def test_a_moved_mean_is_found_as_fast_as_with_a_partner_for_every_row(litter, promise):
    """Medians of 20 streams; always betting with one partner: 128 and 190 times 1.1."""
    rows = [
        alarm_row(litter.monitor(RNG([i, 5]), 1_000, promise), changed("mean", RNG([i, 6]), 1_800))
        for i in range(20)
    ]
    after = np.array(rows) - 1_000
    assert np.median(after[after > 0]) <= 1.1 * (190 if isinstance(promise, Ever) else 128)


def test_null_streams_keep_the_promise(litter):
    """At a level that shows alarms; the first run spends half of it."""
    level = 0.6
    alarms = sum(
        alarm_row(litter.monitor(RNG([i, 9]), 1_000, Ever(level)), normal(RNG([i, 10]), 1_000), 500)
        < np.inf
        for i in range(25)
    )
    check(alarms, 25, level / 2, exact=False)


@pytest.mark.heavy
def test_run_lengths_are_at_least_what_was_promised(litter):
    promised, lengths = 300, []
    for i in range(400):
        monitor = litter.monitor(RNG([i, 11]), 8_000, RunLength(promised))
        rng = RNG([i, 12])
        while not monitor.update(normal(rng, 500)).alarm and monitor.reading.rows < 10_000:
            pass
        lengths.append(monitor.reading.alarm_row or 10_000)
    error = np.std(lengths) / len(lengths) ** 0.5
    assert np.mean(lengths) >= promised - 3 * error
