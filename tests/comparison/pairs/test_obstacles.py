"""Why pairs cannot be compared: said of the column and the table that lack something."""

import numpy as np
import pytest

from samelaw.comparison.pairs.classes import classes_of
from samelaw.comparison.pairs.obstacles import obstacle
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

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


def mostly_rare(common):
    """So many rows with a few values, all others with one of their own."""
    some = WORDS[np.arange(ROWS) % 3] if common < 50 else np.repeat("a", ROWS)
    return np.where(np.arange(ROWS) < common, some, [f"v{i:02}" for i in range(ROWS)])


@pytest.mark.parametrize(
    ("x_of_a", "x_of_b", "reason"),
    [
        (*NORMAL, ""),
        (NORMAL[0], 5 * NORMAL[1] + 9, ""),
        (NORMAL[0], NOTHING, "x has no values in B"),
        (
            np.where(np.arange(ROWS) < 3, NORMAL[0], np.nan),
            NORMAL[1],
            "x is known in only 3 rows of A",
        ),
        (NORMAL[0], np.full(ROWS, 2.5), "x has only one value in B"),
        (FLAGS, np.ones(ROWS, dtype=bool), "x has only one value in B"),
        (FLAGS, np.arange(ROWS) > 2, "all but 3 rows of B have one value of x"),
        (
            WORDS[np.arange(ROWS) % 2],
            WORDS[2 + np.arange(ROWS) % 2],
            "fewer than two of the 3 commonest values of x are in 5 rows or more of both tables",
        ),
        (
            WORDS[(np.arange(ROWS) < 4) * 1],
            WORDS[(np.arange(ROWS) < 96) * 1],
            "fewer than two of the values of x are in 5 rows or more of both tables",
        ),
        (
            WORDS[np.arange(ROWS) % 3],
            mostly_rare(4),
            "only 4 rows of B have one of the 3 commonest values of x",
        ),
        (
            mostly_rare(97)[::-1],
            mostly_rare(70),
            "x is not 'a' in only 3 rows of A",
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
    assert said(a, b) == "x and y are known together in fewer than 5 rows of B"


def test_what_only_some_rows_lack_is_said_of_those_rows():
    """Both columns have all values; where the other is known one of them has not."""
    a, b = tables(FLAGS, FLAGS)
    b["y"] = np.where(FLAGS, b["y"], np.nan)
    assert said(a, b) == "x has only one value in B where y is known"
