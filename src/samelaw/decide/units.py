"""What is relabelled together: single rows, blocks of rows, or groups the user names."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.decide.permutation import Labels

Matrix = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Units:
    """Rows of a pool dealt to units; a relabelling moves whole units.

    Parameters
    ----------
    labels : Labels
        Of the units, those of A first.
    unit : array (N,)
        Unit of each row, −1 for rows that take no part.
    """

    labels: Labels
    unit: Matrix

    @classmethod
    def of_rows(cls, sizes: tuple[int, int]) -> "Units":
        """Every row by itself."""
        return cls(Labels(sizes), np.arange(sum(sizes)))

    @classmethod
    def of_blocks(cls, rows: tuple[Matrix, Matrix], block: int, size: int) -> "Units":
        """Blocks of equal size; ``rows`` lists the rows of A and of B block after block."""
        unit = np.full(size, -1)
        counts = (len(rows[0]) // block, len(rows[1]) // block)
        unit[np.concatenate(rows)] = np.repeat(np.arange(sum(counts)), block)
        return cls(Labels(counts), unit)

    @classmethod
    def of_groups(cls, groups: Matrix, sizes: tuple[int, int]) -> "Units":
        """Rows of one table and group; a group in both tables is a pair that may be swapped."""
        _, code = np.unique(groups, return_inverse=True)
        first = np.arange(sum(sizes)) < sizes[0]
        keys, unit = np.unique(2 * code + ~first, return_inverse=True)
        in_b = (keys % 2).astype(bool)
        place = np.argsort(in_b, kind="stable")  # units of A first
        rank = np.empty(len(keys), dtype=np.int64)
        rank[place] = np.arange(len(keys))
        of_unit = (keys // 2)[place]
        counts = (int((~in_b).sum()), int(in_b.sum()))
        shared = len(np.unique(of_unit)) < len(of_unit)
        return cls(Labels.of(counts, of_unit if shared else None), rank[unit])

    def some(self, count: int, rng: np.random.Generator) -> tuple["Units", Matrix]:
        """At most ``count`` units, chosen at random, and their numbers."""
        if self.count <= count:
            return self, np.arange(self.count)
        chosen = np.sort(rng.permutation(self.count)[:count])
        number = np.full(self.count + 1, -1)
        number[chosen] = np.arange(count)
        first = int((chosen < self.labels.sizes[0]).sum())
        return Units(Labels((first, count - first)), number[self.unit]), chosen

    @property
    def count(self) -> int:
        return sum(self.labels.sizes)

    @cached_property
    def sizes(self) -> Matrix:
        """Rows of each unit (U,)."""
        return np.bincount(self.unit[self.unit >= 0], minlength=self.count).astype(np.float64)

    @cached_property
    def _order(self) -> Matrix | None:
        """Rows unit after unit; None if they are in that order already."""
        if self.count == len(self.unit) and bool(np.all(self.unit == np.arange(self.count))):
            return None
        return np.argsort(self.unit, kind="stable")[int((self.unit < 0).sum()) :]

    @cached_property
    def _starts(self) -> Matrix:
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    def arrange(self, values: Matrix) -> Matrix:
        """Row values (N, r) in the order of the units."""
        return values if self._order is None else values[self._order]

    def arranged_sums(self, values: Matrix) -> Matrix:
        """Sums (U, r) over each unit of values in the order of the units."""
        if self._order is None:
            return values
        return np.asarray(np.add.reduceat(values, self._starts, axis=0))

    def sums(self, values: Matrix) -> Matrix:
        """Sums (U, r) of row values (N, r) over each unit, without a second copy of them all."""
        if self._order is None:
            return values
        columns = [self.arranged_sums(self.arrange(column)) for column in values.T]
        return np.stack(columns, axis=1)

    def weights(self, members: Matrix) -> tuple[Matrix, Matrix]:
        """Weights (B, U), none negative, whose products with sums are the means over A and B."""
        rows = members @ self.sizes
        sides = (members, rows), (~members, self.sizes.sum() - rows)
        first, second = (np.multiply(m, (1.0 / r)[:, None], dtype=np.float32) for m, r in sides)
        return first, second

    def contrasts(self, members: Matrix) -> Matrix:
        """V (B, U) such that V @ sums is the mean over A less the mean over B."""
        rows = members @ self.sizes
        inside = (1.0 / rows).astype(np.float32)[:, None]
        outside = (-1.0 / (self.sizes.sum() - rows)).astype(np.float32)[:, None]
        return np.where(members, inside, outside)
