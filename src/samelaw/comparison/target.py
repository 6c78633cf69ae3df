"""What a modeller asks first: whether inputs, target, or the relation between them changed.

Inputs and target come from the tests of columns and pairs, at the level of the comparison. The
relation, the law of the target given the inputs, and the other way round, the law of the inputs
given the target, are tested apart and approximately (`twotables.conditional`): if only the mix
of the target moved, the second is as before although the first is not. A pair of the target and an
input that changed tells of the relation too, if the inputs did not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from samelaw.comparison.examined import Examined
from samelaw.comparison.findings import ColumnFinding, PairFinding
from samelaw.comparison.plan import Plan
from samelaw.core.types import Matrix
from samelaw.results.words import listed
from samelaw.tables.columns.column import Column

WAVES = 200
"""Random waves of x that predictions are made of, beside x itself."""


MOST_SLOPES = 480
"""Pairs of a function of y and a coordinate of x, at most, along which a slope may have turned."""


FOLDS = 5
"""Fewer leave predictions so rough that a mix that moved alone raises 1.5 times the level."""


_DRAWS = 1_999


_RIDGES = 10.0 ** np.arange(-4.0, 3.0)  # of the mean square of a feature


class Conditional(NamedTuple):
    """The largest standardised mean and how often chance reaches it."""

    statistic: float
    pvalue: float


def conditional_change(
    of: Matrix, given: Matrix, second: Matrix, unit: Matrix, rng: np.random.Generator
) -> Conditional:
    """Test whether functions of a row depend on its table beyond what is given.

    Parameters
    ----------
    of : array (N, l)
        Functions of what may have changed.
    given : array (N, k)
        Coordinates of what is known.
    second : array (N,)
        True for rows of B.
    unit : array (N,)
        The independent unit of each row: its number, or that of its group.

    Returns
    -------
    Conditional
        Each of the three has a third of the level, so that hundreds of coordinates hide nothing
        that the mean shows.

    Notes
    -----
    O(N WAVES²) for the predictions. Approximate: predictions from few rows, or where the tables
    hardly overlap, leave more than chance.
    """
    features = _features(given, rng)
    wanted = np.column_stack([second * 1.0, of])
    left = wanted - _predicted(features, wanted, _dealt(unit, FOLDS, rng))
    products = left[:, :1] * left[:, 1:]  # (N, l)
    weights = _standard(_widest(given, max(MOST_SLOPES // of.shape[1], 1)))
    slopes = (products[:, :, None] * weights[:, None, :]).reshape(len(of), -1)
    apart, half = _apart(features, of, second, unit, rng)
    found = [
        _largest(_summed(products, unit), rng),
        _largest(_summed(slopes, unit), rng),
        *(_largest(_summed((products * apart)[part], unit[part]), rng) for part in (half, ~half)),
    ]
    shares = (3, 3, 6, 6)  # one in so many of the level
    adjusted = [one.pvalue * share for one, share in zip(found, shares, strict=True)]
    best = int(np.argmin(adjusted))
    return Conditional(found[best].statistic, min(1.0, adjusted[best]))


def _widest(values: Matrix, count: int) -> Matrix:
    """The coordinates of the largest variance."""
    return values[:, np.argsort(-values.std(axis=0), kind="stable")[:count]]


def _features(given: Matrix, rng: np.random.Generator) -> Matrix:
    """The coordinates, then waves of them at the scale of their distances."""
    x = _standard(given)
    directions = rng.standard_t(3, size=(x.shape[1], WAVES)) / np.sqrt(2.0 * x.shape[1])
    waves = np.cos(x @ directions + rng.uniform(0.0, 2.0 * np.pi, WAVES))
    return np.column_stack([x, waves])


def _standard(values: Matrix) -> Matrix:
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf))


def _predicted(features: Matrix, wanted: Matrix, fold: Matrix) -> Matrix:
    """Predictions (N, l) of each row by ridge regression on rows of other folds."""
    found = np.empty_like(wanted)
    for k in range(FOLDS):
        train = fold != k
        found[~train] = _ridge(features[train], wanted[train], features[~train])
    return found


def _apart(
    features: Matrix, of: Matrix, second: Matrix, unit: Matrix, rng: np.random.Generator
) -> tuple[Matrix, Matrix]:
    """Predictions from rows of B less those from rows of A (N, l), and the half (N,) of each row.

    Each half is predicted from the other one. More folds would use more rows, but their weights
    would know of each other's products, and chance alone would look like a change.
    """
    half = _dealt(unit, 2, rng) == 0
    found = np.zeros_like(of)
    for at in (half, ~half):
        sides = [~at & second, ~at & ~second]
        if min(map(np.count_nonzero, sides)) > 1:  # groups may leave a table without a row
            b, a = (_ridge(features[rows], of[rows], features[at]) for rows in sides)
            found[at] = b - a
    return found, half


def _dealt(unit: Matrix, parts: int, rng: np.random.Generator) -> Matrix:
    """The part (N,) of each row, the same for rows of a unit."""
    return np.asarray(rng.permutation(int(unit.max()) + 1)[unit] % parts)


def _ridge(features: Matrix, wanted: Matrix, at: Matrix) -> Matrix:
    """Ridge regression with the penalty of each column by generalised cross-validation."""
    centre, mean = features.mean(axis=0), wanted.mean(axis=0)
    moved, aims = features - centre, wanted - mean
    squares, vectors = np.linalg.eigh(moved.T @ moved)
    squares, rows = np.maximum(squares, 0.0)[:, None], len(features)
    rotated, total = vectors.T @ (moved.T @ aims), (aims**2).sum(axis=0)
    size = float(squares.sum()) / min(moved.shape) or 1.0
    errors, shrunk = [], []
    for ridge in _RIDGES * size:
        keep = squares / (squares + ridge)
        fitted = total - ((2.0 - keep) * rotated**2 / (squares + ridge)).sum(axis=0)
        errors.append(fitted / (1.0 - (1.0 + keep.sum()) / (rows + 1.0)) ** 2)
        shrunk.append(rotated / (squares + ridge))
    best = np.argmin(errors, axis=0)
    chosen = np.column_stack([shrunk[b][:, i] for i, b in enumerate(best)])
    found = (at - centre) @ (vectors @ chosen) + mean
    return np.asarray(np.clip(found, wanted.min(axis=0), wanted.max(axis=0)))  # waves go far out


def _summed(parts: Matrix, unit: Matrix) -> Matrix:
    """Sums over the rows of each unit."""
    _, place = np.unique(unit, return_inverse=True)
    if int(place.max()) + 1 == len(parts):
        return parts
    return np.column_stack([np.bincount(place, weights=column) for column in parts.T])


def _largest(parts: Matrix, rng: np.random.Generator) -> Conditional:
    """The largest standardised mean over the columns, against normal ones as correlated."""
    parts = parts[:, parts.std(axis=0) > 1e-12]
    if parts.shape[1] == 0:
        return Conditional(0.0, 1.0)
    scores = np.abs(parts.mean(axis=0)) / parts.std(axis=0) * np.sqrt(len(parts))
    values, vectors = np.linalg.eigh(np.atleast_2d(np.corrcoef(parts.T)))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = np.abs(rng.normal(size=(_DRAWS, len(values))) @ root.T).max(axis=1)
    reached = int(np.count_nonzero(drawn >= scores.max()))
    return Conditional(float(scores.max()), (1.0 + reached) / (1.0 + _DRAWS))


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
