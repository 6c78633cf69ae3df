"""Where two tables differ: rows that stand for it, patterns one has more of, and a picture.

All of it looks at the coordinates of the columns that were found changed (of all columns if none
was), so that what is shown is the change and not the rest of the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from samelaw.comparison.columns.shown import shown_value
from samelaw.comparison.constants import NARROW, PRIOR
from samelaw.comparison.examined import Examined
from samelaw.comparison.findings import (
    ColumnFinding,
    Direction,
    PairFinding,
    Picture,
    RowFinding,
)
from samelaw.comparison.plan import Plan
from samelaw.comparison.verdict import changed_columns
from samelaw.core.linalg import city_block_distances
from samelaw.core.types import Matrix
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.features import FourierFeatures, draw_frequencies
from samelaw.kernels.formulas import Laplace
from samelaw.results.words import quoted, shorten
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.scales import median
from samelaw.tables.columns.views import ColumnView


class UnseenValues:
    """What each of two tables has in some columns, to be asked for rows of the other one.

    Of categories it is every one, of numbers and dates their range: single numbers are mostly
    new, and nobody would call 1.25 unseen between 1.2 and 1.3.

    Parameters
    ----------
    columns : sequence of Column
    n : int
        Rows of A, which come first.
    """

    def __init__(self, columns: Sequence[Column], n: int) -> None:
        self.n = n
        self.columns = [column for column in columns if column.compared]
        sides = (slice(n), slice(n, None))
        self.known = [[_values(column, side) for column in self.columns] for side in sides]
        self.holes = [[bool(c.missing[side].any()) for c in self.columns] for side in sides]

    def of(self, row: int) -> tuple[str, ...]:
        """Columns in which the table that a row is not of has nothing like its value."""
        other = 1 if row < self.n else 0
        parts = zip(self.columns, self.known[other], self.holes[other], strict=True)
        return tuple(c.name for c, known, hole in parts if _unseen(c, row, known, hole))


def _values(column: Column, side: slice) -> Matrix:
    """All categories of a side, or the two ends of its numbers; empty if it has no values."""
    values = column.values[side][~column.missing[side]]
    if column.kind is Kind.CATEGORICAL or column.kind is Kind.BOOLEAN or len(values) == 0:
        return np.unique(values)
    return np.array([values.min(), values.max()])


def _unseen(column: Column, row: int, known: Matrix, hole: bool) -> bool:
    if column.missing[row]:
        return not hole
    if column.kind is Kind.CATEGORICAL or column.kind is Kind.BOOLEAN or len(known) == 0:
        return bool(column.values[row] not in known)
    return not known[0] <= column.values[row] <= known[1]


def pattern_words(view: ColumnView, weight: float, rows: Matrix, pattern: Matrix) -> str:
    """How a column view goes with a pattern.

    Parameters
    ----------
    view : ColumnView
    weight : float
        Positive when high values belong to the pattern.
    rows, pattern : arrays (r,)
        Numbers of rows in the pool, and how much of the pattern each of them has.
    """
    column, name = view.column, shorten(view.column.name, 40)
    if view.missing:
        return f"{name} {'missing' if weight > 0 else 'known'}"
    if column.kind is Kind.CATEGORICAL:
        return f"{name} = {quoted(_category(view, rows, pattern), 30)}"
    if column.kind is Kind.BOOLEAN:
        return f"{name} {'true' if weight > 0 else 'false'}"
    return f"{'high' if weight > 0 else 'low'} {name}"


def _category(view: ColumnView, rows: Matrix, pattern: Matrix) -> str:
    """The category that holds most of the pattern beyond its share of the rows."""
    known = ~view.column.missing[rows]
    codes = view.column.values[rows][known].astype(np.int64)
    beyond = pattern[known] - pattern.mean()
    sums = np.bincount(codes, weights=beyond, minlength=len(view.column.categories))
    return view.column.categories[int(np.argmax(sums))]


REFERENCES = 1_000
"""Rows of each table that others are compared with."""

SCORED = 20_000
"""Rows of each table that are scored; larger tables are thinned at random."""

ROWS_KEPT = 20
"""Rows of each table that are shown."""

_CHUNK = 512
_SHOWN = 600
_FREQUENCIES = 32
_MODES = 3
_NAMED = 4


class Located(NamedTuple):
    """What stands for the difference."""

    rows: tuple[RowFinding, ...]
    directions: tuple[Direction, ...]
    picture: Picture


def locate(
    plan: Plan,
    tests: Examined,
    marginals: Sequence[ColumnFinding],
    pairs: Sequence[PairFinding],
) -> Located:
    """Rows, patterns and a picture of the columns that changed, or of all if none did."""
    sizes, prepared, streams = plan.pair.sizes, tests.prepared, plan.streams
    changed = changed_columns(marginals, pairs)
    chosen = [i for i, view in enumerate(prepared.views) if view.column in changed]
    points = prepared.coordinates(chosen) if chosen else tests.points
    seen = witness(points, sizes, streams.witness)
    shown = chosen or range(len(prepared.views))
    view_of = np.repeat(np.arange(len(shown)), [prepared.width(i) for i in shown])
    by_name = {view.name: view for view in tests.columns.views}
    views = [by_name[prepared.views[i].name] for i in shown]
    return Located(
        rows=_rows(seen, plan, changed),
        directions=directions(points, views, view_of, sizes, streams.directions),
        picture=_picture(seen, plan, tests, marginals, pairs),
    )


def _rows(seen: "Witness", plan: Plan, changed: Sequence[str]) -> tuple[RowFinding, ...]:
    """The rows of B most unlike A, then those of A most unlike B."""
    found: list[RowFinding] = []
    moved = [column for column in plan.pair.columns if column.name in changed]
    unseen = UnseenValues(moved, plan.pair.sizes[0])
    for table, sign in (("B", 1.0), ("A", -1.0)):
        own = (seen.rows >= plan.pair.sizes[0]) == (table == "B")
        rows, score = seen.rows[own], sign * seen.score[own]
        for place in np.argsort(-score, kind="stable")[:ROWS_KEPT]:
            row = int(rows[place])
            spelled = {c.name: shown_value(c, row) for c in plan.pair.columns}
            values = plan.pair.row_as_read(row) or spelled
            number, own_score = plan.pair.row_in_table(row), float(score[place])
            found.append(RowFinding(table, number, own_score, values, unseen.of(row)))
    return tuple(found)


def _picture(
    seen: "Witness",
    plan: Plan,
    tests: Examined,
    marginals: Sequence[ColumnFinding],
    pairs: Sequence[PairFinding],
) -> Picture:
    """Two columns that changed, as they are; else the plane of largest variation."""
    rng, sizes = plan.streams.picture, plan.pair.sizes
    columns = {c.name: c for c in plan.pair.columns if c.compared and c.kind in _DRAWABLE}
    axes = _axes(columns, marginals, pairs)
    if axes is None:
        plane = principal_plane(tests.points, rng)
        return picture(seen, ("first direction", "second direction"), plane, sizes, rng)
    plane = np.stack([_filled(columns[name]) for name in axes], axis=1)
    first, second = (columns[name] for name in axes)
    return replace(
        picture(seen, axes, plane, sizes, rng),
        dates=(first.kind is Kind.DATETIME, second.kind is Kind.DATETIME),
        of_day=(first.of_day, second.of_day),
    )


_DRAWABLE = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME)


def _axes(
    columns: Mapping[str, Column],
    marginals: Sequence[ColumnFinding],
    pairs: Sequence[PairFinding],
) -> tuple[str, str] | None:
    """A pair that changed, else two columns of which one did."""
    for found in pairs:
        if found.changed and set(found.columns) <= set(columns):
            return found.columns
    alone = [m.column for m in marginals if m.changed and m.column in columns and not m.missing]
    names = list(dict.fromkeys([*alone, *columns])) if alone else []
    return (names[0], names[1]) if len(names) > 1 else None


def _filled(column: Column) -> Matrix:
    return np.where(column.missing, median(column.values[~column.missing]), column.values)


@dataclass(frozen=True, eq=False)
class Witness:
    """The log ratio of the kernel densities of B and A, leaving the row itself out.

    Parameters
    ----------
    rows : array (k,)
        Numbers of the scored rows in the pool.
    score : array (k,)
        Positive where B has more rows.
    """

    rows: Matrix
    score: Matrix


def witness(points: Matrix, sizes: tuple[int, int], rng: np.random.Generator) -> Witness:
    """Score rows by how much more of B than of A surrounds them.

    O((n + m) · REFERENCES · d), in chunks.
    """
    n, m = sizes
    order = (rng.permutation(n), n + rng.permutation(m))
    references = [some[:REFERENCES] for some in order]
    scored = np.sort(np.concatenate([some[:SCORED] for some in order]))
    bandwidth = NARROW * max(
        median_bandwidth(points[np.concatenate(references)], metric="cityblock"), 1e-12
    )
    density = [_densities(points, scored, some, bandwidth) for some in references]
    floor = PRIOR * float(np.mean(density[0] + density[1]))
    return Witness(scored, np.log((density[1] + floor) / (density[0] + floor)))


def _densities(points: Matrix, rows: Matrix, references: Matrix, bandwidth: float) -> Matrix:
    """Mean of exp(−‖·‖₁/σ) over the references other than the row itself."""
    result = np.empty(len(rows))
    known = points[references]
    for start in range(0, len(rows), _CHUNK):
        chosen = rows[start : start + _CHUNK]
        weights = np.exp(-np.asarray(city_block_distances(points[chosen], known)) / bandwidth)
        itself = chosen[:, None] == references
        weights[itself] = 0.0
        result[start : start + _CHUNK] = weights.sum(axis=1) / (
            len(references) - itself.sum(axis=1)
        )
    return result


def directions(
    points: Matrix,
    views: Sequence[ColumnView],
    view_of: Matrix,
    sizes: tuple[int, int],
    rng: np.random.Generator,
) -> tuple[Direction, ...]:
    """The strongest eigen-modes of C_B − C_A on Fourier features, and the columns they go with.

    A mode ψ is a pattern: the mass ψᵀCψ is how much of it a table holds. Columns are found by the
    correlation of their coordinates with the pattern (ψᵀφ)² over the rows.
    """
    n = sizes[0]
    order = rng.permutation(len(points))
    few = order[: 2 * SCORED]
    first, second = (_of_side(order, side) for side in (order < n, order >= n))
    bandwidth = max(median_bandwidth(points[few[:2_000]], metric="cityblock"), 1e-12)
    frequencies = draw_frequencies(Laplace(bandwidth), points.shape[1], _FREQUENCIES, rng=rng)
    features = FourierFeatures(frequencies.astype(points.dtype))
    phi = [np.asarray(features(points[rows]), dtype=np.float64) for rows in (first, second)]
    means = [side.T @ side / len(side) for side in phi]
    values, vectors = np.linalg.eigh(means[1] - means[0])
    strongest = np.argsort(-np.abs(values))[:_MODES]
    rows = np.concatenate([first, second])
    coordinates = points[rows].astype(np.float64)
    found = []
    for mode in strongest:
        pattern = (np.concatenate(phi) @ vectors[:, mode]) ** 2
        shares = [float(vectors[:, mode] @ mean @ vectors[:, mode]) for mean in means]
        weights = _weights_of(pattern, coordinates, view_of)
        named = sorted(weights, key=lambda i: -abs(weights[i]))[:_NAMED]
        columns = tuple((views[i].name, weights[i]) for i in named)
        words = tuple(pattern_words(views[i], weights[i], rows, pattern) for i in named)
        found.append(Direction(float(values[mode]), shares[0], shares[1], columns, words))
    return tuple(found)


def _of_side(order: Matrix, side: Matrix) -> Matrix:
    """Rows of one table among the first of the pool; further ones if those are hardly any."""
    count = max(int(side[: 2 * SCORED].sum()), REFERENCES)
    return np.sort(order[side][:count])


def _weights_of(pattern: Matrix, coordinates: Matrix, view_of: Matrix) -> dict[int, float]:
    """Of each view, by its number, the strongest correlation of its coordinates with a pattern."""
    centred = coordinates - coordinates.mean(axis=0)
    scale = centred.std(axis=0) * max(float(pattern.std()), 1e-12)
    shared = (
        centred.T @ (pattern - pattern.mean()) / len(pattern) / np.where(scale > 0, scale, np.inf)
    )
    best: dict[int, float] = {}
    for value, view in zip(shared, view_of, strict=True):
        if abs(value) > abs(best.get(int(view), 0.0)):
            best[int(view)] = float(value)
    return best


def picture(
    found: Witness,
    axes: tuple[str, str],
    plane: Matrix,
    sizes: tuple[int, int],
    rng: np.random.Generator,
) -> Picture:
    """Some rows of both tables in the plane, coloured by the witness.

    Parameters
    ----------
    plane : array (n + m, 2)
    """
    n = sizes[0]
    in_a = found.rows < n
    half = _SHOWN // 2
    shown = [rng.permutation(np.flatnonzero(side))[:half] for side in (in_a, ~in_a)]
    index = rng.permutation(np.concatenate(shown))
    rows, score = found.rows[index], np.tanh(0.5 * found.score[index])
    table = tuple("A" if row < n else "B" for row in rows)
    x, y = (tuple(float(v) for v in plane[rows, i]) for i in (0, 1))
    return Picture(axes, x, y, table, tuple(round(float(s), 4) for s in score))


def principal_plane(points: Matrix, rng: np.random.Generator) -> Matrix:
    """The rows on the two directions in which the points vary most."""
    few = points[rng.permutation(len(points))[:SCORED]].astype(np.float64)
    centre = few.mean(axis=0)
    _, _, axes = np.linalg.svd(few - centre, full_matrices=False)
    plane = np.zeros((len(points), 2))
    for start in range(0, len(points), SCORED):
        some = slice(start, start + SCORED)
        for i, axis in enumerate(axes[:2]):
            plane[some, i] = (points[some] - centre) @ axis
    return plane
