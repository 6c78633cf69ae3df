"""RJSD taken apart row by row, and the standard error that follows from it."""

import math
from typing import Any

import numpy as np

from samelaw.core import linalg
from samelaw.core.array import Array, Sample, as_samples, namespace, rows, stack_rows, to_numpy
from samelaw.core.density import gram_density
from samelaw.core.entropies import Entropy, PowerSeries, VonNeumann
from samelaw.core.kernels import Kernel
from samelaw.estimate.bandwidth import as_kernel
from samelaw.estimate.estimator import Weights, priors

_VON_NEUMANN = VonNeumann()
_TEN = PowerSeries(10)


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
    entropy: Entropy = _VON_NEUMANN,
    weights: Weights = "proportional",
) -> float:
    """Standard error of `rjsd` for a fixed kernel, by the infinitesimal jackknife.

    RJSD is a smooth function of the two empirical laws; its derivative in the direction of one
    row is π ⟨φ, (φ′(C_Z) − φ′(C_X)) φ⟩, whose variance over the rows gives the error.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
    entropy : Entropy
    weights : "proportional", "balanced" or float

    Returns
    -------
    float

    Notes
    -----
    For samples that differ: when the two laws are equal the first derivative vanishes and RJSD is
    of order 1/n, so use a permutation test for "is there a difference", this for "how large".
    The bias of the plain estimator is not part of it: pair it with `rjsd_corrected`.

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
    pooled, inner = operators.diagonals(lambda values: values * entropy.derivative(values))
    outer = np.split(to_numpy(pooled), [operators.sizes[0]])
    variance = 0.0
    for k, (share, size) in enumerate(zip(operators.shares, operators.sizes, strict=True)):
        variance += share**2 * np.var(outer[k] - to_numpy(inner[k]), ddof=1) / size
    return math.sqrt(variance)


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
        gram = linalg.gram(as_kernel(kernel, x, y), stack_rows((x, y)))
        xp = namespace(gram)
        self.row_weights = xp.concat(
            [
                xp.full((n,), share / n, dtype=gram.dtype)
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
