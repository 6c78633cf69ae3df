"""Plain differences of a column: closed forms, coverage, and widths that are not idle."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from samelaw.comparison.columns.measures import clearest, measure_words, measures, wilson
from samelaw.comparison.findings import Measure
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def measured(a, b, *, unit=None, missing=False):
    column = pair_tables(read_table({"v": a}), read_table({"v": b})).columns[0]
    unit = np.arange(len(a) + len(b)) if unit is None else unit
    return measures(ColumnView(column, missing), len(a), unit, 0.05)


def test_a_difference_of_shares_has_newcombes_interval():
    """56/70 v 48/80: the textbook interval of Newcombe (1998), method 10."""
    a, b = np.repeat([True, False], [48, 32]), np.repeat([True, False], [56, 14])
    (found,) = measured(a, b)
    assert found.of == "true"
    assert found.difference == pytest.approx(0.2)
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=5e-4)
    assert measure_words(found) == "true +20 points (+5.2 to +33)"


def test_numbers_have_a_median_and_a_mean():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=400), rng.normal(size=500) + 1
    median, mean = measured(a, b)
    assert median.difference == pytest.approx(np.median(b) - np.median(a))
    assert mean.difference == pytest.approx(b.mean() - a.mean())
    reach = 1.96 * math.sqrt(a.var(ddof=1) / 400 + b.var(ddof=1) / 500)
    assert np.subtract(*mean.interval[::-1]) == pytest.approx(2 * reach, rel=1e-3)


def test_dates_move_by_days():
    start = np.datetime64("2024-03-01", "s")
    a = start + np.arange(200).astype("timedelta64[h]")
    (found,) = measured(a, a + np.timedelta64(72, "h"))
    assert found.kind == "days"
    assert found.difference == pytest.approx(3.0)
    assert measure_words(found).startswith("median +3 days (+")


def test_missing_values_are_a_share():
    rng = np.random.default_rng(1)
    a, b = (np.where(rng.random(300) < s, np.nan, 1.0 + rng.random(300)) for s in (0.1, 0.4))
    (found,) = measured(a, b, missing=True)
    assert found.of == "missing"
    assert found.interval[0] < 0.3 < found.interval[1]


def test_a_table_without_values_has_no_difference():
    assert measured([1.0, 2.0, 3.0], [math.nan, math.nan, 4.0]) == ()


@pytest.mark.parametrize(
    "draw",
    ["share", "mean", *(pytest.param(d, marks=pytest.mark.long) for d in ("median", "heavy"))],
)
def test_intervals_hold_and_are_not_idle(draw):
    """95 % cover, tested at 1 in 1,000, and as wide as the spread of the differences asks."""
    rng, runs, found = np.random.default_rng(2), 300, []
    for _ in range(runs):
        if draw == "share":
            a, b = (np.where(rng.random(n) < s, "p", "q") for n, s in ((150, 0.3), (90, 0.5)))
            (one,) = measured(a.tolist(), b.tolist())
            truth = 0.2 if one.of == "'p'" else -0.2
        else:
            law = rng.standard_cauchy if draw == "heavy" else rng.normal
            both = measured(law(size=150), law(size=90) + 0.5)
            one, truth = both[draw == "mean"], 0.5
        low, high = one.interval
        found.append((low <= truth <= high, high - low, abs(one.difference - truth)))
    covered, width, miss = np.array(found).T
    assert binom.cdf(covered.sum(), runs, 0.95) > 0.001
    assert 0.85 < width.mean() / (3.92 * np.sqrt(np.mean(miss**2))) < 1.4


def test_rows_of_a_unit_count_as_one():
    """Ten copies of each row add no knowledge to any measure."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=80), rng.normal(size=60) + 1
    alone = measured(a, b)
    copies = measured(np.repeat(a, 10), np.repeat(b, 10), unit=np.repeat(np.arange(140), 10))
    for one, many in zip(alone, copies, strict=True):
        assert np.subtract(*many.interval) == pytest.approx(np.subtract(*one.interval), rel=0.15)


def test_wilson_stays_within_bounds():
    assert wilson(0.0, 10, 1.96)[0] == 0.0
    assert wilson(1.0, 10, 1.96)[1] == 1.0


def test_the_clearest_measure_is_told_and_none_that_may_be_nothing():
    still = Measure("median", "value", 2.0, 2.0, 0.0, (0.0, 0.0))
    moved = Measure("mean", "value", 2.0, 2.5, 0.5, (0.4, 0.6))
    unsure = Measure("median", "days", 0.0, -4000.0, -0.05, (-5.0, 4.9))
    assert clearest([still, unsure, moved]) is moved
    assert clearest([still, unsure]) is None
    assert clearest([]) is None


def test_differences_of_times_of_day_are_told_in_hours_and_minutes():
    found = Measure("median", "hours", 9.5, 10.75, 1.25, (-0.1, 2.6))
    assert measure_words(found) == "median +1:15 h (−0:06 to +2:36)"
