"""Distances, Gram matrices, spectra and traces: the only file that picks a route.

Formula classes (kernels, entropies) say *what*; this file says *how*: dense or blocked, by trace
moments or by eigenvalues, with a native routine where the array library has one.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from samelaw.core.array import (
    Array,
    Sample,
    is_numpy,
    is_torch,
    namespace,
    parts,
    rows,
    take_rows,
)

_BLOCK_ENTRIES = 1 << 17  # 1 MiB of float64: the temporaries of one block stay in the L2 cache
_MOST_PRODUCTS = 2  # an eigenvalue call costs about three products of the same size (measured)


def squared_distances(x: Array, y: Array) -> Array:
    """Squared Euclidean distances (n, m) by one matrix product, never an (n, m, d) array.

    Both samples are shifted by the mean of ``x`` first: data far from the origin would lose
    their digits in the expansion |x|² + |y|² − 2xy. The diagonal is exactly 0 when y is x.
    """
    xp = namespace(x, y)
    centre = xp.mean(x, axis=0)
    left = x - centre
    if y is x:
        product = left @ left.T
        left_norms = right_norms = xp.linalg.diagonal(product)
    else:
        right = y - centre
        product = left @ right.T
        left_norms, right_norms = xp.sum(left * left, axis=1), xp.sum(right * right, axis=1)
    return xp.clip(left_norms[:, None] + right_norms[None, :] - 2.0 * product, min=0.0)


def safe_root(squared: Array) -> Array:
    """√ with gradient 0 (not infinity) at 0, where points coincide."""
    xp = namespace(squared)
    apart = squared > 0
    return xp.where(apart, xp.sqrt(xp.where(apart, squared, 1.0)), 0.0)


def city_block_distances(x: Array, y: Array) -> Array:
    """L1 distances (n, m): the native routine of numpy/scipy and torch, else column by column."""
    xp = namespace(x, y)
    if is_numpy(x):
        from scipy.spatial.distance import cdist

        return cdist(x, y, "cityblock").astype(x.dtype, copy=False)
    if is_torch(x):
        return xp.cdist(x, y, p=1.0)
    total = xp.abs(x[:, 0][:, None] - y[:, 0][None, :])
    for column in range(1, x.shape[1]):
        total = total + xp.abs(x[:, column][:, None] - y[:, column][None, :])
    return total


def mismatches(x: Array, y: Array) -> Array:
    """The number of columns in which two rows differ (n, m)."""
    xp = namespace(x, y)
    total = xp.zeros((x.shape[0], y.shape[0]), dtype=x.dtype)
    for column in range(x.shape[1]):
        differs = x[:, column][:, None] != y[:, column][None, :]
        total = total + xp.astype(differs, x.dtype)
    return total


def gram(kernel: Callable[[Sample, Sample], Array], x: Sample) -> Array:
    """The Gram matrix (n, n) of a kernel with κ(x,x)=1.

    On numpy the upper triangle is filled in cache-sized blocks and mirrored: half the kernel
    values, exactly symmetric, ones on the diagonal. Elsewhere it is one expression, so that
    gradients flow.
    """
    if not is_numpy(parts(x)[0]):
        return kernel(x, x)
    count = rows(x)
    out = np.empty((count, count), dtype=np.result_type(*parts(x)))
    step = max(32, _BLOCK_ENTRIES // count)
    for start in range(0, count, step):
        stop = min(start + step, count)
        block = kernel(take_rows(x, slice(start, stop)), take_rows(x, slice(start, count)))
        out[start:stop, start:] = block
        out[stop:, start:stop] = block[:, stop - start :].T
        out[start:stop, start:stop] = np.triu(out[start:stop, start:stop])
        out[start:stop, start:stop] += np.triu(out[start:stop, start:stop], 1).T
    np.fill_diagonal(out, 1.0)
    return out


def kernel_mean(
    kernel: Callable[[Sample, Sample], Array],
    x: Sample,
    y: Sample,
    weights: Sequence[Array | None] = (None, None),
    *,
    squared: bool = False,
) -> Array:
    """Σ_ij a_i b_j κ(x_i, y_j), or of κ² (= Tr C_X C_Y), without holding the (n, m) matrix.

    ``weights`` are (a, b), each summing to one; None means equal weights.
    """
    xp = namespace(*parts(x))
    left, right = weights
    step = max(32, _BLOCK_ENTRIES // rows(y))
    total: Array = 0.0
    for start in range(0, rows(x), step):
        block = kernel(take_rows(x, slice(start, start + step)), y)
        block = block * block if squared else block
        by_row = xp.sum(block, axis=1) / rows(y) if right is None else block @ right
        own = None if left is None else take_rows(left, slice(start, start + step))
        share = xp.sum(by_row) / rows(x) if own is None else own @ by_row
        total = total + share
    return total


def eigenvalues(matrix: Array) -> Array:
    """Eigenvalues of a positive semidefinite matrix, ascending.

    Zeros come out as noise of either sign. They are not clipped: the gradient in the null space
    would then depend on the sign of that noise. The entropies are linear there instead.
    """
    return namespace(matrix).linalg.eigvalsh(matrix)


def eigensystem(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues (clipped at zero) and eigenvectors. Not for gradients: use `eigenvalues`."""
    xp = namespace(matrix)
    values, vectors = xp.linalg.eigh(matrix)
    return xp.clip(values, min=0.0), vectors


def trace_moments(matrix: Array, degree: int) -> list[Array]:
    """Tr(A), Tr(A²), …, Tr(A^degree) of a symmetric matrix.

    Tr(A^{i+j}) = ⟨A^i, A^j⟩, so powers are needed only up to half the degree, and of those only
    enough that every exponent is a sum of two (`_exponents`).
    """
    xp = namespace(matrix)
    powers = {1: matrix}
    for exponent in _exponents(degree)[1:]:
        half = exponent // 2
        if exponent == 2 * half and half in powers:
            powers[exponent] = powers[half] @ powers[half].T  # symmetric: numpy calls syrk
        else:
            other = max(e for e in powers if exponent - e in powers)
            powers[exponent] = powers[other] @ powers[exponent - other]
    moments = [xp.linalg.trace(matrix)]
    for total in range(2, degree + 1):
        first = max(e for e in powers if total - e in powers)
        moments.append(xp.sum(powers[first] * powers[total - first]))
    return moments


def _exponents(degree: int) -> tuple[int, ...]:
    """The powers of A that must be formed so that sums of two give every number ≤ degree."""
    known = {2: (1,), 4: (1, 2), 6: (1, 2, 3), 8: (1, 2, 3, 5), 12: (1, 2, 3, 5, 6)}
    for reach, exponents in known.items():
        if degree <= reach:
            return exponents
    return tuple(range(1, (degree + 1) // 2 + 1))


def spectral_sum(matrix: Array, entropy: Any) -> Array:
    """The entropy of a positive semidefinite matrix by the cheapest exact route.

    Polynomials of low degree go through trace moments (at most two matrix products), everything
    else through the eigenvalues. ``entropy`` follows `samelaw.core.entropies.Entropy`.
    """
    coefficients = entropy.coefficients()
    if coefficients is not None and len(_exponents(len(coefficients))) - 1 <= _MOST_PRODUCTS:
        moments = trace_moments(matrix, len(coefficients))
        return entropy.link(sum(c * m for c, m in zip(coefficients, moments, strict=True) if c))
    return entropy(eigenvalues(matrix))


def is_quadratic(entropy: Any) -> bool:
    """Whether Tr(A) and Tr(A²) determine the entropy, so that no n³ work is needed."""
    coefficients = entropy.coefficients()
    return coefficients is not None and len(coefficients) <= 2


def cholesky_features(cross: Array, landmarks_gram: Array, ridge: float) -> Array:
    """Solve cross · L⁻ᵀ for L Lᵀ = K + ridge·I: Nyström features, differentiable and stable."""
    xp = namespace(cross)
    size = landmarks_gram.shape[0]
    jitter = ridge * xp.eye(size, dtype=landmarks_gram.dtype)
    factor = xp.linalg.cholesky(landmarks_gram + jitter)
    return xp.linalg.solve(factor, cross.T).T
