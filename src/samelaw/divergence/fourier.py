"""RJSD through explicit features: linear in the number of rows, chunked, additive."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import full_precision, in_full_precision, like, namespace, rows, take_rows
from samelaw.core.checks import as_count
from samelaw.core.registry import register
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix, Sample
from samelaw.divergence.contract import Estimator, Weights, as_memberships, priors
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import Entropy, EntropyLike, VonNeumann, as_entropy
from samelaw.kernels.features import FeatureMap, FourierFeatures, draw_frequencies
from samelaw.kernels.operators import Covariance, density_divergence, feature_density

_CHUNK_ENTRIES = 1 << 17  # features held at a time: 1 MiB in double precision, so in the cache


def accumulate(feature_map: FeatureMap, x: Array, weights: Array | None = None) -> Covariance:
    """The covariance of the features of all rows, a chunk of rows at a time."""
    step = max(256, _CHUNK_ENTRIES // feature_map.size)
    total: Covariance | None = None
    for start in range(0, rows(x), step):
        chunk = slice(start, start + step)
        share = None if weights is None else take_rows(weights, chunk)
        part = Covariance.of(feature_map.features(take_rows(x, chunk)), share)
        total = part if total is None else total + part
    assert total is not None  # a checked sample has rows
    return total


def feature_divergence(
    features: Sequence[Array], entropy: Entropy, shares: Sequence[float]
) -> Array:
    """RJSD of features (n_k, D); with fewer rows than features from the Gram side of it."""
    if sum(f.shape[0] for f in features) > features[0].shape[1]:
        return density_divergence([Covariance.of(f).density for f in features], entropy, shares)
    scales = [(p / f.shape[0]) ** 0.5 for p, f in zip(shares, features, strict=True)]
    pooled = namespace(*features).concat([r * f for r, f in zip(scales, features, strict=True)])
    densities = [feature_density(f) for f in features]
    return density_divergence(densities, entropy, shares, pooled @ pooled.T)


@dataclass(frozen=True, eq=False)
class FeatureState:
    """Features (N, D) of a pool and their covariance."""

    features: Array
    covariance: Covariance


class FeatureEstimator(Estimator):
    """RJSD of covariances in an explicit feature space (proposition 12 of the paper)."""

    entropy: EntropyLike
    weights: Weights

    @abstractmethod
    def feature_map(self, *samples: Sample) -> FeatureMap:
        """The feature map for samples of this width; the same map for the same samples."""

    @threads.single
    def __call__(self, x: Sample, y: Sample) -> Array:
        entropy = as_entropy(self.entropy)
        x, y = as_samples(x=x, y=y)
        shares = priors(self.weights, (rows(x), rows(y)))
        feature_map = self.feature_map(x, y)
        if rows(x) + rows(y) <= feature_map.size:
            return feature_divergence(
                (feature_map.features(x), feature_map.features(y)), entropy, shares
            )
        densities = [accumulate(feature_map, sample).density for sample in (x, y)]
        return density_divergence(densities, entropy, shares)

    @in_full_precision
    def prepare(self, pool: Sample) -> FeatureState:
        (pool,) = as_samples(pool=pool)
        features = self.feature_map(pool).features(pool)
        return FeatureState(features, Covariance.of(features))

    def evaluate(self, state: FeatureState, memberships: Matrix) -> Array:
        checked = as_memberships(memberships, state.features.shape[0])
        with full_precision(state.features):
            found = [self._evaluate_one(state, members) for members in checked]
        return namespace(state.features).stack(found)

    def _evaluate_one(self, state: FeatureState, members: Matrix) -> Array:
        first = Covariance.of(take_rows(state.features, np.flatnonzero(members)))
        second = state.covariance - first
        shares = priors(self.weights, (members.sum(), (~members).sum()))
        densities = [first.density, second.density]
        return density_divergence(densities, as_entropy(self.entropy), shares)


@register("estimator")
@dataclass(frozen=True, eq=False)
class FourierEstimator(FeatureEstimator):
    """RJSD from Fourier features: O(N·D²) time, memory independent of the number of rows.

    Parameters
    ----------
    kernel : Gaussian, Laplace, Matern or RationalQuadratic, optional
        Gaussian at the median distance by default.
    frequencies : int or array (d, D)
        D, or the frequencies themselves (they may require a gradient).
    entropy : Entropy or order
    weights : "proportional", "balanced" or float
    orthogonal : bool
        See `draw_frequencies`.
    rng : int
        Seed of the frequencies, so that the same estimator always uses the same ones.

    Notes
    -----
    With 2D < n, m the entropies are bounded by log 2D, which removes most of the upward bias of
    the kernel estimator; with 2D ≥ n it behaves like the kernel estimator (figure 1c).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(1000, 2)), rng.normal(size=(900, 2)) + 1
    >>> bool(FourierEstimator(frequencies=32)(x, y) > FourierEstimator(frequencies=32)(x, x))
    True
    """

    kernel: Kernel | None = None
    frequencies: int | Array = 64
    entropy: EntropyLike = field(default_factory=VonNeumann)
    weights: Weights = "proportional"
    orthogonal: bool = True
    rng: int = 0

    def held(self, count: int) -> float:
        drawn: Array = self.frequencies
        if not isinstance(drawn, Integral):
            drawn = drawn.shape[1]
        return 48.0 * count * int(drawn)  # features as they are made, kept, and of one side

    def feature_map(self, *samples: Sample) -> FourierFeatures:
        if not isinstance(self.frequencies, Integral):
            return FourierFeatures(self.frequencies)
        if isinstance(samples[0], tuple):
            raise TypeError("Fourier features take one array per sample, not a tuple of layers.")
        kernel = as_kernel(self.kernel, *samples)
        drawn = draw_frequencies(
            kernel,
            samples[0].shape[1],
            as_count("frequencies", self.frequencies),
            rng=self.rng,
            orthogonal=self.orthogonal,
        )
        return FourierFeatures(like(drawn, samples[0]))
