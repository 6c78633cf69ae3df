"""Row scores under permutation: the mean over X less the mean over Y, two-sided.

Linear in the memberships, so one product with a vector serves all permutations, and the variance
over all of them is exact for any sizes.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.testing.permuting.group_form import Sides, mean_over, weights_of
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Part


def within(values: Matrix, labels: Labels) -> Matrix:
    """Sums (G, k) over strata of values (U, k) of units."""
    if labels.strata is None:
        return np.asarray(values.sum(axis=0, keepdims=True))
    return np.stack([np.bincount(labels.strata, column) for column in values.T], axis=1)


def spread_of(labels: Labels) -> Matrix:
    """What a centred square of a stratum (G,) adds to the variance of a sum over memberships."""
    first, both = labels.counts
    return np.asarray(first * (both - first) / (both * np.maximum(both - 1.0, 1.0)))


def contrasts(sums: Matrix, labels: Labels, noise: float = 0.0) -> tuple[Matrix, Matrix, Matrix]:
    """Weights (U, k) centred within strata, variances and noise (k,) of sums (U, k) over units."""
    first, both = labels.counts
    means = within(sums, labels) / both[:, None]
    total, spread = float(np.sum(first * (both - first) / both)), spread_of(labels)
    weights = (sums - (means if labels.strata is None else means[labels.strata])) / total
    size = tolerances.rounding(np.float64) * np.abs(sums).max(axis=0)
    noises = np.maximum(size, noise) * np.sqrt(float(spread @ both)) / total
    return weights, spread @ within(weights**2, labels), noises


@dataclass(frozen=True, eq=False)
class LinearForm:
    """Σ_u w_u s_u for memberships s, with w centred within strata.

    Parameters
    ----------
    weights : array (U,)
    variance, cubes : float
        Second and third central moment over all permutations.
    noise : float
    """

    weights: Matrix
    variance: float
    cubes: float
    noise: float
    two_sided: ClassVar[bool] = True

    @classmethod
    def of(cls, scores: Matrix, part: Part, noise: float = 0.0) -> "LinearForm":
        """From scores of the rows, unit after unit."""
        sums = part.sums_over_units(scores)
        weights, variances, noises = contrasts(sums[:, None], part.labels, noise)
        first, both = part.labels.counts
        lean = spread_of(part.labels) * (both - 2.0 * first) / np.maximum(both - 2.0, 1.0)
        cubes = float(lean @ within(weights**3, part.labels)[:, 0])
        return cls(weights[:, 0], float(variances[0]), cubes, float(noises[0]))

    def evaluate(self, memberships: Matrix) -> Matrix:
        return np.asarray(memberships.astype(np.float64) @ self.weights)

    def moments(self) -> tuple[float, float]:
        """0 and the variance; rounding is no variance."""
        return 0.0, self.variance if self.variance > self.noise**2 else 0.0

    def skewness(self, start: Matrix) -> float:
        """Exact: a few rows of one sample against many take on the skewness of the scores."""
        return float(self.cubes / self.variance**1.5)


@dataclass(frozen=True, eq=False)
class GroupLinearForm:
    """The same for whole groups of any size, over the deviation to be expected with them."""

    sums: Matrix
    weights: Matrix
    counts: bool
    noise: float
    two_sided: ClassVar[bool] = True

    @classmethod
    def of(cls, scores: Matrix, part: Part, noise: float = 0.0) -> "GroupLinearForm":
        own = scores[part.rows].astype(np.float64)
        size = float(np.abs(own).max())
        own = own - np.average(own, weights=part.sizes if part.weighted else None)
        spread = float(own.std())
        own = own / (spread or 1.0)
        noise = max(tolerances.rounding(np.float64) * size, noise) / (spread or 1.0)
        if part.weighted:  # so many copies of one row
            return cls(own * part.sizes, part.sizes, True, noise)
        starts = (np.cumsum(part.sizes) - part.sizes).astype(np.int64)
        sums = np.add.reduceat(own, starts)
        rows, pairs = part.sizes.sum(), float(part.sizes @ (part.sizes - 1.0))
        alike = (float(sums @ sums) - rows) / pairs if pairs else 0.0
        weights = weights_of(part.sizes, float(np.clip(alike, 0.0, 1.0)))
        return cls(sums * weights / part.sizes, weights, False, noise)

    def evaluate(self, memberships: Matrix) -> Matrix:
        memberships = memberships.astype(np.float64)
        sides = Sides(memberships, self.weights, self.counts)
        first, second = sides.totals
        inside = memberships @ self.sums
        difference = mean_over(inside, first) - mean_over(float(self.sums.sum()) - inside, second)
        return np.asarray(difference / np.sqrt(sides.spread()))

    def moments(self) -> None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("groups of unequal size have no moments in closed form.")
