"""Rows that stand for all: landmarks of Nyström features."""

import numpy as np

from samelaw.core.arrays import in_full_precision, rows, take_rows, to_numpy
from samelaw.core.checks import as_count, as_rng
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix, Seed
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import as_kernel

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
