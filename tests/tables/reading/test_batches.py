"""A table in pieces knows its source and is one table again."""

import numpy as np
import pyarrow as pa
import pytest

from samelaw.tables.reading.arrow_batches import Part
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.batches import Batches, read_whole


def in_pieces(*pieces, **options):
    about = Part(pieces[0].slice(0, 0), notes=("a note",), unread=("z",), typed=False)
    return Batches("t", tuple(pieces[0].column_names), lambda: iter(pieces), 3, about, **options)


def test_a_piece_is_a_table_that_knows_its_source():
    found = in_pieces(pa.table({"x": [1.5, 2.5]}), open_ended=True)
    table = found.table(next(found.pieces()))
    assert (table.source, table.notes, table.unread) == ("t", ("a note",), ("z",))
    assert not table.typed
    assert table.open_ended


def test_all_pieces_are_one_table():
    table = read_whole(in_pieces(pa.table({"x": [1.5]}), pa.table({"x": [2.5, 3.5]})))
    np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5, 3.5])


def test_a_table_without_rows_is_refused():
    nothing = open_batches(pa.table({"x": [1.0]}))
    with pytest.raises(ValueError, match="has no rows that were asked for"):
        read_whole(Batches("t", ("x",), lambda: iter(()), 0, nothing.about))
