"""Permutation: the test of one estimator."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.arrays import parts, take_rows, to_numpy
from samelaw.core.as_typed import as_typed
from samelaw.core.registry import register
from samelaw.core.types import Matrix
from samelaw.divergence.contract import Estimator
from samelaw.divergence.gram import GramEstimator
from samelaw.testing.permuting.components import Component
from samelaw.testing.permuting.permutations import Evaluation, null_distribution
from samelaw.testing.problem import Problem, Strategy
from samelaw.testing.result import TestResult

_BATCH = 256  # permutations between two signs of progress


@register("strategy")
@as_typed
@dataclass(frozen=True, eq=False)
class Permutation(Strategy):
    """The permutation test of one estimator, evaluated anew for every permutation.

    Parameters
    ----------
    estimator : Estimator
        For instance ``GramEstimator(Gaussian(1.0), PowerSeries(10))``. Its kernel must not have
        been chosen on the labelled samples.

    Notes
    -----
    O(B·N³) in general, one matrix product for ``PowerSeries(1)``. ``Fuse([KernelGroup([kernel],
    [order])])`` tests nearly the same statistic at the price of MMD.

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
        component = estimator_component(self.estimator, problem)
        null = null_distribution(
            lambda memberships: Evaluation(component.evaluate(memberships)),
            problem.labels,
            problem.permutations,
            problem.rng,
            noise=component.noise,
            step=_BATCH,
            progress=problem.progress,
        )
        return problem.result(
            null, f"permutation test of {component.name}", settings={"strategy": repr(self)}
        )


def estimator_component(estimator: Estimator, problem: Problem) -> Component:
    """Any estimator as a component over the units of a problem."""
    units = problem.units
    if units.weights is not None:
        raise ValueError("Permutation(estimator) takes no weights of rows: use Fuse().")
    if units.uneven:
        raise ValueError(
            "permuting groups of unequal size changes the sizes of the samples, and an estimate "
            "with them: use Groups(labels, thin=True), or Fuse()."
        )
    # in random order, so that the observed labels round as permuted ones do
    order = problem.rng.permutation(np.flatnonzero(units.unit >= 0))
    held = estimator.held(len(order))
    if held > problem.budget.room:
        raise problem.budget.refuse(
            f"{type(estimator).__name__} of {len(order):,} rows takes",
            held,
            "take fewer rows, or use Fuse()",
        )
    sample = take_rows(problem.pool.sample, order)
    noise = tolerances.entropy_noise(to_numpy(parts(sample)[0][:1, :]).dtype, len(order))
    form = _EstimatorForm(estimator, estimator.prepare(sample), units.unit[order], noise)
    return Component(repr(estimator), form, slice(0, units.count), np.empty((0, 0)))


@dataclass(frozen=True, eq=False)
class _EstimatorForm:
    estimator: Estimator
    state: object
    unit: Matrix
    noise: float
    two_sided: ClassVar[bool] = False

    def evaluate(self, memberships: Matrix) -> Matrix:
        found = self.estimator.evaluate(self.state, memberships[:, self.unit])
        return np.asarray(to_numpy(found), dtype=np.float64)

    def moments(self) -> None:
        return None

    def skewness(self, start: Matrix) -> float:
        raise TypeError("an estimator has no moments in closed form.")
