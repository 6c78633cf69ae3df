import warnings

import numpy as np
import pytest

from samelaw.tables.columns.cycles import DAY, RADIUS, cycles, on_circle


def seconds(times):
    return times.astype("datetime64[s]").astype(np.float64)


@pytest.mark.parametrize(
    ("days", "minutes", "names"),
    [
        (1, 1, []),
        (5, 60, ["time of day"]),
        (30, 0, ["weekday"]),
        (30, 7, ["time of day", "weekday"]),
    ],
)
def test_a_cycle_is_there_when_it_is_spanned(days, minutes, names):
    day, minute = np.timedelta64(1, "D"), np.timedelta64(1, "m")
    steps = np.arange(days + 1)
    times = np.datetime64("2025-03-03T00:00") + steps * day + steps * minutes * minute
    moments = seconds(times)
    assert [name for name, _ in cycles(moments)] == names
    assert [name for name, _ in cycles(np.append(moments, np.nan))] == names


def test_equal_weekdays_share_their_point_and_monday_is_the_first():
    times = np.datetime64("2025-03-03") + np.arange(28)  # from a Monday on
    ((name, phase),) = cycles(seconds(times))
    assert name == "weekday"
    np.testing.assert_allclose(phase, np.arange(28) % 7 / 7)
    points = on_circle(phase)
    np.testing.assert_allclose(points[:7], points[7:14], atol=1e-12)
    np.testing.assert_allclose(points[0], [RADIUS, 0.0], atol=1e-12)


def test_random_points_of_a_circle_differ_like_random_numbers():
    one, other = np.random.default_rng(0).random((2, 20_000))
    apart = (on_circle(one) - on_circle(other)).T
    assert np.abs(apart).sum(axis=0).mean() == pytest.approx(2 / 3, abs=0.01)


def test_a_missing_moment_is_the_centre():
    assert on_circle(np.array([np.nan])).tolist() == [[0.0, 0.0]]


def test_moments_without_end_are_in_no_cycle():
    moments = np.append(np.arange(0.0, 15 * DAY, 3600.0), [np.inf, -np.inf])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dict(cycles(moments))
        assert not list(cycles(moments[-2:]))
    assert all(np.isfinite(phase).all() for phase in found.values())
