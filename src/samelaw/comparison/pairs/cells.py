"""How many rows of A and of B fall into each cell of two views, under many permutations."""

from collections.abc import Callable

import numpy as np

from samelaw.comparison.pairs.classes import Classes
from samelaw.comparison.pairs.scores import TINY
from samelaw.core.memory import pieces
from samelaw.core.types import Matrix
from samelaw.testing.permuting.units import Units

_DENSE = 12  # a sparse product costs so much more per entry than a dense one


Tally = Callable[[Classes, Classes], Matrix]
"""How many rows (U, K, L) of each unit fall into each cell of two views."""


class Cells:
    """Cells of pairs of views under b permutations, of A and then of B.

    They are counted from the rows, or a ``tally`` says what was counted when there were rows.
    """

    def __init__(self, units: Units, memberships: Matrix, tally: Tally | None = None) -> None:
        self.tally = tally
        self.unit, self.count = units.unit, units.count
        first, second = _weights(units, memberships)  # (U, b)
        # the usual case: every row counts once, in A or in B, so one product gives both tables
        self.once = bool(np.all((first == 0) | (first == 1)) and np.all(first + second == 1))
        self.weights = first if self.once else np.concatenate([first, second], axis=1)

    def shares(self, one: Classes, other: Classes) -> tuple[Matrix, Matrix]:
        """Shares (K, L, 2b) of the cells, and how many equally weighted rows (2b,) they stand for.

        Rows without a class of either view take no part.
        """
        if self.tally is not None:
            return self._of_tally(self.tally(one, other))
        seen = (one.codes >= 0) & (other.codes >= 0) & (self.unit >= 0)
        cell = one.codes[seen].astype(np.intp) * other.count + other.codes[seen]
        unit = self.unit[seen]
        sums = self._sums(cell, unit, one.count * other.count)
        total = sums.sum(axis=0)
        rows = total if self.once else total**2 / np.maximum(self._squares(unit), TINY)
        sums /= np.maximum(total, TINY)
        return sums.reshape(one.count, other.count, -1), rows

    def _of_tally(self, counts: Matrix) -> tuple[Matrix, Matrix]:
        """The same from counts (U, K, L) of blocks, whose rows count once."""
        flat = counts.reshape(len(counts), -1).T
        sums = np.asarray(flat @ self.weights.astype(flat.dtype))
        sums = np.concatenate([sums, flat.sum(axis=1, keepdims=True) - sums], axis=1)
        total = sums.sum(axis=0)
        sums /= np.maximum(total, TINY)
        return sums.reshape(*counts.shape[1:], -1), total

    def _sums(self, cell: Matrix, unit: Matrix, size: int) -> Matrix:
        """Weights (size, 2b) of the rows in each cell."""
        sums = self._product(cell, unit, size)
        if not self.once:
            return sums
        counts = np.bincount(cell, minlength=size).astype(np.float32)
        return np.concatenate([sums, counts[:, None] - sums], axis=1)

    def _product(self, cell: Matrix, unit: Matrix, size: int) -> Matrix:
        if len(cell) * _DENSE < size * self.count:
            from scipy.sparse import csr_array

            ones = np.ones(len(cell), dtype=np.float32)
            sparse = csr_array((ones, (cell, unit)), shape=(size, self.count))
            return np.asarray(sparse @ self.weights)
        counts = np.bincount(cell * self.count + unit, minlength=size * self.count)
        return np.asarray(counts.reshape(size, self.count).astype(np.float32) @ self.weights)

    def _squares(self, unit: Matrix) -> Matrix:
        sizes = np.bincount(unit, minlength=self.count).astype(np.float32)
        return np.asarray(np.einsum("u,ub,ub->b", sizes, self.weights, self.weights))


def _weights(units: Units, memberships: Matrix) -> tuple[Matrix, Matrix]:
    """Weights (U, b), the largest 1: counts of equally weighted rows are then exact.

    Few permutations at a time are in double precision.
    """
    shape = memberships.shape[::-1]
    first, second = np.empty(shape, dtype=np.float32), np.empty(shape, dtype=np.float32)
    for some in pieces(*memberships.shape):
        for kept, weights in zip((first, second), units.shares(memberships[some]), strict=True):
            kept[:, some] = weights.T
    for kept in (first, second):
        kept /= np.maximum(kept.max(axis=0), TINY)
    return first, second
