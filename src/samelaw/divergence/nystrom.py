"""RJSD through Nyström features, and three ways of choosing the landmarks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np

from samelaw.core.arrays import is_array, rows, stack_rows, take_rows
from samelaw.core.checks import as_rng
from samelaw.core.registry import register
from samelaw.core.types import Array, Matrix, Sample
from samelaw.divergence.contract import Weights
from samelaw.divergence.fourier import FeatureEstimator
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel
from samelaw.kernels.entropies import EntropyLike, VonNeumann
from samelaw.kernels.features import NystromFeatures
from samelaw.kernels.landmarks import spread_landmarks

Chooser = Callable[[Kernel, Array, int, np.random.Generator], Matrix]
"""Chooses landmarks: (kernel, pool, how many, generator) → row numbers."""


@register("estimator")
@dataclass(frozen=True, eq=False)
class NystromEstimator(FeatureEstimator):
    """RJSD from Nyström features of any kernel: features that adapt to the data.

    Parameters
    ----------
    kernel : Kernel, optional
        Gaussian at the median distance by default.
    landmarks : int or array (D, d)
        How many, or the points themselves.
    choose : callable
        `uniform_landmarks`, `spread_landmarks` (k-means++) or `leverage_landmarks`.
    entropy : Entropy or order
    weights : "proportional", "balanced" or float
    rng : int
        Seed of the choice.

    Notes
    -----
    Cost O(N·D·(d + D)). Better than Fourier features for kernels without a spectral law and for
    data near a low-dimensional set; Fourier features need no look at the data.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(500, 2)), rng.normal(size=(400, 2)) + 1
    >>> bool(NystromEstimator(landmarks=20)(x, y) > 0)
    True
    """

    kernel: Kernel | None = None
    landmarks: int | Array = 64
    choose: Chooser = spread_landmarks
    entropy: EntropyLike = field(default_factory=VonNeumann)
    weights: Weights = "proportional"
    rng: int = 0

    def held(self, count: int) -> float:
        given = isinstance(self.landmarks, Integral)
        return 24.0 * count * (int(self.landmarks) if given else rows(self.landmarks))

    def feature_map(self, *samples: Sample) -> NystromFeatures:
        kernel = as_kernel(self.kernel, *samples)
        if not isinstance(self.landmarks, Integral):
            return NystromFeatures(kernel, self.landmarks)
        pool = stack_rows(samples) if len(samples) > 1 else samples[0]
        if not is_array(pool):
            raise TypeError("Nyström features take one array per sample, not a tuple of layers.")
        if self.landmarks < 1:
            raise ValueError(f"the number of landmarks must be at least 1, got {self.landmarks}.")
        count = min(int(self.landmarks), rows(pool))
        index = self.choose(kernel, pool, count, as_rng(self.rng))
        return NystromFeatures(kernel, take_rows(pool, index))
