"""RJSD in an explicit feature space read off with its correction and its standard error at once.

The three eigensystems of C_Z, C_X and C_Y give everything: the value, the leading term of its
bias and the derivative towards every row.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.core import linalg
from samelaw.core.array import Array, namespace, to_numpy
from samelaw.core.density import Covariance, mixture
from samelaw.core.entropies import Entropy, VonNeumann
from samelaw.estimate.decomposition import check_additive
from samelaw.estimate.estimator import Weights, priors
from samelaw.estimate.unbiased import spectral_bias

_VON_NEUMANN = VonNeumann()


@dataclass(frozen=True)
class Reading:
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

    value: float
    corrected: float
    standard_error: float


def read_features(
    first: Array,
    second: Array,
    *,
    entropy: Entropy = _VON_NEUMANN,
    weights: Weights = "proportional",
) -> Reading:
    """RJSD of features, its delta-method correction and its standard error.

    With u the coordinates of φ(x) in the eigenbasis of an operator and h the divided differences
    of φ′, the bias of its entropy is 1/(2n) Σ_ab h_ab (E[u_a² u_b²] − C_ab²) + O(n⁻²); the
    derivative of RJSD towards a row is π ⟨φ, (φ′(C_Z) − φ′(C_X)) φ⟩.

    Parameters
    ----------
    first, second : arrays (n, D) and (m, D) of any library, two rows or more each
        Features with rows of norm 1, such as those of `FourierFeatures`.
    entropy : Entropy
        A sum over eigenvalues.
    weights : "proportional", "balanced" or float

    Notes
    -----
    Cost O(N D² + D³), in double precision on the CPU. Never part of a gradient.
    The Gram form of the same numbers: `rjsd_corrected` and `standard_error`.

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
    samples = [_checked("first", first), _checked("second", second)]
    shares = priors(weights, [len(sample) for sample in samples])
    densities = [Covariance.of(sample).density for sample in samples]
    pooled = _Operator(mixture(densities, list(shares)), list(zip(samples, shares, strict=True)))
    inner = [_Operator(d, [(s, 1.0)]) for d, s in zip(densities, samples, strict=True)]
    value, bias = pooled.entropy(entropy), pooled.bias(entropy)
    variance = 0.0
    slopes = pooled.slopes(entropy)
    for share, own, towards in zip(shares, inner, slopes, strict=True):
        value -= share * own.entropy(entropy)
        bias -= share * own.bias(entropy)
        change = towards - own.slopes(entropy)[0]
        variance += share**2 * float(np.var(change, ddof=1)) / len(change)
    return Reading(value, value - bias, math.sqrt(variance))


def _checked(name: str, features: Array) -> Array:
    if features.ndim != 2 or features.shape[0] < 2:
        raise ValueError(
            f"{name} has shape {tuple(features.shape)}; expected (rows, D), two rows or more."
        )
    return to_numpy(features).astype(np.float64, copy=False)


class _Operator:
    """The eigensystem of a covariance and the rows of its samples in it."""

    def __init__(self, density: Array, samples: Sequence[tuple[Array, float]]) -> None:
        self.values, vectors = linalg.eigensystem(density)
        self.parts = [(sample @ vectors, share) for sample, share in samples]

    def entropy(self, entropy: Entropy) -> float:
        return float(entropy(self.values))

    def bias(self, entropy: Entropy) -> float:
        return float(spectral_bias(self.values, self.parts, entropy))

    def slopes(self, entropy: Entropy) -> list[Array]:
        """⟨φ_i, φ′(C) φ_i⟩ of the rows of each sample."""
        derivative = entropy.derivative(self.values)
        return [namespace(u).square(u) @ derivative for u, _ in self.parts]
