"""What a kernel is trained to make large: functions of the Gram matrix of a labelled batch.

The values work on every array library, so torch differentiates them; `gain_and_slope` and
`power_and_slope` give the derivative as well, on numpy. The first ``sizes[0]`` rows of a Gram
matrix are those of the first sample.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import namespace, take_square
from samelaw.core.types import Array, Matrix
from samelaw.kernels.entropies import Entropy
from samelaw.kernels.operators import gram_entropy

Sizes = tuple[int, int]


def divergence_gain(gram: Array, sizes: Sizes, entropy: Entropy, orders: Sequence[Array]) -> Array:
    """RJSD of a batch less its mean over permutations of its rows; without any, RJSD itself.

    The plain divergence is largely bias at small bandwidths; the difference has no such bias, and
    the entropy of the pool drops out. Cost: an entropy of each sample for every order of the rows.
    """
    total: Array = 0.0
    for factor, rows in _gain_terms(sizes, orders):
        block = gram[rows, rows] if isinstance(rows, slice) else take_square(gram, rows)
        total = total + factor * gram_entropy(block, entropy)
    return total


def gain_and_slope(
    gram: Matrix, sizes: Sizes, entropy: Entropy, orders: Sequence[Matrix]
) -> tuple[float, Matrix]:
    """`divergence_gain` and its derivative (N, N); that of an entropy is f′(K/n)/n."""
    value, slope = 0.0, np.zeros_like(gram)
    for factor, rows in _gain_terms(sizes, orders):
        index = (rows, rows) if isinstance(rows, slice) else np.ix_(rows, rows)
        block = gram[index]
        values, vectors = linalg.eigensystem(block / len(block))
        value += factor * float(entropy(values))
        slope[index] += factor / len(block) * ((vectors * entropy.derivative(values)) @ vectors.T)
    return value, slope


def _gain_terms(sizes: Sizes, orders: Sequence[Array]) -> Iterator[tuple[float, slice | Array]]:
    """The gain as Σ factor · S(rows)."""
    count = sum(sizes)
    parts = slice(0, sizes[0]), slice(sizes[0], count)
    if not len(orders):
        yield 1.0, slice(0, count)
    for part, size in zip(parts, sizes, strict=True):
        yield -size / count, part
        for order in orders:
            yield size / (count * len(orders)), order[part]


def power(gram: Array, sizes: Sizes, ridge: float) -> Array:
    """MMD² over its standard deviation under the alternative (Liu et al. 2020).

    With h_ij = κ(x_i,x_j) + κ(y_i,y_j) − κ(x_i,y_j) − κ(x_j,y_i) over paired rows the variance is
    4 (Σ_i h̄_i²/n − h̄²), plus a ridge.
    """
    found = _paired(gram, sizes)
    return found.value / namespace(gram).sqrt(found.variance + ridge)


def power_and_slope(gram: Matrix, sizes: Sizes, ridge: float) -> tuple[float, Matrix]:
    """`power` and its derivative (N, N)."""
    value, variance, spread = _paired(gram, sizes)
    n = len(spread)
    variance = variance + ridge
    by_value = (np.ones((n, n)) - np.eye(n)) / (n * (n - 1))
    by_variance = np.repeat(8.0 * spread[:, None] / n**2, n, axis=1)
    by_h = (by_value - value * by_variance / (2.0 * variance)) / variance**0.5
    by_h = 0.5 * (by_h + by_h.T)
    slope = np.zeros_like(gram)
    x, y = _pairs(sizes)
    slope[x, x], slope[y, y] = by_h, by_h
    slope[x, y], slope[y, x] = -by_h, -by_h
    return float(value / variance**0.5), slope


class _Paired(NamedTuple):
    value: Array  # unbiased MMD² of the paired rows
    variance: Array
    spread: Array  # (n,): h̄_i − h̄


def _paired(gram: Array, sizes: Sizes) -> _Paired:
    xp = namespace(gram)
    x, y = _pairs(sizes)
    cross = gram[x, y]
    h = gram[x, x] + gram[y, y] - cross - cross.T
    n = h.shape[0]
    by_row = xp.mean(h, axis=1)
    spread = by_row - xp.mean(by_row)
    value = (xp.sum(h) - xp.linalg.trace(h)) / (n * (n - 1))
    return _Paired(value, 4.0 * xp.mean(spread * spread), spread)


def _pairs(sizes: Sizes) -> tuple[slice, slice]:
    """The rows that have a partner, of both samples."""
    n = min(sizes)
    return slice(0, n), slice(sizes[0], sizes[0] + n)
