"""Distances, Gram matrices, spectra and traces: the only file that picks a route.

Formula classes (kernels, entropies) say *what*; this file says *how*: dense or blocked, by trace
moments or by eigenvalues, with a native routine where the array library has one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from samelaw.core.array import (
    detach,
    is_numpy,
    is_torch,
    like,
    namespace,
    parts,
    rows,
    stack_rows,
    take_rows,
)
from samelaw.core.checks import no_overflow
from samelaw.core.errors import NumericalError
from samelaw.core.types import Array, Sample

_TILE = 256  # rows and columns of one piece of a Gram matrix: its temporaries stay in the cache
ONE_CALL = 512  # rows of a pool up to which one kernel call beats one per pair of groups
_SMALL = 64  # rows of a matrix whose eigenvalues cost no more than the calls around them
_MOST_PRODUCTS = 2  # an eigenvalue call costs about three products of the same size (measured)


class WrittenGradients(NamedTuple):
    """Sums over a spectrum whose gradients are written out, for the arrays of one library."""

    accepts: Callable[[Any], bool]
    polynomial: Callable[[Array, Sequence[float]], Array]  # Σ c_k Tr A^k
    spectral: Callable[[Array, Any, float], Array]  # the entropy of scale · A


written_gradients: list[WrittenGradients] = []
"""Those of the libraries that have some (`samelaw.learn` adds torch's)."""


def squared_distances(x: Array, y: Array) -> Array:
    """Squared Euclidean distances (n, m) by one matrix product, never an (n, m, d) array."""
    halves = gaussian_exponents(x, y)
    if is_numpy(halves):
        halves *= -2.0
        halves += 0.0  # no zero is negative
        return halves
    return 0.0 - 2.0 * halves


def gaussian_exponents(x: Array, y: Array) -> Array:
    """−½‖x − y‖² (n, m), in as few passes over the pairs as it takes.

    Both samples are shifted by the mean of ``x`` first: data far from the origin would lose
    their digits in the expansion xy − ½|x|² − ½|y|². The diagonal is exactly 0 when y is x.
    """
    xp = namespace(x, y)
    centre = xp.mean(x, axis=0)
    left = x - centre
    right = left if y is x else y - centre
    product = left @ right.T
    if y is x:
        down = across = -0.5 * _square_norms(left, product)
    else:
        down, across = (-0.5 * xp.sum(z * z, axis=1) for z in (left, right))
    if is_numpy(product):  # fresh memory costs more than the arithmetic: stay in one buffer
        product += down[:, None]
        product += across[None, :]
        return np.minimum(product, 0.0, out=product)
    return xp.clip(product + (down[:, None] + across[None, :]), max=0.0)


def _square_norms(x: Array, product: Array) -> Array:
    """|x|² (n,) with the digits of the diagonal of xxᵀ, so that no row is apart from itself.

    The gradient goes through the sums of squares: a diagonal beside the whole product is what
    torch's compiler gets wrong (its gradients were off by up to 180 %).
    """
    xp = namespace(x)
    diagonal = xp.linalg.diagonal(product)
    if is_numpy(x):
        return diagonal
    sums = xp.sum(x * x, axis=1)
    return sums + detach(diagonal - sums)  # the difference of two nearly equal numbers is exact


def safe_root(squared: Array) -> Array:
    """√ with gradient 0 (not infinity) at 0, where points coincide."""
    xp = namespace(squared)
    apart = squared > 0
    return xp.where(apart, xp.sqrt(xp.where(apart, squared, 1.0)), 0.0)


def exp_of_fresh(values: Array) -> Array:
    """exp of an array nobody else holds: on numpy its memory is used for the result."""
    return np.exp(values, out=values) if is_numpy(values) else namespace(values).exp(values)


def waves(angles: Array) -> Array:
    """[cos, sin] of angles (n, D) side by side, scaled to rows of norm 1 (n, 2D)."""
    scale = 1.0 / math.sqrt(angles.shape[1])
    if not is_numpy(angles):
        xp = namespace(angles)
        return scale * xp.concat([xp.cos(angles), xp.sin(angles)], axis=1)
    out = np.empty((angles.shape[0], 2 * angles.shape[1]), dtype=angles.dtype)
    np.cos(angles, out=out[:, : angles.shape[1]])
    np.sin(angles, out=out[:, angles.shape[1] :])
    out *= scale
    return out


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
    total: Array = 0.0
    for column in range(x.shape[1]):
        differs = x[:, column][:, None] != y[:, column][None, :]
        total = total + xp.astype(differs, x.dtype)
    return total


def similarities(kernel: Callable[[Sample, Sample], Array], x: Sample, y: Sample) -> Array:
    """κ of rows that are checked already (n, m): the formula of a kernel, past its own check.

    What overflows (a bandwidth far too small for the values) is an error on numpy, never NaN.
    """
    formula = getattr(kernel, "similarities", kernel)
    if not is_numpy(parts(x)[0]):
        return formula(x, y)
    with no_overflow("the bandwidth of the kernel is far too small for the scale of x and y"):
        return formula(x, y)


def gram(kernel: Callable[[Sample, Sample], Array], x: Sample) -> Array:
    """The Gram matrix (n, n) of a kernel with κ(x,x)=1.

    On numpy the upper triangle is filled in cache-sized tiles and mirrored: half the kernel
    values, exactly symmetric, ones on the diagonal. Elsewhere it is one expression, so that
    gradients flow.
    """
    if not is_numpy(parts(x)[0]) or getattr(kernel, "ready", False):
        return similarities(kernel, x, x)
    out = np.empty((rows(x), rows(x)), dtype=np.result_type(*parts(x)))
    for down, left, across, right in _tiles(x, x, upper=True):
        tile = similarities(kernel, left, right)
        if right is left:
            tile = np.triu(tile) + np.triu(tile, 1).T
        out[down, across] = tile
        out[across, down] = tile.T
    np.fill_diagonal(out, 1.0)
    return out


def grams(
    kernel: Callable[[Sample, Sample], Array], groups: Sequence[Sample]
) -> tuple[Array, list[Array]]:
    """The Gram matrix of all groups under each other (N, N), and that of each group.

    On numpy the latter are views. Elsewhere large pools are put together from blocks: the
    gradient of a slice would be a whole matrix, most of it zeros. For small ones that is cheaper
    than to call the kernel for every pair of groups.
    """
    if is_numpy(parts(groups[0])[0]) or sum(map(rows, groups)) <= ONE_CALL:
        pooled = gram(kernel, stack_rows(groups))
        ends = accumulate(rows(group) for group in groups)
        spans = [slice(end - rows(group), end) for end, group in zip(ends, groups, strict=True)]
        return pooled, [pooled[span, span] for span in spans]
    xp = namespace(*parts(groups[0]))
    block = {
        (a, b): similarities(kernel, groups[a], groups[b])
        for b in range(len(groups))
        for a in range(b + 1)
    }
    full = [
        xp.concat([block[a, b] if a <= b else block[b, a].T for b in range(len(groups))], axis=1)
        for a in range(len(groups))
    ]
    return xp.concat(full, axis=0), [block[a, a] for a in range(len(groups))]


def kernel_mean(
    kernel: Callable[[Sample, Sample], Array],
    x: Sample,
    y: Sample,
    weights: Sequence[Array | None] = (None, None),
    *,
    squared: bool = False,
) -> Array:
    """Σ_ij a_i b_j κ(x_i, y_j), or of κ² (= Tr C_X C_Y), without holding the (n, m) matrix.

    ``weights`` are (a, b), each summing to one; None means equal weights. Within one sample
    under one weighting every pair is looked at once.
    """
    xp = namespace(*parts(x))
    symmetric = y is x and weights[0] is weights[1]
    total: Array = 0.0
    for down, left, across, right in _tiles(x, y, upper=symmetric):
        tile = similarities(kernel, left, right)
        if weights[1] is not None:
            by_row = (tile * tile if squared else tile) @ weights[1][across]
        else:
            by_row = (xp.vecdot(tile, tile) if squared else xp.sum(tile, axis=1)) / rows(y)
        share = xp.sum(by_row) / rows(x) if weights[0] is None else weights[0][down] @ by_row
        total = total + (2.0 * share if symmetric and right is not left else share)
    return total


def _tiles(x: Sample, y: Sample, *, upper: bool) -> Iterator[tuple[slice, Sample, slice, Sample]]:
    """Square pieces of the matrix of pairs, as (rows of x, that part, rows of y, that part).

    Square, because a kernel also works on the rows themselves: a long thin piece would centre
    and scale the long side again and again. With ``upper`` (y is x) only the upper triangle
    comes, and the two parts of a piece on the diagonal are the same object.
    """
    firsts = _pieces(x)
    seconds = firsts if upper else _pieces(y)
    for a, (down, left) in enumerate(firsts):
        for across, right in seconds[a if upper else 0 :]:
            yield down, left, across, right


def _pieces(x: Sample) -> list[tuple[slice, Sample]]:
    starts = range(0, rows(x), _TILE)
    spans = [slice(start, min(start + _TILE, rows(x))) for start in starts]
    return [(span, take_rows(x, span)) for span in spans]


def eigenvalues(matrix: Array) -> Array:
    """Eigenvalues of a positive semidefinite matrix (…, n, n), ascending.

    Zeros come out as noise of either sign. They are not clipped: the gradient in the null space
    would then depend on the sign of that noise. The entropies are linear there instead.
    """
    xp = namespace(matrix)
    if not is_torch(matrix):
        return xp.linalg.eigvalsh(matrix)
    return xp.linalg.eigvalsh(xp.nan_to_num(matrix)) * sound(matrix)[..., None]


def sound(matrix: Array) -> Array:
    """1 for each of the tensors (…, n, n), NaN if there is one inside, without waiting for it.

    Losses do not look at the values of a batch, but eigenvalue routines stop at NaN with an error
    that names nothing: they get zeros instead, and their results are multiplied by this.
    """
    return 1.0 + 0.0 * namespace(matrix).sum(detach(matrix), axis=(-2, -1))


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
        moments.append(xp.sum(xp.vecdot(powers[first], powers[total - first])))
    return moments


def _exponents(degree: int) -> tuple[int, ...]:
    """The powers of A that must be formed so that sums of two give every number ≤ degree."""
    known = {2: (1,), 4: (1, 2), 6: (1, 2, 3), 8: (1, 2, 3, 5), 12: (1, 2, 3, 5, 6)}
    for reach, exponents in known.items():
        if degree <= reach:
            return exponents
    return tuple(range(1, (degree + 1) // 2 + 1))


def spectral_sum(matrix: Array, entropy: Any, scale: float = 1.0) -> Array:
    """The entropy of scale · matrix, positive semidefinite, by the cheapest exact route.

    Polynomials of low degree go through trace moments (at most two matrix products), everything
    else through the eigenvalues. ``entropy`` follows `samelaw.core.entropies.Entropy`.
    """
    coefficients = polynomial(entropy)
    written = next((w for w in written_gradients if w.accepts(matrix)), None)
    if coefficients is not None and _by_products(coefficients):
        scaled = [c * scale**k for k, c in enumerate(coefficients, 1)]
        if written is not None:
            return entropy.link(written.polynomial(matrix, scaled))
        moments = trace_moments(matrix, len(coefficients))
        return entropy.link(sum(c * m for c, m in zip(scaled, moments, strict=True) if c))
    if written is not None:
        return written.spectral(matrix, entropy, scale)
    return entropy(scale * eigenvalues(matrix))


def spectral_sums(matrices: Sequence[Array], entropy: Any) -> Sequence[Array]:
    """`spectral_sum` of each; small matrices of one size share one call for their eigenvalues."""
    coefficients = polynomial(entropy)
    small = matrices[0].shape[0] <= _SMALL and len({m.shape for m in matrices}) == 1
    if small and (coefficients is None or not _by_products(coefficients)):
        together: Sequence[Array] = entropy(eigenvalues(namespace(*matrices).stack(matrices)))
        return together
    return [spectral_sum(matrix, entropy) for matrix in matrices]


def _by_products(coefficients: Sequence[float]) -> bool:
    return len(_exponents(len(coefficients))) - 1 <= _MOST_PRODUCTS


def is_quadratic(entropy: Any) -> bool:
    """Whether Tr(A) and Tr(A²) determine the entropy, so that no n³ work is needed."""
    coefficients = polynomial(entropy)
    return coefficients is not None and len(coefficients) <= 2


def polynomial(entropy: Any) -> tuple[float, ...] | None:
    """The coefficients of an entropy, or None; a clear error for what is no entropy."""
    if isinstance(entropy, type) or not hasattr(entropy, "coefficients"):
        raise TypeError(
            f"entropy must be an object such as VonNeumann() or PowerSeries(10), got {entropy!r}."
        )
    coefficients: tuple[float, ...] | None = entropy.coefficients()
    return coefficients


def inverse_root(matrix: Array, ridge: float) -> Array:
    """L⁻ᵀ for L Lᵀ = K + ridge·I: a root of the inverse that is cheap and differentiable."""
    xp = namespace(matrix)
    identity = like(np.eye(matrix.shape[0]), matrix)
    try:
        factor = xp.linalg.cholesky(matrix + ridge * identity)
    except (np.linalg.LinAlgError, RuntimeError) as error:  # torch has an error of its own
        raise NumericalError(
            "the Gram matrix of the landmarks is not positive definite: some lie so far from the "
            "others that the digits of the distances are lost. Take other landmarks, or a ridge."
        ) from error
    return xp.linalg.solve(factor, identity).T
