"""Values of a row that the other table does not have at all."""

from collections.abc import Sequence

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Kind


class UnseenValues:
    """What each of two tables has in some columns, to be asked for rows of the other one.

    Of categories it is every one, of numbers and dates their range: single numbers are mostly
    new, and nobody would call 1.25 unseen between 1.2 and 1.3.

    Parameters
    ----------
    columns : sequence of Column
    n : int
        Rows of A, which come first.
    """

    def __init__(self, columns: Sequence[Column], n: int) -> None:
        self.n = n
        self.columns = [column for column in columns if column.compared]
        sides = (slice(n), slice(n, None))
        self.known = [[_values(column, side) for column in self.columns] for side in sides]
        self.holes = [[bool(c.missing[side].any()) for c in self.columns] for side in sides]

    def of(self, row: int) -> tuple[str, ...]:
        """Columns in which the table that a row is not of has nothing like its value."""
        other = 1 if row < self.n else 0
        parts = zip(self.columns, self.known[other], self.holes[other], strict=True)
        return tuple(c.name for c, known, hole in parts if _unseen(c, row, known, hole))


def _values(column: Column, side: slice) -> Matrix:
    """All categories of a side, or the two ends of its numbers; empty if it has no values."""
    values = column.values[side][~column.missing[side]]
    if column.kind is Kind.CATEGORICAL or column.kind is Kind.BOOLEAN or len(values) == 0:
        return np.unique(values)
    return np.array([values.min(), values.max()])


def _unseen(column: Column, row: int, known: Matrix, hole: bool) -> bool:
    if column.missing[row]:
        return not hole
    if column.kind is Kind.CATEGORICAL or column.kind is Kind.BOOLEAN or len(known) == 0:
        return bool(column.values[row] not in known)
    return not known[0] <= column.values[row] <= known[1]
