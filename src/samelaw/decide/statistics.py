"""Statistics of a relabelled pool: second-order, exact, and the mean discrepancy of MMD.

A statistic turns one pooled Gram matrix into forms, one per entropy; a form gives the values for
any memberships and, where they exist in closed form, the moments over all relabellings.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from samelaw.core.entropies import Entropy
from samelaw.core.registry import register
from samelaw.decide.quadratic import QuadraticForm
from samelaw.estimate.gram import GramEstimator, GramState
from samelaw.estimate.second_order import PooledGram, quadratic_form

Matrix = np.ndarray[Any, Any]


class Form(Protocol):
    """A statistic of one kernel and one entropy, ready for relabellings."""

    def evaluate(self, members: Matrix) -> Matrix:
        """Values (B,) for memberships (B, N)."""

    def moments(self) -> tuple[float, float] | None:
        """Mean and variance over all relabellings, or None if there is no closed form."""

    def skewness(self, start: Matrix) -> float:
        """Skewness over relabellings; called only where there are moments."""


class Statistic(ABC):
    """How RJSD of a relabelled pool is computed."""

    pooled_spectrum_only: ClassVar[bool] = True
    """Whether it looks at the spectrum of the pool only, not at those of the two samples."""

    @abstractmethod
    def forms(
        self,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        sizes: tuple[int, int],
        *,
        scale: float = 1.0,
    ) -> Iterator[Form]:
        """One form per entropy for a pooled Gram matrix; ``scale`` multiplies the kernel."""


@register("statistic")
@dataclass(frozen=True)
class SecondOrder(Statistic):
    """RJSD to second order: one quadratic form for all relabellings, the price of MMD.

    Exact for order 1. For n = m the correlation with the exact statistic over relabellings is
    above .999 for power series; for n ≠ m the two are different statistics, each with an exact
    level.

    Parameters
    ----------
    unbiased : bool
        Leave out the pairs (i, i), so that the mean under the null hypothesis is exactly zero.
    """

    unbiased: bool = False

    def forms(
        self,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        sizes: tuple[int, int],
        *,
        scale: float = 1.0,
    ) -> Iterator[Form]:
        n, m = sizes
        for entropy in entropies:
            matrix = quadratic_form(pooled, entropy, scale=scale)
            matrix *= n * m / (n + m) ** 2
            yield _quadratic(matrix, sizes, self.unbiased)


def _quadratic(matrix: Matrix, sizes: tuple[int, int], unbiased: bool) -> QuadraticForm:
    make = QuadraticForm.of_pairs if unbiased else QuadraticForm.of_signs
    return make(matrix, sizes)


@register("statistic")
@dataclass(frozen=True)
class Exact(Statistic):
    """RJSD itself for every relabelling: O(N³) each, so for small samples or few relabellings."""

    pooled_spectrum_only: ClassVar[bool] = False

    def forms(
        self,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        sizes: tuple[int, int],
        *,
        scale: float = 1.0,
    ) -> Iterator[Form]:
        scaled = pooled.matrix.astype(np.float64) * scale
        for entropy in entropies:
            yield _ExactForm(GramState(scaled, entropy))


@dataclass(frozen=True, eq=False)
class _ExactForm:
    state: GramState

    def evaluate(self, members: Matrix) -> Matrix:
        estimator = GramEstimator(entropy=self.state.entropy)
        return np.asarray(estimator.evaluate(self.state, members > 0))

    def moments(self) -> tuple[float, float] | None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("the exact statistic has no moments in closed form.")


@register("statistic")
@dataclass(frozen=True)
class MeanDiscrepancy(Statistic):
    """MMD² of the kernel itself (not of its square): the statistic of the MMD family.

    It knows no entropy: one form, whatever orders are asked for.
    """

    unbiased: bool = True

    def forms(
        self,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        sizes: tuple[int, int],
        *,
        scale: float = 1.0,
    ) -> Iterator[Form]:
        yield _quadratic(pooled.matrix * pooled.matrix.dtype.type(scale), sizes, self.unbiased)
