"""What a modeller asks first: whether inputs, target, or the relation between them changed.

Inputs and target come from the tests of columns and pairs, at the level of the comparison. The
relation, the law of the target given the inputs, and the other way round, the law of the inputs
given the target, are tested apart and approximately (`twotables.conditional`): if only the mix
of the target moved, the second is as before although the first is not. A pair of the target and an
input that changed tells of the relation too, if the inputs did not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.comparison.conditional import conditional_change
from samelaw.comparison.examined import Examined
from samelaw.comparison.findings import ColumnFinding, PairFinding
from samelaw.comparison.plan import Plan
from samelaw.core.types import Matrix
from samelaw.results.words import listed
from samelaw.tables.columns.column import Column

MOST_ROWS = 5_000
"""Of each table, drawn at random, that relations are looked for in."""

FEWEST_ROWS = 50
"""Of each table, below which predictions say nothing."""

MOST_COORDINATES = 40
"""Of the inputs, those of the largest variance, whose law given the target is looked at."""


@dataclass(frozen=True)
class TargetFinding:
    """What became of the inputs, of a target, and of the relation between them.

    Attributes
    ----------
    column : str
    inputs_pvalue, target_pvalue : float
        The smallest of all columns and pairs without the target, and of the target itself;
        adjusted for everything that was looked at, so that they hold at the level.
    relation_pvalue : float or None
        Of the target given the inputs, p(y | x); approximate. None with too few rows.
    inputs_given_target_pvalue : float or None
        Of the inputs given the target, p(x | y); approximate.
    inputs_changed, target_changed : bool
        Whether these p-values are at most the level.
    relation_changed : bool
        Whether its p-value is at most the level, or a pair of the target and an input changed and
        the inputs are not shown to have.
    pairs_changed : sequence of str
        The inputs that no longer go together with the target as before.
    mix_only : bool
        Whether target and relation changed and the inputs given the target did not: another mix
        of the target explains it all.
    sentence : str
    """

    column: str
    inputs_pvalue: float
    target_pvalue: float
    relation_pvalue: float | None
    inputs_given_target_pvalue: float | None
    inputs_changed: bool
    target_changed: bool
    relation_changed: bool
    mix_only: bool
    sentence: str
    pairs_changed: tuple[str, ...] = ()


def target_finding(
    plan: Plan, tests: Examined, marginals: Sequence[ColumnFinding], pairs: Sequence[PairFinding]
) -> TargetFinding | None:
    """The finding on the target that was named; None if none was."""
    if plan.target is None:
        return None
    name, level = plan.target, plan.level
    inputs = [m.pvalue for m in marginals if m.column != name]
    inputs += [p.pvalue for p in pairs if p.comparable and name not in p.columns]
    own = [m.pvalue for m in marginals if m.column == name]
    together = [p for p in pairs if p.changed and name in p.columns]
    with_target = dict.fromkeys(c for p in together for c in p.columns if c != name)
    relation, back = _relations(plan, tests, name)
    moved, changed = min(inputs, default=1.0) <= level, min(own) <= level
    related = relation is not None and relation <= level
    mix = related and changed and back is not None and back > level
    said = [
        f"the inputs {'changed' if moved else 'are not shown to have changed'}",
        f"{name} itself {'did' if changed else 'is not shown to have'}",
    ]
    of_relation = _relation_words(name, moved, relation, related, mix, tuple(with_target))
    return TargetFinding(
        column=name,
        inputs_pvalue=min(inputs, default=1.0),
        target_pvalue=min(own),
        relation_pvalue=relation,
        inputs_given_target_pvalue=back,
        inputs_changed=moved,
        target_changed=changed,
        relation_changed=related or bool(with_target and not moved),
        mix_only=mix,
        sentence=f"Of {name}: {', '.join(said)}; {of_relation}.",
        pairs_changed=tuple(with_target),
    )


def _relation_words(
    name: str,
    moved: bool,
    relation: float | None,
    related: bool,
    mix: bool,
    with_target: Sequence[str],
) -> str:
    """What became of the relation; pairs that changed are never denied."""
    if mix:
        said = f"given {name}, no change of the inputs is shown: another mix of it explains all"
    elif related or (with_target and not moved):
        said = "the relation between them changed"
    elif with_target:
        names = listed(with_target)
        said = (
            f"it no longer goes together with {names} as before, which changed inputs may explain"
        )
    elif relation is None:
        return "too few rows tell of the relation between them"
    else:
        said = "the relation between them is not shown to have changed"
    return f"{said} (approximate)"


def _relations(plan: Plan, tests: Examined, name: str) -> tuple[float | None, float | None]:
    """p-values of the target given the inputs, and of the inputs given the target."""
    (column,) = (column for column in plan.pair.columns if column.name == name)
    rng, n = plan.streams.target, plan.pair.sizes[0]
    known = np.flatnonzero(~column.missing)
    sides = [_some(side, rng) for side in (known[known < n], known[known >= n])]
    if min(map(len, sides)) < FEWEST_ROWS:
        return None, None
    rows = np.concatenate(sides)
    views = tests.prepared.views
    x, y = (
        tests.prepared.coordinates([i for i, v in enumerate(views) if (v.column == name) is own])
        for own in (False, True)
    )
    x, y, unit = x[rows].astype(np.float64), y[rows].astype(np.float64), plan.group_of_row[rows]
    if x.shape[1] == 0:
        return None, None
    relation = conditional_change(_functions(column.taken(rows), y), x, rows >= n, unit, rng)
    widest = np.argsort(-x.std(axis=0), kind="stable")[:MOST_COORDINATES]
    back = conditional_change(x[:, widest], y, rows >= n, unit, rng)
    return relation.pvalue, back.pvalue


def _some(rows: Matrix, rng: np.random.Generator) -> Matrix:
    return rows if len(rows) <= MOST_ROWS else np.sort(rng.choice(rows, MOST_ROWS, replace=False))


def _functions(column: Column, coordinates: Matrix) -> Matrix:
    """Of categories their indicators; of numbers the place and how far out it is."""
    if column.categories or coordinates.shape[1] != 1:
        return coordinates
    return np.column_stack([coordinates, (coordinates - coordinates.mean()) ** 2])
