"""What a column did is told by the statistic that differs, and never by one that stays."""

import re

import numpy as np
import pytest

from samelaw.comparison.columns.words import describe
from samelaw.tables.columns.views import ColumnView, compared_views
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def told(a, b, kind=None):
    """The words for the values of a column of A and B."""
    kinds = {"x": kind} if kind else None
    pair = pair_tables(read_table({"x": a}), read_table({"x": b}), kinds=kinds)
    return describe(ColumnView(pair.columns[0]), pair.sizes[0])


def normal(seed, size=2_000):
    return np.random.default_rng(seed).normal(50.0, 10.0, size)


def test_a_shift_is_told_by_the_median_and_a_spread_by_the_middle_half():
    assert told(normal(0), normal(1) + 3).startswith("median 4")
    wider = 50 + 2 * (normal(1) - 50)
    assert told(normal(0), wider).startswith("middle half 13")
    assert "median" not in told(normal(0), wider)


def test_a_new_code_for_unknown_comes_first():
    b = normal(1)
    b[:20] = -999.0
    assert told(normal(0), b).startswith("−999 new (1 %)")


def test_more_zeros_are_told_where_median_and_quartiles_stay():
    rng = np.random.default_rng(0)

    def mostly_ten(zeros):
        wild = rng.normal(10, 3, 4_000).round(3)
        return np.where(rng.random(4_000) < zeros, 0.0, np.where(rng.random(4_000) < 0.8, 10, wild))

    said = told(mostly_ten(0.05), mostly_ten(0.15))
    assert "10 → 10" not in said
    assert "0 → 0" not in said
    assert said.startswith("0 in 4.7 % → 14 %")


def test_few_distinct_values_show_shares():
    rng = np.random.default_rng(0)
    a, b = rng.binomial(5, 0.2, 2_000), rng.binomial(5, 0.3, 2_000)
    said = told(a, b)
    assert "median" not in said
    assert said.startswith("0 in 33 % → 1")
    assert said.count("→") == 3


def test_categories_that_came_or_went_are_first():
    a = ["card"] * 500 + ["invoice"] * 400 + ["cash"] * 50
    b = ["card"] * 300 + ["invoice"] * 600 + ["wallet"] * 60
    assert (
        told(a, b, "categorical") == "'wallet' new (6.2 %), 'cash' gone (5.3 %), 'card' 53 % → 31 %"
    )


def test_what_does_not_differ_is_said_once():
    assert told(normal(0), normal(0)) == f"median {np.median(normal(0)):.2f} in both"
    assert told([1, 2] * 50, [1, 2] * 60) == "shares of its values nearly the same"


def test_only_the_mean_may_tell():
    rng = np.random.default_rng(3)
    a = rng.normal(size=400)
    b = a.copy()
    far = np.argsort(a)[-3:]
    b[far] += 100.0
    assert told(a, b).startswith(("mean", "median"))


def test_dates_are_told_by_their_ends_and_without_idle_minutes():
    first = np.datetime64("2024-01-01T10:31")
    days = np.random.default_rng(0).integers(0, 31 * 24 * 60, (2, 500)).astype("timedelta64[m]")
    a, b = first + days[0], first + np.timedelta64(31, "D") + days[1]
    said = told(a, b)
    assert "2024-01-01…2024-02-01 → 2024-02-01…2024-03-03" in said
    assert "median 2024-01-1" in said
    assert ":" not in said


def test_parts_of_dates_are_words_of_the_calendar():
    first = np.datetime64("2024-01-01")
    hours = np.random.default_rng(0).integers(8, 18, (2, 3_000))
    days = np.arange(3_000) % 28
    a, b = (first + days * np.timedelta64(1, "D") + h.astype("timedelta64[h]") for h in hours)
    b = b + np.timedelta64(1, "h")
    pair = pair_tables(read_table({"x": a}), read_table({"x": b}))
    view = next(v for v in compared_views(pair.columns) if v.part == "hour of day")
    assert describe(view, 3_000).startswith("around 12:")
    assert "18 h new (9.9 %), 08 h gone (9.8 %)" in describe(view, 3_000)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([None, 1.5, 2.5], [None, None, None], "no values in B"),
        ([1.0, 2.0, np.inf], [1.0, 2.0, 3.0], "infinite 1 → 0 times"),
        ([True] * 9 + [False], [True] * 5 + [False] * 5, "90 % → 50 % true"),
    ],
)
def test_odd_columns_have_words_too(a, b, said):
    assert said in told(a, b)


def times(middle, spread, seed):
    """Times of day around an hour, as a clock shows them."""
    minutes = np.random.default_rng(seed).normal(60 * middle, 60 * spread, 800).round().astype(int)
    return [f"{m // 60:02d}:{m % 60:02d}" for m in np.clip(minutes, 0, 1439)]


def test_times_of_day_are_told_as_a_clock_shows_them():
    assert re.match(r"median 09:5\d → 11:1\d", told(times(9.9, 1.0, 0), times(11.2, 1.0, 1)))
    wider = told(times(12, 1.0, 0), times(12, 3.0, 1))
    assert re.match(r"middle half 1:2\d h → \d:\d\d h wide", wider)
    few = told(["08:15"] * 50 + ["20:00"] * 50, ["08:15"] * 90 + ["20:00"] * 10)
    assert few == "08:15 in 50 % → 90 %, 20:00 in 50 % → 10 %"


def test_a_share_that_reads_the_same_in_both_did_not_move():
    """ "'1.2.4' 30 % → 30 %" was told beside the two that moved."""
    counts = {"1.2.3": (413, 126), "1.10.0": (77, 364), "1.2.4": (214, 210)}
    sides = [np.repeat([*counts], [pair[k] for pair in counts.values()]) for k in (0, 1)]
    assert told(*sides) == "'1.10.0' 11 % → 52 %, '1.2.3' 59 % → 18 %"


def of_many(seed, first, count, size=600):
    """Values of many, each of them rare."""
    return [f"k{i:03d}" for i in first + np.random.default_rng(seed).integers(0, count, size)]


def test_many_values_that_came_and_went_are_told_by_the_rows_that_have_them():
    """Each was under half a percent: "shares of the categories nearly the same", effect .628."""
    a, b = of_many(0, 0, 300, 2_400), of_many(1, 300, 300, 2_400)
    b[:36] = a[:36]
    assert told(a, b, "categorical") == "new values in 98.5 % of B, gone values in 86 % of A"
    assert "values in" not in told(a, of_many(2, 0, 300), "categorical"), "as many by chance"


def test_values_that_were_cut_are_told_by_their_length():
    a = of_many(0, 100, 300)
    assert told([f"{one}-7" for one in a], a, "categorical") == (
        "length 6 → 4, new values in 100 % of B, gone values in 100 % of A"
    )


def test_small_moves_of_many_categories_are_added_up():
    rng = np.random.default_rng(0)
    names, twice = [f"k{i:03d}" for i in range(300)], np.tile([1, 2], 150) / 450
    a, b = rng.choice(names, 6_000, p=twice), rng.choice(names, 6_000, p=twice[::-1])
    said = told(a, b, "categorical")
    moved = re.match(r"(\d+) % of the rows moved between categories", said)
    assert moved
    assert 12 <= int(moved[1]) <= 22  # a sixth of them
    assert "moved" not in told(a, rng.choice(names, 6_000, p=twice), "categorical")


def test_a_category_of_one_row_is_told_last():
    a, b = ["u"] * 80 + ["v"] * 70, ["u"] * 60 + ["v"] * 88 + ["w"]
    assert told(a, b, "categorical") == "'u' 53 % → 40 %, 'v' 47 % → 59 %, 'w' new (0.7 %)"
    assert told([1] * 80 + [2] * 70, [1] * 60 + [2] * 88 + [7]).startswith("1 in 53 %")
