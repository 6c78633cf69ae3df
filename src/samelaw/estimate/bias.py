"""RJSD without the upward bias of small samples: two corrections.

`rjsd_unbiased` is exactly unbiased for power series; `rjsd_corrected` removes the leading term of
the bias for any entropy, at no extra variance, and is the one to use (see the docs for measured
bias and variance of both). Either may be negative when the samples are alike, as unbiased MMD may.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from samelaw.core import grams, linalg
from samelaw.core.array import as_rng, as_samples, like, namespace, rows, stack_rows, take_square
from samelaw.core.entropies import Entropy, PowerSeries
from samelaw.core.kernels import Kernel
from samelaw.core.operators import gram_density, jensen_difference
from samelaw.core.types import Array, Sample
from samelaw.estimate.bandwidths import as_kernel
from samelaw.estimate.contract import Weights, priors
from samelaw.estimate.decomposition import check_additive, spectral_bias

_TEN = PowerSeries(10)
_MOMENT_DEGREE = 6  # beyond it the spectral form of the correction is cheaper than powers


def rjsd_corrected(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    entropy: Entropy = _TEN,
    weights: Weights = "proportional",
) -> Array:
    """RJSD minus the leading term of its bias (delta method).

    E S(Ĉ) − S(C) ≈ 1/(2n) Σ_ab h_ab (E[u_a² u_b²] − C_ab²) with u the coordinates of φ(x) in the
    eigenbasis and h the divided differences of φ′; what remains is O(n⁻²). For the pooled term
    each sample contributes its own part, weighted by π².

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d), at least two rows each
    kernel : Kernel, optional
    entropy : Entropy
        For von Neumann about half of the bias goes; for power series nearly all.
    weights : "proportional", "balanced" or float

    Returns
    -------
    scalar array
        May be negative when the samples are alike. Gradients flow for orders up to 5.

    Notes
    -----
    Cost O(N²d + N³), a few times the plain estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Gaussian, PowerSeries, rjsd
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(60, 3)), rng.normal(size=(50, 3))
    >>> plain = rjsd(x, y, kernel=Gaussian(1.0), entropy=PowerSeries(10))
    >>> bool(abs(rjsd_corrected(x, y, kernel=Gaussian(1.0))) < plain / 2)
    True
    """
    check_additive(entropy)
    x, y = as_samples(x=x, y=y)
    sizes = _check_sizes((x, y), 2)
    shares = priors(weights, sizes)
    gram = grams.gram(as_kernel(kernel, x, y), stack_rows((x, y)))
    return corrected_gram_divergence(gram, sizes, entropy, shares)


def corrected_gram_divergence(
    gram: Array, sizes: Sequence[int], entropy: Entropy, shares: Sequence[float]
) -> Array:
    """The same from the pooled Gram matrix (N, N), whose values are not looked at."""
    n = sizes[0]
    strata = [(slice(0, n), shares[0]), (slice(n, None), shares[1])]
    inner = [
        _corrected_entropy(block, entropy, [(slice(None), 1.0)])
        for block in (gram[:n, :n], gram[n:, n:])
    ]
    return jensen_difference(_corrected_entropy(gram, entropy, strata), inner, shares)


def _check_sizes(samples: Sequence[Sample], least: int) -> tuple[int, ...]:
    sizes = tuple(rows(sample) for sample in samples)
    for name, size in zip("xy", sizes, strict=False):
        if size < least:
            raise ValueError(f"this estimator needs at least {least} rows in {name}, got {size}.")
    return sizes


Strata = Sequence[tuple[slice, float]]


def _corrected_entropy(gram: Array, entropy: Entropy, strata: Strata) -> Array:
    """S(Σ π_s C_s) minus its bias; each stratum is a slice of rows with its share π."""
    xp = namespace(gram)
    count = gram.shape[0]
    sizes = [len(range(*part.indices(count))) for part, _ in strata]
    row_weights = xp.concat(
        [xp.full_like(gram[:n, 0], share / n) for n, (_, share) in zip(sizes, strata, strict=True)]
    )
    density = gram_density(gram, row_weights)
    coefficients = entropy.coefficients()
    if coefficients is not None and len(coefficients) <= _MOMENT_DEGREE:
        value = linalg.spectral_sum(density, entropy)
        return value - _moment_bias(density, row_weights, coefficients, strata, sizes)
    values, vectors = linalg.eigensystem(density)
    coordinates = vectors * xp.sqrt(values)[None, :] / xp.sqrt(row_weights)[:, None]
    parts = [(coordinates[part, :], share) for part, share in strata]
    return entropy(values) - spectral_bias(values, parts, entropy)


def _moment_bias(
    density: Array,
    row_weights: Array,
    coefficients: Sequence[float],
    strata: Strata,
    sizes: Sequence[int],
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
    for (part, share), n in zip(strata, sizes, strict=True):
        scale = row_weights[part, ...]
        blocks = xp.stack([p[part, part] for p in powers])  # ⟨φ_i, C^r φ_j⟩ up to the row weights
        diagonals = xp.stack([d[part, ...] for d in own]) / scale
        flat = xp.reshape(blocks, (count, -1)) / (n * scale[0])
        spread = diagonals @ diagonals.T / n - flat @ flat.T
        bias = bias + 0.5 * share**2 / (n - 1) * xp.sum(like(slopes, density) * spread)
    return bias


def rjsd_unbiased(
    x: Sample,
    y: Sample,
    *,
    kernel: Kernel | None = None,
    order: int = 10,
    weights: Weights = "proportional",
    orderings: int = 4,
    rng: Any = 0,
) -> Array:
    """An exactly unbiased estimate of the power-series RJSD of the two laws.

    Tr(G^{k−1}K) / C(n,k), G the strictly upper triangle of K, averages products over cycles of k
    different rows, so it is an unbiased estimate of Tr C^k. The pool is stratified: its rows are
    dealt into min(n, m) groups, each with the operator of the mixture, and cycles run over groups.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d), more than ``order`` rows each
    kernel : Kernel, optional
    order : int
        p of the power series.
    weights : "proportional", "balanced" or float
    orderings : int
        Random orders of the rows to average over: less variance, proportional cost.
    rng : int or Generator
        Seed of the orders.

    Returns
    -------
    scalar array
        Unbiased for a kernel chosen without these samples; may be negative.

    Notes
    -----
    Cost O(orderings · √order · N³). `rjsd_corrected` costs less and has less variance; its bias
    is O(n⁻²) instead of 0.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(40, 1))
    >>> bool(abs(rjsd_unbiased(x[:20], x[20:])) < 0.1)
    True
    """
    coefficients = PowerSeries(order).coefficients()
    if coefficients is None:
        raise ValueError(f"order {order} is too high for the alternating sum; at most 20.")
    if orderings < 1:
        raise ValueError(f"orderings must be at least 1, got {orderings}.")
    x, y = as_samples(x=x, y=y)
    sizes = _check_sizes((x, y), order + 1)
    shares = priors(weights, sizes)
    pool = stack_rows((x, y))
    gram = grams.gram(as_kernel(kernel, x, y), pool)
    generator = as_rng(rng)
    total: Array = 0.0
    for _ in range(orderings):
        order_x, order_y = generator.permutation(sizes[0]), generator.permutation(sizes[1])
        total = total + _one_ordering(gram, order_x, order_y, shares, coefficients)
    return total / orderings


def _one_ordering(
    gram: Array,
    order_x: np.ndarray[Any, Any],
    order_y: np.ndarray[Any, Any],
    shares: Sequence[float],
    coefficients: Sequence[float],
) -> Array:
    n, m = len(order_x), len(order_y)
    groups = min(n, m)
    deal = [np.arange(size) * groups // size for size in (n, m)]  # group of each row in its order
    inner: Array = 0.0
    for share, index in ((shares[0], order_x), (shares[1], n + order_y)):
        alone = np.arange(len(index))
        weights = np.full(len(index), 1.0)
        inner = inner + share * _series(gram, index, alone, weights, coefficients)
    index = np.concatenate([order_x, n + order_y])
    label = np.concatenate(deal)
    spread = [share / np.bincount(d)[d] for share, d in zip(shares, deal, strict=True)]
    return _series(gram, index, label, np.concatenate(spread), coefficients) - inner


def _series(
    gram: Array,
    index: np.ndarray[Any, Any],
    label: np.ndarray[Any, Any],
    weights: np.ndarray[Any, Any],
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
