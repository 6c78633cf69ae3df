"""Where the forms of a fused test come from: the Gram matrix of all rows, or block sketches."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.array import Array, Sample, detach, is_array, parts, to_numpy
from samelaw.core.entropies import Entropy
from samelaw.core.features import FeatureMap, NystromFeatures
from samelaw.core.kernels import Kernel, ShiftInvariant
from samelaw.decide.budget import PIECE
from samelaw.decide.permutation import Labels
from samelaw.decide.problem import Problem
from samelaw.decide.statistics import Placed, SecondOrder, Statistic, placed_forms
from samelaw.decide.units import Units
from samelaw.estimate.bandwidth import default_kernel
from samelaw.estimate.collection import Pool
from samelaw.estimate.nystrom import spread_landmarks
from samelaw.estimate.second_order import SUBSPACE, PooledGram
from samelaw.estimate.sketch import (
    CompressedFeatures,
    MeanSketch,
    PooledSketch,
    Sketch,
    features_of_square,
)

Matrix = np.ndarray[Any, Any]

MOST_GRAM_ROWS = 2_000
MOST_GROUP_ROWS = 4_000
_BLOCKS = 400
_FEWEST_BLOCKS = 32
_MOST_BLOCKS = 2_000
_FEATURES = 128
_FREQUENCIES = (128, 2048)  # the fewest and the most
_ANGLES = 60_000_000  # rows times frequencies per kernel, as long as that many are needed
_MATRICES = 40.0  # bytes per pair of rows: ten matrices in single precision
_GROUP_MATRICES = 64.0  # sums over strata and groups are in double precision
_BANDWIDTH_ROWS = 2_000
_DISTANCES = 26.0  # bytes per pair of rows that bandwidths are chosen from
_BLOCK = 8.0 * _FEATURES**2  # bytes per block: covariance, its entries, and those weighted
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

    def open(self, kernels: Sequence[Kernel], means: Sequence[bool]) -> None:
        self.pool.forget(distances=False)

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
    spare: float
    """Bytes for the covariances of several kernels at a time."""

    @classmethod
    def of(cls, problem: Problem) -> "SketchSource":
        (n, m), rng = problem.labels.sizes, problem.rng
        budget = problem.budget
        most = _most_blocks(problem)
        block = max(1, min((n + m) // min(_BLOCKS, most), min(n, m) // _FEWEST_BLOCKS))
        few_blocks = min(min(n, m) // block, most // 2)
        counts = tuple(min(size // block, most - few_blocks) for size in (n, m))
        rows = to_numpy(detach(parts(problem.pool.sample)[0]))
        centre = rows.mean(axis=0, dtype=np.float64)
        order = (rng.permutation(n), n + rng.permutation(m))
        first, second = (o[: c * block] for o, c in zip(order, counts, strict=True))
        seen = min(n + m, _BANDWIDTH_ROWS, budget.side(_DISTANCES))
        few = rng.choice(n + m, size=seen, replace=False)
        blocks = rng.permutation(sum(counts))
        dealt = np.concatenate([first, second]).reshape(-1, block)[blocks].ravel()
        return cls(
            pool=Pool(rows[few] - centre),
            units=Units.of_blocks((first, second), block, n + m),
            start=rng.standard_normal((sum(counts), SUBSPACE)),
            order=blocks,
            rows=_centred(rows, dealt, centre),
            centre=centre,
            block=block,
            left_out=n + m - len(first) - len(second),
            seed=int(rng.integers(2**32)),
            spare=0.25 * budget.room,
        )

    @property
    def dtype(self) -> Any:
        return np.float32

    def arrange(self, members: Matrix) -> Matrix:
        return members[:, self.order]

    def open(self, kernels: Sequence[Kernel], means: Sequence[bool]) -> None:
        """Choose the features: Fourier ones where means suffice, else those of covariances."""
        self._maps.clear()
        columns, rng = self.rows.shape[1], np.random.default_rng([self.seed, 1])
        for kernel, mean in zip(kernels, means, strict=True):
            if mean and _has_frequencies(kernel):
                features = features_of_square(kernel, columns, self._frequencies, rng=rng)
                self._maps[id(kernel)] = features
            else:
                self._maps[id(kernel)] = self._compressed(kernel)
        self.pool.forget()

    def _compressed(self, kernel: Kernel) -> CompressedFeatures:
        moved = kernel if isinstance(kernel, ShiftInvariant) else _Moved(kernel, self.centre)
        full = NystromFeatures(moved, self._landmarks)
        return CompressedFeatures.of(full, to_numpy(self.pool.sample))

    def operator(self, kernel: Kernel) -> PooledSketch | MeanSketch:
        own = id(kernel)
        if own not in self._sketches:
            features = self._maps[own]
            if not isinstance(features, CompressedFeatures):
                return MeanSketch.of(features, self.rows, block=self.block)
            self._sketch_from(own)
        return PooledSketch(self._sketches.pop(own))

    def _sketch_from(self, first: int) -> None:
        """Covariances of this kernel and, in the same pass, of those after it that fit.

        They share the distances to the landmarks.
        """
        together: dict[int, CompressedFeatures] = {}
        need = 0.0
        for own in list(self._maps)[list(self._maps).index(first) :]:
            features = self._maps[own]
            if not isinstance(features, CompressedFeatures):
                continue
            need += 4.0 * len(self.order) * features.size**2
            if together and need > self.spare:
                break
            together[own] = features
        sketches = Sketch.of_chunks(list(together.values()), [self.rows], block=self.block)
        self._sketches.update(zip(together, sketches, strict=True))

    @property
    def _frequencies(self) -> int:
        return int(np.clip(_ANGLES // len(self.rows), *_FREQUENCIES))

    @cached_property
    def _maps(self) -> dict[int, FeatureMap]:
        return {}

    @cached_property
    def _sketches(self) -> dict[int, Sketch]:
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
        if self.pool.size < min(_BANDWIDTH_ROWS, len(self.units.unit)):
            seen += f", bandwidths from {self.pool.size} rows"
        thinned = f"; {self.left_out} rows left out at random" if self.left_out else ""
        return f"sketches of {n} v {m} blocks of {self.block} rows, {seen}{thinned}"


def _has_frequencies(kernel: Kernel) -> bool:
    return isinstance(kernel, ShiftInvariant) and np.ndim(kernel.bandwidth) < 2


def _most_blocks(problem: Problem) -> int:
    """Blocks there is room for, with their memberships."""
    each = _BLOCK + problem.labellings
    most = min(_MOST_BLOCKS, problem.budget.fits(each))
    if most < 2 * _FEWEST_BLOCKS:
        raise problem.budget.refuse(
            f"{2 * _FEWEST_BLOCKS} blocks of rows and {problem.labellings} labellings of them take",
            2 * _FEWEST_BLOCKS * each,
            "take fewer permutations",
        )
    return most


def _centred(rows: Matrix, dealt: Matrix, centre: Matrix) -> Matrix:
    """Some rows less their centre in single precision, without a double copy of them all."""
    result = np.empty((len(dealt), rows.shape[1]), dtype=np.float32)
    step = max(1, PIECE // rows.shape[1])
    with np.errstate(over="ignore"):
        for start in range(0, len(dealt), step):
            some = slice(start, start + step)
            np.subtract(rows[dealt[some]], centre, out=result[some], casting="same_kind")
    farthest = max(float(result.max()), -float(result.min()))
    if farthest > _FARTHEST:
        raise ValueError(
            f"rows lie up to {farthest:.3g} from their mean; large samples are compared in single "
            "precision, whose squares overflow: rescale the rows, or look for broken values."
        )
    return result


def source_of(
    problem: Problem,
    statistic: Statistic,
    *,
    all_pairs: bool = False,
    sketches: bool | None = None,
) -> Source:
    """Sketches for large samples where they serve, Gram matrices otherwise.

    A sample too small for blocks against a large one: the larger one is thinned at random, for it
    adds next to nothing beyond a hundred times the smaller; the result says so. So are rows of
    groups, which cannot be dealt to blocks. ``sketches`` asks for blocks at any size, or for none.
    """
    size = int((problem.units.unit >= 0).sum())
    plain = is_array(problem.pool.sample) and problem.units.plain
    second_order = isinstance(statistic, SecondOrder) and not statistic.unbiased
    fits, few = _most_rows(problem), min(problem.labels.sizes)
    large = sketches or size > (MOST_GRAM_ROWS if problem.memory is None else fits)
    if large and plain and second_order and not all_pairs and sketches is not False:
        if few >= _FEWEST_BLOCKS:
            return SketchSource.of(problem)
        if 4 * few <= fits:
            return GramSource.thinned(problem, min(MOST_GRAM_ROWS, fits))
    if not problem.units.plain and size > min(MOST_GROUP_ROWS, fits) and not all_pairs:
        return GramSource.thinned(problem, min(MOST_GROUP_ROWS, fits))
    if size <= fits:
        return GramSource.of(problem)
    if not plain or fits < 4 * few:
        each = _MATRICES if problem.units.plain else _GROUP_MATRICES
        raise problem.budget.refuse(
            f"all pairs of {size:,} rows and {problem.labellings} labellings take",
            each * size**2 + problem.labellings * size,
            "take fewer rows or permutations, or use Fuse()",
        )
    return GramSource.thinned(problem, min(fits, max(MOST_GRAM_ROWS, 8 * few)))


def _most_rows(problem: Problem) -> int:
    """Rows whose Gram matrices fit beside their memberships: the root of each·N² + B·N = room."""
    each = _MATRICES if problem.units.plain else _GROUP_MATRICES
    half = 0.5 * problem.labellings / each
    return int((half**2 + max(problem.budget.room, 0.0) / each) ** 0.5 - half)
