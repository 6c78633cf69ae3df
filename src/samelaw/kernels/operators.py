"""Unit-trace operators (the density matrices of quantum theory) from Gram matrices and features.

A covariance C = Σ w_i φ(x_i)φ(x_i)ᵀ and the weighted Gram matrix √w_i K_ij √w_j have the same
non-zero eigenvalues, so either stands for the operator and the smaller one is taken.

What every estimator and loss does with them is here once: the divergence from the entropies
(`entropy_gap`), the weights of the rows in the mixture (`pooled_weights`) and the bounds of the
result (`within_bounds`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from samelaw.core.arrays import detach, in_full_precision, is_array, is_numpy, namespace
from samelaw.core.checks import as_vector
from samelaw.core.samples import as_matrix
from samelaw.core.types import Array
from samelaw.kernels import spectra
from samelaw.kernels.entropies import Entropy


def gram_density(gram: Array, weights: Array | None = None) -> Array:
    """√w K √w, which is K/n for equal weights (proposition 2 of the paper)."""
    if weights is None:
        return gram / gram.shape[0]
    root = namespace(gram).sqrt(weights)
    return gram * root[:, None] * root[None, :]


def gram_entropy(gram: Array, entropy: Entropy, weights: Array | None = None) -> Array:
    """The entropy of `gram_density`; equal weights scale the spectrum and spare a copy."""
    if weights is None:
        return spectra.spectral_sum(gram, entropy, 1.0 / gram.shape[0])
    return spectra.spectral_sum(gram_density(gram, weights), entropy)


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
    weight: Array

    @classmethod
    @in_full_precision
    def of(cls, features: Array, weights: Array | None = None) -> "Covariance":
        """From features (n, D) and optional row weights (n,).

        Values of tensors are not looked at (that would wait for the device): NaN in, NaN out.
        """
        features, weights = _checked(features, weights)
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


@in_full_precision
def mean_embedding(features: Array, weights: Array | None = None) -> Array:
    """Mean embedding μ = Σ w φ(x) / Σ w of a sample; MMD is the distance of two (section 2.2).

    Parameters
    ----------
    features : array (n, D)
        φ(x) of every row, as a feature map gives them.
    weights : array (n,), optional

    Returns
    -------
    array (D,)

    Examples
    --------
    >>> import numpy as np
    >>> mean_embedding(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([0.5, 0.5])
    """
    features, weights = _checked(features, weights)
    xp = namespace(features)
    if weights is None:
        return xp.sum(features, axis=0) / features.shape[0]
    return xp.sum(features * weights[:, None], axis=0) / xp.sum(weights)


@in_full_precision
def centred_covariance(features: Array, weights: Array | None = None) -> Array:
    """Centred covariance Σ = C − μ⊗μ of a sample in feature space (section 2.3).

    RJSD takes the uncentred C, `Covariance.density`, which has trace one.

    Parameters
    ----------
    features : array (n, D)
    weights : array (n,), optional

    Returns
    -------
    array (D, D)

    Examples
    --------
    >>> import numpy as np
    >>> centred_covariance(np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    mean = mean_embedding(features, weights)
    return Covariance.of(features, weights).density - mean[:, None] * mean[None, :]


def _checked(features: Array, weights: Array | None) -> tuple[Array, Array | None]:
    """Features and weights that can be summed; values of tensors are not looked at."""
    if not is_array(features) or is_numpy(features):
        features = as_matrix("features", features)
        return features, None if weights is None else _row_weights(weights, len(features))
    if features.ndim != 2 or 0 in features.shape:
        raise ValueError(f"features have shape {tuple(features.shape)}; expected (n, D).")
    if not namespace(features).isdtype(features.dtype, "real floating"):
        raise TypeError(f"features have dtype {features.dtype}; expected real numbers.")
    return features, weights


def _row_weights(weights: Array, count: int) -> Array:
    found = as_vector("weights", weights)
    if len(found) != count or found.min() < 0 or found.max() <= 0:
        raise ValueError(f"weights must be {count} non-negative numbers, one per row, not all 0.")
    return found


def mixture(densities: Sequence[Array], shares: Sequence[float]) -> Array:
    """Σ π_k C_k, the operator of the mixed law."""
    return sum(p * d for p, d in zip(shares, densities, strict=True))


def pooled_weights(
    shares: Sequence[float],
    sizes: Sequence[int],
    reference: Array,
    row_weights: Sequence[Array | None] | None = None,
) -> Array | None:
    """`mixture_weights`, or None if they are all equal, which spares work."""
    total = sum(sizes)
    equal = all(abs(p * total - n) < 1e-9 * n for p, n in zip(shares, sizes, strict=True))
    if equal and all(weights is None for weights in row_weights or ()):
        return None
    return mixture_weights(shares, sizes, reference, row_weights)


def mixture_weights(
    shares: Sequence[float],
    sizes: Sequence[int],
    reference: Array,
    row_weights: Sequence[Array | None] | None = None,
) -> Array:
    """Weights (N,) of all rows in the mixture, sample after sample: π_k/n_k, or π_k w.

    Row weights w sum to one within each sample; None means equal. The library, device and dtype
    are those of ``reference`` (N, …).
    """
    given = row_weights or (None,) * len(sizes)
    xp = namespace(reference)
    line = reference if reference.ndim == 1 else reference[:, 0]
    return xp.concat(
        [
            xp.full_like(line[:n], share / n) if weights is None else share * weights
            for share, n, weights in zip(shares, sizes, given, strict=True)
        ]
    )


def jensen_difference(mixed: Array, entropies: Sequence[Array], shares: Sequence[float]) -> Array:
    """S(Σ π_k C_k) − Σ π_k S(C_k) of whatever is linear in entropies: corrections and biases.

    Values of any entropy go through `entropy_gap`.
    """
    return mixed - sum(p * own for p, own in zip(shares, entropies, strict=True))


def entropy_gap(
    mixed: Array, entropies: Sequence[Array], entropy: Entropy, shares: Sequence[Array]
) -> Array:
    """The divergence from the entropy of the mixture and those of the samples."""
    return within_bounds(open_gap(mixed, entropies, entropy, shares), entropy, shares)


def open_gap(
    mixed: Array, entropies: Sequence[Array], entropy: Entropy, shares: Sequence[Array]
) -> Array:
    """`entropy_gap` as it is, for corrections of it: rounding may leave it out of its bounds."""
    return mixed - entropy.mean(entropies, shares)


def within_bounds(value: Array, entropy: Entropy, shares: Sequence[Array]) -> Array:
    """A divergence put back where it must lie, which rounding may leave; the gradient stays.

    At least 0 and at most `Entropy.bound`, where the shares are numbers.
    """
    known = all(isinstance(share, Real) for share in shares)
    top = entropy.bound(shares) if known else math.inf
    if is_numpy(value):
        return np.minimum(np.maximum(value, 0.0), top)
    # Not by clip, which asks whether its limits are NaN: compilers do not know them, as they do
    # not know the numbers of rows once these have changed.
    xp, inner = namespace(value), detach(value)
    inside = xp.where(inner < 0.0, 0.0, xp.where(inner > top, top, inner))
    return value + (inside - inner)


def gram_divergence(
    pooled: Array,
    blocks: Sequence[Array],
    entropy: Entropy,
    shares: Sequence[float],
    row_weights: Sequence[Array | None] | None = None,
) -> Array:
    """The divergence from the Gram matrix of all rows (N, N) and those of the samples."""
    given = row_weights or (None,) * len(blocks)
    inner = [gram_entropy(b, entropy, w) for b, w in zip(blocks, given, strict=True)]
    weights = pooled_weights(shares, [b.shape[0] for b in blocks], pooled, row_weights)
    return entropy_gap(gram_entropy(pooled, entropy, weights), inner, entropy, shares)


def density_divergence(
    densities: Sequence[Array],
    entropy: Entropy,
    shares: Sequence[float],
    mixed: Array | None = None,
) -> Array:
    """The divergence from unit-trace operators (D, D), or from them and one for the mixture.

    ``mixed`` may be of another size (the Gram side of the operator) where that is the smaller one.
    """
    mixed = mixture(densities, shares) if mixed is None else mixed
    value, *inner = spectra.spectral_sums([mixed, *densities], entropy)
    return entropy_gap(value, inner, entropy, shares)
