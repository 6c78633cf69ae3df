"""Numbers of columns: as many digits as tell them apart, and years without thousands."""

import numpy as np
import pytest

from samelaw.comparison.columns.column_numbers import Writing


@pytest.mark.parametrize(
    ("values", "value", "said"),
    [
        (np.arange(1990.0, 2021.0), 2020.0, "2020"),
        (np.array([20240101.0, 20231231.0]), 20240101.0, "20240101"),
        (np.arange(0.0, 3000.0), 2020.0, "2,020"),  # counts
        (np.array([1990.5, 2000.0]), 2000.0, "2,000"),
        (np.array([20240101.0, 20249931.0]), 20240101.0, "20,240,101"),  # no such month
        (1.7e12 + np.arange(60.0), 1.7e12 + 31, "1,700,000,000,031"),
        (51.5 + 1e-3 * np.arange(9.0), 51.5031, "51.5031"),
        (np.array([np.inf]), 0.5, "0.5"),
        (np.array([7.0, 7.0]), 7.0, "7"),
    ],
)
def test_digits_follow_from_the_column(values, value, said):
    assert Writing.of(values)(value) == said


def test_a_column_of_years_keeps_them_plain_beside_an_odd_one():
    """ "Year goes down to -1,989 in B": one year with a sign made numbers of all."""
    years = np.append(np.arange(1952.0, 2018.0), -1989.0)
    assert Writing.of(years, "Year").each(-1989.0, 2017.0) == ["−1989", "2017"]
    assert Writing.of(years, "made").each(-1989.0, 2017.0) == ["−1,989", "2,017"]
    assert Writing.of(years + 0.5, "Year")(2017.0) == "2,017"
    assert Writing.of(np.array([1066.0, 1492.0]))(1066.0) == "1066"
    assert Writing.of(np.append(years, 12_345.0), "sales per year")(2017.0) == "2,017"


def test_two_numbers_that_differ_read_differently():
    assert Writing().both(51.5001, 51.5002) == ("51.5001", "51.5002")
    assert Writing().both(1.7e12, 1.7e12 + 1e6) == ("1,700,000,000,000", "1,700,001,000,000")
    assert Writing().both(3.0, 4.0) == ("3", "4")
    assert Writing().both(3.0, 3.0) == ("3", "3")


def test_numbers_at_the_end_of_the_scale_have_digits():
    largest = np.finfo(np.float64).max
    assert Writing.of(np.array([-largest, largest] * 9)).digits == 4
    assert Writing.of(np.array([largest] + [1e-300, 2e-300] * 9)).digits == 15
