"""Pieces of a table: their size, and all of them under each other."""

import numpy as np
import pyarrow as pa

from samelaw.tables.reading.arrow_batches import ROWS, VALUES, gathered, rows_at_once, stack


def test_a_column_of_words_in_some_pieces_is_words_in_all():
    whole = stack([pa.table({"x": [1, 2]}), pa.table({"x": ["a", None]})])
    assert whole["x"].to_pylist() == ["1", "2", "a", None]


def test_a_piece_of_a_wide_table_has_fewer_rows():
    assert rows_at_once(1) == ROWS
    assert rows_at_once(64) == VALUES // 64
    assert rows_at_once(10**6) == 2**10


def test_small_batches_come_together_until_a_piece_is_full():
    batch = pa.record_batch({"x": np.arange(100_000.0)})
    assert [piece.num_rows for piece in gathered([batch] * 4)] == [300_000, 100_000]
