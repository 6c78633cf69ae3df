"""Where the forms of a fused test come from: the Gram matrix of all rows, or block sketches."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.array import detach, is_array, parts, to_numpy
from samelaw.core.entropies import Entropy
from samelaw.core.features import NystromFeatures
from samelaw.core.kernels import Kernel, ShiftInvariant
from samelaw.core.types import Array, Matrix, Sample
from samelaw.estimate.bandwidths import default_kernel
from samelaw.estimate.kernel_grids import Pool
from samelaw.estimate.nystrom import spread_landmarks
from samelaw.estimate.quadratic_form import SUBSPACE, PooledGram
from samelaw.estimate.sketch import (
    CompressedFeatures,
    MeanSketch,
    PooledSketch,
    Sketch,
    features_of_square,
)
from samelaw.twosample.components import Placed, SecondOrder, Statistic, placed_forms
from samelaw.twosample.permutations import Labels
from samelaw.twosample.problem import Problem
from samelaw.twosample.units import Units

MOST_GRAM_ROWS = 2_000
MOST_GROUP_ROWS = 4_000
_BLOCKS = 400
_FEWEST_BLOCKS = 32
_MOST_BLOCKS = 2_000
_FEATURES = 128
_FREQUENCIES = (128, 2048)  # the fewest and the most
_ANGLES = 60_000_000  # rows times frequencies per kernel, as long as that many are needed
_MATRICES = 28.0  # bytes per pair of rows: seven matrices in single precision
_MOST_MEMORY = 4.0 * 2**30
_FARTHEST = 1e17  # from the centre of the rows: squares, summed over columns, stay finite


class Source(ABC):
    """The pooled operators of a problem, kernel by kernel, and the labels of their units."""

    pool: Pool
    """Rows that bandwidths are chosen from."""
    units: Units
    """What is relabelled: the rows of the problem dealt to units, in the order of memberships."""
    kept: Matrix | None = None
    """Which units of the problem these are, if only some."""
    start: Matrix
    """Random vectors over the rows or blocks, drawn without regard to the labels."""
    dtype: Any

    def open(self, kernels: Sequence[Kernel], means: Sequence[bool]) -> None:  # noqa: B027
        """Called once before the operators of these kernels are asked for.

        ``means`` says which of them are heard only where `means_suffice`, at any scale.
        """

    @abstractmethod
    def arrange(self, members: Matrix) -> Matrix:
        """Memberships in the order in which the forms take them."""

    @abstractmethod
    def operator(self, kernel: Kernel) -> Any:
        """The pooled operator of a kernel: something with a largest eigenvalue."""

    @abstractmethod
    def forms(
        self, operator: Any, entropies: Sequence[Entropy], statistic: Statistic, scale: float
    ) -> Iterator[Placed]:
        """Forms for each entropy."""

    @abstractmethod
    def describe(self) -> str:
        """The route, in words."""


@dataclass(frozen=True, eq=False)
class GramSource(Source):
    """Operators are Gram matrices of all rows, which lie unit after unit in random order."""

    pool: Pool
    units: Units
    arranged: Units
    order: Matrix
    """Units in the order of the rows."""
    start: Matrix
    kept: Matrix | None = None
    left_out: int = 0

    @classmethod
    def of(cls, problem: Problem, chosen: Matrix | None = None) -> "GramSource":
        """All rows, or those ``chosen`` without regard to their values."""
        units, kept = problem.units, None
        if chosen is not None:
            units, kept = units.of_some_rows(chosen)
        arranged, rows, order = units.arrangement(problem.rng)
        start = problem.rng.standard_normal((len(rows), SUBSPACE))
        left_out = 0 if chosen is None else problem.pool.size - len(chosen)
        return cls(problem.pool.part(rows), units, arranged, order, start, kept, left_out)

    @classmethod
    def thinned(cls, problem: Problem, count: int) -> "GramSource":
        """``count`` rows: with groups any, else the smaller sample and a part of the larger one."""
        if not problem.units.plain:
            return cls.of(problem, problem.rng.permutation(problem.pool.size)[:count])
        n, m = problem.labels.sizes
        first = min(n, count - m) if n > m else n
        second = min(m, count - n) if m >= n else m
        rng = problem.rng
        return cls.of(
            problem, np.concatenate([rng.permutation(n)[:first], n + rng.permutation(m)[:second]])
        )

    @property
    def dtype(self) -> Any:
        return self.pool.dtype

    def arrange(self, members: Matrix) -> Matrix:
        return members[:, self.order]

    def operator(self, kernel: Kernel) -> PooledGram:
        return PooledGram(self.pool.gram(kernel), self.start)

    def forms(
        self, operator: Any, entropies: Sequence[Entropy], statistic: Statistic, scale: float
    ) -> Iterator[Placed]:
        return statistic.forms(operator, entropies, self.arranged, scale=scale)

    def describe(self) -> str:
        thinned = f", {self.left_out} rows left out at random" if self.left_out else ""
        return f"all pairs of rows{thinned}"


@dataclass(frozen=True, eq=False)
class _Moved(Kernel):
    """A kernel that cares where the origin is (cosine, a network), on rows that were centred."""

    kernel: Kernel
    centre: Matrix

    def __call__(self, x: Sample, y: Sample) -> Array:
        moved = x + self.centre.astype(x.dtype)
        return self.kernel(moved, moved if y is x else y + self.centre.astype(y.dtype))


@dataclass(frozen=True, eq=False)
class SketchSource(Source):
    """Blocks of rows are the units; operators are covariances of explicit features.

    Rows are dealt to blocks at random and all blocks have the same size, so blocks are
    exchangeable under the null hypothesis. Landmarks and bandwidths depend on rows drawn from the
    pool without regard to their labels, frequencies on the seed alone.
    """

    pool: Pool
    units: Units
    start: Matrix
    order: Matrix
    """Blocks in the order of the forms: at random, so that observed labels round as drawn ones."""
    rows: Matrix
    """Rows block after block, centred: single precision has no digits for rows far from 0."""
    centre: Matrix
    block: int
    left_out: int
    seed: int

    @classmethod
    def of(cls, problem: Problem) -> "SketchSource":
        (n, m), rng = problem.labels.sizes, problem.rng
        block = max(1, min((n + m) // _BLOCKS, min(n, m) // _FEWEST_BLOCKS))
        few_blocks = min(n, m) // block
        counts = tuple(min(size // block, _MOST_BLOCKS - few_blocks) for size in (n, m))
        rows = to_numpy(detach(parts(problem.pool.sample)[0]))
        centre = rows.mean(axis=0, dtype=np.float64)
        order = (rng.permutation(n), n + rng.permutation(m))
        first, second = (o[: c * block] for o, c in zip(order, counts, strict=True))
        few = rng.choice(n + m, size=min(n + m, MOST_GRAM_ROWS), replace=False)
        blocks = rng.permutation(sum(counts))
        dealt = np.concatenate([first, second]).reshape(-1, block)[blocks].ravel()
        return cls(
            pool=Pool(rows[few] - centre),
            units=Units.of_blocks((first, second), block, n + m),
            start=rng.standard_normal((sum(counts), SUBSPACE)),
            order=blocks,
            rows=_centred(rows[dealt], centre),
            centre=centre,
            block=block,
            left_out=n + m - len(first) - len(second),
            seed=int(rng.integers(2**32)),
        )

    @property
    def dtype(self) -> Any:
        return np.float32

    def arrange(self, members: Matrix) -> Matrix:
        return members[:, self.order]

    def operator(self, kernel: Kernel) -> PooledSketch | MeanSketch:
        return self._operators.pop(id(kernel))

    def open(self, kernels: Sequence[Kernel], means: Sequence[bool]) -> None:
        """Sketch the rows: means of Fourier features where they suffice, else covariances."""
        simple = [k for k, m in zip(kernels, means, strict=True) if m and _has_frequencies(k)]
        spare = {id(kernel) for kernel in simple}
        if others := [kernel for kernel in kernels if id(kernel) not in spare]:
            self._sketch_covariances(others)
        self._sketch_means(simple)

    def _sketch_covariances(self, kernels: Sequence[Kernel]) -> None:
        """All kernels in one pass: they share the distances to the landmarks."""
        points = to_numpy(self.pool.sample)
        moved = [k if isinstance(k, ShiftInvariant) else _Moved(k, self.centre) for k in kernels]
        full = [NystromFeatures(kernel, self._landmarks) for kernel in moved]
        maps = [CompressedFeatures.of(feature_map, points) for feature_map in full]
        sketches = Sketch.of_chunks(maps, [self.rows], block=self.block)
        for kernel, sketch in zip(kernels, sketches, strict=True):
            self._operators[id(kernel)] = PooledSketch(sketch)

    def _sketch_means(self, kernels: Sequence[Kernel]) -> None:
        columns = self.rows.shape[1]
        rng = np.random.default_rng([self.seed, 1])
        for kernel in kernels:
            features = features_of_square(kernel, columns, self._frequencies, rng=rng)
            self._operators[id(kernel)] = MeanSketch.of(features, self.rows, block=self.block)

    @property
    def _frequencies(self) -> int:
        return int(np.clip(_ANGLES // len(self.rows), *_FREQUENCIES))

    @cached_property
    def _operators(self) -> dict[int, PooledSketch | MeanSketch]:
        return {}

    @cached_property
    def _landmarks(self) -> Matrix:
        points = to_numpy(self.pool.sample)
        rng = np.random.default_rng(self.seed)
        count = min(_FEATURES, len(points))
        return np.asarray(points[spread_landmarks(default_kernel(points), points, count, rng)])

    def forms(
        self, operator: Any, entropies: Sequence[Entropy], statistic: Statistic, scale: float
    ) -> Iterator[Placed]:
        labels = Labels(self.units.labels.observed[self.order])
        blocks = Units(labels, np.arange(len(self.order)))
        n, m = labels.sizes
        for place, entropy in enumerate(entropies):
            matrix = operator.quadratic_form(entropy, scale=scale)
            matrix *= n * m / (n + m) ** 2
            yield from placed_forms(place, matrix, blocks)

    def describe(self) -> str:
        n, m = self.units.labels.sizes
        seen = f"{_FEATURES} landmarks, {self._frequencies} frequencies"
        thinned = f"; {self.left_out} rows left out at random" if self.left_out else ""
        return f"sketches of {n} v {m} blocks of {self.block} rows, {seen}{thinned}"


def _has_frequencies(kernel: Kernel) -> bool:
    return isinstance(kernel, ShiftInvariant) and np.ndim(kernel.bandwidth) < 2


def _centred(rows: Matrix, centre: Matrix) -> Matrix:
    """Rows less their centre in single precision, without a double copy of them all."""
    result = np.empty(rows.shape, dtype=np.float32)
    with np.errstate(over="ignore"):
        np.subtract(rows, centre, out=result, casting="same_kind")
    farthest = max(float(result.max()), -float(result.min()))
    if farthest > _FARTHEST:
        raise ValueError(
            f"rows lie up to {farthest:.3g} from their mean; large samples are compared in single "
            "precision, whose squares overflow: rescale the rows, or look for broken values."
        )
    return result


def source_of(problem: Problem, statistic: Statistic, *, all_pairs: bool = False) -> Source:
    """Sketches for large samples where they serve, Gram matrices otherwise.

    A sample too small for blocks against a large one: the larger one is thinned at random, for it
    adds next to nothing beyond a hundred times the smaller; the result says so. So are rows of
    groups, which cannot be dealt to blocks.
    """
    size = int((problem.units.unit >= 0).sum())
    plain = is_array(problem.pool.sample) and problem.units.plain
    second_order = isinstance(statistic, SecondOrder) and not statistic.unbiased
    need = _MATRICES * size**2
    large = size > MOST_GRAM_ROWS if problem.memory is None else need > problem.memory
    few = min(problem.labels.sizes)
    budget = _MOST_MEMORY if problem.memory is None else problem.memory
    if large and plain and second_order and not all_pairs:
        if few >= _FEWEST_BLOCKS:
            return SketchSource.of(problem)
        return GramSource.thinned(problem, MOST_GRAM_ROWS)
    if not problem.units.plain and size > MOST_GROUP_ROWS and not all_pairs:
        return GramSource.thinned(problem, MOST_GROUP_ROWS)
    if need <= budget:
        return GramSource.of(problem)
    fits = int((budget / _MATRICES) ** 0.5)
    if not plain or fits < 4 * few:
        raise MemoryError(
            f"{size} rows need about {need / 2**30:.1f} GiB here, the budget is "
            f"{budget / 2**30:.1f} GiB. Raise memory=, take fewer rows, or use Fuse()."
        )
    return GramSource.thinned(problem, min(fits, max(MOST_GRAM_ROWS, 8 * few)))
