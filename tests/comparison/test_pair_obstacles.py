"""Why pairs cannot be compared: said of the column and the table that lack something."""

import numpy as np
import pytest

from samelaw.columns.column_views import ColumnView
from samelaw.comparison.pair_obstacles import obstacle
from samelaw.reading.read import read_table
from samelaw.tables.pair import pair_tables
from samelaw.twotables.pair_classes import classes_of

ROWS = 100


def said(a, b, missing=False, moved=True):
    pair = pair_tables(read_table(a), read_table(b))
    x, y = pair.columns
    views = ColumnView(x, missing), ColumnView(y)
    one, other = (classes_of(view, pair.sizes) for view in views)
    return obstacle(one, other, pair.sizes[0], (moved, moved))


def tables(x_of_a, x_of_b):
    rng = np.random.default_rng(0)
    sides = [{"x": np.asarray(x), "y": rng.normal(size=len(x))} for x in (x_of_a, x_of_b)]
    return sides[0], sides[1]


def zeros(values, count):
    """The lowest values as 0, the others above."""
    return np.maximum(values - np.sort(values)[count - 1], 0)


NORMAL = np.random.default_rng(1).normal(size=(2, ROWS))
NOTHING = np.full(ROWS, np.nan)
FLAGS = np.arange(ROWS) % 2 == 0
WORDS = np.array(["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("x_of_a", "x_of_b", "reason"),
    [
        (*NORMAL, ""),
        (NORMAL[0], 5 * NORMAL[1] + 9, ""),
        (NORMAL[0], NOTHING, "x has no values in B"),
        (np.where(np.arange(ROWS) < 3, NORMAL[0], np.nan), NORMAL[1], "x has 3 values in A"),
        (NORMAL[0], np.full(ROWS, 2.5), "x hardly takes more than one value in B"),
        (FLAGS, np.ones(ROWS, dtype=bool), "x hardly takes more than one value in B"),
        (
            WORDS[np.arange(ROWS) % 2],
            WORDS[2 + np.arange(ROWS) % 2],
            "x has no two values common in both A and B",
        ),
        (
            zeros(NORMAL[0], 20),
            zeros(NORMAL[1], 60),
            "x is 0 in 20 % of A and 60 % of B",
        ),
    ],
)
def test_the_reason_names_column_and_table(x_of_a, x_of_b, reason):
    assert said(*tables(x_of_a, x_of_b)) == reason


def test_missing_values_need_both_kinds_of_rows():
    holes = np.where(np.arange(ROWS) % 3 == 0, np.nan, NORMAL[0])
    assert said(*tables(holes, holes), missing=True) == ""
    assert said(*tables(NORMAL[0], holes), missing=True) == "x has no missing values in A"
    assert said(*tables(holes, NOTHING), missing=True) == "x has no values in B"


def test_a_point_mass_that_differs_by_chance_is_no_obstacle():
    a, b = tables(zeros(NORMAL[0], 20), zeros(NORMAL[1], 60))
    assert said(a, b, moved=False) == ""


def test_columns_never_known_together_are_named_both():
    a, b = tables(*NORMAL)
    first = np.arange(ROWS) < 50
    b["x"], b["y"] = np.where(first, b["x"], np.nan), np.where(first, np.nan, b["y"])
    assert said(a, b) == "x and y are hardly ever known together in B"
