"""Unit-trace operators (the density matrices of quantum theory) from Gram matrices and features.

A covariance C = Σ w_i φ(x_i)φ(x_i)ᵀ and the weighted Gram matrix √w_i K_ij √w_j have the same
non-zero eigenvalues, so either stands for the operator and the smaller one is taken.
"""

from dataclasses import dataclass
from typing import Any

from samelaw.core import linalg
from samelaw.core.array import as_matrix, is_array, is_numpy, namespace
from samelaw.core.checks import as_vector
from samelaw.core.types import Array


def gram_density(gram: Array, weights: Array | None = None) -> Array:
    """√w K √w, which is K/n for equal weights (proposition 1 of the paper)."""
    if weights is None:
        return gram / gram.shape[0]
    root = namespace(gram).sqrt(weights)
    return gram * root[:, None] * root[None, :]


def gram_entropy(gram: Array, entropy: Any, weights: Array | None = None) -> Array:
    """The entropy of `gram_density`; equal weights scale the spectrum and spare a copy."""
    if weights is None:
        return linalg.spectral_sum(gram, entropy, 1.0 / gram.shape[0])
    return linalg.spectral_sum(gram_density(gram, weights), entropy)


def feature_density(features: Array, weights: Array | None = None) -> Array:
    """Φᵀ diag(w) Φ or √w ΦΦᵀ √w, whichever is smaller; equal weights by default."""
    count, size = features.shape
    if weights is not None:
        features = features * namespace(features).sqrt(weights)[:, None]
    product = features @ features.T if count < size else features.T @ features
    return product / count if weights is None else product


@dataclass(frozen=True, eq=False)
class Covariance:
    """A sum of outer products Σ w φφᵀ with its total weight: additive, so exactly mergeable.

    Parameters
    ----------
    total : array (D, D)
    weight : float or array ()
        Σ w; the number of rows for equal weights.

    Examples
    --------
    >>> import numpy as np
    >>> a = Covariance.of(np.array([[1.0, 0.0]]))
    >>> b = Covariance.of(np.array([[0.0, 1.0]]))
    >>> (a + b).density
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    total: Array
    weight: Any

    @classmethod
    def of(cls, features: Array, weights: Array | None = None) -> "Covariance":
        """From features (n, D) and optional row weights (n,).

        Values of tensors are not looked at (that would wait for the device): NaN in, NaN out.
        """
        if not is_array(features) or is_numpy(features):
            features = as_matrix("features", features)
            weights = None if weights is None else _row_weights(weights, len(features))
        elif features.ndim != 2 or 0 in features.shape:
            raise ValueError(f"features have shape {tuple(features.shape)}; expected (n, D).")
        elif not namespace(features).isdtype(features.dtype, "real floating"):
            raise TypeError(f"features have dtype {features.dtype}; expected real numbers.")
        if weights is None:
            return cls(features.T @ features, float(features.shape[0]))
        return cls((features * weights[:, None]).T @ features, namespace(features).sum(weights))

    def __add__(self, other: "Covariance") -> "Covariance":
        return Covariance(self.total + other.total, self.weight + other.weight)

    def __sub__(self, other: "Covariance") -> "Covariance":
        return Covariance(self.total - other.total, self.weight - other.weight)

    def faded(self, keep: float) -> "Covariance":
        """The same operator with its past counting ``keep`` times as much.

        ``old.faded(1 − a) + new`` in every step is an exponential moving average.
        """
        return Covariance(self.total * keep, self.weight * keep)

    @property
    def density(self) -> Array:
        """The unit-trace operator Σ w φφᵀ / Σ w."""
        return self.total / self.weight


def _row_weights(weights: Any, count: int) -> Array:
    found = as_vector("weights", weights)
    if len(found) != count or found.min() < 0 or found.max() <= 0:
        raise ValueError(f"weights must be {count} non-negative numbers, one per row, not all 0.")
    return found


def mixture(densities: list[Array], priors: list[float]) -> Array:
    """Σ π_k C_k, the operator of the mixed law."""
    return sum(p * d for p, d in zip(priors, densities, strict=True))
