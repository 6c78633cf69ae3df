"""Learn on one part of the rows, test on the other: what every strategy that learns does.

What is learnt depends on rows that take no part in the test, so the test is exact whatever it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.core.array import is_array, to_numpy
from samelaw.core.entropies import EntropyLike
from samelaw.core.errors import TooFewRows
from samelaw.core.kernels import Kernel
from samelaw.core.types import Matrix
from samelaw.estimate.kernel_grids import Pool
from samelaw.permuting.permutations import Labels
from samelaw.permuting.units import Units
from samelaw.twosample.component_groups import KernelGroup
from samelaw.twosample.fuse import Fuse
from samelaw.twosample.problem import Problem
from samelaw.twosample.result import TestResult
from samelaw.twosample.standardize import Unscaled
from samelaw.twosample.statistics import MeanDiscrepancy, SecondOrder

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
