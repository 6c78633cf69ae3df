"""Statistics of K samples at once: each against the pool, summed.

To second order the generalised divergence S(Σ π_k C_k) − Σ π_k S(C_k) is Σ π_k v_kᵀQv_k with
v_k = s_k/n_k − 1/N, that is Σ s_kᵀWs_k/n_k over N, W the centred Q and s_k the membership of
sample k. For two samples it is their quadratic form.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.testing.permuting.quadratic import centre_all, largest_entry, symmetric_forms
from samelaw.testing.permuting.units import Part


@dataclass(frozen=True, eq=False)
class ManyForm:
    """Σ_k s_kᵀWs_k / n_k over N, for numbers of samples (B, U)."""

    centred: Matrix
    sizes: tuple[int, ...]
    constant: float
    noise: float
    two_sided: ClassVar[bool] = False

    @classmethod
    def of(cls, matrix: Matrix, part: Part) -> "ManyForm":
        """From a matrix over the units, which is overwritten."""
        size = largest_entry(matrix)
        centred, own = centre_all(matrix)
        sizes, count = part.labels.sizes, len(matrix)
        constant = own * (len(sizes) - 1.0) / count  # of I less its mean, the same for all
        noise = 4.0 * tolerances.rounding(matrix.dtype) * size * len(sizes) / count
        return cls(centred, sizes, constant, noise)

    def evaluate(self, memberships: Matrix) -> Matrix:
        kind = self.centred.dtype
        values = sum(
            symmetric_forms(self.centred, (memberships == k).astype(kind)) / size
            for k, size in enumerate(self.sizes)
        )
        return np.asarray(values / len(self.centred) + self.constant)

    def moments(self) -> None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("the form of many samples has no moments in closed form.")


@dataclass(frozen=True, eq=False)
class ManyLinearForm:
    """Σ_k n_k (mean_k − mean)² of scores over their variance: what samples explain of it."""

    scores: Matrix
    sizes: tuple[int, ...]
    noise: float
    two_sided: ClassVar[bool] = False

    @classmethod
    def of(cls, scores: Matrix, part: Part, noise: float = 0.0) -> "ManyLinearForm":
        own = part.sums_over_units(scores)
        size = float(np.abs(own).max())
        own = own - own.mean()
        spread = float(own.std())
        noise = max(tolerances.rounding(np.float64) * size, noise)
        if spread <= noise:
            own, spread = np.zeros_like(own), 1.0
        error = noise / spread  # of the sums whose squares, mostly about 1, are added up
        return cls(own / spread, part.labels.sizes, error * (2.0 + error))

    def evaluate(self, memberships: Matrix) -> Matrix:
        return np.asarray(
            sum(((memberships == k) @ self.scores) ** 2 / size for k, size in enumerate(self.sizes))
        )

    def moments(self) -> None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("the form of many samples has no moments in closed form.")
