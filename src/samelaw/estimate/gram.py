"""The kernel and power-series estimators of RJSD: everything through the pooled Gram matrix."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core import linalg
from samelaw.core.array import as_samples, like, namespace, rows, take_square
from samelaw.core.entropies import Entropy, VonNeumann
from samelaw.core.kernels import Kernel
from samelaw.core.operators import gram_entropy
from samelaw.core.registry import register
from samelaw.core.types import Array, Sample
from samelaw.estimate.bandwidths import as_kernel
from samelaw.estimate.contract import Estimator, Weights, as_splits, priors

RowWeights = Sequence[Array | None]


def gram_divergence(
    groups: Sequence[Sample],
    kernel: Kernel,
    entropy: Entropy,
    shares: Sequence[float],
    row_weights: RowWeights,
) -> Array:
    """S(Σ π_k C_k) − Σ π_k S(C_k) for k samples (E2 of the paper for k = 2).

    Row weights sum to one within each sample; None means equal. Entropies that need only Tr C²
    never hold a large Gram matrix.
    """
    if linalg.is_quadratic(entropy) and sum(map(rows, groups)) > linalg.ONE_CALL:
        return _quadratic_divergence(groups, kernel, entropy, shares, row_weights)
    pooled, blocks = linalg.grams(kernel, groups)
    inner: Array = 0.0
    for block, share, weights in zip(blocks, shares, row_weights, strict=True):
        inner = inner + share * gram_entropy(block, entropy, weights)
    pooled_weights = _pooled_weights(groups, shares, row_weights, pooled)
    return gram_entropy(pooled, entropy, pooled_weights) - inner


def _pooled_weights(
    groups: Sequence[Sample], shares: Sequence[float], row_weights: RowWeights, gram: Array
) -> Array | None:
    xp = namespace(gram)
    sizes = [rows(group) for group in groups]
    equal = all(abs(p * sum(sizes) - n) < 1e-9 * n for p, n in zip(shares, sizes, strict=True))
    if equal and all(weights is None for weights in row_weights):
        return None
    return xp.concat(
        [
            xp.full_like(gram[0, :n], share / n) if weights is None else share * weights
            for share, n, weights in zip(shares, sizes, row_weights, strict=True)
        ]
    )


def _quadratic_divergence(
    groups: Sequence[Sample],
    kernel: Kernel,
    entropy: Entropy,
    shares: Sequence[float],
    row_weights: RowWeights,
) -> Array:
    pooled: Array = 0.0
    inner: Array = 0.0
    for a, (first, share) in enumerate(zip(groups, shares, strict=True)):
        for b in range(a, len(groups)):
            pair = (row_weights[a], row_weights[b])
            overlap = linalg.kernel_mean(kernel, first, groups[b], pair, squared=True)
            if a == b:
                inner = inner + share * _from_purity(entropy, overlap)
            pooled = pooled + (1 if a == b else 2) * share * shares[b] * overlap
    return _from_purity(entropy, pooled) - inner


def _from_purity(entropy: Entropy, purity: Array) -> Array:
    """The entropy of a unit-trace operator from Tr C² alone."""
    coefficients = entropy.coefficients()
    if coefficients is None or len(coefficients) > 2:
        raise TypeError(f"{entropy!r} needs more than Tr C².")
    return entropy.link(coefficients[0] + coefficients[1] * purity)


@dataclass(frozen=True, eq=False)
class GramState:
    """The pooled Gram matrix (N, N) and what every split of it shares."""

    gram: Array
    entropy: Entropy

    @cached_property
    def squares(self) -> Array:
        return self.gram * self.gram

    @cached_property
    def pooled(self) -> Array:
        """The entropy of the pool with equal row weights: no split changes it."""
        return gram_entropy(self.gram, self.entropy)


@register("estimator")
@dataclass(frozen=True, eq=False)
class GramEstimator(Estimator):
    """RJSD from Gram matrices (propositions 3 and 5 of the paper).

    Parameters
    ----------
    kernel : Kernel, optional
        Gaussian at the median distance of the pool by default.
    entropy : Entropy
        ``VonNeumann()`` is the kernel estimator, ``PowerSeries(order)`` the power-series one.
    weights : "proportional", "balanced" or float
        The share of the first sample in the mixture.

    Notes
    -----
    Cost per call: O(N²d + N³), or O(N²d) time and O(N) memory for ``PowerSeries(1)``. For many
    more rows take `FourierEstimator`.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.zeros((4, 1)), np.ones((4, 1)) * 100
    >>> float(GramEstimator()(x, y).round(4))
    0.4958
    """

    kernel: Kernel | None = None
    entropy: Entropy = field(default_factory=VonNeumann)
    weights: Weights = "proportional"

    def __call__(self, x: Sample, y: Sample) -> Array:
        x, y = as_samples(x=x, y=y)
        shares = priors(self.weights, (rows(x), rows(y)))
        kernel = as_kernel(self.kernel, x, y)
        return gram_divergence((x, y), kernel, self.entropy, shares, (None, None))

    def held(self, count: int) -> float:
        return 32.0 * count**2  # distances, Gram matrix, its squares, a block of it

    def prepare(self, pool: Sample) -> GramState:
        (pool,) = as_samples(pool=pool)
        return GramState(linalg.gram(as_kernel(self.kernel, pool), pool), self.entropy)

    def evaluate(self, state: GramState, splits: Any) -> Array:
        checked = as_splits(splits, state.gram.shape[0])
        if linalg.is_quadratic(self.entropy):
            return self._evaluate_quadratic(state, checked)
        xp = namespace(state.gram)
        return xp.stack([self._evaluate_one(state, split) for split in checked])

    def _evaluate_one(self, state: GramState, split: np.ndarray[Any, Any]) -> Array:
        gram = state.gram
        shares = priors(self.weights, (split.sum(), (~split).sum()))
        inner: Array = 0.0
        for share, mask in zip(shares, (split, ~split), strict=True):
            block = take_square(gram, np.flatnonzero(mask))
            inner = inner + share * gram_entropy(block, self.entropy)
        if self.weights == "proportional":
            return state.pooled - inner
        per_row = np.where(split, shares[0] / split.sum(), shares[1] / (~split).sum())
        return gram_entropy(gram, self.entropy, like(per_row, gram)) - inner

    def _evaluate_quadratic(self, state: GramState, splits: np.ndarray[Any, Any]) -> Array:
        """All splits in one matrix product: Tr C_X² is a quadratic form in the membership."""
        xp = namespace(state.gram)
        member = like(splits, state.gram)
        first = xp.sum(member, axis=1)
        second = splits.shape[1] - first
        by_row = member @ state.squares
        within = xp.sum(by_row * member, axis=1)
        across = xp.sum(by_row, axis=1) - within
        outside = xp.sum(state.squares) - within - 2 * across
        if self.weights == "proportional":
            share = first / splits.shape[1]
        else:
            share = priors(self.weights, (1, 1))[0] + 0.0 * first
        xx, yy, xy = within / first**2, outside / second**2, across / (first * second)
        pooled = share**2 * xx + (1 - share) ** 2 * yy + 2 * share * (1 - share) * xy
        inner = share * _from_purity(self.entropy, xx)
        inner = inner + (1 - share) * _from_purity(self.entropy, yy)
        return _from_purity(self.entropy, pooled) - inner
