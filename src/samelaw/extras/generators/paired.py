"""Which of two generators is closer to the real law: a difference of distances with its error.

Both distances are taken to the same real rows, so what those rows do to both cancels in the
difference: it is surer than the two distances.
"""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import numpy as np

from samelaw.core.checks import as_count, as_share
from samelaw.core.tolerances import rounding
from samelaw.core.types import Matrix, Sample
from samelaw.divergence.uncertainty import divergence_effects
from samelaw.extras.generators.measures import Effects, as_features, error_of, polynomial_effects
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import EntropyLike, VonNeumann, as_additive
from samelaw.kernels.features import FourierFeatures, draw_frequencies
from samelaw.results.plots import draw_estimate
from samelaw.results.result import Facts, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BALANCED = (0.5, 0.5)
_MOST_PARTS = 16  # of the larger sample: the error is that of the smaller one long before


Against: TypeAlias = Callable[[Matrix], Effects]


class Distance(ABC):
    """A distance of generated rows from real ones that knows what every row does to it."""

    unbiased: ClassVar[bool] = False
    """Whether its mean is the same for any number of generated rows, exactly."""

    @abstractmethod
    def against(self, real: Matrix) -> Against:
        """The distance from these rows, as a function of generated ones."""


@dataclass(frozen=True, eq=False)
class DivergenceDistance(Distance):
    """Balanced RJSD on Fourier features, less the leading term of its bias.

    Parameters
    ----------
    kernel : Gaussian, Laplace, Matern or RationalQuadratic, optional
        At the median distance of the real rows by default.
    entropy : Entropy or order
        A sum over eigenvalues.
    frequencies : int
    """

    kernel: Kernel | None = None
    entropy: EntropyLike = field(default_factory=VonNeumann)
    frequencies: int = 64

    def against(self, real: Matrix) -> Against:
        kernel, entropy = as_kernel(self.kernel, real), as_additive(self.entropy)
        count = as_count("frequencies", self.frequencies)
        features = FourierFeatures(draw_frequencies(kernel, real.shape[1], count, rng=0))
        seen = features.features(real)

        def distance(generated: Matrix) -> Effects:
            pair = [seen, features.features(generated)]
            _, corrected, effects = divergence_effects(pair, entropy, _BALANCED)
            return Effects(corrected, *effects)

        return distance


@dataclass(frozen=True)
class PolynomialDistance(Distance):
    """KID: unbiased squared MMD with the kernel (⟨x, y⟩/d + 1)^degree.

    With it `compare_generators` is the relative test of Bounliphone et al. (2016) for KID.
    """

    unbiased: ClassVar[bool] = True
    degree: int = 3

    def against(self, real: Matrix) -> Against:
        degree = as_count("degree", self.degree)
        return lambda generated: polynomial_effects(real, generated, degree)


@dataclass(frozen=True)
class GeneratorComparison(Result):
    """Which of two generators is closer to the real law.

    Attributes
    ----------
    difference : float
        The distance of the first less that of the second: below 0 if the first is closer.
    standard_error : float
    pvalue : float
        Of "both are equally far", against both sides.
    interval : (float, float)
        Confidence limits for the difference of the laws.
    confidence : float
    distances : (float, float)
        Of either, less its bias.
    rows : (int, int, int)
        Real, of the first, of the second.
    method : str
    """

    kind: ClassVar[str] = "generator_comparison"

    difference: float
    standard_error: float
    pvalue: float
    interval: tuple[float, float]
    confidence: float
    distances: tuple[float, float]
    rows: tuple[int, int, int]
    method: str

    @property
    def closer(self) -> Literal["first", "second", "neither"]:
        """The one that is closer at this confidence; "neither" if that is not known."""
        if self.interval[0] <= 0.0 <= self.interval[1]:
            return "neither"
        return "first" if self.difference < 0 else "second"

    def facts(self) -> Facts:
        """The answer first."""
        return [("closer to the real law", self.closer), *super().facts()]

    def draw(self, ax: "Axes") -> None:
        """The difference with its interval; 0 means equally far."""
        draw_estimate(ax, self.difference, self.interval)
        ax.axvline(0.0, color="0.5", lw=1, ls=":")
        ax.set_xlabel("first closer  ←  difference of distances  →  second closer")


def compare_generators(
    real: Sample,
    first: Sample,
    second: Sample,
    *,
    distance: Distance | None = None,
    confidence: float = 0.95,
) -> GeneratorComparison:
    """Whether the first generator is closer to the real law than the second, and by how much.

    d(real, first) − d(real, second) with an interval, for features that did not see these rows. The
    null hypothesis is that both are equally far from the real law, not that they are alike.

    Parameters
    ----------
    real, first, second : arrays (n, d), (m, d) and (l, d)
        Features of any extractor; independent rows.
    distance : Distance, optional
        `DivergenceDistance()` by default; `PolynomialDistance()` is KID.
    confidence : float

    Returns
    -------
    GeneratorComparison

    Notes
    -----
    Every row has its effect on the difference (the jackknife, expanded to second order); those of
    real rows are differences of effects, so that what they do to both cancels. The level of the
    p-value is right for hundreds of rows or more; where both generators follow the real law itself
    it is on the safe side. Models chosen among many need a correction for their number.

    What is left of the bias depends on the number of generated rows. Unless the distance is
    unbiased, that of the larger sample is therefore the mean over parts, drawn at random, of as
    many rows as the smaller one has (at most 16).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> real, good, bad = (s * rng.normal(size=(400, 3)) for s in (1.0, 1.1, 1.5))
    >>> compare_generators(real, good, bad).closer
    'first'
    """
    x, a, b = as_features(least=3, real=real, first=first, second=second)
    measure = DivergenceDistance() if distance is None else distance
    against = measure.against(x)
    each = min(len(a), len(b))
    one, two = (
        against(rows) if measure.unbiased or len(rows) == each else _in_parts(against, rows, each)
        for rows in (a, b)
    )
    error = error_of(one.real - two.real, one.generated, two.generated)
    difference = one.value - two.value
    if abs(difference) <= rounding(np.float64) * max(1.0, abs(one.value)):
        difference = 0.0  # rows without spread have no error that could say so
    reach = NormalDist().inv_cdf(0.5 + as_share("confidence", confidence) / 2) * error
    return GeneratorComparison(
        difference,
        error,
        _two_sided(abs(difference), error),
        (difference - reach, difference + reach),
        confidence,
        (one.value, two.value),
        (len(x), len(a), len(b)),
        repr(measure),
    )


def _in_parts(against: Against, rows: Matrix, each: int) -> Effects:
    """The mean over parts of so many rows, with what every row does to it.

    The last part is filled up from the first one.
    """
    order = np.random.default_rng(0).permutation(len(rows))[: _MOST_PARTS * each]
    rows, count = rows[order], len(order)
    parts = np.resize(np.arange(count), (-(-count // each), each))
    found = [against(rows[part]) for part in parts]
    generated = np.zeros(count)
    for part, one in zip(parts, found, strict=True):
        generated[part] += (one.generated - one.generated.mean()) * count / parts.size
    return Effects(
        float(np.mean([one.value for one in found])),
        np.mean([one.real for one in found], axis=0),
        generated,
    )


def _two_sided(size: float, error: float) -> float:
    """The p-value of a normal deviate, never 0: one less the distribution function would be."""
    if size == 0.0:
        return 1.0
    deviations = size / error if error > 0 else math.inf
    return max(math.erfc(deviations / math.sqrt(2.0)), sys.float_info.min)
