"""RJSD taken apart row by row, and the standard error that follows from it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from samelaw.core import grams, linalg
from samelaw.core.array import as_samples, namespace, rows, stack_rows, to_numpy
from samelaw.core.entropies import Entropy, PowerSeries, divided_differences
from samelaw.core.kernels import Kernel
from samelaw.core.operators import gram_density
from samelaw.core.types import Array, Sample
from samelaw.estimate.bandwidths import as_kernel
from samelaw.estimate.contract import Weights, priors

_TEN = PowerSeries(10)
_TINY = 1e-12


def contributions(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: Entropy = _TEN,
    weights: Weights = "proportional",
) -> tuple[Array, Array]:
    """The share of every row in RJSD; the shares sum to the divergence exactly.

    With φ(λ) = λ g(λ): row i of X contributes (π/n) ⟨φ_i, (g(C_Z) − g(C_X)) φ_i⟩. Large values
    are rows that look strange in the mixture but not in their own sample.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
    entropy : Entropy
        Order 10 by default: von Neumann mostly flags isolated points.
    weights : "proportional", "balanced" or float

    Returns
    -------
    tuple of arrays (n,) and (m,)

    Notes
    -----
    Cost O(N²d + N³) with eigenvectors.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import PowerSeries, rjsd
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(30, 1)), rng.normal(size=(20, 1)) + 1
    >>> parts = contributions(x, y)
    >>> bool(abs(parts[0].sum() + parts[1].sum() - rjsd(x, y, entropy=PowerSeries(10))) < 1e-12)
    True
    """
    check_additive(entropy)
    operators = _Operators(x, y, kernel, weights)
    pooled, inner = operators.diagonals(entropy.phi)
    xp = namespace(pooled)
    scale = operators.row_weights
    change = scale * (pooled - xp.concat(inner))
    return change[: operators.sizes[0]], change[operators.sizes[0] :]


def standard_error(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: Entropy = _TEN,
    weights: Weights = "proportional",
) -> float:
    """Standard error of `rjsd_corrected` for a fixed kernel, also where the laws are alike.

    RJSD is a smooth function of the two empirical laws; its derivative in the direction of one
    row is π ⟨φ, (φ′(C_Z) − φ′(C_X)) φ⟩, whose variance over the rows is the leading term (the
    infinitesimal jackknife). Near equal laws the derivative vanishes and the estimate moves like
    a χ²: with g the variance per unit of divergence and b the bias, g b/2 is its variance there,
    and g²/3 makes up for a derivative that is too small when the estimate is.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
    entropy : Entropy
        Order 10 by default, as in `rjsd_corrected`.
    weights : "proportional", "balanced" or float

    Returns
    -------
    float

    Notes
    -----
    `rjsd_corrected` ± 1.96 of it holds the divergence of the laws in 93 % of samples or more, at
    equal laws nearly always: there it is up to twice the spread of the estimates. Whether there
    is a difference at all is a question for a permutation test.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> small = standard_error(rng.normal(size=(50, 1)), rng.normal(size=(50, 1)) + 2)
    >>> large = standard_error(rng.normal(size=(200, 1)), rng.normal(size=(200, 1)) + 2)
    >>> bool(large < small)
    True
    """
    check_additive(entropy)
    operators = _Operators(x, y, kernel, weights)
    if min(operators.sizes) < 2:
        raise ValueError("a standard error needs at least two rows in each of x and y.")
    first, value, bias = operators.slope_variance(entropy), *operators.value_and_bias(entropy)
    growth = first / value if value > _TINY else 4.0 * bias  # of χ² with one degree of freedom
    return math.sqrt(first + 0.5 * growth * bias + growth**2 / 3.0)


def spectral_bias(values: Array, parts: Sequence[tuple[Array, float]], entropy: Entropy) -> Array:
    """The leading term of the bias of Σ φ(λ), from the coordinates of the rows in the eigenbasis.

    ``parts`` holds for each sample the coordinates u = Vᵀφ of its rows (n, k) and its share π.
    They may come from the Gram or from the feature side of the operator.
    """
    xp = namespace(values)
    slopes = divided_differences(entropy, values)
    bias: Array = 0.0
    for u, share in parts:
        n = u.shape[0]
        squares = u * u
        spread = squares.T @ squares / n - (u.T @ u / n) ** 2
        bias = bias + 0.5 * share**2 / (n - 1) * xp.sum(slopes * spread)
    return bias


def check_additive(entropy: Entropy) -> None:
    """Raise unless the entropy is a plain sum of φ over the eigenvalues."""
    linalg.polynomial(entropy)
    if type(entropy).link is not Entropy.link:
        raise TypeError(f"{entropy!r} is not a sum over eigenvalues, so rows have no shares in it.")


class _Operators:
    """The eigensystems of C_Z, C_X and C_Y of two samples."""

    def __init__(self, x: Sample, y: Sample, kernel: Kernel | None, weights: Weights) -> None:
        x, y = as_samples(x=x, y=y)
        self.sizes = (rows(x), rows(y))
        self.shares = priors(weights, self.sizes)
        gram = grams.gram(as_kernel(kernel, x, y), stack_rows((x, y)))
        xp = namespace(gram)
        self.row_weights = xp.concat(
            [
                xp.full_like(gram[:n, 0], share / n)
                for n, share in zip(self.sizes, self.shares, strict=True)
            ]
        )
        n = self.sizes[0]
        self.pooled = linalg.eigensystem(gram_density(gram, self.row_weights))
        self.inner = [
            linalg.eigensystem(gram_density(block)) for block in (gram[:n, :n], gram[n:, n:])
        ]

    def diagonals(self, function: Any) -> tuple[Array, list[Array]]:
        """⟨φ_i, f(C) φ_i⟩ with λ f(λ) = function(λ), in the pool and within each sample."""
        values, vectors = self.pooled
        pooled = (vectors**2) @ function(values) / self.row_weights
        inner = [
            n * ((vectors**2) @ function(values))
            for n, (values, vectors) in zip(self.sizes, self.inner, strict=True)
        ]
        return pooled, inner

    def slope_variance(self, entropy: Entropy) -> float:
        """Variance of the first-order term: what the derivatives towards the rows say."""
        pooled, inner = self.diagonals(lambda values: values * entropy.derivative(values))
        outer = np.split(to_numpy(pooled), [self.sizes[0]])
        variance = 0.0
        for k, (share, size) in enumerate(zip(self.shares, self.sizes, strict=True)):
            variance += share**2 * np.var(outer[k] - to_numpy(inner[k]), ddof=1) / size
        return float(variance)

    def value_and_bias(self, entropy: Entropy) -> tuple[float, float]:
        """The plain divergence and the leading term of its bias, neither below 0."""
        xp = namespace(self.row_weights)
        values, vectors = self.pooled
        u = vectors * xp.sqrt(values)[None, :] / xp.sqrt(self.row_weights)[:, None]
        n = self.sizes[0]
        parts = [(u[:n, :], self.shares[0]), (u[n:, :], self.shares[1])]
        value, bias = entropy(values), spectral_bias(values, parts, entropy)
        for share, size, (own, inside) in zip(self.shares, self.sizes, self.inner, strict=True):
            rows_inside = inside * xp.sqrt(own)[None, :] * math.sqrt(size)
            value = value - share * entropy(own)
            bias = bias - share * spectral_bias(own, [(rows_inside, 1.0)], entropy)
        # the bias of an entropy is negative: that of the mixture less, those inside more
        return max(float(value), 0.0), max(float(bias), 0.0)
