"""A value is unseen if the other table has nothing like it."""

import pytest

from samelaw.comparison.rows.witness import UnseenValues
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

A = {"paid": ["cash", "card", "card"], "spent": [1.5, 2.5, 9.75], "flag": [True, True, False]}
B = {"paid": ["card", "card", "card"], "spent": [1.25, 3.5, None], "flag": [True, True, True]}
KINDS = {"paid": "categorical", "spent": "numeric", "flag": "boolean"}


@pytest.mark.parametrize(
    ("row", "unseen"),
    [
        (0, ("paid",)),
        (1, ()),  # 2.5 is no value of B, but lies among them
        (2, ("spent", "flag")),
        (3, ("spent",)),  # below all of A
        (5, ("spent",)),  # missing, which nothing of A is
    ],
)
def test_categories_ends_and_holes(row, unseen):
    pair = pair_tables(read_table(A), read_table(B), kinds=KINDS)
    assert UnseenValues(pair.columns, 3).of(row) == unseen
