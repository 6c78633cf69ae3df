"""Axes in words and powers that people read at a glance."""

import warnings

import numpy as np
import pytest

from samelaw.results.axes import DAY, drawn_axis, hour_ticks, is_skewed, power_of_ten


@pytest.mark.parametrize(
    ("values", "power"),
    [([1.5, 200.0], 0), ([0.0, 2.5e9], 9), ([3e-7], -7), ([0.0, np.nan], 0), ([1e-320], -307)],
)
def test_everyday_sizes_need_no_power_of_ten(values, power):
    assert power_of_ten(values) == power


def test_amounts_that_crowd_near_nothing_are_skewed():
    assert is_skewed([1, 2, 3, 200])
    assert not is_skewed([0, 2, 3, 200])
    assert not is_skewed([])


def test_an_axis_says_in_what_it_is_drawn():
    axis = drawn_axis([0.0, 2.5e9], "bytes", date=False)
    assert axis.label == "bytes (1e9)"
    np.testing.assert_allclose(axis.values, [0, 2.5])
    dates = drawn_axis([0.0, 10 * DAY], "day", date=True)
    assert dates.ticks(0.0, 10.0)[1] == ["1970-01-01", "1970-01-06", "1970-01-11"]
    assert dates.ticks(0.0, 1.0)[1] == ["01-01 00:00", "01-01 12:00", "01-02 00:00"]
    far = drawn_axis([0.0, 1e15], "day", date=True)
    assert far.ticks(0.0, 1e15 / DAY)[1][2] == "1e+15 s"


def test_an_axis_of_few_minutes_has_its_ends():
    assert hour_ticks(8.1, 8.75)[1] == ["08:06", "08:45"]
    assert hour_ticks(0.0, 24.0)[1] == ["00:00", "06:00", "12:00", "18:00", "00:00"]


def test_what_has_no_logarithm_is_not_drawn_by_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axis = drawn_axis([1.0, 2.0, 3.0, 200.0, -np.inf], "price")
    assert axis.label == "price (log scale)"
    np.testing.assert_allclose(axis.values, np.log10([1.0, 2.0, 3.0, 200.0, np.nan]))
