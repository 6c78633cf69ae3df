"""RJSD without the upward bias of small samples: what ``rjsd(corrected=…)`` computes.

`corrected_divergence` removes the leading term of the bias for any entropy that is a sum, at no
extra variance; `unbiased_divergence` is exactly unbiased for power series (the docs have measured
bias and variance of both). Either may be negative when the samples are alike, as unbiased MMD may.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import like, namespace, rows, stack_rows, take_square
from samelaw.core.checks import as_count, as_rng, check_rows
from samelaw.core.types import Array, Matrix, Sample, Seed
from samelaw.kernels import grams, spectra
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import Entropy, as_additive, divided_differences
from samelaw.kernels.operators import gram_density, jensen_difference, mixture_weights

_MOMENT_DEGREE = 6  # beyond it the spectral form of the correction is cheaper than powers
_ORDERINGS = 4


def corrected_divergence(
    samples: Sequence[Sample],
    kernel: Callable[[Sample, Sample], Array],
    entropy: Entropy,
    shares: Sequence[float],
) -> Array:
    """RJSD of checked samples minus the leading term of its bias (delta method).

    E S(Ĉ) − S(C) ≈ 1/(2n) Σ_ab h_ab (E[u_a² u_b²] − C_ab²) with u the coordinates of φ(x) in the
    eigenbasis and h the divided differences of φ′; what remains is O(n⁻²). For the pooled term
    each sample contributes its own part, weighted by π².
    """
    as_additive(entropy)
    sizes = _check_sizes(samples, 2)
    pooled, blocks = grams.grams(kernel, samples)
    mixed = _corrected_entropy(pooled, entropy, sizes, shares)
    inner = [
        _corrected_entropy(block, entropy, (n,), (1.0,))
        for n, block in zip(sizes, blocks, strict=True)
    ]
    return jensen_difference(mixed, inner, shares)


def _check_sizes(samples: Sequence[Sample], least: int) -> tuple[int, ...]:
    sizes = tuple(rows(sample) for sample in samples)
    check_rows("taking out the bias", sizes, least)
    return sizes


def _corrected_entropy(
    gram: Array, entropy: Entropy, sizes: Sequence[int], shares: Sequence[float]
) -> Array:
    """S(Σ π_k C_k) minus its bias, from the Gram matrix of the samples under each other."""
    xp = namespace(gram)
    row_weights = mixture_weights(shares, sizes, gram)
    density = gram_density(gram, row_weights)
    coefficients = entropy.coefficients()
    if coefficients is not None and len(coefficients) <= _MOMENT_DEGREE:
        value = spectra.spectral_sum(density, entropy)
        return value - _moment_bias(density, row_weights, coefficients, sizes, shares)
    values, vectors = linalg.eigensystem(density)
    coordinates = vectors * xp.sqrt(values)[None, :] / xp.sqrt(row_weights)[:, None]
    parts = [(coordinates[s, :], p) for s, p in zip(grams.spans(sizes), shares, strict=True)]
    return entropy(values) - spectral_bias(values, parts, entropy)


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


def _moment_bias(
    density: Array,
    row_weights: Array,
    coefficients: Sequence[float],
    sizes: Sequence[int],
    shares: Sequence[float],
) -> Array:
    """The bias of Σ c_k Tr C^k from powers of the density: differentiable, products only."""
    xp = namespace(density)
    powers = [density]
    for _ in range(len(coefficients) - 2):
        powers.append(powers[-1] @ density)
    count = len(powers)
    slopes = np.zeros((count, count))  # k c_k for every pair of powers r + q = k − 2
    for r in range(count):
        for q in range(count - r):
            slopes[r, q] = (r + q + 2) * coefficients[r + q + 1]
    # (C^k)_ii as sums over rows: torch's compiler gets the diagonal of a product wrong.
    own = [row_weights, *(xp.sum(p * density, axis=1) for p in powers[:-1])]
    bias: Array = 0.0
    for part, share, n in zip(grams.spans(sizes), shares, sizes, strict=True):
        scale = row_weights[part, ...]
        blocks = xp.stack([p[part, part] for p in powers])  # ⟨φ_i, C^r φ_j⟩ up to the row weights
        diagonals = xp.stack([d[part, ...] for d in own]) / scale
        flat = xp.reshape(blocks, (count, -1)) / (n * scale[0])
        spread = diagonals @ diagonals.T / n - flat @ flat.T
        bias = bias + 0.5 * share**2 / (n - 1) * xp.sum(like(slopes, density) * spread)
    return bias


def unbiased_divergence(
    samples: Sequence[Sample],
    kernel: Kernel,
    entropy: Entropy,
    shares: Sequence[float],
    *,
    orderings: int = _ORDERINGS,
    rng: Seed = 0,
) -> Array:
    """An exactly unbiased estimate of the RJSD of two laws, for entropies that are polynomials.

    Tr(G^{k−1}K) / C(n,k), G the strictly upper triangle of K, averages products over cycles of k
    different rows, so it is an unbiased estimate of Tr C^k. The pool is stratified: its rows are
    dealt into min(n, m) groups, each with the operator of the mixture, and cycles run over groups.

    Parameters
    ----------
    samples : two samples, checked already, with more rows each than the order
    kernel : Kernel
        Chosen without these samples, or the estimate has a bias after all.
    entropy : Entropy
    shares : pair of float
    orderings : int
        Random orders of the rows to average over: less variance, proportional cost. Hardly any of
        the variance is theirs.
    rng : int or Generator
        Seed of the orders.

    Notes
    -----
    Cost O(orderings · √order · N³).
    """
    coefficients = as_additive(entropy).coefficients()
    if coefficients is None:
        raise ValueError(
            f"{entropy!r} has no exactly unbiased estimate: take a power series of order 1 to 20 "
            "(entropy=10), or corrected=True."
        )
    as_count("orderings", orderings)
    sizes = _check_sizes(samples, len(coefficients))
    gram = grams.gram(kernel, stack_rows(samples))
    generator = as_rng(rng)
    total: Array = 0.0
    for _ in range(orderings):
        order_x, order_y = generator.permutation(sizes[0]), generator.permutation(sizes[1])
        total = total + _one_ordering(gram, order_x, order_y, shares, coefficients)
    return total / orderings


def _one_ordering(
    gram: Array,
    order_x: Matrix,
    order_y: Matrix,
    shares: Sequence[float],
    coefficients: Sequence[float],
) -> Array:
    n, m = len(order_x), len(order_y)
    groups = min(n, m)
    deal = [np.arange(size) * groups // size for size in (n, m)]  # group of each row in its order
    inner = [
        _series(gram, index, np.arange(len(index)), np.ones(len(index)), coefficients)
        for index in (order_x, n + order_y)
    ]
    index = np.concatenate([order_x, n + order_y])
    spread = [share / np.bincount(d)[d] for share, d in zip(shares, deal, strict=True)]
    label, weights = np.concatenate(deal), np.concatenate(spread)
    return jensen_difference(_series(gram, index, label, weights, coefficients), inner, shares)


def _series(
    gram: Array,
    index: Matrix,
    label: Matrix,
    weights: Matrix,
    coefficients: Sequence[float],
) -> Array:
    """Σ_k c_k · (unbiased Tr C^k), C the mean of the operators of the groups."""
    matrix = take_square(gram, index)
    root = like(np.sqrt(weights), gram)
    matrix = matrix * root[:, None] * root[None, :]
    groups = int(label.max()) + 1
    above = like(label[:, None] < label[None, :], gram) / groups  # powers stay of order one
    cycles = _cycle_traces(matrix, matrix * above, len(coefficients))
    value: Array = coefficients[0]
    for k in range(2, len(coefficients) + 1):
        scale = math.exp((k - 1) * math.log(groups) - _log_choose(groups, k))
        value = value + coefficients[k - 1] * scale * cycles[k - 2]
    return value


def _cycle_traces(matrix: Array, upper: Array, degree: int) -> list[Array]:
    """Tr(G^{k−1} K), k = 2 … degree, with about 2√degree products: Tr(G^a · G^{b}K)."""
    xp = namespace(matrix)
    step = max(1, math.isqrt(degree))
    small = [upper]
    while len(small) < step:
        small.append(small[-1] @ upper)
    traces: list[Array] = []
    right = matrix
    while True:
        for power in small:
            traces.append(xp.sum(power * right.T))
            if len(traces) == degree - 1:
                return traces
        right = small[-1] @ right


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
