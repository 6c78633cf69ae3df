"""The largest of many contrasts: for changes of one column, or of one pair of columns.

A sum over all columns dilutes such a change, the more the more columns there are; their largest
contrast does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.testing.permuting.k_sample_form import ManyLinearForm
from samelaw.testing.permuting.linear_form import contrasts
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Part

_DRAWS = 400  # permutations that moments are taken from: the mean is known to 2 or 3 %
_SEED = 8  # the same for every pool: these draws know nothing of rows and labels


@dataclass(frozen=True, eq=False)
class LargestForm:
    """max_j z_j² for memberships, z_j = Σ_u w_uj s_u with variance 1 over all permutations.

    Parameters
    ----------
    weights : array (U, k)
        Of contrasts that differ beyond rounding.
    mean, variance, lean : float
        Moments and skewness over permutations drawn for this alone, without a look at the labels.
    noise : float
    """

    weights: Matrix
    mean: float = 0.0
    variance: float = 0.0
    lean: float = 0.0
    noise: float = 0.0
    two_sided: ClassVar[bool] = False

    @classmethod
    def of(cls, columns: Matrix, part: Part, noise: float = 0.0) -> "LargestForm":
        """From functions (N, k) of the rows, unit after unit."""
        weights, variances, noises = contrasts(part.sums_over_units(columns), part.labels, noise)
        kept = variances > noises**2
        if not kept.any():
            return cls(np.zeros((len(weights), 1), dtype=np.float32))
        weights = weights[:, kept] / np.sqrt(variances[kept])
        form, order = cls(weights.astype(np.float32)), _by_content(weights, part.labels)
        draws = part.labels.taking(order).draw(np.random.default_rng(_SEED), _DRAWS)
        values = replace(form, weights=form.weights[order]).evaluate(draws)
        rounding = tolerances.rounding(np.float32) * float(values.max())
        if tolerances.without_spread(values, rounding):
            return replace(form, mean=float(values.mean()), noise=rounding)
        mean, deviation = float(values.mean()), float(values.std())
        lean = float(np.mean(((values - mean) / deviation) ** 3))
        return replace(form, mean=mean, variance=deviation**2, lean=lean, noise=rounding)

    def evaluate(self, memberships: Matrix) -> Matrix:
        contrasts = memberships.astype(np.float32) @ self.weights  # (B, k)
        return np.asarray(np.maximum(contrasts.max(axis=1), -contrasts.min(axis=1)), float) ** 2

    def moments(self) -> tuple[float, float]:
        """Mean and variance; none where all permutations give one value."""
        return self.mean, self.variance

    def skewness(self, start: Matrix) -> float:
        return self.lean


def _by_content(weights: Matrix, labels: Labels) -> Matrix:
    """An order of the units that depends on their weights and strata alone, not on their places.

    In double precision: units whose order hung on rounding would be others on another processor.
    """
    key = weights @ np.random.default_rng(_SEED).standard_normal(weights.shape[1])
    strata = np.zeros(len(key)) if labels.strata is None else labels.strata
    return np.lexsort((key, strata))


@dataclass(frozen=True, eq=False)
class LargestOfSamples:
    """The largest share of the variance of any function that K samples explain."""

    forms: Sequence[ManyLinearForm]
    noise: float
    two_sided: ClassVar[bool] = False

    @classmethod
    def of(cls, columns: Matrix, part: Part, noise: float = 0.0) -> "LargestOfSamples":
        forms = [ManyLinearForm.of(column, part, noise) for column in columns.T]
        return cls(forms, max(form.noise for form in forms))

    def evaluate(self, memberships: Matrix) -> Matrix:
        return np.asarray(np.max([form.evaluate(memberships) for form in self.forms], axis=0))

    def moments(self) -> None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("the largest of many samples has no moments in closed form.")
