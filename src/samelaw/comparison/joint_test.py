"""All columns together, each view alone and pairs of views, tested on the same permutations."""

from dataclasses import dataclass

import numpy as np

from samelaw.comparison.column_tests import ColumnTests
from samelaw.comparison.design import SHARES
from samelaw.comparison.plan import Plan, Stages
from samelaw.core.types import Matrix, Progress
from samelaw.data.encode import Prepared, prepare
from samelaw.estimate.kernel_grids import Pool
from samelaw.twosample.fuse import Fuse, FusedStatistic
from samelaw.twosample.permutations import Labels
from samelaw.twosample.problem import Problem, as_units
from samelaw.twosample.stepdown import StepDown, step_down
from samelaw.twosample.units import Units

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
    """

    prepared: Prepared
    points: Matrix
    units: Units
    memberships: Matrix
    columns: ColumnTests
    steps: StepDown
    route: str

    @classmethod
    def of(cls, plan: Plan, stages: Stages) -> "JointTest":
        prepared = prepare(plan.pair)
        points = prepared.coordinates()
        units = as_units(plan.groups, plan.pair.sizes, plan.streams.units)
        if plan.groups is not None:
            units, _ = units.some(MOST_UNITS, plan.streams.units)
        fused = _joint(points, plan, units, stages.within("joint"))
        kept = fused.source.kept
        if plan.groups is None:  # blocks of rows, or some of the rows, if there are many
            units, kept = fused.source.units, None
        memberships = _memberships(units.labels, plan)
        joint = fused.evaluate(memberships if kept is None else memberships[:, kept])
        route = fused.source.describe()
        del fused  # with its copy of all rows
        stages.done("joint")
        columns = ColumnTests(plan.pair.columns, units, memberships, plan.pair.sizes)
        stages.done("columns")
        families = (joint[None], columns.alone, columns.of_pairs(stages.within("pairs")))
        steps = step_down(families, plan.level, SHARES)
        stages.done("pairs")
        return cls(prepared, points, units, memberships, columns, steps, route)


def _joint(points: Matrix, plan: Plan, units: Units, progress: Progress | None) -> FusedStatistic:
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
    )
    return FusedStatistic(Fuse(), problem)


def _memberships(labels: Labels, plan: Plan) -> Matrix:
    """Memberships of the units, the observed first; all of them when they are few."""
    if 1 / labels.count > plan.level:
        n, m = plan.pair.sizes
        raise ValueError(
            f"{n} v {m} rows have only {labels.count:g} permutations: no p-value can reach level "
            f"{plan.level}. Collect more rows" + ("." if labels.uniform else " or groups.")
        )
    if labels.uniform and labels.count <= plan.permutations + 1:
        return labels.every()
    drawn = labels.draw(plan.streams.permutations, plan.permutations)
    return np.concatenate([labels.observed[None], drawn])
