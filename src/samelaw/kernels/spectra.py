"""Sums of φ over spectra, by the cheapest route."""

from collections.abc import Sequence

from samelaw.core.arrays import is_torch, namespace
from samelaw.core.linalg import MOST_PRODUCTS, SMALL, eigenvalues, exponents, trace_moments
from samelaw.core.types import Array
from samelaw.kernels.entropies import Entropy


def spectral_sum(matrix: Array, entropy: Entropy, scale: float = 1.0) -> Array:
    """The entropy of scale · matrix, positive semidefinite, by the cheapest exact route.

    Polynomials of low degree go through trace moments (at most two matrix products), everything
    else through the eigenvalues. For torch `samelaw.core.torch_gradients` has written gradients.
    """
    coefficients = polynomial(entropy)
    scaled = [c * scale**k for k, c in enumerate(coefficients or (), 1)]
    if coefficients is not None and _by_products(coefficients):
        return entropy.link(_trace_polynomial(matrix, scaled))
    if is_torch(matrix):
        from samelaw.kernels.torch_spectra import spectral_entropy

        return spectral_entropy(matrix, entropy, scale)
    return entropy(scale * eigenvalues(matrix))


def _trace_polynomial(matrix: Array, coefficients: Sequence[float]) -> Array:
    """Σ c_k Tr A^k."""
    if is_torch(matrix):
        from samelaw.core.torch_gradients import trace_polynomial

        return trace_polynomial(matrix, coefficients)
    moments = trace_moments(matrix, len(coefficients))
    return sum(c * m for c, m in zip(coefficients, moments, strict=True) if c)


def spectral_sums(matrices: Sequence[Array], entropy: Entropy) -> Sequence[Array]:
    """`spectral_sum` of each; small matrices of one size share one call for their eigenvalues."""
    coefficients = polynomial(entropy)
    small = matrices[0].shape[0] <= SMALL and len({m.shape for m in matrices}) == 1
    if small and (coefficients is None or not _by_products(coefficients)):
        together: Sequence[Array] = entropy(eigenvalues(namespace(*matrices).stack(matrices)))
        return together
    return [spectral_sum(matrix, entropy) for matrix in matrices]


def _by_products(coefficients: Sequence[float]) -> bool:
    return len(exponents(len(coefficients))) - 1 <= MOST_PRODUCTS


def is_quadratic(entropy: Entropy) -> bool:
    """Whether Tr(A) and Tr(A²) determine the entropy, so that no n³ work is needed."""
    coefficients = polynomial(entropy)
    return coefficients is not None and len(coefficients) <= 2


def polynomial(entropy: Entropy) -> tuple[float, ...] | None:
    """The coefficients of an entropy, or None; a clear error for what is no entropy."""
    if isinstance(entropy, type) or not hasattr(entropy, "coefficients"):
        raise TypeError(
            f"entropy must be an object such as VonNeumann() or PowerSeries(10), got {entropy!r}."
        )
    coefficients: tuple[float, ...] | None = entropy.coefficients()
    return coefficients
