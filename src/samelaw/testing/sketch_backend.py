"""Large samples: blocks of rows are permuted, and components come from sketches of the blocks.

Rows are dealt to blocks at random and all blocks have the same size, so blocks are exchangeable
under the null hypothesis. Landmarks and bandwidths depend on rows drawn from the pool without
regard to their labels, frequencies on the seed alone.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from samelaw.core.arrays import detach, parts, to_numpy
from samelaw.core.checks import check_squares
from samelaw.core.memory import PIECE
from samelaw.core.types import Array, Matrix, Sample
from samelaw.divergence.quadratic_form import SUBSPACE
from samelaw.divergence.sketch import (
    CompressedFeatures,
    MeanSketch,
    PooledSketch,
    Sketch,
    centred,
    features_of_square,
    means_suffice,
)
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import default_kernel
from samelaw.kernels.entropies import Entropy
from samelaw.kernels.features import NystromFeatures
from samelaw.kernels.formulas import ShiftInvariant
from samelaw.kernels.grids import Pool, lower_median
from samelaw.kernels.landmarks import spread_landmarks
from samelaw.testing.backends import Backend, kernel_name
from samelaw.testing.column_moments import in_one_unit, rank_changes
from samelaw.testing.permuting.components import Component, components_of, contrasts_of, largest_of
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Problem
from samelaw.testing.row_scores import RowScore, Surroundings, squared_distances
from samelaw.testing.scales import View
from samelaw.testing.standardize import Scaling
from samelaw.testing.statistics import SecondOrder, component_name

FEWEST_BLOCKS = 32
"""Of the smaller sample: fewer leave too little to permute."""

MOST_BLOCKS = 2_000
"""Of both samples: a permutation costs as much as their square."""

_BLOCKS = 800
_FEATURES = 128
_FREQUENCIES = (128, 2048)  # the fewest and the most
_ANGLES = 60_000_000  # rows times frequencies per kernel, as long as that many are needed
_BANDWIDTH_ROWS = 2_000
_DISTANCES = 26.0  # bytes per pair of rows that bandwidths are chosen from
_BLOCK = 8.0 * _FEATURES**2  # bytes per block: covariance, its entries, and those weighted
_REFERENCE = (256, 1024)  # rows that others are scored against: the fewest and the most
_PAIRS = 4_000_000  # of a row and one it is scored against, as long as that many are needed
_PIECE_OF_SCORES = 4_000  # rows that are scored at a time
_MOST_COLUMNS = 32  # whose products are all taken
_FARTHEST = 1e17  # from the centre of the rows: squares, summed over columns, stay finite


@dataclass(frozen=True, eq=False)
class _Moved(Kernel):
    """A kernel that cares where the origin is (cosine, a network), on rows that were centred."""

    kernel: Kernel
    centre: Matrix

    def __call__(self, x: Sample, y: Sample) -> Array:
        moved = x + self.centre.astype(x.dtype)
        return self.kernel(moved, moved if y is x else y + self.centre.astype(y.dtype))


@dataclass(frozen=True, eq=False)
class SketchBackend(Backend):
    """Covariances of explicit features of blocks of rows, or their means where those suffice.

    Parameters
    ----------
    pool, units, start, scaling
        As of `GramBackend`; the units are blocks, in random order.
    rows : array
        Rows block after block, centred: single precision has no digits for rows far from 0.
    centre : array (d,)
        The median of some rows: the mean is drawn away by one row far out.
    block : int
        Rows of a block.
    left_out : int
        Rows in no block.
    seed : int
        Of landmarks and frequencies.
    spare : float
        Bytes for the covariances of several kernels at a time.
    """

    pool: Pool
    units: Units
    start: Matrix
    scaling: Scaling
    rows: Matrix
    centre: Matrix
    block: int
    left_out: int
    seed: int
    spare: float

    @classmethod
    def of(cls, problem: Problem, scaling: Scaling) -> "SketchBackend":
        (n, m), rng, budget = problem.labels.sizes, problem.rng, problem.budget
        block, counts = blocks_of((n, m), _BLOCKS, _most_blocks(problem))
        rows = to_numpy(detach(parts(problem.pool.sample)[0]))
        order = (rng.permutation(n), n + rng.permutation(m))
        taken = np.concatenate([o[: c * block] for o, c in zip(order, counts, strict=True)])
        seen = min(n + m, _BANDWIDTH_ROWS, budget.side(_DISTANCES))
        few = rng.choice(n + m, size=seen, replace=False)
        centre = lower_median(rows[few].astype(np.float64))
        check_squares(rows[few], centre)
        blocks = rng.permutation(sum(counts))
        dealt = taken.reshape(-1, block)[blocks].ravel()
        return cls(
            pool=Pool(_centred(rows, few, centre).astype(np.float64)),  # ties as in the rows
            units=Units.of_blocks(Labels(blocks < counts[0]), dealt, block, n + m),
            start=rng.standard_normal((len(blocks), SUBSPACE)),
            scaling=scaling,
            rows=_centred(rows, dealt, centre),
            centre=centre,
            block=block,
            left_out=n + m - len(dealt),
            seed=int(rng.integers(2**32)),
            spare=0.25 * budget.room,
        )

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return np.float32

    @property
    def _blocks(self) -> Units:
        return Units(self.units.labels, np.arange(self.units.count))

    def seen(self, view: View) -> Pool:
        points = to_numpy(self.pool.sample)
        return self.pool if view is View.ROWS else Pool(view(points)(points))

    @cached_property
    def _rows_in(self) -> dict[View, Matrix]:
        return {View.ROWS: self.rows}

    def _seen_rows(self, view: View) -> Matrix:
        """The rows block after block in other units, in single precision."""
        if view not in self._rows_in:
            transform = view(to_numpy(self.pool.sample))
            pieces = (transform(some).astype(np.float32) for some in _pieces(self.rows))
            self._rows_in[view] = np.concatenate(list(pieces))
        return self._rows_in[view]

    def _in(self, view: View) -> "SketchBackend":
        """The same blocks with their rows in other units."""
        if view is View.ROWS:
            return self
        rows = self._seen_rows(view)
        return replace(self, pool=self.seen(view), rows=rows, centre=np.zeros(rows.shape[1]))

    def contrasts(self, scores: Sequence[RowScore]) -> Iterator[Component]:
        found: dict[int, Matrix] = {}
        for view in dict.fromkeys(score.view for score in scores):
            here = [place for place, score in enumerate(scores) if score.view is view]
            sums = self._score_sums(view, [scores[place] for place in here])
            found.update(zip(here, sums, strict=True))
        for place, score in enumerate(scores):
            noise = score.noise(found[place] / self.block) * self.block
            for component in contrasts_of(score.name, found[place], self._blocks, noise):
                yield replace(component, kernel=place)

    def _score_sums(self, view: View, scores: Sequence[RowScore]) -> list[Matrix]:
        """Sums over blocks of scores that look at the same distances."""
        size = int(np.clip(_PAIRS // len(self.rows), *_REFERENCE))
        others = self.seen(view).points[:size]
        others = others.astype(np.float32).astype(np.float64)  # equal to the rows it is equal to
        inside = squared_distances(others, others)
        share = len(others) / len(self.rows)
        found: list[list[Matrix]] = [[] for _ in scores]
        for some in _pieces(self._seen_rows(view), _PIECE_OF_SCORES):
            around = Surroundings(squared_distances(some.astype(np.float64), others), inside, share)
            for part, score in zip(found, scores, strict=True):
                part.append(score(around))
        return [np.concatenate(part).reshape(-1, self.block).sum(axis=1) for part in found]

    def moment_forms(self, name: str, view: View, degree: int) -> Iterator[Component]:
        middle = self.rows.mean(axis=0, dtype=np.float64) if view is View.ROWS else 0.0
        means = self._block_means(view, lambda rows: self._products(rows - middle, degree))
        features = centred(means)
        if view is View.ROWS:  # of any scale
            features = in_one_unit(features)
        features = features.astype(np.float32)
        return components_of(name, features @ features.T, self._blocks, self.start)

    def largest_forms(self, name: str, degree: int) -> Iterator[Component]:
        means = [self._block_means(View.RANKS, lambda rows: rank_changes(rows - 0.5, degree))]
        if degree == 1:
            means.append(self._block_means(View.TIES, lambda ties: ties))
        return largest_of(name, np.concatenate(means, axis=1), self._blocks)

    def _block_means(self, view: View, functions: Callable[[Matrix], Matrix]) -> Matrix:
        """Means (G, k) over blocks of functions of their rows."""
        means = []
        step = max(1, _PIECE_OF_SCORES // self.block) * self.block
        for some in _pieces(self._seen_rows(view), step):
            columns = functions(some.astype(np.float64))
            shape = (len(columns) // self.block, self.block, columns.shape[1])
            means.append(columns.reshape(shape).mean(axis=1))
        return np.concatenate(means)

    def _products(self, columns: Matrix, degree: int) -> Matrix:
        """The columns, or their products: of all, or of a few random mixtures of very many."""
        if degree == 1:
            return columns
        if columns.shape[1] > _MOST_COLUMNS:
            rng = np.random.default_rng([self.seed, 2])
            columns = columns @ rng.standard_normal((columns.shape[1], _MOST_COLUMNS))
        first, second = np.triu_indices(columns.shape[1])
        weight = np.where(first == second, 1.0, math.sqrt(2.0))
        return np.asarray(columns[:, first] * columns[:, second] * weight)

    def components(
        self, kernels: Sequence[Kernel], entropies: Sequence[Entropy], view: View = View.ROWS
    ) -> Iterator[Component]:
        for one in self._in(view)._components(kernels, entropies):
            yield replace(one, name=one.name + view.of)

    def _components(
        self, kernels: Sequence[Kernel], entropies: Sequence[Entropy]
    ) -> Iterator[Component]:
        sizes, blocks = self.units.labels.sizes, self._blocks
        statistic = SecondOrder()
        for place, operator in self._operators(kernels, all(map(means_suffice, entropies))):
            factor = 1.0  # which only multiplies what means suffice for
            if isinstance(operator, PooledSketch):
                factor = self.scaling.kernel_factor(operator, entropies, sizes, statistic)
            for entropy in entropies:
                matrix = operator.quadratic_form(entropy, scale=factor)
                matrix *= blocks.labels.balance
                name = component_name(kernel_name(kernels[place]), entropy)
                for component in components_of(name, matrix, blocks, self.start):
                    yield replace(component, kernel=place)

    def _operators(
        self, kernels: Sequence[Kernel], means: bool
    ) -> Iterator[tuple[int, PooledSketch | MeanSketch]]:
        """Pooled operators with the number of their kernel, sketched when asked for."""
        columns, rng = self.rows.shape[1], np.random.default_rng([self.seed, 1])
        waiting = []
        for place, kernel in enumerate(kernels):
            if means and _has_frequencies(kernel):
                features = features_of_square(kernel, columns, self._frequencies, rng=rng)
                yield place, MeanSketch.of(features, self.rows, block=self.block)
            else:
                waiting.append((place, self._compressed(kernel)))
        for some in self._batches(waiting):
            maps = [features for _, features in some]
            sketches = Sketch.of_chunks(maps, [self.rows], block=self.block)
            while sketches:
                yield some[-len(sketches)][0], PooledSketch(sketches.pop(0))

    def _batches(
        self, waiting: Sequence[tuple[int, CompressedFeatures]]
    ) -> Iterator[list[tuple[int, CompressedFeatures]]]:
        """Kernels sketched in one pass, sharing the distances to the landmarks, that fit."""
        some: list[tuple[int, CompressedFeatures]] = []
        need = 0.0
        for place, features in waiting:
            own = 4.0 * self.units.count * features.size**2
            if some and need + own > self.spare:
                yield some
                some, need = [], 0.0
            some.append((place, features))
            need += own
        if some:
            yield some

    def _compressed(self, kernel: Kernel) -> CompressedFeatures:
        moved = kernel if isinstance(kernel, ShiftInvariant) else _Moved(kernel, self.centre)
        full = NystromFeatures(moved, self._landmarks)
        return CompressedFeatures.of(full, to_numpy(self.pool.sample))

    @property
    def _frequencies(self) -> int:
        return int(np.clip(_ANGLES // len(self.rows), *_FREQUENCIES))

    @cached_property
    def _landmarks(self) -> Matrix:
        points = to_numpy(self.pool.sample)
        rng = np.random.default_rng(self.seed)
        count = min(_FEATURES, len(points))
        return np.asarray(points[spread_landmarks(default_kernel(points), points, count, rng)])

    def settle(self) -> None:
        self.pool.forget()

    def describe(self) -> str:
        n, m = self.units.labels.sizes
        seen = f"{_FEATURES} landmarks, {self._frequencies} frequencies"
        if self.pool.size < min(_BANDWIDTH_ROWS, len(self.units.unit)):
            seen += f", bandwidths from {self.pool.size} rows"
        thinned = f"; {self.left_out} rows left out at random" if self.left_out else ""
        return f"sketches of {n} v {m} blocks of {self.block} rows, {seen}{thinned}"


def blocks_of(sizes: tuple[int, int], wanted: int, most: int) -> tuple[int, tuple[int, int]]:
    """Rows of a block, and how many blocks of either sample: about so many, and at most."""
    n, m = sizes
    length = max((n + m) // wanted, math.ceil((n + m) / most))
    block = max(1, min(length, min(n, m) // FEWEST_BLOCKS))
    few_blocks = min(min(n, m) // block, most // 2)
    first, second = (min(size // block, most - few_blocks) for size in sizes)
    return block, (first, second)


def _pieces(rows: Matrix, step: int = PIECE) -> Iterator[Matrix]:
    for start in range(0, len(rows), step):
        yield rows[start : start + step]


def _has_frequencies(kernel: Kernel) -> bool:
    return isinstance(kernel, ShiftInvariant) and np.ndim(kernel.bandwidth) < 2


def _most_blocks(problem: Problem) -> int:
    """Blocks there is room for, with their memberships."""
    each = _BLOCK + problem.memberships
    most = min(MOST_BLOCKS, problem.budget.fits(each))
    if most < 2 * FEWEST_BLOCKS:
        raise problem.budget.refuse(
            f"{2 * FEWEST_BLOCKS} blocks of rows and {problem.memberships} permutations of them "
            "take",
            2 * FEWEST_BLOCKS * each,
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
            f"rows lie up to {farthest:.3g} from their median; large samples are compared in "
            "single precision, whose squares overflow: rescale the rows, or look for broken values."
        )
    return result
