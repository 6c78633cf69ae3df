"""RJSD through Nyström features, and three ways of choosing the landmarks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np

from samelaw.core import grams
from samelaw.core.array import in_full_precision, is_array, rows, stack_rows, take_rows, to_numpy
from samelaw.core.checks import as_count, as_rng
from samelaw.core.entropies import EntropyLike, VonNeumann
from samelaw.core.features import NystromFeatures
from samelaw.core.kernels import Kernel
from samelaw.core.registry import register
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix, Sample, Seed
from samelaw.estimate.bandwidths import as_kernel
from samelaw.estimate.contract import Weights
from samelaw.estimate.fourier import FeatureEstimator

Chooser = Callable[[Kernel, Array, int, np.random.Generator], Matrix]
"""Chooses landmarks: (kernel, pool, how many, generator) → row numbers."""

_CANDIDATES = 5_000


def uniform_landmarks(kernel: Kernel, pool: Array, count: int, rng: Seed) -> Matrix:
    """Rows drawn without replacement, all alike.

    Parameters
    ----------
    kernel : Kernel
        Not looked at: all ways to choose take the same.
    pool : array (N, d)
    count : int
        How many, at most N.
    rng : int, Generator or None

    Returns
    -------
    array (count,)
        Numbers of rows of the pool.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Gaussian
    >>> pool = np.random.default_rng(0).normal(size=(20, 2))
    >>> uniform_landmarks(Gaussian(1.0), pool, 5, np.random.default_rng(0)).shape
    (5,)
    """
    pool, count, rng = _checked(kernel, pool, count, rng)
    return rng.choice(rows(pool), size=count, replace=False)


@in_full_precision
def spread_landmarks(kernel: Kernel, pool: Array, count: int, rng: Seed) -> Matrix:
    """k-means++ in the space of the kernel: each next row in proportion to 2 − 2·max κ.

    A point is likely to be taken when no landmark so far resembles it. Cost O(N · count · d).

    Parameters
    ----------
    kernel : Kernel
    pool : array (N, d)
    count : int
        How many, at most N.
    rng : int, Generator or None

    Returns
    -------
    array (count,)
        Numbers of rows of the pool.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Gaussian
    >>> pool = np.random.default_rng(0).normal(size=(20, 2))
    >>> spread_landmarks(Gaussian(1.0), pool, 5, np.random.default_rng(0)).shape
    (5,)
    """
    pool, count, rng = _checked(kernel, pool, count, rng)
    candidates = _candidates(pool, rng)
    points = take_rows(pool, candidates)
    chosen = [int(rng.integers(len(candidates)))]
    gap = np.full(len(candidates), np.inf)
    while len(chosen) < count:
        last = take_rows(points, slice(chosen[-1], chosen[-1] + 1))
        gap = np.minimum(gap, 1.0 - to_numpy(grams.similarities(kernel, points, last))[:, 0])
        gap = gap.clip(min=0.0)
        gap[chosen] = 0.0
        if gap.sum() > 0:
            chosen.append(int(rng.choice(len(gap), p=gap / gap.sum())))
        else:
            free = np.setdiff1d(np.arange(len(gap)), chosen)
            chosen.append(int(rng.choice(free)))
    return np.asarray(candidates[chosen])


@in_full_precision
def leverage_landmarks(kernel: Kernel, pool: Array, count: int, rng: Seed) -> Matrix:
    """Rows in proportion to their ridge leverage K(K + ε)⁻¹, estimated on 5·count rows.

    Parameters
    ----------
    kernel : Kernel
    pool : array (N, d)
    count : int
        How many, at most N.
    rng : int, Generator or None

    Returns
    -------
    array (count,)
        Numbers of rows of the pool.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Gaussian
    >>> pool = np.random.default_rng(0).normal(size=(20, 2))
    >>> leverage_landmarks(Gaussian(1.0), pool, 5, np.random.default_rng(0)).shape
    (5,)
    """
    pool, count, rng = _checked(kernel, pool, count, rng)
    candidates = _candidates(pool, rng)
    points = take_rows(pool, candidates)
    subset = rng.choice(len(candidates), size=min(len(candidates), 5 * count), replace=False)
    base = take_rows(points, subset)
    inner = to_numpy(grams.gram(kernel, base))
    cross = to_numpy(grams.similarities(kernel, points, base))
    ridge = len(inner) / count
    weights = np.linalg.solve(inner + ridge * np.eye(len(inner)), cross.T)
    leverage = np.clip(1.0 - np.sum(cross.T * weights, axis=0), 1e-12, None)
    picked = rng.choice(len(candidates), size=count, replace=False, p=leverage / leverage.sum())
    return np.asarray(candidates[picked])


def _checked(
    kernel: Kernel, pool: Array, count: int, rng: Seed
) -> tuple[Array, int, np.random.Generator]:
    (pool,) = as_samples(pool=pool)
    if isinstance(pool, tuple):
        raise TypeError("pool is a tuple of layers; landmarks are rows of one array.")
    as_kernel(kernel, pool)
    if as_count("count", count) > rows(pool):
        raise ValueError(f"count is {count}, but pool has only {rows(pool)} rows to choose from.")
    return pool, int(count), as_rng(rng)


def _candidates(pool: Array, rng: np.random.Generator) -> Matrix:
    count = rows(pool)
    if count <= _CANDIDATES:
        return np.arange(count)
    return rng.choice(count, size=_CANDIDATES, replace=False)


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
