"""Learn on one part of the rows, test on the other: what every strategy that learns does.

What is learnt depends on rows that take no part in the test, so the test is exact whatever it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.core.arrays import is_array, to_numpy
from samelaw.core.errors import TooFewRows
from samelaw.core.types import Matrix
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.entropies import EntropyLike
from samelaw.kernels.grids import Pool
from samelaw.testing.component_groups import KernelGroup
from samelaw.testing.fuse import Fuse
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Decides, Learns, Problem
from samelaw.testing.result import TestResult
from samelaw.testing.standardize import Unscaled
from samelaw.testing.statistics import MeanDiscrepancy, SecondOrder

_SEEDS = 2**31
_LEARNING = 96.0  # bytes per pair of rows: a dozen matrices in double precision


def _as_it_is(rows: Matrix) -> Matrix:
    return rows


@dataclass(frozen=True, eq=False)
class Learnt:
    """How to see the rows of the test.

    Parameters
    ----------
    kernel : Kernel
    transform : callable
        Of the rows (n, d), before the kernel.
    settings : mapping
        What the result is to say about it.
    """

    kernel: Kernel
    transform: Callable[[Matrix], Matrix] = _as_it_is
    settings: Mapping[str, object] = field(default_factory=dict)


def held_out_test(
    problem: Problem,
    learn: Callable[[Matrix, Matrix], Learnt],
    *,
    share: float,
    entropy: EntropyLike,
    mmd: bool,
    name: str,
    strategy: str,
) -> TestResult:
    """Divide the rows, learn from ``share`` of them, test on the others.

    Parameters
    ----------
    problem : Problem
    learn : callable
        From rows of both samples (n, d) and (m, d) to what was learnt.
    share : float
    entropy : Entropy or order
        Of the test.
    mmd : bool
        Test by unbiased MMD² instead.
    name, strategy : str
        For the method and the settings of the result.
    """
    if not problem.units.plain or not is_array(problem.pool.sample):
        raise TypeError(
            f"{name} takes independent rows of one array, no groups, weights or layers."
        )
    points = to_numpy(problem.pool.sample)
    n, m = problem.labels.sizes
    order = (problem.rng.permutation(n), n + problem.rng.permutation(m))
    most = problem.budget.side(_LEARNING) // 2  # of each sample
    cut = [max(2, min(int(share * len(o)), len(o) - 2, most)) for o in order]
    if min(n, m) < 4:
        raise TooFewRows(f"{name} needs at least four rows in each of x and y, got {n} and {m}.")
    labels = Labels.of_sizes((n - cut[0], m - cut[1]))
    if 1 / labels.different > problem.level:
        raise TooFewRows(
            f"{labels.sizes[0]} v {labels.sizes[1]} rows are left for the test: no p-value can "
            f"reach level {problem.level}. Lower share=, or collect more rows."
        )
    first, second = (points[o[:c]] for o, c in zip(order, cut, strict=True))
    found = learn(first, second)
    rest = np.concatenate([points[o[c:]] for o, c in zip(order, cut, strict=True)])
    held = replace(problem, pool=Pool(found.transform(rest)), units=Units.of_rows(labels.sizes))
    test = Fuse(
        [KernelGroup([found.kernel], (entropy,))],
        statistic=MeanDiscrepancy() if mmd else SecondOrder(),
        scaling=Unscaled(),
    ).decide(held)
    return replace(
        test,
        method=f"{name} learnt on {cut[0]} v {cut[1]} rows; {test.method}",
        sizes=problem.sizes,
        components=(),
        settings={**test.settings, "strategy": strategy, **found.settings},
    )


def decided(strategy: Decides | Learns, problem: Problem) -> TestResult:
    """What a strategy says of a checked problem, by itself or by what it learns."""
    if hasattr(strategy, "decide"):
        return strategy.decide(problem)
    seed = int(problem.rng.integers(_SEEDS))
    return held_out_test(
        problem,
        lambda x, y: Learnt(strategy.learn(x, y, seed)),
        share=strategy.share,
        entropy=strategy.entropy,
        mmd=strategy.by_mmd,
        name=f"{type(strategy).__name__}: network",
        strategy=repr(strategy),
    )
