"""Statistics of a permuted pool: RJSD to second order, exact RJSD, and the MMD of its rivals."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.as_typed import as_typed
from samelaw.core.registry import register
from samelaw.core.types import Matrix
from samelaw.divergence.gram import GramEstimator, GramState
from samelaw.divergence.quadratic_form import PooledGram, quadratic_form
from samelaw.kernels.entropies import Entropy, PowerSeries
from samelaw.testing.permuting.components import Component, components_of
from samelaw.testing.permuting.units import Units


class Statistic(ABC):
    """How a kernel and an entropy become a function of memberships."""

    pooled_spectrum_only: ClassVar[bool] = True
    """Whether it looks at the spectrum of the pool only, not at those of the two samples."""

    @abstractmethod
    def components(
        self,
        name: str,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator[Component]:
        """The components of one kernel.

        Parameters
        ----------
        name : str
            Of the kernel.
        pooled : PooledGram
            Its Gram matrix, rows unit after unit.
        entropies : sequence of Entropy
        units : Units
        scale : float
            Multiplies the kernel.
        """


@register("statistic")
@as_typed
@dataclass(frozen=True)
class SecondOrder(Statistic):
    """RJSD to second order: one quadratic form for all permutations, the price of MMD.

    Exact for order 1. For n = m the correlation with the exact statistic over permutations is
    above .999 for power series; for n ≠ m the two are different statistics, each with an exact
    level.

    Parameters
    ----------
    unbiased : bool
        Leave out the pairs (i, i), so that the mean under the null hypothesis is exactly zero.

    Examples
    --------
    >>> from samelaw import Fuse
    >>> Fuse().statistic
    SecondOrder()
    """

    unbiased: bool = False

    def components(
        self,
        name: str,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator[Component]:
        for entropy in entropies:
            matrix = quadratic_form(pooled, entropy, scale=scale)
            matrix *= units.labels.balance
            full = component_name(name, entropy)
            yield from components_of(full, matrix, units, pooled.start, unbiased=self.unbiased)


def component_name(kernel: str, entropy: Entropy) -> str:
    """The name of a kernel and an entropy, as people would say it."""
    told = f"order {entropy.order}" if isinstance(entropy, PowerSeries) else repr(entropy)
    return f"{kernel}, {told}"


@register("statistic")
@as_typed
@dataclass(frozen=True)
class Exact(Statistic):
    """RJSD itself for every permutation: O(N³) each, so for small samples or few permutations.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Fuse, Gaussian, two_sample_test
    >>> from samelaw.testing import KernelGroup
    >>> x, strategy = np.arange(12.0), Fuse([KernelGroup([Gaussian(3.0)])], statistic=Exact())
    >>> two_sample_test(x, x + 8, strategy=strategy, permutations=99, rng=0).reject
    True
    """

    pooled_spectrum_only: ClassVar[bool] = False

    def components(
        self,
        name: str,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator[Component]:
        if units.weights is not None:
            raise ValueError("Exact() takes no weights of rows: use SecondOrder().")
        if units.whole and len(np.unique(units.sizes)) > 1:
            raise ValueError(
                "Exact() depends on how many rows each sample has, and permuting groups of "
                "unequal size changes that: use Groups(labels, thin=True), or SecondOrder()."
            )
        scaled = pooled.matrix.astype(np.float64) * scale
        unit = np.repeat(np.arange(units.count), units.sizes.astype(np.int64))
        for entropy in entropies:
            form = _ExactForm(GramState(scaled, entropy, unit_trace=False), unit)
            full = component_name(name, entropy)
            yield Component(full, form, slice(0, units.count), pooled.start)


@dataclass(frozen=True, eq=False)
class _ExactForm:
    state: GramState
    unit: Matrix
    two_sided: ClassVar[bool] = False

    def evaluate(self, memberships: Matrix) -> Matrix:
        estimator = GramEstimator(entropy=self.state.entropy)
        return np.asarray(estimator.evaluate(self.state, memberships[:, self.unit] > 0))

    def moments(self) -> None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("the exact statistic has no moments in closed form.")

    @property
    def noise(self) -> float:
        return tolerances.entropy_noise(np.float64, len(self.unit))


@register("statistic")
@as_typed
@dataclass(frozen=True)
class MeanDiscrepancy(Statistic):
    """MMD² of the kernel itself (not of its square): the statistic of the MMD family.

    It knows no entropy: one component per kernel, whatever entropies are asked for.
    """

    unbiased: bool = True

    def components(
        self,
        name: str,
        pooled: PooledGram,
        entropies: Sequence[Entropy],
        units: Units,
        *,
        scale: float = 1.0,
    ) -> Iterator[Component]:
        matrix = pooled.matrix * pooled.matrix.dtype.type(scale)
        yield from components_of(name, matrix, units, pooled.start, unbiased=self.unbiased)
