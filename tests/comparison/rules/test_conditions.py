"""Conditions on one column: bins, words, and that the words mean the bins."""

import re
from dataclasses import replace

import numpy as np
import pytest

from samelaw.comparison.constants import RULE_BINS, RULE_CATEGORIES
from samelaw.comparison.rules.conditions import part_of
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.parse import OF_DAY
from samelaw.tables.columns.views import ColumnView

EVERY = slice(None)


def part(values, kind=Kind.NUMERIC, categories=(), missing=False):
    values = np.asarray(values, dtype=np.int64 if categories else float)
    absent = values < 0 if categories else np.isnan(values)
    return part_of(ColumnView(Column("x", kind, values, absent, categories), missing), EVERY)


def test_every_choice_of_numbers_means_what_it_says():
    """The values are looked up by the printed thresholds."""
    rng = np.random.default_rng(0)
    for values in (
        rng.normal(size=400),
        1e6 * rng.exponential(size=400),
        rng.poisson(3, 400),
        1e15 + np.arange(400),
        1e22 * rng.exponential(size=400),
        1e-15 * rng.normal(size=400),
    ):
        values = np.append(values, np.nan)
        found = part(values)
        assert 1 < found.count <= RULE_BINS
        codes = found.codes()
        assert codes[-1] == found.count
        for choice in found.choices[::7]:
            text = found.words(choice).replace(",", "").replace("−", "-")
            expected = np.full(len(values), True)
            if " < x" in text:
                expected &= values > float(text.split(" < ")[0])
            if "≤" in text:
                expected &= values <= float(text.split(" ≤ ")[1])
            if ">" in text:
                expected &= values > float(text.split(" > ")[1])
            np.testing.assert_array_equal(np.append(choice, 0)[codes] > 0, expected)


def test_words_of_each_kind():
    words = part(np.tile([0, 1, 2, -1], 9), Kind.CATEGORICAL, ("blue", "green", "red"))
    assert [words.words(choice) for choice in words.choices] == [
        "x = 'blue'",
        "x = 'green'",
        "x = 'red'",
    ]
    assert words.codes()[3] == words.count
    flags = part(np.tile([0.0, 1.0, np.nan], 9), Kind.BOOLEAN)
    assert [flags.words(choice) for choice in flags.choices] == ["x = false", "x = true"]
    holes = part(np.tile([0.0, 1.0, np.nan], 9), missing=True)
    assert [holes.words(choice) for choice in holes.choices] == ["x is known", "x is missing"]
    assert list(holes.codes()[:3]) == [0, 0, 1]
    days = part(np.arange(400) * 86_400.0, Kind.DATETIME)
    assert days.words(days.choices[-1]).startswith("x > 1971-01-")


def test_thresholds_are_numbers_people_write():
    ages = part(np.tile(np.arange(18.0, 78.0), 10), Kind.INTEGER)
    assert all("." not in ages.words(choice) for choice in ages.choices)
    assert ages.words(ages.choices[0]) == "x ≤ 19"


def test_ends_cost_and_many_categories_cost_more():
    numbers = part(np.arange(300.0))
    one, two = sorted(set(numbers.costs))
    assert two == 2 * one
    assert numbers.costs[np.argmax(numbers.choices.sum(axis=1))] == one
    few = part(np.tile([0, 1], 9), Kind.CATEGORICAL, ("a", "b"))
    many = part(np.arange(900) % 90, Kind.CATEGORICAL, tuple(f"w{i:02d}" for i in range(90)))
    assert many.count == RULE_CATEGORIES
    assert few.costs[0] < many.costs[0]


def test_coarse_bins_end_where_fine_ones_do():
    fine = part(np.random.default_rng(1).normal(size=500))
    coarse = fine.coarse(12)
    assert coarse.count <= 12
    assert set(coarse.edges) < set(fine.edges)
    assert coarse.coarse(12) is coarse


@pytest.mark.parametrize("values", [[3.0] * 9, [np.nan] * 9, [np.inf] * 9])
def test_what_does_not_vary_has_no_bins(values):
    assert part(values) is None


def test_edges_of_times_of_day_are_minutes():
    hours = np.linspace(8.0, 18.0, 997)
    column = replace(part(hours).view.column, notes=(OF_DAY,))
    found = part_of(ColumnView(column), np.arange(len(hours)))
    np.testing.assert_allclose(found.edges * 60, np.rint(found.edges * 60))
    assert all(re.fullmatch(r"\d\d:\d\d", found._edge(k)) for k in range(len(found.edges)))


def test_thresholds_of_years_are_plain_and_have_one_minus_sign():
    years = np.append(np.repeat(np.arange(1952.0, 2018.0), 3), -1989.0)
    view = ColumnView(Column("Year", Kind.INTEGER, years, np.isnan(years)))
    found = part_of(view, np.arange(len(years)))
    said = [found.words(choice) for choice in found.choices]
    assert not any("," in words for words in said)
    assert any(words.startswith("Year ≤ 19") for words in said)
    below = part(np.arange(-50.0, 50.0))
    assert "-" not in "".join(below.words(choice) for choice in below.choices)


def test_no_threshold_is_minus_0():
    found = part(np.linspace(-1.5e-4, 1e-4, 400).round(4))
    assert any("0" in found.words(choice).split() for choice in found.choices)
    assert not any("-0" in found.words(choice).split() for choice in found.choices)
