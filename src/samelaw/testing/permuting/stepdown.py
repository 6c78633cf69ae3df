"""One verdict and many names from the same permutations: step-down max-T over families."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.testing.permuting.permutations import reached


@dataclass(frozen=True, eq=False)
class StepDown:
    """Adjusted p-values of all hypotheses, and the test of them all together.

    Attributes
    ----------
    values : array (B + 1,)
        The largest statistic under each permutation, the observed one first.
    pvalue : float
        Of the hypothesis that nothing changed.
    adjusted : list of arrays
        Per family, the p-values of its hypotheses. Naming all with ``p ≤ level`` names a wrong one
        with probability at most the level, whichever others are true (Westfall & Young 1993), as
        far as permutation leaves the law of the statistics of true hypotheses as it is: of columns
        it does, of pairs nearly (`samelaw.comparison.pairs.tests`).
    """

    values: Matrix
    pvalue: float
    adjusted: list[Matrix]

    def named_by_both(self, other: "StepDown") -> "StepDown":
        """The same verdict, with names that must hold in another test as well."""
        larger = [np.maximum(*pair) for pair in zip(self.adjusted, other.adjusted, strict=True)]
        return replace(self, adjusted=larger)


def step_down(families: Sequence[Matrix], level: float, shares: Sequence[float]) -> StepDown:
    """Westfall and Young's step-down procedure over families of unequal size.

    Parameters
    ----------
    families : sequence of arrays (H, B + 1)
        Comparable statistics within a family, the observed permutation first.
    level : float
    shares : sequence of float
        Relative level of each family. Every family is put on a scale where the mean of its
        maximum is 0 and its (1 − share · level) quantile is 1: thousands of pairs then do not
        drown the test of all columns together. The quantile is that of a Gumbel law, as maxima
        have, with the mean and deviation of the values: a quantile of 100 values itself would add
        to what p-values differ by from seed to seed.

    Notes
    -----
    The scales are symmetric in all B + 1 permutations, so the level is exact. O(HB) after sorting.
    """
    scaled = [
        _Scaled.of(family, level * share) for family, share in zip(families, shares, strict=True)
    ]
    place = [(family, row) for family in scaled for row in range(len(family.values))]
    observed = np.array([family.row(row)[0] for family, row in place])
    order = np.argsort(-observed, kind="stable")
    pvalues = np.empty(len(place))
    largest = np.full(families[0].shape[1], -np.inf)
    for hypothesis in order[::-1]:
        family, row = place[hypothesis]
        np.maximum(largest, family.row(row), out=largest)
        pvalues[hypothesis] = np.mean(reached(largest, observed[hypothesis]))
    pvalues[order] = np.maximum.accumulate(pvalues[order])
    ends = np.cumsum([len(family) for family in families])[:-1]
    return StepDown(largest, float(pvalues[order[0]]), np.split(pvalues, ends))


@dataclass(frozen=True, eq=False)
class _Scaled:
    """A family and its scale; one hypothesis at a time, for thousands are many bytes."""

    values: Matrix
    middle: float
    width: float

    @classmethod
    def of(cls, family: Matrix, share: float) -> "_Scaled":
        if len(family) == 0:
            return cls(family, 0.0, 1.0)
        largest = without_largest(family.max(axis=0))
        mean, deviation = float(largest.mean()), float(largest.std())
        return cls(family, mean, max(deviation * _gumbel(share), 1e-9))

    def row(self, hypothesis: int) -> Matrix:
        return np.asarray((self.values[hypothesis] - self.middle) / self.width)


def without_largest(values: Matrix) -> Matrix:
    """All values but the largest hundredth, in double precision.

    For scales: symmetric in all values, yet one far out, the observed one, does not widen the scale
    it is measured on.
    """
    keep = len(values) - max(1, len(values) // 100)
    return np.asarray(np.partition(values, keep - 1)[:keep].astype(np.float64))


def _gumbel(tail: float) -> float:
    """The quantile of the Gumbel law above which ``tail`` is left, in deviations from its mean."""
    return (-math.log(-math.log1p(-tail)) - float(np.euler_gamma)) * math.sqrt(6.0) / math.pi


def holm(pvalues: Matrix) -> Matrix:
    """Adjusted p-values: naming all at most the level names a wrong one no more often than that.

    Examples
    --------
    >>> holm(np.array([0.01, 0.5, 0.02]))
    array([0.03, 0.5 , 0.04])
    """
    order = np.argsort(pvalues, kind="stable")
    left = len(pvalues) - np.arange(len(pvalues))
    adjusted = np.minimum(1.0, np.maximum.accumulate(pvalues[order] * left))
    found: Matrix = np.empty(len(pvalues))
    found[order] = adjusted
    return found
