"""Columns in numbers to draw, and what is told of groups."""

import numpy as np
import pytest

from samelaw.comparison.columns.shown import describe_groups
from samelaw.tables.columns.panels import BARS, BINS, panel
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def pooled(a, b, **kinds):
    return pair_tables(read_table({"x": a}), read_table({"x": b}), kinds=kinds).columns[0]


def view(a, b, **kinds):
    return ColumnView(pooled(a, b, **kinds))


def test_shares_of_a_panel_are_those_of_each_table():
    drawn = panel(view([True, True, False, None], [False, False]), 4)
    assert drawn.categories == ("false", "true")
    assert drawn.shares_a == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert drawn.shares_b == (1.0, 0.0)


def test_counts_have_a_bin_each_and_numbers_have_some():
    rng = np.random.default_rng(0)
    counts = panel(view(rng.integers(0, 7, 300), rng.integers(0, 7, 200)), 300)
    assert counts.edges == tuple(np.arange(8) - 0.5)
    numbers = panel(view(rng.normal(size=300), rng.normal(size=200)), 300)
    assert len(numbers.edges) == BINS + 1
    assert sum(numbers.shares_a) == pytest.approx(1.0)


def test_rare_categories_share_the_last_bar():
    words = [f"w{i % 30}" for i in range(600)]
    drawn = panel(view(words, words, x="categorical"), 600)
    assert len(drawn.categories) == BARS
    assert drawn.categories[-1] == f"{30 - BARS + 1} others"


def test_the_mix_of_groups_is_told():
    column = pooled(["u", "u", "v", "w"], ["u", "v", "v", "z"], x="categorical")
    notes = describe_groups(column, 4)
    assert notes[0] == (
        "x: 2 of its groups are in both tables; 1 only in A (1 row); 1 only in B (1 row)."
    )
    assert "'w' gone (25 %)" in notes[1]
