"""Rows of large tables that are held: their numbers are those of the whole tables."""

import numpy as np

from samelaw.reading.read import read_table
from samelaw.streaming.held_tables import HeldTables
from samelaw.tables.pair import pair_tables


def test_rows_are_numbered_as_in_their_tables():
    a, b = read_table({"x": [1.0, 5.0, 2.0]}), read_table({"x": [7.0, 8.0]})
    kept = HeldTables((a, b), (np.array([4, 9, 11]), np.array([0, 6])), (20, 30), ("some",))
    pair = kept.noting("asked", distinct=True).numbered(pair_tables(a, b))
    assert [pair.row_in_table(row) for row in range(5)] == [4, 9, 11, 0, 6]
    assert pair.table_sizes == (20, 30)
    assert pair.notes[-2:] == ("asked", "some")
