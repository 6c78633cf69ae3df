"""How the values of different components are made comparable."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from samelaw.core.as_typed import as_typed
from samelaw.core.types import Matrix
from samelaw.divergence.quadratic_form import PooledGram
from samelaw.divergence.sketch import means_suffice
from samelaw.kernels.entropies import Entropy
from samelaw.testing.permuting.components import Component, Moments
from samelaw.testing.statistics import Statistic

Rescale: TypeAlias = Callable[[Matrix], Matrix]


class Operator(Protocol):
    """The pooled operator of a kernel."""

    @property
    def largest(self) -> float:
        """Its largest eigenvalue."""


class Scaling(ABC):
    """How values of different kernels are made comparable.

    Whatever it uses must be a function of the pooled rows, or of all B + 1 values alike: constants
    that single out the observed value would spoil the level.
    """

    all_pairs: ClassVar[bool] = False
    """Whether it needs the Gram matrix of all rows."""

    def kernel_factor(
        self,
        operator: Operator,
        entropies: Sequence[Entropy],
        sizes: tuple[int, ...],
        statistic: Statistic,
    ) -> float:
        """A factor for the kernel before the statistic is taken."""
        return 1.0

    @abstractmethod
    def fit(self, component: Component) -> Rescale:
        """The map from values of this component to comparable ones, of all B + 1 at once."""

    def fit_each(self, component: Component) -> Rescale | None:
        """The same for values that come some at a time; None if it takes all of them."""
        return None if component.form.moments() is None else self.fit(component)


@as_typed
@dataclass(frozen=True)
class NormalScores(Scaling):
    """Standardise by the exact permutation moments and take out the skewness.

    Operators are first scaled to a largest eigenvalue of 1, so that an order means the same at
    every bandwidth. Wide kernels have a null distribution like χ² with few degrees of freedom,
    narrow ones a nearly normal one; without the last step (Wilson and Hilferty's cube root for
    the gamma law of the same skewness) the long tails of the wide ones would drown the narrow
    ones in a maximum.
    """

    def kernel_factor(
        self,
        operator: Operator,
        entropies: Sequence[Entropy],
        sizes: tuple[int, ...],
        statistic: Statistic,
    ) -> float:
        if all(map(means_suffice, entropies)):
            return 1.0  # scaling only multiplies the values, which scores undo
        factor = 1.0 / float(operator.largest)
        if statistic.pooled_spectrum_only:
            return factor
        # C_X ≤ C/π: keep the spectra of both samples where the series converges (erratum 2)
        return 2.0 * factor * min(sizes) / sum(sizes)

    def fit(self, component: Component) -> Rescale:
        found = component.moments()
        if component.two_sided:
            return _TwoSided(found, component.noise)
        if found is None:
            return partial(normal_scores, noise=component.noise)
        return _OneSided(found, component.noise)


@dataclass(frozen=True)
class _OneSided:
    """Normal scores by the exact moments over permutations."""

    moments: Moments
    noise: float

    def __call__(self, values: Matrix) -> Matrix:
        found = self.moments
        values = _less_rounding(values, found.mean, self.noise)
        return to_normal(
            values, mean=found.mean, deviation=found.deviation, skewness=found.skewness
        )


@dataclass(frozen=True)
class _TwoSided:
    """Normal scores of deviations to either side: those of the p-values of both tails.

    By the exact moments over permutations, or else by the deviation of all values, whose skewness
    is left alone: a large observed value would make the tail on the other side look long.
    """

    moments: Moments | None
    noise: float

    def __call__(self, values: Matrix) -> Matrix:
        from scipy.special import log_ndtr, ndtri_exp

        found = self.moments or self._of_all(values)
        values = np.copysign(_less_rounding(np.abs(values), found.deviation, self.noise), values)
        long = math.copysign(1.0, found.skewness)  # the side with the longer tail
        scores = to_normal(
            long * values, mean=0.0, deviation=found.deviation, skewness=abs(found.skewness)
        )
        if found.deviation == 0.0:
            return scores
        tails = math.log(2.0) + log_ndtr(-np.abs(scores))
        return np.asarray(-ndtri_exp(np.minimum(tails, -1e-12)))

    def _of_all(self, values: Matrix) -> Moments:
        deviation = float(np.sqrt(np.mean(values**2)))
        return Moments(0.0, deviation if deviation > self.noise else 0.0, 0.0)


def _less_rounding(values: Matrix, common: float, noise: float) -> Matrix:
    """Values that are the one they have in common but for rounding: exactly that one.

    Moments do not always tell that all values are one: of a single odd row in samples of one size
    the variance is the difference of two equal numbers, whose root is far beyond rounding.
    """
    return np.where(np.abs(values - common) <= noise, common, values)


def normal_scores(values: Matrix, noise: float) -> Matrix:
    """The same with the moments of all values: symmetric in them, so exact too.

    The largest value counts as the second largest in them: one far out, the observed one, would
    make the tail look long and so hide itself.
    """
    if float(values.std()) <= noise:
        return np.zeros_like(values)
    inner = np.minimum(values, np.partition(values, -2)[-2]) if len(values) > 2 else values
    mean, deviation = float(inner.mean()), float(inner.std())
    if deviation <= noise:  # nearly all values are one
        inner, mean, deviation = values, float(values.mean()), float(values.std())
    cubes = float(np.mean((inner - mean) ** 3)) / deviation**3
    return to_normal(values, mean=mean, deviation=deviation, skewness=cubes)


def to_normal(values: Matrix, *, mean: float, deviation: float, skewness: float) -> Matrix:
    """Standardised values, their skewness taken out by Wilson and Hilferty's cube root.

    Values without deviation say nothing: 0, whatever rounding made of them.
    """
    if deviation <= 0.0:
        return np.zeros_like(values)
    scores = (values - mean) / deviation
    if skewness < 0.05:
        return np.asarray(scores)
    shape = 4.0 / skewness**2
    ratio = np.clip(1.0 + scores / math.sqrt(shape), 1e-6, None)
    return np.asarray(3.0 * math.sqrt(shape) * (np.cbrt(ratio) - 1.0 + 1.0 / (9.0 * shape)))


def to_normal_each(values: Matrix, *, mean: Matrix, deviation: Matrix, skewness: Matrix) -> Matrix:
    """`to_normal` of many components at once: values (B, K), moments (K,)."""
    known = deviation > 0.0
    scores = np.where(known, values - mean, 0.0) / np.where(known, deviation, 1.0)
    root = 2.0 / np.maximum(skewness, 0.05)  # of the shape of the gamma law
    ratio = np.clip(1.0 + scores / root, 1e-6, None)
    cubed = 3.0 * root * (np.cbrt(ratio) - 1.0 + 1.0 / (9.0 * root**2))
    return np.where(known, np.where(skewness < 0.05, scores, cubed), 0.0)


def from_normal(score: float, skewness: float) -> float:
    """The standardised value that `to_normal` maps to ``score``."""
    if skewness < 0.05:
        return score
    shape = 4.0 / skewness**2
    cube = 1.0 + score / (3.0 * math.sqrt(shape)) - 1.0 / (9.0 * shape)
    return math.sqrt(shape) * (max(cube, 0.0) ** 3 - 1.0)


def from_normal_each(scores: Matrix, skewness: Matrix) -> Matrix:
    """The standardised values that `to_normal_each` maps to these scores (B, K)."""
    root = 2.0 / np.maximum(skewness, 0.05)
    cube = 1.0 + scores / (3.0 * root) - 1.0 / (9.0 * root**2)
    cubed = root * (np.maximum(cube, 0.0) ** 3 - 1.0)
    return np.where(skewness < 0.05, scores, cubed)


@as_typed
@dataclass(frozen=True)
class Unscaled(Scaling):
    """Values as they are; 0 where they differ by rounding only."""

    def fit(self, component: Component) -> Rescale:
        rescale = self.fit_each(component)
        if component.form.moments() is None:
            return partial(_unless_constant, noise=component.noise, rescale=rescale)
        return rescale

    def fit_each(self, component: Component) -> Rescale:
        """Without moments constant ones as they are too: one value does not tell."""
        found = component.form.moments()
        if found is None:
            return np.abs if component.two_sided else np.asarray
        mean, variance = found
        if variance <= 0.0:
            return np.zeros_like
        if component.two_sided:
            return partial(_size, deviation=math.sqrt(variance), noise=component.noise)
        return partial(_less_rounding, common=mean, noise=component.noise)


def _size(values: Matrix, deviation: float, noise: float) -> Matrix:
    return _less_rounding(np.abs(values), deviation, noise)


def _unless_constant(values: Matrix, noise: float, rescale: Rescale) -> Matrix:
    return rescale(values) if values.std() > noise else np.zeros_like(values)


@as_typed
@dataclass(frozen=True)
class DivideKernel(Unscaled):
    """Divide the kernel by a power of its size N = √(Σ_{i≠j} κ² / n(n−1)), n the smaller sample.

    Parameters
    ----------
    power : float
        ½ in RJSD-Fuse; 1 in MMD-Fuse, whose statistic is linear in the kernel.
    """

    power: float = 0.5
    all_pairs: ClassVar[bool] = True

    def kernel_factor(
        self,
        operator: Operator,
        entropies: Sequence[Entropy],
        sizes: tuple[int, ...],
        statistic: Statistic,
    ) -> float:
        assert isinstance(operator, PooledGram)  # all_pairs
        return float(kernel_norm(operator, sizes) ** -self.power)


def kernel_norm(operator: PooledGram, sizes: tuple[int, ...]) -> float:
    """√(Σ_{i≠j} κ(z_i, z_j)² / n(n−1)) over the pool: the same for every permutation.

    The smaller size in the denominator keeps the eigenvalues of the scaled operator where the
    series converges (erratum 2).
    """
    gram, n = operator.matrix, min(sizes)
    total = float(np.vdot(gram, gram)) - float(np.sum(np.diagonal(gram) ** 2))
    return math.sqrt(max(total, 1e-12) / (n * (n - 1)))
