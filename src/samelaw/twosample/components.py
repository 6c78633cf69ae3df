"""Statistics of a relabelled pool: second-order, exact, and the mean discrepancy of MMD.

A statistic turns one pooled Gram matrix into forms, one per entropy; a form gives the values for
any memberships and, where they exist in closed form, the moments over all relabellings.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from samelaw.core import tolerances
from samelaw.core.entropies import Entropy
from samelaw.core.registry import register
from samelaw.core.types import Matrix
from samelaw.estimate.gram import GramEstimator, GramState
from samelaw.estimate.quadratic_form import PooledGram, quadratic_form
from samelaw.twosample.group_form import GroupForm
from samelaw.twosample.quadratic import QuadraticForm
from samelaw.twosample.units import Part, Units


class Form(Protocol):
    """A statistic of one kernel and one entropy, ready for relabellings."""

    def evaluate(self, members: Matrix) -> Matrix:
        """Values (B,) for memberships (B, N)."""

    def moments(self) -> tuple[float, float] | None:
        """Mean and variance over all relabellings, or None if there is no closed form."""

    def skewness(self, start: Matrix) -> float:
        """Skewness over relabellings; called only where there are moments."""

    @property
    def noise(self) -> float:
        """What rounding alone may add to the deviation of the values."""


class Statistic(ABC):
    """How RJSD of a relabelled pool is computed."""

    pooled_spectrum_only: ClassVar[bool] = True
    """Whether it looks at the spectrum of the pool only, not at those of the two samples."""

    @abstractmethod
    def forms(
        self,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator["Placed"]:
        """Forms of each entropy for a pooled Gram matrix, rows unit after unit.

        One form per entropy and part of the units; ``scale`` multiplies the kernel.
        """


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
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator["Placed"]:
        for place, entropy in enumerate(entropies):
            matrix = quadratic_form(pooled, entropy, scale=scale)
            matrix *= _balance(units)
            yield from placed_forms(place, matrix, units, unbiased=self.unbiased)


@dataclass(frozen=True, eq=False)
class Placed:
    """A form, the number of its entropy, and the units it looks at."""

    entropy: int
    form: Form
    units: slice


def placed_forms(
    place: int, matrix: Matrix, units: Units, *, unbiased: bool = False
) -> Iterator[Placed]:
    """The forms of one matrix over the rows, unit after unit; the matrix is overwritten."""
    for part in units.parts():
        yield Placed(place, _form_of(matrix, part, unbiased), part.units)


def _form_of(matrix: Matrix, part: Part, unbiased: bool) -> Form:
    if part.whole:
        return GroupForm.of(matrix, part)
    make = QuadraticForm.of_pairs if unbiased else QuadraticForm.of_signs
    return make(part.over_units(matrix), part.labels)


def _balance(units: Units) -> float:
    """π(1 − π), the factor of the second-order form."""
    n, m = units.labels.sizes
    return n * m / (n + m) ** 2


@register("statistic")
@dataclass(frozen=True)
class Exact(Statistic):
    """RJSD itself for every relabelling: O(N³) each, so for small samples or few relabellings."""

    pooled_spectrum_only: ClassVar[bool] = False

    def forms(
        self,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator["Placed"]:
        if units.whole and len(np.unique(units.sizes)) > 1:
            raise ValueError(
                "Exact() depends on how many rows each sample has, and relabelling groups of "
                "unequal size changes that: use Groups(labels, thin=True), or SecondOrder()."
            )
        scaled = pooled.matrix.astype(np.float64) * scale
        for place, entropy in enumerate(entropies):
            form = _ExactForm(GramState(scaled, entropy), units.unit)
            yield Placed(place, form, slice(0, units.count))


@dataclass(frozen=True, eq=False)
class _ExactForm:
    state: GramState
    unit: Matrix

    def evaluate(self, members: Matrix) -> Matrix:
        estimator = GramEstimator(entropy=self.state.entropy)
        return np.asarray(estimator.evaluate(self.state, members[:, self.unit] > 0))

    def moments(self) -> tuple[float, float] | None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("the exact statistic has no moments in closed form.")

    @property
    def noise(self) -> float:
        return tolerances.entropy_noise(np.float64, len(self.unit))


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
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator["Placed"]:
        matrix = pooled.matrix * pooled.matrix.dtype.type(scale)
        yield from placed_forms(0, matrix, units, unbiased=self.unbiased)
