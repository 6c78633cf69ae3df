"""One search over two tables: all columns together, each alone and in pairs, relabelled alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from samelaw.comparison.column_functions import ColumnStatistics
from samelaw.core.types import Matrix, Progress
from samelaw.data.encode import MOST_CODES, Prepared, prepare
from samelaw.data.kinds import Column, Kind
from samelaw.data.pair import TablePair
from samelaw.estimate.kernel_grids import Pool
from samelaw.twosample.budget import Budget
from samelaw.twosample.fuse import Fuse, Fused
from samelaw.twosample.permutations import Labels
from samelaw.twosample.problem import Problem, as_units
from samelaw.twosample.stepdown import StepDown, step_down
from samelaw.twosample.units import Groups, Units

SHARES = (1.0, 1.0, 0.5)
"""Relative levels of all columns together, of columns alone, and of pairs."""

_PASSING_ROW = 150.0  # bytes per row while one column is looked at
_VALUE = 17.0  # bytes per value: as it was read, whether it is missing, as it is prepared
_COORDINATE = 12.0  # bytes: of all columns, of those that changed, and those dealt to blocks
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
        kept = fused.backend.taken
        if groups is None:  # blocks of rows, or some of the rows, if there are many
            units, kept = fused.backend.units, None
        room = Budget.of(plan.memory).without(_row_bytes(plan.pair) * sum(plan.pair.sizes))
        members = _members(units.labels, plan, room)
        joint = fused.evaluate(members if kept is None else members[:, kept]).values
        route = fused.backend.describe()
        del fused  # with its copy of all rows
        steps.done("joint")
        left = room.without(float(members.nbytes)).room
        statistics = ColumnStatistics(plan.pair.columns, units, members, plan.pair.sizes, left)
        steps.done("columns")
        families = (joint[None], statistics.alone, statistics.of_pairs(steps.within("pairs")))
        found = step_down(families, plan.level, SHARES)
        steps.done("pairs")
        return cls(prepared, points, units, members, statistics, found, route)


def _joint(points: Matrix, plan: Plan, units: Units, progress: Progress | None) -> Fused:
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
        beside=_VALUE * len(plan.pair.columns) * sum(plan.pair.sizes),
    )
    return Fused.of(Fuse(), problem)


def fitting(pair: TablePair, budget: Budget, rng: np.random.Generator | None) -> TablePair:
    """The rows that fit, drawn at random; without a generator all, or an error."""
    each, rows = _row_bytes(pair), sum(pair.sizes)
    if rng is not None:
        return pair.thinned(rng, budget.rows(each))
    if rows > budget.rows(each):
        raise budget.refuse(
            f"copies of {rows:,} rows of groups take", 2.0 * rows * each, "take fewer groups"
        )
    return pair


def _row_bytes(pair: TablePair) -> float:
    """Bytes per row: values as they are read, prepared, as coordinates, and in passing."""
    widths = map(_width, pair.columns)
    return _PASSING_ROW + _VALUE * len(pair.columns) + _COORDINATE * sum(widths)


def _width(column: Column) -> int:
    """Coordinates of a column, at most: a moment has two cycles beside itself."""
    own = {Kind.CATEGORICAL: min(len(column.categories), MOST_CODES), Kind.DATETIME: 5}
    return own.get(column.kind, 1) + bool(column.missing.any())


def _members(labels: Labels, plan: Plan, budget: Budget) -> Matrix:
    """Memberships of the units, the observed first; all of them when they are few."""
    need = float(plan.permutations + 1) * len(labels.observed)
    if need > 0.5 * budget.room:
        raise budget.refuse(
            f"{plan.permutations:,} relabellings of {len(labels.observed):,} units take",
            2.0 * need,
            "take fewer permutations",
        )
    if labels.uniform and labels.count <= plan.permutations + 1:
        return labels.every()
    drawn = labels.draw(plan.rng, plan.permutations)
    return np.concatenate([labels.observed[None], drawn])
