"""`two_sample_test`: the one door to every strategy."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.core import threads, tolerances
from samelaw.core.array import Sample, parts, take_rows, to_numpy
from samelaw.core.registry import register
from samelaw.decide.fuse import Fuse
from samelaw.decide.permutation import null_distribution
from samelaw.decide.problem import Problem, Strategy, as_problem
from samelaw.decide.result import TestResult
from samelaw.estimate.estimator import Estimator
from samelaw.estimate.gram import GramEstimator

_FUSE = Fuse()
_BATCH = 256  # relabellings between two signs of progress


def two_sample_test(
    x: Sample,
    y: Sample,
    *,
    strategy: Strategy = _FUSE,
    level: float = 0.05,
    permutations: Any = None,
    rng: Any = None,
    groups: Any = None,
    memory: float | None = None,
    progress: Any = None,
) -> TestResult:
    """Test whether two samples follow the same law.

    The null hypothesis is that the rows of both samples are exchangeable (for independent rows:
    that the two laws are equal). The p-value is exact for any sizes and any data, ties included.

    Parameters
    ----------
    x, y : arrays (n, d) and (m, d), or tuples of arrays
    strategy : Strategy
        ``Fuse()`` by default: many kernels and orders at once. `Permutation` tests one estimator,
        `Split` learns a bandwidth on half of the rows, `Aggregate` adjusts the levels of many
        kernels.
    level : float
        α: the chance of a false alarm.
    permutations : int, Sequential or None
        B; 999 by default, more for very small levels.
    rng : int, Generator or None
        Seed of the relabellings; drawn and stored in the result when None.
    groups : array (n + m,), pair of arrays (n,) and (m,), or Groups
        Labels of rows that belong together (customer, day); see `Groups` for how they are
        relabelled and what is exact then.
    memory : float, optional
        Bytes the test may take beyond the samples, at least 2²⁷ (128 MiB); 4 GiB by default.
        What does not fit goes to block sketches or is thinned at random; the result says so.
    progress : callable or True, optional
        Called with (done, total).

    Returns
    -------
    TestResult
        Unpacks to ``statistic, pvalue``.

    Notes
    -----
    Cost of the default: about 60 half-products (B×N)(N×N), N = n + m, in single precision; one
    to two CPU seconds at N = 1,000.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(100, 3)), rng.normal(size=(90, 3)) + 0.7
    >>> result = two_sample_test(x, y, rng=0)
    >>> result.reject, round(result.pvalue, 3)
    (True, 0.001)
    """
    if not isinstance(strategy, Strategy):
        raise TypeError(f"strategy must be an object such as Fuse(), got {strategy!r}.")
    problem = as_problem(
        x,
        y,
        level=level,
        permutations=permutations,
        rng=rng,
        groups=groups,
        memory=memory,
        progress=progress,
    )
    with threads.fitting(problem.pool.size):
        return strategy.decide(problem)


@register("strategy")
@dataclass(frozen=True, eq=False)
class Permutation(Strategy):
    """The permutation test of one estimator, evaluated anew for every relabelling.

    Parameters
    ----------
    estimator : Estimator
        For instance ``GramEstimator(Gaussian(1.0), PowerSeries(10))``. Its kernel must not have
        been chosen on the labelled samples.

    Notes
    -----
    O(B·N³) in general, one matrix product for ``PowerSeries(1)``. ``Fuse(kernels=[kernel],
    orders=[order])`` tests nearly the same statistic at the price of MMD.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import PowerSeries, two_sample_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(30, 1)), rng.normal(size=(30, 1)) + 2
    >>> strategy = Permutation(GramEstimator(entropy=PowerSeries(10)))
    >>> two_sample_test(x, y, strategy=strategy, permutations=99, rng=0).pvalue
    0.01
    """

    estimator: Estimator = GramEstimator()  # noqa: RUF009 - frozen

    def decide(self, problem: Problem) -> TestResult:
        units = problem.units
        if units.whole and len(np.unique(units.sizes)) > 1:
            raise ValueError(
                "relabelling groups of unequal size changes the sizes of the samples, and an "
                "estimate with them: use Groups(labels, thin=True), or Fuse()."
            )
        # in random order, so that the observed labels round as drawn ones do
        order = problem.rng.permutation(np.flatnonzero(units.unit >= 0))
        sample, unit = take_rows(problem.pool.sample, order), units.unit[order]
        held = self.estimator.held(len(order))
        if held > problem.budget.room:
            raise problem.budget.refuse(
                f"{type(self.estimator).__name__} of {len(order):,} rows takes",
                held,
                "take fewer rows, or use Fuse()",
            )
        state = self.estimator.prepare(sample)
        noise = tolerances.entropy_noise(to_numpy(parts(sample)[0][:1, :]).dtype, len(order))

        done, total = 0, problem.labellings

        def evaluate(members: Any) -> Any:
            nonlocal done
            pieces = []
            for start in range(0, len(members), _BATCH):
                chosen = members[start : start + _BATCH][:, unit]
                piece = self.estimator.evaluate(state, chosen)
                pieces.append(np.asarray(to_numpy(piece), dtype=np.float64))
                done += len(chosen)
                if problem.progress is not None:
                    problem.progress(done, max(done, total))
            return np.concatenate(pieces)

        null = null_distribution(
            evaluate, problem.labels, problem.permutations, problem.rng, noise, singly=True
        )
        return problem.result(
            null, f"permutation test of {self.estimator!r}", settings={"strategy": repr(self)}
        )
