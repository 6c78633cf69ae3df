"""Rows that depend on their neighbours count in stretches; what that leaves is said."""

import numpy as np
import pytest
from scipy.signal import lfilter

from samelaw import DriftMonitor, Ever
from samelaw.monitor.reference import LEAST_STRETCHES, dependence, long_enough, neighbours

RNG = np.random.default_rng


def following(rng, rows, correlation=0.5, columns=2):
    """Every column goes on from the row before."""
    noise = (1 - correlation**2) ** 0.5 * rng.normal(size=(rows + 100, columns))
    return lfilter([1.0], [1.0, -correlation], noise, axis=0)[100:]


def test_neighbours_correlate_as_they_should():
    assert neighbours(following(RNG(0), 40_000), 1) == pytest.approx(0.5, abs=0.03)
    # Means of b rows of AR(1): (1 − ρᵇ)² ρ / (b(1 − ρ²) − 2ρ(1 − ρᵇ)) with its next.
    left = (1 - 0.5**8) ** 2 * 0.5 / (8 * 0.75 - 1.0 * (1 - 0.5**8))
    assert neighbours(following(RNG(0), 40_000), 8) == pytest.approx(left, abs=0.03)


def test_a_spread_that_lasts_is_dependence_too():
    rng = RNG(1)
    volatility = np.exp(following(rng, 20_000, 0.9, 1))
    rows = volatility * rng.normal(size=(20_000, 1))
    assert neighbours(rows, 1) > 0.1


def test_stretches_are_as_long_as_they_need_be():
    independent, some, much = (
        long_enough(following(RNG(2), 20_000, correlation)) for correlation in (0.0, 0.5, 0.9)
    )
    assert independent == 1
    assert 4 <= some <= 16
    assert 25 <= much <= 20_000 // LEAST_STRETCHES


def test_a_reference_that_never_forgets_gets_the_longest_stretch():
    walk = np.cumsum(RNG(3).normal(size=(4_000, 1)), axis=0)
    assert 4_000 // long_enough(walk) >= LEAST_STRETCHES
    assert neighbours(walk, long_enough(walk)) > 0.9


@pytest.fixture(scope="module")
def monitor():
    options = {"promise": Ever(0.05), "reserve": False, "rng": 0}
    return DriftMonitor(following(RNG(4), 12_000), stretch=None, **options)


def test_the_reading_says_that_it_is_approximate_and_what_is_left(monitor):
    reading = monitor.reading
    stretch = monitor._reference.stretch
    assert stretch > 3
    assert f"approximate: stretches of {stretch} rows" in reading.promise
    assert f"by {monitor._reference.left_over:.2f} at most" in reading.promise
    assert reading.rows_left == len(monitor._reference.pairing) * stretch


def test_any_cut_of_a_stream_gives_the_same_and_goes_on_bit_for_bit(monitor):
    stream, found = following(RNG(5), 2_000), []
    stream[1_000:, 0] += 1.5
    for cuts in ([], [1, 2, 15, 400, 401, 1_300]):
        one = DriftMonitor.from_bytes(monitor.to_bytes())
        for part in np.split(stream, cuts):
            reading = one.update(part)
            one = DriftMonitor.from_bytes(one.to_bytes())
        found.append(reading)
    assert found[0].rows == found[1].rows == 2_000
    assert (found[0].alarm_row, found[0].since) == (found[1].alarm_row, found[1].since)
    assert found[0].alarm
    assert abs(found[0].since - 1_000) < 200
    assert found[0].changes[0].columns == ("x1",)
    assert found[0].changes[0].change == pytest.approx(1.5, abs=0.5)  # in sd of rows


def days(rng, count, rows=200, apart=0.2, columns=3):
    """Rows of one day are alike: each day has means of its own."""
    means = apart * rng.normal(size=(count, 1, columns))
    return (means + rng.normal(size=(count, rows, columns))).reshape(-1, columns)


def test_days_hardly_show_in_single_rows_and_plainly_in_stretches():
    reference = days(RNG(0), 60)
    assert neighbours(reference, 1) < 0.1  # all that was looked at
    stretch, known = dependence(reference)
    assert stretch == 32
    # Means of 32 rows of one day: .04 / (.04 + 1/32) of them is the day, and 5 of 6 share it.
    assert known == pytest.approx(0.5, abs=0.15)
    assert long_enough(reference) > 32


def test_independent_rows_are_not_taken_for_dependent():
    """Neither rare values, two of which may be neighbours, nor a few huge ones."""
    laws = (
        lambda rng: (rng.random((1_000, 10)) < 0.002).astype(float),
        lambda rng: np.clip(rng.standard_cauchy((1_000, 5)), -50, 50),
        lambda rng: rng.normal(size=(300, 20)),
    )
    found = [dependence(law(RNG([seed, 9]))) for seed in range(30) for law in laws]
    assert found == [(0, 0.0)] * 90


def test_the_default_says_that_rows_of_one_day_are_alike_and_what_to_do():
    reading = DriftMonitor(days(RNG(0), 60), rng=0).update(days(RNG(1), 1))
    assert reading.promise.endswith("at most 0.05 if rows are independent: see the notes")
    (note,) = reading.notes
    assert "stretches of 32 rows of the reference correlate with the next by 0." in note
    assert "--stretch 0 (stretch=None)" in note
    monitor = DriftMonitor(days(RNG(0), 60), stretch=None, rng=0)
    again = DriftMonitor.from_bytes(monitor.to_bytes())
    assert again.reading.promise == monitor.reading.promise
    assert not monitor.update(days(RNG(1), 1)).notes
    short = DriftMonitor(days(RNG(0), 60), stretch=4, rng=0).update(days(RNG(1), 1))
    assert "stretches of 4 rows are taken for independent; those of 32" in short.promise
    assert len(short.notes) == 1
    quiet = DriftMonitor(RNG(2).normal(size=(6_000, 3)), rng=0).update(days(RNG(1), 1))
    assert "independent" not in quiet.promise
    assert not quiet.notes


@pytest.mark.long
def test_days_alone_raise_alarms_and_measured_stretches_raise_few():
    """Before, the measure saw single rows alone, and all streams had an alarm with it too."""
    alarms = {1: 0, None: 0}
    for i in range(8):
        reference, stream = days(RNG([i, 8]), 60), days(RNG([i, 9]), 20)
        for stretch in alarms:
            monitor = DriftMonitor(reference, stretch=stretch, rng=i)
            for day in np.split(stream, 20):
                reading = monitor.update(day)
            alarms[stretch] += reading.alarm
    assert alarms[1] >= 6
    assert alarms[None] <= 1


@pytest.mark.long
def test_dependence_alone_raises_alarms_and_stretches_raise_few():
    """Row by row the promise is broken by far; in stretches nearly all streams are quiet."""
    alarms = {1: 0, 24: 0}
    for i in range(8):
        rng = RNG([i, 6])
        reference, stream = following(rng, 9_000, 0.8), following(rng, 3_000, 0.8)
        for stretch in alarms:
            found = DriftMonitor(reference, stretch=stretch, shuffle=False, rng=i)
            alarms[stretch] += found.update(stream).alarm
    assert alarms[1] >= 6
    assert alarms[24] <= 1


def test_too_long_a_stretch_is_refused():
    with pytest.raises(ValueError, match="stretch is 50 and the reference has 400 rows"):
        DriftMonitor(following(RNG(0), 400), stretch=50)
    with pytest.raises(ValueError, match="stretch"):
        DriftMonitor(following(RNG(0), 400), stretch=0)


def test_a_column_that_runs_through_the_same_values_in_every_stretch_says_nothing():
    """The hour of the day: its mean over a day differs by rounding alone."""
    hour = np.tile(np.linspace(0.0, 1.0, 24), 400)
    rows = np.column_stack([hour, RNG(3).normal(size=len(hour))])
    assert neighbours(rows, 24) < 0.15
    monitor = DriftMonitor(rows[:7_200], stretch=24, rng=0)
    quiet = monitor.update(rows[7_200:])
    assert not quiet.alarm
    scale = monitor._reference.score.scale / monitor._reference.score.spread
    assert scale.min() >= 1e-3
    still = np.column_stack([np.full(1_200, 0.5), RNG(4).normal(size=1_200)])
    assert "x1" in monitor.update(still).columns  # the clock stands still: that is a change
