"""Where the forms of a fused test come from: the Gram matrix of all rows, or block sketches."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.array import Array, Sample, detach, is_array, parts, take_rows, to_numpy
from samelaw.core.entropies import Entropy
from samelaw.core.features import NystromFeatures
from samelaw.core.kernels import Kernel, ShiftInvariant
from samelaw.decide.permutation import Labels
from samelaw.decide.problem import Problem
from samelaw.decide.quadratic import QuadraticForm
from samelaw.decide.statistics import Form, SecondOrder, Statistic
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
_BLOCKS = 400
_FEWEST_BLOCKS = 32
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
    labels: Labels
    start: Matrix
    """Random vectors over the units, drawn without regard to the labels."""
    dtype: Any

    def open(self, kernels: Sequence[Kernel], means: Sequence[bool]) -> None:  # noqa: B027
        """Called once before the operators of these kernels are asked for.

        ``means`` says which of them are heard only where `means_suffice`, at any scale.
        """

    @abstractmethod
    def operator(self, kernel: Kernel) -> Any:
        """The pooled operator of a kernel: something with a largest eigenvalue."""

    @abstractmethod
    def forms(
        self, operator: Any, entropies: Sequence[Entropy], statistic: Statistic, scale: float
    ) -> Iterator[Form]:
        """One form per entropy."""

    @abstractmethod
    def describe(self) -> str:
        """The route, in words."""


@dataclass(frozen=True, eq=False)
class GramSource(Source):
    """Every row is a unit; operators are Gram matrices."""

    pool: Pool
    labels: Labels
    start: Matrix
    left_out: int = 0

    @classmethod
    def of(cls, problem: Problem) -> "GramSource":
        start = problem.rng.standard_normal((problem.pool.size, SUBSPACE))
        return cls(problem.pool, problem.labels, start)

    @classmethod
    def thinned(cls, problem: Problem, count: int) -> "GramSource":
        """``count`` rows: the smaller sample and a random part of the larger one."""
        n, m = problem.sizes
        first = min(n, count - m) if n > m else n
        second = min(m, count - n) if m >= n else m
        chosen = np.concatenate(
            [problem.rng.permutation(n)[:first], n + problem.rng.permutation(m)[:second]]
        )
        start = problem.rng.standard_normal((len(chosen), SUBSPACE))
        pool = Pool(take_rows(problem.pool.sample, chosen))
        return cls(pool, Labels((first, second)), start, left_out=n + m - len(chosen))

    @property
    def dtype(self) -> Any:
        return self.pool.dtype

    def operator(self, kernel: Kernel) -> PooledGram:
        return PooledGram(self.pool.gram(kernel), self.start)

    def forms(
        self, operator: Any, entropies: Sequence[Entropy], statistic: Statistic, scale: float
    ) -> Iterator[Form]:
        return statistic.forms(operator, entropies, self.labels.sizes, scale=scale)

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
    labels: Labels
    start: Matrix
    rows: tuple[Matrix, Matrix]
    """Rows of the pool in each sample, block after block."""
    samples: tuple[Matrix, Matrix]
    """Those rows, centred: single precision would lose the digits of rows far from the origin."""
    centre: Matrix
    block: int
    seed: int

    @classmethod
    def of(cls, problem: Problem) -> "SketchSource":
        n, m = problem.sizes
        block = max(1, min((n + m) // _BLOCKS, min(n, m) // _FEWEST_BLOCKS))
        counts = (n // block, m // block)
        rows = to_numpy(detach(parts(problem.pool.sample)[0]))
        centre = rows.mean(axis=0, dtype=np.float64)
        order = (problem.rng.permutation(n), n + problem.rng.permutation(m))
        chosen = tuple(o[: c * block] for o, c in zip(order, counts, strict=True))
        few = problem.rng.choice(n + m, size=min(n + m, MOST_GRAM_ROWS), replace=False)
        return cls(
            pool=Pool(rows[few] - centre),
            labels=Labels(counts),
            start=problem.rng.standard_normal((sum(counts), SUBSPACE)),
            rows=chosen,  # type: ignore[arg-type]
            samples=tuple(_centred(rows[index], centre) for index in chosen),  # type: ignore[arg-type]
            centre=centre,
            block=block,
            seed=int(problem.rng.integers(2**32)),
        )

    @property
    def dtype(self) -> Any:
        return np.float32

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
        first, second = (Sketch.of_chunks(maps, [x], block=self.block) for x in self.samples)
        for kernel, a, b in zip(kernels, first, second, strict=True):
            self._operators[id(kernel)] = PooledSketch(a + b)

    def _sketch_means(self, kernels: Sequence[Kernel]) -> None:
        columns = self.samples[0].shape[1]
        rng = np.random.default_rng([self.seed, 1])
        for kernel in kernels:
            features = features_of_square(kernel, columns, self._frequencies, rng=rng)
            first, second = (MeanSketch.of(features, x, block=self.block) for x in self.samples)
            self._operators[id(kernel)] = first + second

    @property
    def _frequencies(self) -> int:
        return int(np.clip(_ANGLES // sum(map(len, self.samples)), *_FREQUENCIES))

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
    ) -> Iterator[Form]:
        n, m = self.labels.sizes
        for entropy in entropies:
            matrix = operator.quadratic_form(entropy, scale=scale)
            matrix *= n * m / (n + m) ** 2
            yield QuadraticForm.of_signs(matrix, self.labels.sizes)

    def describe(self) -> str:
        n, m = self.labels.sizes
        seen = f"{_FEATURES} landmarks, {self._frequencies} frequencies"
        return f"sketches of {n} v {m} blocks of {self.block} rows, {seen}"


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

    A sample too small for blocks against one too large for a Gram matrix: the larger one is thinned
    at random, and the result says so.
    """
    size = problem.pool.size
    plain = is_array(problem.pool.sample) and problem.labels.uniform
    second_order = isinstance(statistic, SecondOrder) and not statistic.unbiased
    need = _MATRICES * size**2
    large = size > MOST_GRAM_ROWS if problem.memory is None else need > problem.memory
    blocks = min(problem.sizes) >= _FEWEST_BLOCKS
    if large and plain and second_order and blocks and not all_pairs:
        return SketchSource.of(problem)
    budget = _MOST_MEMORY if problem.memory is None else problem.memory
    if need <= budget:
        return GramSource.of(problem)
    few = min(problem.sizes)
    fits = int((budget / _MATRICES) ** 0.5)
    if not plain or fits < 4 * few:
        raise MemoryError(
            f"{size} rows need about {need / 2**30:.1f} GiB here, the budget is "
            f"{budget / 2**30:.1f} GiB. Raise memory=, take fewer rows, or use Fuse()."
        )
    return GramSource.thinned(problem, min(fits, max(MOST_GRAM_ROWS, 8 * few)))
