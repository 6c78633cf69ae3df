"""Collections of kernels over one pooled sample: distances once, one Gram matrix at a time."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.arrays import detach, parts, rows, take_rows, to_numpy
from samelaw.core.as_typed import as_typed
from samelaw.core.samples import as_samples
from samelaw.core.types import Matrix, Sample
from samelaw.kernels import grams
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import MOST_ROWS, GeometricGrid, above_diagonal, evenly_spaced
from samelaw.kernels.formulas import DISTANCES, Gaussian, Laplace, from_distances, has_distance

_FLOOR = 1e-9  # below the noise; products of smaller numbers are subnormal and 4 times slower
_FARTHEST = 1e12  # typical rows: squares of rows beside one farther out leave single precision
_SINGLE_ABOVE = 256  # rows from which single precision is used: half the time, digits to spare


@dataclass(frozen=True, eq=False)
class Pool:
    """Pooled rows with the distances that kernels of different bandwidths share.

    Parameters
    ----------
    sample : array (N, d), or tuple of arrays
    """

    sample: Sample

    @property
    def size(self) -> int:
        return rows(self.sample)

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return np.float32 if self.size > _SINGLE_ABOVE else np.float64

    @cached_property
    def points(self) -> Matrix:
        """The rows as numpy, about their median: one far out takes no digits from the others."""
        points = to_numpy(detach(parts(self.sample)[0])).astype(np.float64)
        return np.asarray(points - lower_median(points))

    @cached_property
    def _distances(self) -> dict[str, tuple[Matrix, float]]:
        return {}

    def distances(self, metric: str) -> tuple[Matrix, float]:
        """Distances (N, N) divided by a unit of length, and the unit (so that floats suffice)."""
        if metric not in self._distances:
            typical, largest = _lengths(self.points)
            fits = largest <= _FARTHEST * typical
            unit = largest if fits else math.sqrt(typical) * math.sqrt(largest)
            points = self.points / unit
            apart = DISTANCES[metric](points, points)
            self._distances[metric] = (apart.astype(self.dtype) if fits else apart, unit)
        return self._distances[metric]

    @cached_property
    def _flat(self) -> dict[str, Matrix]:
        return {}

    def flat(self, metric: str) -> Matrix:
        """Distances between different rows (k,), from at most 2,000 rows."""
        if metric not in self._flat:
            self._flat[metric] = self._flattened(metric)
        return self._flat[metric]

    def _flattened(self, metric: str) -> Matrix:
        apart, unit = self.distances(metric)
        if self.size > MOST_ROWS:
            keep = evenly_spaced(self.points)
            apart = apart[np.ix_(keep, keep)]
        values = above_diagonal(apart).astype(np.float64)
        return unit * (np.sqrt(values) if metric == "sqeuclidean" else values)

    def gram(self, kernel: Kernel) -> Matrix:
        """The Gram matrix (N, N) of a kernel, from shared distances where it has a profile."""
        if has_distance(kernel) and not isinstance(self.sample, tuple):
            apart, unit = self.distances(kernel.metric)
            gram = np.asarray(from_distances(kernel, apart, unit), dtype=self.dtype)
            return np.asarray(np.maximum(gram, _FLOOR, out=gram))
        return to_numpy(detach(grams.gram(kernel, self.sample))).astype(self.dtype)

    def forget(self, *, distances: bool = True) -> None:
        """Let go of what bandwidths were chosen from, and of the distances of all rows."""
        self._flat.clear()
        if distances:
            self._distances.clear()

    def part(self, index: Matrix) -> "Pool":
        """Some of the rows, with their share of the distances already computed."""
        made = Pool(take_rows(self.sample, index))
        for metric, (apart, unit) in self._distances.items():
            dtype = np.promote_types(apart.dtype, made.dtype)
            made._distances[metric] = (apart[np.ix_(index, index)].astype(dtype), unit)
        return made


def lower_median(points: Matrix) -> Matrix:
    """The median (d,) of rows (N, d), the lower of two: a value that they have."""
    place = (len(points) - 1) // 2
    return np.asarray(np.partition(points, place, axis=0)[place])


def _lengths(points: Matrix) -> tuple[float, float]:
    """How far a typical row, of those that are not all 0, and the farthest one are from 0."""
    sizes = np.abs(points).max(axis=1)
    sizes = sizes[sizes > 0.0]
    return (float(np.median(sizes)), float(sizes.max())) if len(sizes) else (1.0, 1.0)


@as_typed
@dataclass(frozen=True)
class KernelCollection:
    """Kernel families at several bandwidths chosen from the pooled distances.

    Parameters
    ----------
    families : sequence of classes
        Shift-invariant kernels with a scalar bandwidth.
    grid : callable
        Distances (k,) → bandwidths: `GeometricGrid`, `QuantileGrid` (the paper's) or `LinearGrid`.

    Examples
    --------
    >>> import numpy as np
    >>> pool = np.random.default_rng(0).normal(size=(9, 2))
    >>> len(KernelCollection()(pool))
    20
    """

    families: Sequence[Any] = (Gaussian, Laplace)
    grid: Callable[[Matrix], Matrix] = field(default_factory=GeometricGrid)

    def __call__(self, pool: Pool | Sample) -> list[Kernel]:
        """The kernels for a pool (a `Pool` or the rows themselves)."""
        if not isinstance(pool, Pool):
            pool = Pool(as_samples(pool=pool)[0])
        if isinstance(pool.sample, tuple):
            raise TypeError(
                "the pool has layers, whose bandwidths are not chosen here: give kernels, products "
                "with one factor per layer such as Gaussian(1.0) * Gaussian(1.0)."
            )
        return [
            family(float(bandwidth))
            for family in self.families
            for bandwidth in self.grid(pool.flat(family.metric))
        ]
