"""RJSD taken apart row by row, from the eigensystems of the mixture and of the samples."""

from collections.abc import Callable

from samelaw.core import linalg
from samelaw.core.arrays import in_full_precision, namespace, rows
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Sample
from samelaw.divergence.contract import Weights, priors
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import EntropyLike, VonNeumann, as_additive
from samelaw.kernels.operators import gram_density, mixture_weights

_VON_NEUMANN = VonNeumann()


@in_full_precision
def contributions(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: EntropyLike = _VON_NEUMANN,
    weights: Weights = "proportional",
) -> tuple[Array, Array]:
    """The share of every row in RJSD; the shares sum to the divergence exactly.

    With φ(λ) = λ g(λ): row i of X contributes (π/n) ⟨φ_i, (g(C_Z) − g(C_X)) φ_i⟩. Large values
    are rows that look strange in the mixture but not in their own sample.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d)
    kernel : Kernel, optional
    entropy : Entropy or order
        The default is that of `rjsd`, whose value the shares add up to. To find unusual rows take
        ``entropy=10``: von Neumann mostly flags isolated points.
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
    >>> from samelaw import rjsd
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(30, 1)), rng.normal(size=(20, 1)) + 1
    >>> parts = contributions(x, y)
    >>> bool(abs(parts[0].sum() + parts[1].sum() - rjsd(x, y)) < 1e-12)
    True
    """
    phi = as_additive(entropy).phi
    systems = Eigensystems(x, y, kernel, weights)
    pooled, inner = systems.diagonals(phi)
    change = systems.row_weights * (pooled - namespace(pooled).concat(inner))
    first, second = grams.spans(systems.sizes)
    return change[first], change[second]


class Eigensystems:
    """The eigensystems of C_Z, C_X and C_Y of two samples."""

    def __init__(self, x: Sample, y: Sample, kernel: Kernel | None, weights: Weights) -> None:
        x, y = as_samples(x=x, y=y)
        self.sizes = (rows(x), rows(y))
        self.shares = priors(weights, self.sizes)
        pooled, blocks = grams.grams(as_kernel(kernel, x, y), (x, y))
        self.row_weights = mixture_weights(self.shares, self.sizes, pooled)
        self.pooled = linalg.eigensystem(gram_density(pooled, self.row_weights))
        self.inner = [linalg.eigensystem(gram_density(block)) for block in blocks]

    def diagonals(self, function: Callable[[Array], Array]) -> tuple[Array, list[Array]]:
        """⟨φ_i, f(C) φ_i⟩ with λ f(λ) = function(λ), in the pool and within each sample."""
        values, vectors = self.pooled
        pooled = (vectors**2) @ function(values) / self.row_weights
        inner = [
            n * ((vectors**2) @ function(values))
            for n, (values, vectors) in zip(self.sizes, self.inner, strict=True)
        ]
        return pooled, inner
