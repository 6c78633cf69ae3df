"""Some rows of a table that is read piece by piece, as a table that is read piece by piece."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from samelaw.core.types import Matrix
from samelaw.reading.batches import Batches
from samelaw.reading.pieces import rows_at_once

if TYPE_CHECKING:
    import pyarrow as pa

_WORD = 2**16  # rows whose marks are counted together


class Marks:
    """A set of rows of a table, one bit each.

    Examples
    --------
    >>> marks = Marks(10)
    >>> marks.add(np.array([2, 3, 7]))
    >>> marks.within(2, 5), marks.count, marks.numbers(np.array([0, 2]))
    (array([ True,  True, False]), 3, array([2, 7]))
    """

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self._bits = np.zeros(-(-max(rows, 1) // _WORD) * (_WORD // 8), dtype=np.uint8)

    def add(self, numbers: Matrix) -> None:
        """Mark rows, each of which was not marked before."""
        np.bitwise_or.at(self._bits, numbers >> 3, np.left_shift(1, numbers & 7).astype(np.uint8))

    def within(self, start: int, stop: int) -> Matrix:
        """Which of the rows from start to stop (stop − start,) are marked."""
        first = start >> 3
        bits = np.unpackbits(self._bits[first : (stop >> 3) + 1], bitorder="little")
        return bits[start - 8 * first : stop - 8 * first].astype(bool)

    @property
    def count(self) -> int:
        return int(self._counts[-1])

    @property
    def _counts(self) -> Matrix:
        """Rows marked before each word, and in all."""
        words = self._bits.reshape(-1, _WORD // 8)
        counts = [int(np.bitwise_count(word).sum()) for word in words]
        return np.cumsum([0, *counts])

    def numbers(self, places: Matrix) -> Matrix:
        """The numbers of the marked rows at these places (k,) among all marked ones."""
        ends = self._counts
        found = np.empty(len(places), dtype=np.int64)
        word = np.searchsorted(ends, places, side="right") - 1
        for one in np.unique(word):
            here = word == one
            rows = np.flatnonzero(self.within(int(one) * _WORD, (int(one) + 1) * _WORD))
            found[here] = int(one) * _WORD + rows[places[here] - ends[one]]
        return found


def marked_rows(batches: Batches, marks: Marks) -> Batches:
    """The rows of a table that are marked."""

    def pieces() -> Iterator["pa.Table"]:
        seen = 0
        for piece in batches.pieces():
            kept = marks.within(seen, seen + piece.num_rows)
            seen += piece.num_rows
            yield piece.filter(kept)

    def numbers(places: Matrix) -> Matrix:
        return batches.number(marks.numbers(places))

    whole = batches.whole or marks.rows
    return replace(batches, pieces=pieces, rows=marks.count, numbers=numbers, whole=whole)


def held_rows(batches: Batches, table: "pa.Table", numbers: Matrix, whole: int) -> Batches:
    """Rows of a table that are held in memory, with their numbers in it."""
    step = rows_at_once(len(batches.names))

    def pieces() -> Iterator["pa.Table"]:
        for start in range(0, table.num_rows, step):
            yield table.slice(start, step)

    return replace(
        batches,
        pieces=pieces,
        rows=table.num_rows,
        numbers=lambda places: numbers[places],
        whole=whole,
    )
