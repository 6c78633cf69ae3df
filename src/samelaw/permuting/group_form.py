"""Groups of unequal size that are permuted as wholes: a statistic whose law stays in place.

Permuting such groups changes how many rows each sample has, and with it the mean and the spread
of the usual statistic. Here only pairs of rows of different groups count, with weights that sum to
one, so the mean stays at 0; and the value is divided by the spread to be expected at the permuted
sizes, Σ_A n_g(1 + (n_g − 1)ρ)/n² + the same for B, with ρ the likeness of rows of one group in the
pool.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.permuting.quadratic import largest_entry, symmetric_forms
from samelaw.permuting.units import Part

_ALL = 1.0 - 1e-10
"""The share of its pairs that one group has with itself, beyond which there are no others."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Numbers of rows and pairs in both samples under each permutation of groups.

    Parameters
    ----------
    memberships : array (B, G)
    sizes : array (G,)
    """

    memberships: Matrix
    sizes: Matrix

    def rows(self) -> tuple[Matrix, Matrix]:
        """Rows (B,) of A and of B."""
        return self._sums(self.sizes)

    def pairs(self) -> tuple[Matrix, Matrix]:
        """Ordered pairs (B,) of rows of different groups in A and in B."""
        sides = zip(self.rows(), self._sums(self.sizes**2), strict=True)
        found = [np.where(s < _ALL * n**2, n**2 - s, 0.0) for n, s in sides]
        return found[0], found[1]

    def spread(self, likeness: Matrix) -> Matrix:
        """The deviation to be expected (B, …) if rows of one group are alike by ρ (…).

        A sample without rows is taken as one of a single row.
        """
        total: Matrix | float = 0.0
        for rows, squares in zip(self.rows(), self._sums(self.sizes**2), strict=True):
            single = 1.0 / np.where(rows > 0.0, rows, 1.0)
            total = total + np.multiply.outer(single, 1.0 - likeness)
            total = total + np.multiply.outer(squares * single * single, likeness)
        return np.asarray(total)

    def _sums(self, values: Matrix) -> tuple[Matrix, Matrix]:
        """Over both sides, each by itself: beside a huge weight a difference keeps no digits."""
        return self.memberships @ values, (1.0 - self.memberships) @ values


def mean_over(total: Matrix, pairs: Matrix) -> Matrix:
    """Sums (B, …) over pairs, as means; 0, their expectation, where there are no pairs."""
    counts = pairs.reshape(-1, *(1,) * (total.ndim - 1))
    return np.asarray(np.where(counts > 0, total / np.where(counts > 0, counts, 1.0), 0.0))


@dataclass(frozen=True, eq=False)
class GroupForm:
    """The statistic of one kernel for memberships of whole groups.

    Parameters
    ----------
    between : array (G, G)
        Sums of the centred kernel over the rows of two different groups.
    sizes : array (G,)
    likeness : float
        ρ: the centred kernel between rows of one group over that of a row with itself.
    noise : float
    """

    between: Matrix
    sizes: Matrix
    likeness: float
    noise: float
    two_sided: ClassVar[bool] = False

    @classmethod
    def of(cls, matrix: Matrix, part: Part) -> "GroupForm":
        """From a matrix over the rows of the pool, unit after unit."""
        rows, sizes = float(part.sizes.sum()), part.sizes
        own = float(np.diagonal(matrix)[part.rows].sum(dtype=np.float64))
        sums = part.over_units(matrix).astype(np.float64)
        by_group = sums.sum(axis=1) / rows
        middle = float(by_group.sum()) / rows
        sums -= np.outer(by_group, sizes) + np.outer(sizes, by_group)
        sums += middle * np.outer(sizes, sizes)
        alone = max(own - rows * middle, 0.0)  # the centred kernel of every row with itself
        pairs = float(sizes @ (sizes - 1.0))
        alike = (float(np.trace(sums)) - alone) / pairs if pairs else 0.0
        likeness = float(np.clip(alike / max(alone / rows, 1e-300), 0.0, 1.0))
        likeness = 1.0 if part.weighted else likeness  # so many copies of one row
        np.fill_diagonal(sums, 0.0)
        typical = 4.0 * likeness + float(4.0 / rows)
        noise = 4.0 * tolerances.rounding(matrix.dtype) * largest_entry(matrix) / typical
        return cls(sums, sizes, likeness, noise)

    def evaluate(self, memberships: Matrix) -> Matrix:
        """Values (B,) for memberships (B, G)."""
        memberships = memberships.astype(np.float64)
        sides = Sides(memberships, self.sizes)
        inside = symmetric_forms(self.between, memberships)
        across = memberships @ self.between.sum(axis=1) - inside
        outside = float(self.between.sum()) - inside - 2.0 * across
        first, second = sides.rows()
        pairs = sides.pairs()
        value = mean_over(inside, pairs[0]) + mean_over(outside, pairs[1])
        value = value - 2.0 * mean_over(across, first * second)
        return np.asarray(value / sides.spread(np.asarray(self.likeness)))

    def moments(self) -> tuple[float, float] | None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("groups of unequal size have no moments in closed form.")
