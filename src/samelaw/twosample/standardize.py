"""How the values of different kernels and orders are made comparable."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from samelaw.core.types import Matrix
from samelaw.estimate.quadratic_form import PooledGram
from samelaw.twosample.components import Form, Statistic

Rescale: TypeAlias = Callable[[Matrix], Matrix]

_SKEWNESS_VECTORS = 16


class Scaling(ABC):
    """How values of different kernels are made comparable.

    Whatever it uses must be a function of the pooled rows, or of all B + 1 values alike: constants
    that single out the observed value would spoil the level.
    """

    all_pairs: ClassVar[bool] = False
    """Whether it needs the Gram matrix of all rows."""

    def kernel_factor(self, operator: Any, sizes: tuple[int, int], statistic: Statistic) -> float:
        """A factor for the kernel before the statistic is taken."""
        return 1.0

    @abstractmethod
    def fit(self, form: Form, operator: Any, sizes: tuple[int, int], start: Matrix) -> Rescale:
        """The map from values of this form to comparable ones."""


@dataclass(frozen=True)
class NormalScores(Scaling):
    """Standardise by the exact permutation moments and take out the skewness.

    Operators are first scaled to a largest eigenvalue of 1, so that an order means the same at
    every bandwidth. Wide kernels have a null distribution like χ² with few degrees of freedom,
    narrow ones a nearly normal one; without the last step (Wilson and Hilferty's cube root for
    the gamma law of the same skewness) the long tails of the wide ones would drown the narrow
    ones in a maximum.
    """

    def kernel_factor(self, operator: Any, sizes: tuple[int, int], statistic: Statistic) -> float:
        factor = 1.0 / float(operator.largest)
        if statistic.pooled_spectrum_only:
            return factor
        # C_X ≤ C/π: keep the spectra of both samples where the series converges (erratum 2)
        return 2.0 * factor * min(sizes) / sum(sizes)

    def fit(self, form: Form, operator: Any, sizes: tuple[int, int], start: Matrix) -> Rescale:
        moments = form.moments()
        if moments is None:
            return partial(normal_scores, noise=form.noise)
        mean, deviation = moments[0], math.sqrt(moments[1])
        skewness = form.skewness(start[:, :_SKEWNESS_VECTORS]) if deviation else 0.0
        return partial(to_normal, mean=mean, deviation=deviation, skewness=skewness)


def normal_scores(values: Matrix, noise: float) -> Matrix:
    """The same with the moments of all values: symmetric in them, so exact too."""
    mean, deviation = float(values.mean()), float(values.std())
    if deviation <= noise:
        return np.zeros_like(values)
    cubes = float(np.mean((values - mean) ** 3)) / deviation**3
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


def from_normal(score: float, skewness: float) -> float:
    """The standardised value that `to_normal` maps to ``score``."""
    if skewness < 0.05:
        return score
    shape = 4.0 / skewness**2
    cube = 1.0 + score / (3.0 * math.sqrt(shape)) - 1.0 / (9.0 * shape)
    return math.sqrt(shape) * (max(cube, 0.0) ** 3 - 1.0)


@dataclass(frozen=True)
class Unscaled(Scaling):
    """Values as they are: for one kernel and order."""

    def fit(self, form: Form, operator: Any, sizes: tuple[int, int], start: Matrix) -> Rescale:
        return _unless_constant(form, np.asarray)


def _unless_constant(form: Form, rescale: Rescale) -> Rescale:
    """The map, or 0 for a form whose values differ by rounding only."""
    moments = form.moments()
    if moments is None:
        noise = form.noise
        return lambda values: rescale(values) if values.std() > noise else np.zeros_like(values)
    return rescale if moments[1] > 0.0 else np.zeros_like


@dataclass(frozen=True)
class DivideKernel(Unscaled):
    """The paper's RJSD-Fuse: K/√N with N = √(Σ_{i≠j} κ² / n(n−1)), n the smaller size."""

    all_pairs: ClassVar[bool] = True

    def kernel_factor(self, operator: Any, sizes: tuple[int, int], statistic: Statistic) -> float:
        return 1.0 / math.sqrt(kernel_norm(operator, sizes))


@dataclass(frozen=True)
class DivideStatistic(Scaling):
    """MMD-Fuse: the statistic divided by the same N."""

    all_pairs: ClassVar[bool] = True

    def fit(self, form: Form, operator: Any, sizes: tuple[int, int], start: Matrix) -> Rescale:
        return _unless_constant(form, partial(np.multiply, 1.0 / kernel_norm(operator, sizes)))


def kernel_norm(operator: PooledGram, sizes: tuple[int, int]) -> float:
    """√(Σ_{i≠j} κ(z_i, z_j)² / n(n−1)) over the pool: the same for every relabelling.

    The smaller size in the denominator keeps the eigenvalues of the scaled operator where the
    series converges (erratum 2).
    """
    gram, n = operator.matrix, min(sizes)
    total = float(np.vdot(gram, gram)) - float(np.sum(np.diagonal(gram) ** 2))
    return math.sqrt(max(total, 1e-12) / (n * (n - 1)))
