"""One search over two tables: all columns together, each alone and in pairs, relabelled alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.data.pairing import TablePair
from samelaw.data.preparation import Prepared, prepare
from samelaw.decide.aspects import ColumnStatistics
from samelaw.decide.fuse import Fuse, FusedStatistic
from samelaw.decide.permutation import Labels, Progress
from samelaw.decide.problem import Problem
from samelaw.decide.sources import SketchSource
from samelaw.decide.stepdown import StepDown, step_down
from samelaw.decide.units import Units
from samelaw.estimate.collection import Pool

Matrix = np.ndarray[Any, Any]

SHARES = (1.0, 1.0, 0.5)
"""Relative levels of all columns together, of columns alone, and of pairs."""

MOST_JOINT_ROWS = 4_000
"""Rows on which all columns are tested together when groups forbid blocks."""


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
    def of(cls, plan: Plan, groups: Matrix | None, steps: Stages) -> "Search":
        prepared = prepare(plan.pair)
        points = prepared.coordinates()
        units = None if groups is None else Units.of_groups(groups, plan.pair.sizes)
        fused, rows = _joint(points, plan, units, steps.within("joint"))
        if units is None:
            units = _units_of(fused, plan.pair.sizes)
        members = _members(units.labels, plan)
        joint = fused.evaluate(members if rows is None else members[:, units.unit[rows]])
        route = fused.source.describe()
        del fused  # with its copy of all rows
        steps.done("joint")
        statistics = ColumnStatistics(plan.pair.columns, units, members, plan.pair.sizes)
        steps.done("columns")
        families = (joint[None], statistics.alone, statistics.of_pairs(steps.within("pairs")))
        found = step_down(families, plan.level, SHARES)
        steps.done("pairs")
        return cls(prepared, points, units, members, statistics, found, route)


def _joint(
    points: Matrix, plan: Plan, units: Units | None, progress: Progress | None
) -> tuple[FusedStatistic, Matrix | None]:
    """The statistic of all columns together; with groups, also the rows it looks at."""
    sizes, rows = plan.pair.sizes, None
    labels = Labels(sizes)
    if units is not None:
        rows = np.sort(plan.rng.permutation(len(points))[:MOST_JOINT_ROWS])
        points = points[rows]
        first = int((rows < sizes[0]).sum())
        labels = Labels((first, len(rows) - first), units.unit[rows])
    problem = Problem(
        pool=Pool(points),
        labels=labels,
        level=plan.level,
        permutations=plan.permutations,
        rng=plan.rng,
        seed=None,
        memory=plan.memory,
        progress=progress,
    )
    return FusedStatistic(Fuse(), problem), rows


def _units_of(fused: FusedStatistic, sizes: tuple[int, int]) -> Units:
    source = fused.source
    if isinstance(source, SketchSource):
        return Units.of_blocks(source.rows, source.block, sum(sizes))
    return Units.of_rows(sizes)


def _members(labels: Labels, plan: Plan) -> Matrix:
    """Memberships of the units, the observed first; all of them when they are few."""
    if 1 / labels.count > plan.level:
        n, m = plan.pair.sizes
        raise ValueError(
            f"{n} v {m} rows have only {labels.count:g} relabellings: no p-value can reach level "
            f"{plan.level}. Collect more rows"
            + (" or groups." if labels.blocks is not None else ".")
        )
    if labels.uniform and labels.count <= plan.permutations + 1:
        return labels.every()
    drawn = labels.draw(plan.rng, plan.permutations)
    return np.concatenate([labels.observed[None], drawn])
