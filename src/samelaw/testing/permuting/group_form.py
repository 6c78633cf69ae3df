"""Groups of unequal size that are permuted as wholes: a statistic whose law stays in place.

Permuting such groups changes how many rows each sample has, and with it the mean and the spread
of the usual statistic. Here only pairs of rows of different groups count, with weights that sum to
one, so the mean stays at 0; and the value is divided by the spread to be expected with the permuted
groups.

A group of n rows that are alike by ρ in the pool tells as much as n/(1 + (n − 1)ρ) independent
rows, and weighs so much: 30 rows that are nearly one weigh little more than one. By their number
a few large groups would be all that permutations show, while the observed mean of many small ones
varies far less.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.testing.permuting.quadratic import largest_entry, symmetric_forms
from samelaw.testing.permuting.units import Part

_ALL = 1.0 - 1e-10
"""The share of its pairs that one group has with itself, beyond which there are no others."""


def weights_of(sizes: Matrix, likeness: Matrix | float) -> Matrix:
    """What groups (G,) weigh whose rows are alike by ρ (…): 1 over the variance of their means."""
    others = np.maximum(sizes - 1.0, 0.0)
    return np.asarray((sizes / (1.0 + np.multiply.outer(likeness, others))).T)


@dataclass(frozen=True, eq=False)
class Sides:
    """Weights of both samples, and of the pairs in them, under each permutation of groups.

    Parameters
    ----------
    memberships : array (B, G)
    weights : array (G, …)
    counts : bool
        Whether a weight says how often its one row counts, instead of how sure a mean is.
    """

    memberships: Matrix
    weights: Matrix
    counts: bool = False

    @cached_property
    def totals(self) -> tuple[Matrix, Matrix]:
        """Weights (B, …) of A and of B."""
        return self._sums(self.weights)

    @cached_property
    def _squares(self) -> tuple[Matrix, Matrix]:
        return self._sums(self.weights**2)

    def pairs(self) -> tuple[Matrix, Matrix]:
        """Weights (B, …) of the ordered pairs of different groups in A and in B."""
        sides = zip(self.totals, self._squares, strict=True)
        found = [np.where(s < _ALL * w**2, w**2 - s, 0.0) for w, s in sides]
        return found[0], found[1]

    def spread(self) -> Matrix:
        """The variance to be expected (B, …) of the difference of the means of A and B.

        A sample without rows is taken as one of a single row.
        """
        found: Matrix | float = 0.0
        for total, squares in zip(self.totals, self._squares, strict=True):
            single = 1.0 / np.where(total > 0.0, total, 1.0)
            found = found + (squares * single * single if self.counts else single)
        return np.asarray(found)

    def _sums(self, values: Matrix) -> tuple[Matrix, Matrix]:
        """Over both sides, each by itself: beside a huge weight a difference keeps no digits."""
        return self.memberships @ values, (1.0 - self.memberships) @ values


def mean_over(total: Matrix, pairs: Matrix) -> Matrix:
    """Sums (B, …) over pairs, as means; 0, their expectation, where there are no pairs."""
    return np.asarray(np.where(pairs > 0, total / np.where(pairs > 0, pairs, 1.0), 0.0))


@dataclass(frozen=True, eq=False)
class GroupForm:
    """The statistic of one kernel for memberships of whole groups.

    Parameters
    ----------
    between : array (G, G)
        Weighted sums of the centred kernel over the rows of two different groups.
    weights : array (G,)
    counts : bool
        As of `Sides`.
    likeness : float
        ρ: the centred kernel between rows of one group over that of a row with itself.
    noise : float
    """

    between: Matrix
    weights: Matrix
    counts: bool
    likeness: float
    noise: float
    two_sided: ClassVar[bool] = False

    @classmethod
    def of(cls, matrix: Matrix, part: Part) -> "GroupForm":
        """From a matrix over the rows of the pool, unit after unit."""
        rows, sizes = float(part.sizes.sum()), part.sizes
        own = float(np.diagonal(matrix)[part.rows].sum(dtype=np.float64))
        sums, middle = _centred(part.over_units(matrix).astype(np.float64), sizes)
        alone = max(own - rows * middle, 0.0)  # the centred kernel of every row with itself
        pairs = float(sizes @ (sizes - 1.0))
        alike = (float(np.trace(sums)) - alone) / pairs if pairs else 0.0
        likeness = float(np.clip(alike / max(alone / rows, 1e-300), 0.0, 1.0))
        weights = sizes if part.weighted else weights_of(sizes, likeness)
        if not part.weighted:
            sums *= np.outer(weights / sizes, weights / sizes)
            sums, _ = _centred(sums, weights)
        np.fill_diagonal(sums, 0.0)
        squares = weights**2 if part.weighted else weights
        typical = 4.0 * float(squares.sum()) / float(weights.sum()) ** 2
        noise = 4.0 * tolerances.rounding(matrix.dtype) * largest_entry(matrix) / typical
        return cls(sums, weights, part.weighted, likeness, noise)

    def evaluate(self, memberships: Matrix) -> Matrix:
        """Values (B,) for memberships (B, G)."""
        memberships = memberships.astype(np.float64)
        sides = Sides(memberships, self.weights, self.counts)
        inside = symmetric_forms(self.between, memberships)
        across = memberships @ self.between.sum(axis=1) - inside
        outside = float(self.between.sum()) - inside - 2.0 * across
        first, second = sides.totals
        pairs = sides.pairs()
        value = mean_over(inside, pairs[0]) + mean_over(outside, pairs[1])
        value = value - 2.0 * mean_over(across, first * second)
        return np.asarray(value / sides.spread())

    def moments(self) -> tuple[float, float] | None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("groups of unequal size have no moments in closed form.")


def _centred(sums: Matrix, weights: Matrix) -> tuple[Matrix, float]:
    """Sums over groups (G, G) of a kernel about the mean of rows so weighted, and what that is."""
    total = float(weights.sum())
    by_group = sums.sum(axis=1) / total
    middle = float(by_group.sum()) / total
    sums -= np.outer(by_group, weights) + np.outer(weights, by_group)
    sums += middle * np.outer(weights, weights)
    return sums, middle
