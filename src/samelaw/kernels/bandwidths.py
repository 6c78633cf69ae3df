"""Bandwidths from the distances within a pooled sample.

Every rule is a symmetric function of the rows (or of a subset chosen without looking at which
sample a row came from), equivariant under scaling, and positive for duplicated points and
constant data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from samelaw.core import linalg
from samelaw.core.arrays import (
    detach,
    is_array,
    is_traced,
    namespace,
    parts,
    rows,
    stack_rows,
    take_rows,
    to_numpy,
    way_to_dense,
)
from samelaw.core.as_typed import as_typed
from samelaw.core.checks import as_count, as_numbers, as_vector, check_positive, shown
from samelaw.core.samples import as_samples
from samelaw.core.types import Array, Matrix, Sample
from samelaw.kernels.algebra import Kernel, Product, check_layers
from samelaw.kernels.formulas import Categorical, Gaussian

Metric: TypeAlias = Literal["euclidean", "cityblock"]
"""The distance of the kernel that will use a bandwidth."""

PAPER_QUANTILES = tuple(q / 100 for q in range(5, 100, 10))
"""The 5 %, 15 %, …, 95 % quantiles of the paper's RJSD-Fuse."""

MOST_ROWS = 2_000
MOST_CLASSES = 20
"""Different whole numbers up to which one column of them is classes."""

_FARTHEST = 1e300


def pairwise_distances(pool: Array, *, metric: Metric = "euclidean") -> Matrix:
    """Distances between distinct rows of a pool, as a flat numpy array (k,).

    Beyond 2,000 rows an evenly spaced subset of the rows, sorted by their values, is taken: this
    keeps the rule a symmetric function of the pool.

    Parameters
    ----------
    pool : array (N, d)
    metric : {"euclidean", "cityblock"}
        The distance of the kernel that will use the bandwidth.
    """
    if metric not in ("euclidean", "cityblock"):
        raise ValueError(f'metric must be "euclidean" or "cityblock", got {shown(metric)}.')
    (pool,) = as_samples(pool=pool)
    if isinstance(pool, tuple):
        raise TypeError("pool is a tuple of layers: choose one bandwidth for each.")
    points = detach(pool)
    if is_traced(points):
        raise TypeError(
            "a bandwidth cannot be chosen while values are abstract (inside jax.jit, say): "
            "choose it before and pass kernel=Gaussian(bandwidth)."
        )
    points = to_numpy(points).astype(np.float64, copy=False)
    if len(points) > MOST_ROWS:
        points = points[evenly_spaced(points)]
    if metric == "cityblock":
        return above_diagonal(linalg.city_block_distances(points, points))
    return np.asarray(np.sqrt(above_diagonal(linalg.squared_distances(points, points))))


def evenly_spaced(points: Matrix) -> Matrix:
    """2,000 of the rows, evenly spaced in the order of their values: in no order of the rows."""
    order = np.lexsort(points.T[::-1])
    return np.asarray(order[np.linspace(0, len(points) - 1, MOST_ROWS).astype(np.int64)])


def above_diagonal(matrix: Matrix) -> Matrix:
    """The entries above the diagonal, row by row (k,); through indices it takes far longer."""
    return np.concatenate([row[i + 1 :] for i, row in enumerate(matrix)])


@as_typed
@dataclass(frozen=True)
class QuantileGrid:
    """Quantiles of the distances: the grid of RJSD-Fuse (appendix B.2 of the paper).

    Parameters
    ----------
    quantiles : sequence of float
    factors : sequence of float
        Multiples of each quantile.

    Examples
    --------
    >>> import numpy as np
    >>> QuantileGrid((0.5,))(np.array([1.0, 2.0, 3.0]))
    array([2.])
    >>> QuantileGrid((0.5,), factors=(0.5, 1.0))(np.array([1.0, 2.0, 3.0]))
    array([1., 2.])
    """

    quantiles: Sequence[float] = PAPER_QUANTILES
    factors: Sequence[float] = (1.0,)

    def __post_init__(self) -> None:
        _as_quantiles(self.quantiles)
        check_positive("factors", as_vector("factors", self.factors))

    def __call__(self, apart: Matrix) -> Matrix:
        values = _positive_quantiles(apart, self.quantiles)
        return np.outer(values, self.factors).ravel()


@as_typed
@dataclass(frozen=True)
class LinearGrid:
    """``count`` equal steps from half the 5 % to twice the 95 % quantile: MMD-Fuse's own grid.

    Examples
    --------
    >>> import numpy as np
    >>> LinearGrid(2)(np.ones(10))
    array([0.5, 2. ])
    """

    count: int = 10

    def __post_init__(self) -> None:
        as_count("count", self.count)

    def __call__(self, apart: Matrix) -> Matrix:
        low, high = _positive_quantiles(apart, (0.05, 0.95))
        return np.linspace(low / 2, 2 * high, self.count)


@as_typed
@dataclass(frozen=True)
class GeometricGrid:
    """``count`` equal ratios between multiples of the 5 % and the 95 % quantile.

    Parameters
    ----------
    count : int
    reach : (float, float)
        Where it would begin and end: these multiples of the two quantiles.
    part : (float, float)
        The part of that range it covers, on the scale of logarithms; all of it by default.

    Examples
    --------
    >>> import numpy as np
    >>> GeometricGrid(3)(np.ones(10))
    array([0.5, 1. , 2. ])
    >>> GeometricGrid(2, part=(0.5, 1.0))(np.ones(10))
    array([1., 2.])
    """

    count: int = 10
    reach: tuple[float, float] = (0.5, 2.0)
    part: tuple[float, float] = (0.0, 1.0)

    def __post_init__(self) -> None:
        as_count("count", self.count)
        for name, pair in (("reach", self.reach), ("part", self.part)):
            if len(as_vector(name, pair)) != 2:
                raise ValueError(f"{name} must be two numbers, got {shown(pair)}.")
        check_positive("reach", as_vector("reach", self.reach))

    def __call__(self, apart: Matrix) -> Matrix:
        low, high = np.log(_positive_quantiles(apart, (0.05, 0.95)) * self.reach)
        steps = np.linspace(*self.part, self.count)
        return np.asarray(np.exp(low + (high - low) * steps))


def _positive_quantiles(apart: Matrix, quantiles: Sequence[float]) -> Matrix:
    """Quantiles; those that are 0 (duplicated points) are taken of the positive distances."""
    apart, levels = _as_distances(apart), _as_quantiles(quantiles)
    values = np.quantile(apart, levels) if apart.size else np.zeros(len(levels))
    if np.all(values > 0):
        return np.asarray(values)
    positive = apart[apart > 0]
    if positive.size == 0:
        return np.ones(len(levels))
    return np.asarray(np.where(values > 0, values, np.quantile(positive, levels)))


def _as_distances(apart: Array) -> Matrix:
    """Distances (k,), possibly none, that a few multiples of do not overflow."""
    found = as_numbers("apart", apart)
    if found.ndim != 1:
        raise ValueError(f"apart has shape {found.shape}; expected distances (k,), one per pair.")
    if found.size and not 0 <= found.min() <= found.max() <= _FARTHEST:
        raise ValueError(
            f"apart must hold distances from 0 to {_FARTHEST:g}, got {found.min():.3g} to "
            f"{found.max():.3g}."
        )
    return found


def _as_quantiles(quantiles: Sequence[float]) -> Matrix:
    found = as_vector("quantiles", quantiles)
    if not 0 <= found.min() <= found.max() <= 1:
        raise ValueError(f"quantiles must lie between 0 and 1, got {shown(quantiles)}.")
    return found


def quantile_bandwidths(
    pool: Array, quantiles: Sequence[float] = PAPER_QUANTILES, *, metric: Metric = "euclidean"
) -> Matrix:
    """Quantiles of the pairwise distances of a pool, positive also for duplicated points.

    Parameters
    ----------
    pool : array (N, d)
        Both samples under each other.
    quantiles : sequence of float
        The paper's 5 %, 15 %, …, 95 % by default.
    metric : {"euclidean", "cityblock"}

    Returns
    -------
    array (k,)
        Positive numbers, numpy whatever the library of ``pool``; ones for constant data.

    Examples
    --------
    >>> import numpy as np
    >>> quantile_bandwidths(np.array([[0.0], [1.0], [3.0]]), [0.5])
    array([2.])
    """
    return _positive_quantiles(pairwise_distances(pool, metric=metric), quantiles)


def median_bandwidth(pool: Array, *, metric: Metric = "euclidean") -> float:
    """The median distance between the rows of the pool: the default bandwidth.

    Parameters
    ----------
    pool : array (N, d)
    metric : {"euclidean", "cityblock"}
        The distance of the kernel that will use the bandwidth.

    Examples
    --------
    >>> import numpy as np
    >>> median_bandwidth(np.array([[0.0], [1.0], [3.0]]))
    2.0
    """
    return float(quantile_bandwidths(pool, [0.5], metric=metric)[0])


def mean_bandwidth(pool: Array, *, metric: Metric = "euclidean") -> float:
    """The mean distance between the rows of the pool.

    Parameters
    ----------
    pool : array (N, d)
    metric : {"euclidean", "cityblock"}
        The distance of the kernel that will use the bandwidth.

    Examples
    --------
    >>> import numpy as np
    >>> mean_bandwidth(np.array([[0.0], [1.0], [2.0]])).__round__(4)
    1.3333
    """
    apart = pairwise_distances(pool, metric=metric)
    average = float(apart.mean()) if apart.size else 0.0
    return average if average > 0 else 1.0


def default_kernel(*samples: Sample) -> Kernel:
    """Gaussian at the median distance of the pool; one factor per layer for tuples.

    A single sample is the pool of a test, where the order of the rows must not matter; of two or
    more large ones every so many rows are taken.
    """
    total = sum(rows(sample) for sample in samples)
    step = max(1, total // MOST_ROWS) if len(samples) > 1 else 1
    pool = stack_rows(take_rows(sample, slice(None, None, step)) for sample in samples)
    kernels = tuple(Gaussian(median_bandwidth(layer)) for layer in parts(pool))
    return Product(kernels) if isinstance(pool, tuple) else kernels[0]


def as_kernel(kernel: Kernel | None, *samples: Sample) -> Kernel:
    """The kernel given, or the default for the samples; a clear error for anything else."""
    if kernel is None:
        return default_kernel(*samples)
    if not callable(kernel) or isinstance(kernel, type):
        raise TypeError(f"kernel must be an object such as Gaussian(1.0), got {kernel!r}.")
    check_layers(kernel, samples[0])
    return kernel


def as_variable(
    name: str, value: Sample, kernel: Kernel | None = None
) -> tuple[Sample, Kernel | None]:
    """Rows of a variable, and the kernel it is seen through; None for the default of measures.

    One column of words, of flags, or of few different whole numbers is classes, and seen through
    `Categorical` unless a kernel is given. All else is measures: floats, and several columns.
    """
    if isinstance(value, tuple):
        return _as_layers(name, value, kernel)
    column = _column(value)
    by_class = kernel is None or isinstance(kernel, Categorical)
    if by_class and column is not None and column.dtype.kind in "US":
        value = np.unique(column, return_inverse=True)[1]
    (checked,) = as_samples(**{name: value})
    if kernel is None and column is not None and _are_classes(name, column):
        kernel = Categorical()
    return checked, kernel


def _as_layers(name: str, value: Sample, kernel: Kernel | None) -> tuple[Sample, Kernel | None]:
    (layers,) = as_samples(**{name: value})
    if kernel is not None or not isinstance(layers, tuple):
        return layers, kernel
    seen = [as_variable(f"{name}[{i}]", layer)[1] for i, layer in enumerate(value)]
    chosen = zip(seen, layers, strict=True)
    return layers, Product(tuple(as_kernel(known, layer) for known, layer in chosen))


def _column(value: Array) -> Matrix | None:
    """What may be classes (n,): one column that is neither floats nor abstract."""
    if is_traced(value) or way_to_dense(value) or isinstance(value, np.ma.MaskedArray):
        return None
    if is_array(value) and namespace(value).isdtype(value.dtype, "real floating"):
        return None
    try:
        found = to_numpy(value)
        found = np.asarray(found.tolist()) if found.dtype.kind == "O" else found
    except (TypeError, ValueError):
        return None  # what it is instead is said where it becomes rows
    one = found.ndim == 1 or (found.ndim == 2 and found.shape[1] == 1)
    return found.reshape(-1) if one and found.size and found.dtype.kind in "biuUS" else None


def _are_classes(name: str, column: Matrix) -> bool:
    """Whether words, flags or whole numbers are classes; of many whole numbers nobody knows."""
    count = len(np.unique(column))
    few = count == 1 or (count <= MOST_CLASSES and 2 * count <= len(column))
    if few or column.dtype.kind not in "iu":
        return True
    raise ValueError(
        f"{name} is one column of whole numbers, {count} different ones in {len(column)} rows, "
        "which may be classes or measures: for classes give it the kernel "
        "samelaw.kernels.Categorical(), for measures pass floats."
    )
