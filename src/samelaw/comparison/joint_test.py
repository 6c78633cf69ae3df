"""All columns together, each view alone and pairs of views, tested on the same permutations."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from samelaw.comparison.columns.functions import known_rows
from samelaw.comparison.effects.operators import RowOperators
from samelaw.comparison.examined import Operators, Told
from samelaw.comparison.plan import Plan, Stages
from samelaw.comparison.view_tests import ColumnTests, steps_of
from samelaw.core.memory import Budget
from samelaw.core.types import Matrix, Progress
from samelaw.kernels.grids import Pool
from samelaw.tables.categories import MOST_CODES
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.pairing.encode import Prepared, prepare
from samelaw.tables.pairing.pair import TablePair
from samelaw.testing.fuse import Fuse, Fused
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.stepdown import StepDown
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Problem, as_units

_PASSING_ROW = 150.0  # bytes per row while one column is looked at
_VALUE = 17.0  # bytes per value: as it was read, whether it is missing, as it is prepared
_COORDINATE = 12.0  # bytes: of all columns, of those that changed, and those dealt to blocks
MOST_UNITS = 10_000
"""Rows or groups that are permuted one by one when groups forbid blocks; more are thinned."""


@dataclass(frozen=True, eq=False)
class JointTest:
    """Everything tested on the same permutations.

    Attributes
    ----------
    prepared : Prepared
    points : array (N, k)
        Coordinates of all rows.
    units : Units
        What changes places: rows, blocks of rows, or groups.
    memberships : array (B + 1, U)
        The observed one first.
    columns : ColumnTests
    steps : StepDown
    route : str
    sizes : (int, int)
        Rows of A and of B that are compared.
    """

    prepared: Prepared
    points: Matrix
    units: Units
    memberships: Matrix
    columns: ColumnTests
    steps: StepDown
    route: str
    sizes: tuple[int, int]

    @cached_property
    def operators(self) -> Operators:
        """What effects are computed from."""
        columns = self.columns
        return RowOperators(columns.views, columns.pairs, self.units, self.points, self.sizes)

    complete: ClassVar[bool] = True
    notes: ClassVar[tuple[str, ...]] = ()

    @property
    def told(self) -> Told:
        """What columns are described by: their rows."""
        return Told(self.columns.views, self.sizes[0])

    @classmethod
    def of(cls, plan: Plan, stages: Stages) -> "JointTest":
        prepared = prepare(plan.pair)
        points = prepared.coordinates()
        units = as_units(plan.groups, plan.pair.sizes, plan.streams.units)
        if plan.groups is not None:
            units, _ = units.some(MOST_UNITS, plan.streams.units)
        fused = _joint(points, plan, units, stages.within("joint"))
        taken = fused.backend.taken
        if plan.groups is None:  # blocks of rows, or some of the rows, if there are many
            units, taken = fused.backend.units, None
        room = Budget.of(plan.memory).without(_row_bytes(plan.pair) * sum(plan.pair.sizes))
        memberships = _memberships(units.labels, plan, room)
        joint = fused.evaluate(memberships if taken is None else memberships[:, taken]).values
        route = fused.backend.describe()
        del fused  # with its copy of all rows
        stages.done("joint")
        left = room.without(float(memberships.nbytes)).room
        columns = ColumnTests(plan.pair.columns, units, memberships, plan.pair.sizes, left)
        stages.done("columns")
        steps = _steps(joint, columns, columns.of_pairs(stages.within("pairs")), plan)
        stages.done("pairs")
        return cls(prepared, points, units, memberships, columns, steps, route, plan.pair.sizes)


def _steps(joint: Matrix, columns: ColumnTests, paired: Matrix, plan: Plan) -> StepDown:
    """The verdict, and names that another share of missing values does not bring about."""
    steps = steps_of(joint, columns.alone, paired, columns.views, plan.level)
    named = np.flatnonzero(steps.adjusted[1] <= plan.level)
    holed = [int(i) for i in named if known_rows(columns.views[i]) is not None]
    if not holed:
        return steps
    alone = columns.given_known(holed, plan.streams.known)
    return steps.named_by_both(steps_of(joint, alone, paired, columns.views, plan.level))


def _joint(points: Matrix, plan: Plan, units: Units, progress: Progress | None) -> Fused:
    """The statistic of all columns together."""
    problem = Problem(
        pool=Pool(points),
        units=units,
        level=plan.level,
        permutations=plan.permutations,
        rng=plan.streams.joint,
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
    parts = [part for column in pair.columns for part in column.parts.values()]
    beside = 4.0 * sum(int(part.features.values.shape[1]) for part in parts if part.features)
    held = _VALUE * (len(pair.columns) + len(parts)) + beside
    return _PASSING_ROW + held + _COORDINATE * sum(widths)


def _width(column: Column) -> int:
    """Coordinates of a column, at most: a moment has two cycles beside itself."""
    own = {Kind.CATEGORICAL: min(len(column.categories), MOST_CODES), Kind.DATETIME: 5}
    return own.get(column.kind, 1) + bool(column.missing.any())


def _memberships(labels: Labels, plan: Plan, budget: Budget) -> Matrix:
    """Memberships of the units, the observed first; all of them when they are few."""
    need = float(plan.permutations + 1) * len(labels.observed)
    if need > 0.5 * budget.room:
        raise budget.refuse(
            f"{plan.permutations:,} permutations of {len(labels.observed):,} units take",
            2.0 * need,
            "take fewer permutations",
        )
    if labels.uniform and labels.count <= plan.permutations + 1:
        return labels.every()
    drawn = labels.draw(plan.streams.permutations, plan.permutations)
    return np.concatenate([labels.observed[None], drawn])
