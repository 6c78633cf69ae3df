"""RJSD in an explicit feature space read off with its correction and its standard error at once.

The three eigensystems of C_Z, C_X and C_Y give everything: the value, the leading term of its
bias and the derivative towards every row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samelaw.core import linalg
from samelaw.core.array import as_samples, is_array, to_numpy
from samelaw.core.entropies import Entropy, VonNeumann, divided_differences
from samelaw.core.operators import Covariance, mixture
from samelaw.core.types import Array
from samelaw.estimate.contract import Weights, priors
from samelaw.estimate.decomposition import check_additive
from samelaw.show.plots import draw_estimate
from samelaw.show.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_VON_NEUMANN = VonNeumann()
_ALONE = 0.1  # the share of a direction above which the expansion is not to be trusted
_TINY = 1e-15
_FAR_FROM_ONE = 1e6


@dataclass(frozen=True)
class Reading(Result):
    """A divergence with what is known about its error.

    Parameters
    ----------
    value : float
        The plain estimate: at least 0, biased upwards.
    corrected : float
        Minus the leading term of the bias; may be negative when the laws are alike.
    standard_error : float
        Of either, for features that were chosen without these rows.
    """

    kind: ClassVar[str] = "estimate"

    value: float
    corrected: float
    standard_error: float

    def draw(self, ax: "Axes") -> None:
        """The corrected value with its interval."""
        draw_estimate(ax, self.corrected, self.standard_error)


def read_features(
    first: Array,
    second: Array,
    *,
    entropy: Entropy = _VON_NEUMANN,
    weights: Weights = "proportional",
    exact: bool = False,
) -> Reading:
    """RJSD of features, its delta-method correction and its standard error.

    With u the coordinates of φ(x) in the eigenbasis of an operator and h the divided differences
    of φ′, the bias of its entropy is 1/(2n) Σ_ab h_ab (E[u_a² u_b²] − C_ab²) + O(n⁻²). The
    standard error is that of the jackknife with every left-out row expanded to second order:
    the first order alone (`standard_error`) is too small where few rows fill many directions.

    Parameters
    ----------
    first, second : arrays (n, D) and (m, D) of any library, two rows or more each
        Features with rows of norm 1, such as those of `FourierFeatures`.
    entropy : Entropy
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
    `rjsd_corrected`.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import FourierFeatures
    >>> rng = np.random.default_rng(0)
    >>> features = FourierFeatures(rng.normal(size=(2, 16)))
    >>> reading = read_features(features(rng.normal(size=(200, 2))), features(np.zeros((99, 2))))
    >>> reading.standard_error < reading.corrected < reading.value
    True
    """
    check_additive(entropy)
    samples = _checked(first, second)
    shares = priors(weights, [len(sample) for sample in samples])
    densities = [Covariance.of(sample).density for sample in samples]
    mixed = mixture(densities, list(shares))
    systems = zip(*linalg.eigensystem(np.stack([mixed, *densities])), strict=True)
    pooled = _Operator(next(systems), samples, densities, shares)
    inner = [
        _Operator(system, [s], [d], [1.0])
        for system, s, d in zip(systems, samples, densities, strict=True)
    ]
    value, bias, variance = float(entropy(pooled.values)), 0.0, 0.0
    for share, own, outer in zip(shares, inner, pooled.effects(entropy, exact), strict=True):
        (effect,) = own.effects(entropy, exact)
        value -= share * float(entropy(own.values))
        change = outer - share * effect  # of leaving out each row, (n,) for each of the two orders
        count = change.shape[1]
        bias -= float(np.mean(change[1]))
        variance += float(np.var(change[0] + change[1], ddof=1)) / count
    return Reading(value, value - bias, math.sqrt(variance))


def _checked(first: Any, second: Any) -> list[np.ndarray[Any, Any]]:
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

    def effects(self, entropy: Entropy, exact: bool) -> list[np.ndarray[Any, Any]]:
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
                for row in np.nonzero(filled > _ALONE)[0]:
                    second[row] = self._loss(entropy, u[row], inner, share, len(u)) - (
                        first[row] - share * float(slopes @ np.diagonal(inner))
                    )
            found.append(np.stack([first, second]))
        return found

    def _loss(self, entropy: Entropy, u: Array, inner: Array, share: float, count: int) -> float:
        """(n − 1) times what the entropy loses without one row of n."""
        less = np.diag(self.values) - share * (np.outer(u, u) - inner) / (count - 1)
        return (count - 1) * float(entropy(self.values) - entropy(np.linalg.eigvalsh(less)))
