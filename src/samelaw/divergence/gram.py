"""The kernel and power-series estimators of RJSD: everything through the pooled Gram matrix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import (
    full_precision,
    in_full_precision,
    like,
    namespace,
    rows,
    take_square,
)
from samelaw.core.registry import register
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix, Sample
from samelaw.divergence.contract import Estimator, Weights, as_memberships, priors
from samelaw.kernels import grams, spectra
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import Entropy, EntropyLike, VonNeumann, as_entropy
from samelaw.kernels.operators import entropy_gap, gram_divergence, gram_entropy, open_gap

RowWeights = Sequence[Array | None]


def sample_divergence(
    groups: Sequence[Sample],
    kernel: Callable[[Sample, Sample], Array],
    entropy: Entropy,
    shares: Sequence[float],
    row_weights: RowWeights | None = None,
) -> Array:
    """S(Σ π_k C_k) − Σ π_k S(C_k) for k samples (proposition 8 of the paper for k = 2).

    Row weights sum to one within each sample; None means equal. Entropies that need only Tr C²
    never hold a large Gram matrix.
    """
    if spectra.is_quadratic(entropy) and sum(map(rows, groups)) > grams.ONE_CALL:
        given = row_weights or (None,) * len(groups)
        return _quadratic_divergence(groups, kernel, entropy, shares, given)
    pooled, blocks = grams.grams(kernel, groups)
    return gram_divergence(pooled, blocks, entropy, shares, row_weights)


def _quadratic_divergence(
    groups: Sequence[Sample],
    kernel: Callable[[Sample, Sample], Array],
    entropy: Entropy,
    shares: Sequence[float],
    row_weights: RowWeights,
) -> Array:
    pooled: Array = 0.0
    purities = []
    for a, (first, share) in enumerate(zip(groups, shares, strict=True)):
        for b in range(a, len(groups)):
            pair = (row_weights[a], row_weights[b])
            overlap = grams.kernel_mean(kernel, first, groups[b], pair, squared=True)
            if a == b:
                purities.append(overlap)
            pooled = pooled + (1 if a == b else 2) * share * shares[b] * overlap
    return _from_purities(entropy, pooled, purities, shares)


def _from_purities(
    entropy: Entropy,
    mixed: Array,
    purities: Sequence[Array],
    shares: Sequence[Array],
    gap: Callable[..., Array] = entropy_gap,
) -> Array:
    """The divergence from Tr C² of the mixture and of the samples."""
    inner = [_from_purity(entropy, purity) for purity in purities]
    return gap(_from_purity(entropy, mixed), inner, entropy, shares)


def _from_purity(entropy: Entropy, purity: Array) -> Array:
    """The entropy of a unit-trace operator from Tr C² alone."""
    coefficients = entropy.coefficients()
    if coefficients is None or len(coefficients) > 2:
        raise TypeError(f"{entropy!r} needs more than Tr C².")
    return entropy.link(coefficients[0] + coefficients[1] * purity)


@dataclass(frozen=True, eq=False)
class GramState:
    """The pooled Gram matrix (N, N) and what all memberships share.

    A kernel that was multiplied has no unit trace; of such operators a divergence has no bounds.
    """

    gram: Array
    entropy: Entropy
    unit_trace: bool = True

    @property
    def gap(self) -> Callable[..., Array]:
        """The divergence from the entropies of mixture and samples, within its bounds if any."""
        return entropy_gap if self.unit_trace else open_gap

    @cached_property
    def squares(self) -> Array:
        return self.gram * self.gram

    @cached_property
    def pooled(self) -> Array:
        """The entropy of the pool with equal row weights: no membership changes it."""
        return gram_entropy(self.gram, self.entropy)


@register("estimator")
@dataclass(frozen=True, eq=False)
class GramEstimator(Estimator):
    """RJSD from Gram matrices (propositions 8 and 10 of the paper).

    Parameters
    ----------
    kernel : Kernel, optional
        Gaussian at the median distance of the pool by default.
    entropy : Entropy or order
        ``VonNeumann()`` is the kernel estimator, an order p the power-series one.
    weights : "proportional", "balanced" or float
        The share of the first sample in the mixture.

    Notes
    -----
    Cost per call: O(N²d + N³), or O(N²d) time and O(N) memory for ``entropy=1``. For many
    more rows take `FourierEstimator`.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.zeros((4, 1)), np.ones((4, 1)) * 100
    >>> float(GramEstimator()(x, y).round(4))
    0.4958
    """

    kernel: Kernel | None = None
    entropy: EntropyLike = field(default_factory=VonNeumann)
    weights: Weights = "proportional"

    @threads.fitting_samples
    def __call__(self, x: Sample, y: Sample) -> Array:
        x, y = as_samples(x=x, y=y)
        shares = priors(self.weights, (rows(x), rows(y)))
        kernel = as_kernel(self.kernel, x, y)
        return sample_divergence((x, y), kernel, as_entropy(self.entropy), shares)

    def held(self, count: int) -> float:
        return 32.0 * count**2  # distances, Gram matrix, its squares, a block of it

    @in_full_precision
    def prepare(self, pool: Sample) -> GramState:
        (pool,) = as_samples(pool=pool)
        gram = grams.gram(as_kernel(self.kernel, pool), pool)
        return GramState(gram, as_entropy(self.entropy))

    def evaluate(self, state: GramState, memberships: Matrix) -> Array:
        checked = as_memberships(memberships, state.gram.shape[0])
        with full_precision(state.gram):
            if spectra.is_quadratic(state.entropy):
                return self._evaluate_quadratic(state, checked)
            xp = namespace(state.gram)
            return xp.stack([self._evaluate_one(state, members) for members in checked])

    def _evaluate_one(self, state: GramState, members: Matrix) -> Array:
        sides = [np.flatnonzero(members), np.flatnonzero(~members)]
        shares = priors(self.weights, [len(side) for side in sides])
        if self.weights == "proportional":
            inner = [gram_entropy(take_square(state.gram, s), state.entropy) for s in sides]
            return state.gap(state.pooled, inner, state.entropy, shares)
        gram, n = take_square(state.gram, np.concatenate(sides)), len(sides[0])
        return gram_divergence(gram, (gram[:n, :n], gram[n:, n:]), state.entropy, shares)

    def _evaluate_quadratic(self, state: GramState, memberships: Matrix) -> Array:
        """All of them in one matrix product: Tr C_X² is a quadratic form in the membership."""
        xp = namespace(state.gram)
        member = like(memberships, state.gram)
        first = xp.sum(member, axis=1)
        second = memberships.shape[1] - first
        by_row = member @ state.squares
        within = xp.sum(by_row * member, axis=1)
        across = xp.sum(by_row, axis=1) - within
        outside = xp.sum(state.squares) - within - 2 * across
        if self.weights == "proportional":
            share = first / memberships.shape[1]
        else:
            share = priors(self.weights, (1, 1))[0] + 0.0 * first
        xx, yy, xy = within / first**2, outside / second**2, across / (first * second)
        pooled = share**2 * xx + (1 - share) ** 2 * yy + 2 * share * (1 - share) * xy
        return _from_purities(state.entropy, pooled, (xx, yy), (share, 1 - share), state.gap)
