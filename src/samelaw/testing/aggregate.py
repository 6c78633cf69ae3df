"""Aggregate: many kernels at adjusted levels (MMDAgg and its RJSD counterpart).

Each kernel's p-value is taken over the permutations; the test statistic is the smallest of them,
weighted. Calibrating that minimum on the same permutations makes the level of the whole exact and
is the adjustment of the levels. (MMDAgg as published finds the adjusted level by bisection on a
second set of permutations; the idea is the same, one set suffices here.)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.as_typed import as_typed
from samelaw.core.errors import TooFewRows
from samelaw.core.memory import pieces
from samelaw.core.registry import register
from samelaw.core.tolerances import rounding, tie
from samelaw.core.types import Matrix, Progress
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import LinearGrid
from samelaw.kernels.entropies import Entropy
from samelaw.kernels.formulas import ShiftInvariant, from_distances
from samelaw.kernels.grids import KernelCollection, Pool
from samelaw.testing.combine import Combine, kernel_weights
from samelaw.testing.component_groups import KernelGroup
from samelaw.testing.fuse import Fuse, Fused
from samelaw.testing.permuting.permutations import Null, Sequential, null_distribution, reached
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult
from samelaw.testing.standardize import Unscaled
from samelaw.testing.statistics import MeanDiscrepancy, SecondOrder, Statistic


def flips_of(count: int, size: int, rng: np.random.Generator, most: int) -> Iterator[Matrix]:
    """Signs (b, size) of the matched rows, ``most`` at a time: all 1, then ``count`` drawn."""
    for start in range(0, count + 1, most):
        flips: Matrix = np.ones((min(most, count + 1 - start), size), dtype=np.float32)
        drawn = flips[1:] if start == 0 else flips
        for some in pieces(*drawn.shape):
            drawn[some] -= 2 * rng.integers(2, size=drawn[some].shape)
        yield flips


def incomplete_values(
    x: Matrix,
    y: Matrix,
    kernels: Sequence[Kernel],
    flips: Matrix,
    pairs: int,
    squared: bool,
    progress: Progress | None = None,
) -> Matrix:
    """Σ ε_i ε_j h_ij over rows i and j = i + 1 … i + pairs, per kernel and sign vector (K, B).

    h = κ(x_i,x_j) + κ(y_i,y_j) − κ(x_i,y_j) − κ(y_i,x_j); ``squared`` takes κ², which makes it
    RJSD of order 1. Swapping the rows of a matched pair flips its sign.
    """
    shapes = [_of_a_distance(kernel) for kernel in kernels]
    unit = max(float(np.abs(x).max()), float(np.abs(y).max())) or 1.0
    x, y = x / unit, y / unit  # squares of rows of any size stay in range
    values = np.zeros((len(shapes), len(flips)))
    steps = min(pairs, len(x) - 1)
    for step in range(1, steps + 1):
        signs = flips[:, :-step] * flips[:, step:]
        couples = [(x, x, 1.0), (y, y, 1.0), (x, y, -1.0), (y, x, -1.0)]
        apart = {
            metric: [(_row_distances(a[:-step], b[step:], metric), c) for a, b, c in couples]
            for metric in {kernel.metric for kernel in shapes}
        }
        for row, kernel in enumerate(shapes):
            similar = [(from_distances(kernel, d, unit), c) for d, c in apart[kernel.metric]]
            h = sum(c * (k * k if squared else k) for k, c in similar)
            values[row] += signs @ np.asarray(h, dtype=np.float32)
        if progress is not None:
            progress(step, steps)
    return values


def _row_distances(a: Matrix, b: Matrix, metric: str) -> Matrix:
    gap = a - b
    return np.asarray(np.abs(gap).sum(axis=1) if metric == "cityblock" else (gap * gap).sum(axis=1))


def _of_a_distance(kernel: Kernel) -> ShiftInvariant:
    if not isinstance(kernel, ShiftInvariant) or np.ndim(kernel.bandwidth) != 0:
        raise TypeError(f"the linear-time test needs kernels of a distance, got {kernel!r}.")
    return kernel


_SIGNS = 12.0  # bytes per sign: drawn, multiplied with its neighbour's, and some to spare


@dataclass(frozen=True)
class SmallestPvalue(Combine):
    """Combine by the smallest weighted p-value; the values of one batch are ranked together."""

    def fuse(self, total: Matrix | None, values: Matrix, weight: float, n: int) -> Matrix:
        score = -permuted_pvalues(values) / weight
        return score if total is None else np.maximum(total, score)


def permuted_pvalues(values: Matrix, noise: float = 0.0) -> Matrix:
    """The p-value each value would have if it were the observed one; ``noise`` is rounding."""
    ordered = np.sort(values)
    lowest = np.searchsorted(ordered, values - tie(values, noise))
    return np.asarray((len(values) - lowest) / len(values))


@register("strategy")
@as_typed
@dataclass(frozen=True, eq=False)
class Aggregate(Strategy):
    """Test every kernel at a level of its own so that the whole has the level asked for.

    Parameters
    ----------
    kernels : sequence of Kernel, or KernelCollection
        Gaussian and Laplace at ten bandwidths each by default.
    entropies : sequence of Entropy, int or inf
    statistic : Statistic
        ``MeanDiscrepancy()`` makes it MMDAgg (`Aggregate.mmd`).
    weights : sequence of float, optional
        One per kernel.
    pairs : int or None
        Compare each row with this many others only: linear time. Then the samples are matched row
        by row (the larger one is cut to the size of the smaller) and matched rows are swapped.
        Only order 1 (MMD with the squared kernel) has such a form: ``entropies`` is not used.

    Notes
    -----
    Ties between p-values cost power with few permutations: `Fuse` is the default for a reason.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)) + 1
    >>> two_sample_test(x, y, strategy=Aggregate.mmd(), rng=0).reject
    True
    >>> two_sample_test(x, y, strategy=Aggregate(pairs=20), rng=0).reject
    True
    """

    kernels: Sequence[Kernel] | KernelCollection = KernelCollection()  # noqa: RUF009 - frozen
    entropies: Sequence[Entropy | float] = (1, 4, 10)
    statistic: Statistic = field(default_factory=SecondOrder)
    weights: Sequence[float] | None = None
    pairs: int | None = None

    def __post_init__(self) -> None:
        if self.pairs is not None and self.pairs < 1:
            raise ValueError(f"pairs must be a positive whole number, got {self.pairs!r}.")

    @classmethod
    def mmd(cls, pairs: int | None = None) -> "Aggregate":
        """MMDAgg, or with ``pairs`` MMDAggInc: unbiased MMD² over the grid of its authors."""
        return cls(
            kernels=KernelCollection(grid=LinearGrid()),
            entropies=(1,),
            statistic=MeanDiscrepancy(),
            pairs=pairs,
        )

    def decide(self, problem: Problem) -> TestResult:
        if isinstance(problem.permutations, Sequential):
            raise ValueError("Aggregate ranks all permutations together: fix their number.")
        if self.pairs is not None:
            return self._incomplete(problem)
        plan = Fuse(
            (KernelGroup(self.kernels, self.entropies),),
            statistic=self.statistic,
            weights=self.weights,
            scaling=Unscaled(),
            combine=SmallestPvalue(),
        )
        fused = Fused.of(plan, problem)
        labels = fused.backend.units.labels
        null = null_distribution(fused.evaluate, labels, problem.permutations, problem.rng)
        null = replace(null, components=())
        return self._result(problem, null, fused.groups[0].count, fused.backend.describe())

    def _result(self, problem: Problem, null: Null, count: int, route: str) -> TestResult:
        adjusted = float(-np.quantile(null.values, 1 - problem.level, method="higher"))
        return problem.result(
            null,
            f"Aggregate over {count} kernels, smallest p-value ({self.statistic!r}), {route}",
            settings={"strategy": repr(self), "adjusted_level": adjusted},
        )

    def _incomplete(self, problem: Problem) -> TestResult:
        if not problem.units.plain or not is_array(problem.pool.sample):
            raise TypeError("the linear-time test takes independent rows of one array.")
        assert self.pairs is not None
        assert isinstance(problem.permutations, int)  # checked by the caller
        points, (n, m) = to_numpy(problem.pool.sample), problem.labels.sizes
        size = min(n, m)
        swaps = size - 1  # doublings: to swap all pairs changes nothing
        if 0.5**swaps > problem.level:
            raise TooFewRows(
                f"{size} matched rows can be swapped in only {2**swaps} different ways: no p-value "
                f"can reach level {problem.level}. Collect more rows, or leave out pairs=."
            )
        order = (problem.rng.permutation(n)[:size], n + problem.rng.permutation(m)[:size])
        some = problem.rng.choice(n + m, size=min(n + m, 500), replace=False)
        kernels = KernelGroup(self.kernels).kernels_for(Pool(points[some]))
        squared = not isinstance(self.statistic, MeanDiscrepancy)
        first, second = points[order[0]], points[order[1]]
        parts = []
        most = max(1, problem.budget.fits(_SIGNS * size))
        for flips in flips_of(problem.permutations, size, problem.rng, most):
            parts.append(
                incomplete_values(
                    first, second, kernels, flips, self.pairs, squared, problem.progress
                )
            )
        values = np.concatenate(parts, axis=1)
        weights = kernel_weights(self.weights, len(kernels))
        noise = 4.0 * rounding(np.float64) * size * self.pairs  # of sums of so many kernel values
        scores = [-permuted_pvalues(v, noise) / w for v, w in zip(values, weights, strict=True)]
        total = np.max(scores, axis=0)
        null = Null(
            total, float(np.mean(reached(total, total[0]))), f"{problem.permutations} random swaps"
        )
        route = f"{size} matched rows, each compared with {self.pairs} others"
        return self._result(problem, null, len(kernels), route)
