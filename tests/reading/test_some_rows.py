"""Some rows of tables read piece by piece: the right ones, with their numbers."""

import numpy as np
import pyarrow as pa

from samelaw.reading.batch_sources import open_batches
from samelaw.reading.some_rows import Marks, held_rows, marked_rows

ROWS = 200_000


def test_marks_are_a_set_of_rows():
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.choice(ROWS, 30_000, replace=False))
    marks = Marks(ROWS)
    for part in np.array_split(rng.permutation(chosen), 4):
        marks.add(part)
    assert marks.count == 30_000
    for start, stop in ((0, ROWS), (3, 9), (65_530, 65_545), (ROWS - 5, ROWS)):
        np.testing.assert_array_equal(
            start + np.flatnonzero(marks.within(start, stop)),
            chosen[(chosen >= start) & (chosen < stop)],
        )
    places = rng.choice(30_000, 50, replace=False)
    np.testing.assert_array_equal(marks.numbers(places), chosen[places])


def test_marked_rows_are_a_table_of_their_own():
    batches = open_batches(pa.table({"row": np.arange(1_000)}))
    marks = Marks(1_000)
    marks.add(np.arange(5, 1_000, 3))
    found = marked_rows(batches, marks)
    rows = np.concatenate([piece["row"].to_numpy() for piece in found.pieces()])
    np.testing.assert_array_equal(rows, np.arange(5, 1_000, 3))
    np.testing.assert_array_equal(found.number(np.array([0, 2])), [5, 11])
    assert (found.rows, found.whole) == (332, 1_000)


def test_held_rows_keep_their_numbers():
    batches = open_batches(pa.table({"row": np.arange(10)}))
    found = held_rows(batches, pa.table({"row": [4, 7]}), np.array([4, 7]), 10)
    assert [piece["row"].to_pylist() for piece in found.pieces()] == [[4, 7]]
    assert found.number(np.array([1])) == [7]
    assert (found.rows, found.whole) == (2, 10)
