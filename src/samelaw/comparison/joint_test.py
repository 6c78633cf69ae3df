"""One search over two tables: all columns together, each alone and in pairs, relabelled alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from samelaw.comparison.column_functions import ColumnStatistics
from samelaw.core.types import Matrix, Progress
from samelaw.data.encode import Prepared, prepare
from samelaw.data.pair import TablePair
from samelaw.estimate.kernel_grids import Pool
from samelaw.twosample.fuse import Fuse, FusedStatistic
from samelaw.twosample.permutations import Labels
from samelaw.twosample.problem import Problem, as_units
from samelaw.twosample.stepdown import StepDown, step_down
from samelaw.twosample.units import Groups, Units

SHARES = (1.0, 1.0, 0.5)
"""Relative levels of all columns together, of columns alone, and of pairs."""

MOST_UNITS = 10_000
"""Rows or groups that are relabelled one by one when groups forbid blocks; more are thinned."""


class Stages:
    """Progress over stages of unequal length, in hundredths."""

    ENDS: Mapping[str, int] = {"read": 8, "joint": 60, "columns": 75, "pairs": 90, "where": 100}

    def __init__(self, report: Progress | None) -> None:
        self.report = report
        self.start = 0

    def done(self, stage: str) -> None:
        self.start = self.ENDS[stage]
        if self.report is not None:
            self.report(self.start, 100)

    def within(self, stage: str) -> Callable[[int, int], None] | None:
        if self.report is None:
            return None
        report, start, end = self.report, self.start, self.ENDS[stage]
        return lambda done, total: report(start + (end - start) * done // max(total, 1), 100)


@dataclass(frozen=True, eq=False)
class Plan:
    """What is compared and how."""

    pair: TablePair
    level: float
    permutations: int
    rng: np.random.Generator
    memory: float | None


@dataclass(frozen=True, eq=False)
class Search:
    """Everything found on the same relabellings."""

    prepared: Prepared
    points: Matrix
    units: Units
    members: Matrix
    statistics: ColumnStatistics
    steps: StepDown
    route: str

    @classmethod
    def of(cls, plan: Plan, groups: Groups | None, steps: Stages) -> "Search":
        prepared = prepare(plan.pair)
        points = prepared.coordinates()
        units = as_units(groups, plan.pair.sizes, plan.rng)
        if groups is not None:
            units, _ = units.some(MOST_UNITS, plan.rng)
        fused = _joint(points, plan, units, steps.within("joint"))
        kept = fused.source.kept
        if groups is None:  # blocks of rows, or some of the rows, if there are many
            units, kept = fused.source.units, None
        members = _members(units.labels, plan)
        joint = fused.evaluate(members if kept is None else members[:, kept])
        route = fused.source.describe()
        del fused  # with its copy of all rows
        steps.done("joint")
        statistics = ColumnStatistics(plan.pair.columns, units, members, plan.pair.sizes)
        steps.done("columns")
        families = (joint[None], statistics.alone, statistics.of_pairs(steps.within("pairs")))
        found = step_down(families, plan.level, SHARES)
        steps.done("pairs")
        return cls(prepared, points, units, members, statistics, found, route)


def _joint(points: Matrix, plan: Plan, units: Units, progress: Progress | None) -> FusedStatistic:
    """The statistic of all columns together."""
    problem = Problem(
        pool=Pool(points),
        units=units,
        level=plan.level,
        permutations=plan.permutations,
        rng=plan.rng,
        seed=None,
        memory=plan.memory,
        progress=progress,
        sizes=plan.pair.sizes,
    )
    return FusedStatistic(Fuse(), problem)


def _members(labels: Labels, plan: Plan) -> Matrix:
    """Memberships of the units, the observed first; all of them when they are few."""
    if 1 / labels.count > plan.level:
        n, m = plan.pair.sizes
        raise ValueError(
            f"{n} v {m} rows have only {labels.count:g} relabellings: no p-value can reach level "
            f"{plan.level}. Collect more rows" + ("." if labels.uniform else " or groups.")
        )
    if labels.uniform and labels.count <= plan.permutations + 1:
        return labels.every()
    drawn = labels.draw(plan.rng, plan.permutations)
    return np.concatenate([labels.observed[None], drawn])
