"""How sure a divergence is: estimates with their standard errors, from Gram matrices or features.

In an explicit feature space the three eigensystems of C_Z, C_X and C_Y give everything at once: the
value, the leading term of its bias and the derivative towards every row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from samelaw.core import linalg, threads
from samelaw.core.arrays import is_array, namespace, to_numpy
from samelaw.core.checks import as_share, check_rows
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix, Sample
from samelaw.divergence.bias import spectral_bias
from samelaw.divergence.contract import Weights, priors
from samelaw.divergence.decomposition import Eigensystems
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import (
    Entropy,
    EntropyLike,
    VonNeumann,
    as_additive,
    divided_differences,
)
from samelaw.kernels.operators import Covariance, entropy_gap, jensen_difference, mixture
from samelaw.results.plots import draw_estimate
from samelaw.results.result import Facts, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VON_NEUMANN = VonNeumann()
_ALONE = 0.1  # the share of a direction above which the expansion is not to be trusted
_TINY = 1e-15
_NOTHING = 1e-12  # a divergence that is rounding
_FAR_FROM_ONE = 1e6


@dataclass(frozen=True)
class Estimate(Result):
    """A divergence in nats with what is known about its error.

    Parameters
    ----------
    value : float
        The estimate.
    standard_error : float
        Of the value and of the corrected one, for kernels, features or networks that were chosen
        without these rows.
    rows : (int, int)
        How many rows of either sample it comes from.
    corrected : float, optional
        The value minus the leading term of its bias, where that is known; may be negative when the
        laws are alike.
    is_lower_bound : bool
        Whether in population it is no more than the Jensen–Shannon divergence of the laws: so for
        the von Neumann entropy and the bounds of critics, not for power series and CLUB.

    Notes
    -----
    What a kernel, features or a network cannot see is not in the value, and no standard error shows
    it: there is a lower limit for the divergence of the laws, and no upper one.

    Examples
    --------
    >>> found = Estimate(0.3, 0.01, (500, 500))
    >>> round(found.lower_limit(), 4)
    0.2836
    >>> [round(limit, 4) for limit in found.interval_of_bound()]
    [0.2804, 0.3196]
    """

    kind: ClassVar[str] = "estimate"

    value: float
    standard_error: float
    rows: tuple[int, int]
    corrected: float | None = None
    is_lower_bound: bool = True

    @property
    def centre(self) -> float:
        """The corrected value, or the value itself where there is none."""
        return self.value if self.corrected is None else self.corrected

    def lower_limit(self, confidence: float = 0.95) -> float:
        """With this confidence the Jensen–Shannon divergence of the laws is at least so large."""
        if not self.is_lower_bound:
            raise ValueError(
                "what was estimated is no lower bound of the divergence of the laws, so it has no "
                "lower limit for it: take von Neumann entropy or another critic, or "
                "interval_of_bound() for an interval of the estimate itself."
            )
        return self.centre - NormalDist().inv_cdf(as_share("confidence", confidence)) * (
            self.standard_error
        )

    def interval_of_bound(self, confidence: float = 0.95) -> tuple[float, float]:
        """Both limits for what this representation sees, not for the divergence of the laws."""
        reach = NormalDist().inv_cdf(0.5 + as_share("confidence", confidence) / 2)
        return self.centre - reach * self.standard_error, self.centre + reach * self.standard_error

    def facts(self) -> Facts:
        """The value, and what follows for the laws."""
        limit = [("at least (95 %)", f"{self.lower_limit():.4g}")] if self.is_lower_bound else []
        corrected = [] if self.corrected is None else [("corrected", f"{self.corrected:.4g}")]
        return [
            ("a lower bound of the divergence" if limit else "no bound", f"{self.value:.4g}"),
            *corrected,
            ("standard error", f"{self.standard_error:.4g}"),
            *limit,
            ("rows", f"{self.rows[0]} – {self.rows[1]}"),
        ]

    def __float__(self) -> float:
        return self.value

    def draw(self, ax: "Axes") -> None:
        """The corrected value with its interval."""
        draw_estimate(ax, self.centre, self.interval_of_bound())


@threads.fitting_samples
def standard_error(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
    weights: Weights = "proportional",
) -> float:
    """Standard error of ``rjsd(corrected=True)`` for a fixed kernel, also where the laws are alike.

    RJSD is a smooth function of the two empirical laws; its derivative in the direction of one
    row is π ⟨φ, (φ′(C_Z) − φ′(C_X)) φ⟩, whose variance over the rows is the leading term (the
    infinitesimal jackknife). Near equal laws the derivative vanishes and the estimate moves like
    a χ²: with g the variance per unit of divergence and b the bias, g b/2 is its variance there,
    and g²/3 makes up for a derivative that is too small when the estimate is.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
    entropy : Entropy or order
    weights : "proportional", "balanced" or float
        Both with the defaults of `rjsd`.

    Returns
    -------
    float

    Notes
    -----
    The corrected value ± 1.96 of it holds the divergence of the laws in 93 % of samples or more, at
    equal laws nearly always: there it is up to 2.5 times the spread of the estimates. Where the
    kernel is sharp for the number of rows, only with a power series (``entropy=10`` in both): the
    correction leaves too much of the bias of von Neumann. Whether there is a difference at all is
    a question for a permutation test. Cost O(N²d + N³).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> small = standard_error(rng.normal(size=(50, 1)), rng.normal(size=(50, 1)) + 2)
    >>> large = standard_error(rng.normal(size=(200, 1)), rng.normal(size=(200, 1)) + 2)
    >>> bool(large < small)
    True
    """
    chosen = as_additive(entropy)
    systems = Eigensystems(x, y, kernel, weights)
    check_rows("a standard error", systems.sizes)
    first, value, bias = _slope_variance(systems, chosen), *_value_and_bias(systems, chosen)
    growth = first / value if value > _NOTHING else 4.0 * bias  # of χ² with one degree of freedom
    return math.sqrt(first + 0.5 * growth * bias + growth**2 / 3.0)


def _slope_variance(systems: Eigensystems, entropy: Entropy) -> float:
    """Variance of the first-order term: what the derivatives towards the rows say."""
    pooled, inner = systems.diagonals(lambda values: values * entropy.derivative(values))
    outer = np.split(to_numpy(pooled), [systems.sizes[0]])
    variance = 0.0
    for k, (share, size) in enumerate(zip(systems.shares, systems.sizes, strict=True)):
        variance += share**2 * np.var(outer[k] - to_numpy(inner[k]), ddof=1) / size
    return float(variance)


def _value_and_bias(systems: Eigensystems, entropy: Entropy) -> tuple[float, float]:
    """The plain divergence and the leading term of its bias, neither below 0."""
    xp = namespace(systems.row_weights)
    values, vectors = systems.pooled
    u = vectors * xp.sqrt(values)[None, :] / xp.sqrt(systems.row_weights)[:, None]
    spans = grams.spans(systems.sizes)
    parts = [(u[span, :], share) for span, share in zip(spans, systems.shares, strict=True)]
    inner_biases = [
        spectral_bias(own, [(inside * xp.sqrt(own)[None, :] * math.sqrt(size), 1.0)], entropy)
        for size, (own, inside) in zip(systems.sizes, systems.inner, strict=True)
    ]
    entropies = [entropy(own) for own, _ in systems.inner]
    value = jensen_difference(entropy(values), entropies, systems.shares)
    # the bias of an entropy is negative: that of the mixture less, those inside more
    bias = jensen_difference(spectral_bias(values, parts, entropy), inner_biases, systems.shares)
    return max(float(to_numpy(value)), 0.0), max(float(to_numpy(bias)), 0.0)


def estimate_from_features(
    first: Array,
    second: Array,
    *,
    entropy: EntropyLike = _VON_NEUMANN,
    weights: Weights = "proportional",
    exact: bool = False,
) -> Estimate:
    """RJSD of features, its delta-method correction and its standard error.

    With u the coordinates of φ(x) in the eigenbasis of an operator and h the divided differences
    of φ′, the bias of its entropy is 1/(2n) Σ_ab h_ab (E[u_a² u_b²] − C_ab²) + O(n⁻²). The
    standard error is that of the jackknife with every left-out row expanded to second order:
    the first order alone (`standard_error`) is too small where few rows fill many directions.

    Parameters
    ----------
    first, second : arrays (n, D) and (m, D) of any library, two rows or more each
        Features with rows of norm 1, such as those of `FourierFeatures`.
    entropy : Entropy or order
        A sum over eigenvalues.
    weights : "proportional", "balanced" or float
    exact : bool
        Leave rows out for real, not by expansion, where it matters: those that fill a direction
        nearly alone, a tenth of it or more. Both the correction and the error need it close to
        log 2, where few rows decide.

    Notes
    -----
    Cost O(N D² + D³), in double precision on the CPU; with ``exact`` up to 10 D eigenvalue problems
    of D×D more for each of the three operators. Never part of a gradient. Gram form:
    ``rjsd(corrected=True)`` and `standard_error`.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw.kernels import FourierFeatures
    >>> rng = np.random.default_rng(0)
    >>> features = FourierFeatures(rng.normal(size=(2, 16)))
    >>> first, second = features(rng.normal(size=(200, 2))), features(np.zeros((99, 2)))
    >>> found = estimate_from_features(first, second)
    >>> found.standard_error < found.corrected < found.value
    True
    """
    chosen = as_additive(entropy)
    samples = _checked(first, second)
    shares = priors(weights, [len(sample) for sample in samples])
    value, corrected, effects = divergence_effects(samples, chosen, shares, exact=exact)
    variance = sum(float(np.var(effect, ddof=1)) / len(effect) for effect in effects)
    sizes = (len(samples[0]), len(samples[1]))
    bound = isinstance(chosen, VonNeumann)
    return Estimate(value, math.sqrt(variance), sizes, corrected, is_lower_bound=bound)


def divergence_effects(
    samples: Sequence[Matrix], entropy: Entropy, shares: Sequence[float], *, exact: bool = False
) -> tuple[float, float, list[Matrix]]:
    """RJSD of features, the same less its bias, and (n − 1) times what it loses without each row.

    The effects of the rows of either sample (n,) are known up to a constant: their variance over
    n is that of the estimate.
    """
    densities = [Covariance.of(sample).density for sample in samples]
    mixed = mixture(densities, shares)
    systems = zip(*linalg.eigensystem(np.stack([mixed, *densities])), strict=True)
    pooled = _Operator(next(systems), samples, densities, shares)
    inner = [
        _Operator(system, [s], [d], [1.0])
        for system, s, d in zip(systems, samples, densities, strict=True)
    ]
    inside = [entropy(operator.values) for operator in inner]
    value = float(entropy_gap(entropy(pooled.values), inside, entropy, shares))
    bias, effects = 0.0, []
    for share, own, outer in zip(shares, inner, pooled.effects(entropy, exact), strict=True):
        (effect,) = own.effects(entropy, exact)
        change = outer - share * effect  # of leaving out each row, (n,) for each of the two orders
        bias -= float(np.mean(change[1]))
        effects.append(change[0] + change[1])
    return value, value - bias, effects


def _checked(first: Array, second: Array) -> list[Matrix]:
    """Features in double precision on the CPU, whatever the library of either."""
    named = {"first": first, "second": second}
    arrays = {name: to_numpy(f) if is_array(f) else f for name, f in named.items()}
    checked = as_samples(**arrays)
    for name, features in zip(named, checked, strict=True):
        if isinstance(features, tuple) or len(features) < 2:
            shape = "a tuple" if isinstance(features, tuple) else features.shape
            raise ValueError(f"{name} has shape {shape}; expected (rows, D), two rows or more.")
        if np.abs(features).max() > _FAR_FROM_ONE:
            raise ValueError(f"{name} is not made of features: rows of norm 1 were expected.")
    return [features.astype(np.float64, copy=False) for features in checked]


class _Operator:
    """The eigensystem of a covariance and the rows of its samples in it."""

    def __init__(
        self,
        system: tuple[Array, Array],
        samples: Sequence[Array],
        densities: Sequence[Array],
        shares: Sequence[float],
    ) -> None:
        self.values, vectors = system
        self.parts = [
            (sample @ vectors, vectors.T @ density @ vectors, share)
            for sample, density, share in zip(samples, densities, shares, strict=True)
        ]

    def effects(self, entropy: Entropy, exact: bool) -> list[Matrix]:
        """What the rows of each sample add to the entropy, to first and second order (2, n).

        Without row i the operator is C − π(φφᵀ − C_s)/(n − 1). First order: π⟨φ, φ′(C)φ⟩. Second:
        −π² Σ_ab h_ab (u_a u_b − C_ab)² / 2(n − 1), whose mean is minus the bias.
        """
        slopes = entropy.derivative(self.values)
        curvature = divided_differences(entropy, self.values)
        found = []
        for u, inner, share in self.parts:
            squares = u * u
            quadratic = np.vecdot(squares @ curvature, squares)
            if len(self.parts) == 1:  # its own eigenbasis: the operator is diagonal
                quadratic -= 2.0 * (squares @ (np.diagonal(curvature) * self.values))
            else:
                quadratic -= 2.0 * np.vecdot(u @ (curvature * inner), u)
            quadratic += np.sum(curvature * inner**2)
            second = -(share**2) * quadratic / (2.0 * (len(u) - 1))
            first = share * (squares @ slopes)
            if exact:
                filled = share / len(u) * (squares @ (1.0 / np.clip(self.values, _TINY, None)))
                alone = filled > _ALONE
                if alone.any():
                    second[alone] = self._losses(entropy, u[alone], inner, share, len(u)) - (
                        first[alone] - share * float(slopes @ np.diagonal(inner))
                    )
            found.append(np.stack([first, second]))
        return found

    def _losses(
        self, entropy: Entropy, some: Matrix, inner: Array, share: float, count: int
    ) -> Matrix:
        """(n − 1) times what the entropy loses without each of some rows of n."""
        whole = np.diag(self.values)
        left = (whole - share * (np.outer(u, u) - inner) / (count - 1) for u in some)
        spectra = np.stack([np.linalg.eigvalsh(less) for less in left])
        return np.asarray((count - 1) * (entropy(self.values) - entropy(spectra)))
