"""Distances, spectra and traces: which route is taken, and by which routine of the library.

Formula classes (kernels, entropies) say *what*; this file says *how*: by trace moments or by
eigenvalues, with a native routine where the array library has one. `samelaw.kernels.grams` says how
a kernel is evaluated on rows.
"""

import math

import numpy as np

from samelaw.core.arrays import detach, is_numpy, is_torch, like, most, namespace, squarable
from samelaw.core.errors import NumericalError
from samelaw.core.types import Array, Matrix

ONE = 1.0
"""The unit of rows whose squares do not overflow, most of the time."""

SMALL = 64  # rows of a matrix whose eigenvalues cost no more than the calls around them
_FEW = 15  # rows whose median stands for that of all: it takes eight of them far out to move it
MOST_PRODUCTS = 2  # an eigenvalue call costs about three products of the same size (measured)


def squared_distances(x: Array, y: Array, *, centre: Array | None = None) -> Array:
    """Squared Euclidean distances (n, m) by one matrix product, never an (n, m, d) array.

    Of ``centre`` see `gaussian_exponents`.
    """
    halves = gaussian_exponents(x, y, centre=centre)
    if is_numpy(halves):
        halves *= -2.0
        halves += 0.0  # no zero is negative
        return halves
    return 0.0 - 2.0 * halves


def gaussian_exponents(
    x: Array, y: Array, *, centre: Array | None = None, unit: Array | float = ONE
) -> Array:
    """−½‖x − y‖² (n, m), in as few passes over the pairs as it takes.

    Both samples are shifted by the `middle` of ``x`` first: data far from the origin would lose
    their digits in the expansion xy − ½|x|² − ½|y|². The diagonal is exactly 0 when y is x. Rows
    too far apart for their precision are as far apart as it tells, never NaN.

    Where rows come some at a time, give a ``centre`` (d,) that they have in common: else those of
    one batch are rounded in another way than those of another. The exponents are in the square of
    a ``unit`` if it is given: that of `unit_of`.
    """
    xp = namespace(x, y)
    within = unit_of(x, y) if unit is ONE else unit
    back = within if unit is ONE else ONE
    x, y = in_unit(x, y, within)
    centre = middle(x) if centre is None else centre / within
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
        np.minimum(product, 0.0, out=product)
        return product if back is ONE else _far(product, back)
    halves = product + (down[:, None] + across[None, :])
    if back is not ONE:  # by it twice: its square may be infinite, and 0 times infinity is NaN
        halves = xp.maximum(halves, _farthest(halves) / back / back) * back * back
    # Rows that coincide are 0 by a constant, so that derivatives of any order are those of the
    # square; in a unit they have gradient 0, not the difference of two that may be infinite.
    halves = xp.where((halves >= 0.0) & (within != ONE), 0.0, halves)
    return halves - detach(xp.where(halves > 0.0, halves, 0.0))


def middle(x: Array) -> Array:
    """The median (d,) of a few rows, evenly spaced: cheap, and no part of the gradient.

    Not the mean, which one row far out draws away from all others: they would lose their digits.
    """
    some = detach(x)[:: max(1, x.shape[0] // _FEW), ...]
    return namespace(x).sort(some, axis=0)[some.shape[0] // 2, ...]


def _farthest(halves: Array) -> float:
    """The least exponent whose double, and what kernels make of it, is finite."""
    return -most(halves) / 64.0


def unit_of(x: Array, y: Array) -> Array | float:
    """The number to divide rows by, so that their squared distances do not overflow; most often 1.

    No part of the gradient, and nothing waits for the device.
    """
    limit = squarable(x) / 8.0  # so that in this unit no two rows are the farthest there can be
    if is_numpy(x):
        sizes = [np.maximum(z.max(initial=0.0), -z.min(initial=0.0)) for z in (x, y)]
        largest = max(sizes)
        return largest / limit if largest > limit else ONE
    xp = namespace(x, y)
    sizes = [xp.max(xp.abs(detach(z))) for z in ((x,) if y is x else (x, y))]
    largest = xp.maximum(sizes[0], sizes[-1])
    return xp.where(largest > limit, largest / limit, ONE)


def in_unit(x: Array, y: Array, unit: Array | float) -> tuple[Array, Array]:
    """Two samples divided by a unit; one sample stays one."""
    if unit is ONE:
        return x, y
    scaled = x / unit
    return scaled, scaled if y is x else y / unit


def _far(halves: Matrix, unit: float) -> Matrix:
    np.maximum(halves, _farthest(halves) / unit / unit, out=halves)
    halves *= unit
    halves *= unit
    return halves


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
    """exp of an array nobody else holds: on numpy its memory is used for the result.

    There, numbers in single precision whose squares are subnormal become 0: products of them take
    twenty times as long.
    """
    if not is_numpy(values):
        return namespace(values).exp(values)
    np.exp(values, out=values)
    if values.dtype != np.float32:
        return values
    return np.multiply(values, values >= np.sqrt(np.finfo(values.dtype).tiny), out=values)


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
        return _city_blocks(x, y)
    if is_torch(x):
        return xp.cdist(x, y, p=1.0)
    total = xp.abs(x[:, 0][:, None] - y[:, 0][None, :])
    for column in range(1, x.shape[1]):
        total = total + xp.abs(x[:, column][:, None] - y[:, column][None, :])
    return total


_SWITCHES = 4  # columns of two values from which a product pays


def _city_blocks(x: Array, y: Array) -> Array:
    """The same in numpy: indicators, which differ by one number or not at all, by a product.

    They are counted, so that the distance of equal rows is zero.
    """
    from scipy.spatial.distance import cdist

    if x.shape[1] < _SWITCHES or not len(x) or not len(y):
        return cdist(x, y, "cityblock").astype(x.dtype, copy=False)
    low, gap, switches = _switches(x, y)
    if np.count_nonzero(switches) < _SWITCHES:
        return cdist(x, y, "cityblock").astype(x.dtype, copy=False)
    first, second = ((one > low)[:, switches].astype(x.dtype) for one in (x, y))
    found = (-2.0 * first) @ second.T
    found += first.sum(axis=1)[:, None]
    found += second.sum(axis=1)
    found *= gap
    if not switches.all():
        first, second = (np.ascontiguousarray(one[:, ~switches]) for one in (x, y))
        found += cdist(first, second, "cityblock")
    return found


def _switches(x: Array, y: Array) -> tuple[Array, float, Array]:
    """The least value of each column, and the columns of two values that are the same gap apart."""
    low = np.minimum(x.min(axis=0), y.min(axis=0))
    high = np.maximum(x.max(axis=0), y.max(axis=0))
    two = high > low
    for one in (x, y):
        two[two] = np.all((one[:, two] == low[two]) | (one[:, two] == high[two]), axis=0)
    gaps, counts = np.unique((high - low)[two], return_counts=True)
    if not len(gaps):
        return low, 0.0, two
    gap = gaps[np.argmax(counts)]
    return low, gap, two & (high - low == gap)


def mismatches(x: Array, y: Array) -> Array:
    """The number of columns in which two rows differ (n, m)."""
    xp = namespace(x, y)
    total: Array = 0.0
    for column in range(x.shape[1]):
        differs = x[:, column][:, None] != y[:, column][None, :]
        total = total + xp.astype(differs, x.dtype)
    return total


def eigenvalues(matrix: Array) -> Array:
    """Eigenvalues of a positive semidefinite matrix (…, n, n), ascending.

    Zeros come out as noise of either sign. They are not clipped: the gradient in the null space
    would then depend on the sign of that noise. The entropies are linear there instead.
    """
    if is_torch(matrix):
        from samelaw.core import torch_gradients

        return torch_gradients.eigenvalues(matrix)
    return namespace(matrix).linalg.eigvalsh(matrix)


def eigensystem(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues (clipped at zero) and eigenvectors. Not for gradients: use `eigenvalues`."""
    xp = namespace(matrix)
    values, vectors = xp.linalg.eigh(matrix)
    return xp.clip(values, min=0.0), vectors


def trace_moments(matrix: Array, degree: int) -> list[Array]:
    """Tr(A), Tr(A²), …, Tr(A^degree) of a symmetric matrix.

    Tr(A^{i+j}) = ⟨A^i, A^j⟩, so powers are needed only up to half the degree, and of those only
    enough that every exponent is a sum of two (`exponents`).
    """
    xp = namespace(matrix)
    powers = {1: matrix}
    for exponent in exponents(degree)[1:]:
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


def exponents(degree: int) -> tuple[int, ...]:
    """The powers of A that must be formed so that sums of two give every number ≤ degree."""
    known = {2: (1,), 4: (1, 2), 6: (1, 2, 3), 8: (1, 2, 3, 5), 12: (1, 2, 3, 5, 6)}
    for reach, exponents in known.items():
        if degree <= reach:
            return exponents
    return tuple(range(1, (degree + 1) // 2 + 1))


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
