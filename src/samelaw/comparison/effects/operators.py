"""Rows of two tables as operators: what the effect of a change is computed from.

The features are a function of the pool, so that no class or bandwidth knows which row is whose.

- one column: indicators of classes by rank (numbers, dates) or of categories, those of text cut
  further by the shares of its characters;
- two columns: indicators of the cells of coarser classes of both, margins and dependence at once;
- all columns together: Fourier features of a Laplace kernel on the summed dissimilarities.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samelaw.comparison.constants import (
    CELL_ENDS,
    CLASS_ENDS,
    FREQUENCIES,
    LEAST_ROWS,
    MOST_CATEGORIES,
    ROWS_OF_CLASS,
)
from samelaw.comparison.effects.effect import divergences
from samelaw.core.types import Matrix
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.features import FourierFeatures, draw_frequencies
from samelaw.kernels.formulas import Laplace
from samelaw.tables.categories import few_classes
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.scales import ranks
from samelaw.tables.columns.views import ColumnView
from samelaw.testing.permuting.units import Units

_CHUNK = 50_000
_MOST_UNITS = 4_000
_ROOM = 4e7  # numbers in the operators of a column
_DIRECTIONS = 3  # of features that rows are split along
_SCREENED = 20_000  # rows of each table that a screen of pairs looks at


@dataclass(frozen=True, eq=False)
class RowOperators:
    """Operators from the rows of both tables.

    Parameters
    ----------
    views : sequence of ColumnView
    pairs : sequence of (int, int)
    units : Units
    points : array (N, k)
        Coordinates of all rows.
    sizes : (int, int)
    """

    views: Sequence[ColumnView]
    pairs: Sequence[tuple[int, int]]
    units: Units
    points: Matrix
    sizes: tuple[int, int]

    def of_view(self, i: int) -> Matrix:
        return class_operators(self.views[i], self.units)

    def of_all(self, rng: np.random.Generator) -> tuple[Matrix, Units, Matrix]:
        units, chosen = self.units.some(_MOST_UNITS, rng)
        return joint_operators(self.points, units, rng), units, chosen

    @cached_property
    def _codes(self) -> dict[int, Matrix]:
        return {i: coarse_codes(self.views[i]) for i in sorted({i for p in self.pairs for i in p})}

    def of_pair(self, k: int) -> Matrix:
        i, j = self.pairs[k]
        return pair_operators(self._codes[i], self._codes[j], self.units)

    def cells(self, k: int) -> Matrix:
        one, other = (self._codes[i] for i in self.pairs[k])
        shape = (2, int(one.max()) + 1, int(other.max()) + 1)
        known = (one >= 0) & (other >= 0)
        second = np.arange(len(one)) >= self.sizes[0]
        places = np.ravel_multi_index((second[known], one[known], other[known]), shape)
        return np.bincount(places, minlength=int(np.prod(shape))).reshape(shape)

    def apart(self) -> Matrix:
        return pair_divergences(self._codes, self.pairs, self.sizes)


def class_operators(view: ColumnView, units: Units) -> Matrix:
    """Counts (U, r) of the classes of a column view per unit.

    Rows without a value are shared out as the pool is: they say nothing of the values.
    """
    return _counts(class_codes(view), units)


def class_codes(view: ColumnView, weights: Matrix | None = None) -> Matrix:
    """Class of each row, −1 where missing; ``weights`` (N,) says how many rows it stands for."""
    if view.missing:
        return view.column.missing.astype(np.int64)
    return _classes(view.column, weights)


def pair_operators(one: Matrix, other: Matrix, units: Units) -> Matrix:
    """Counts (U, r) of the cells of two views per unit, from their `coarse_codes`.

    Rows without a value in one of them are shared out, as in one column.
    """
    known = (one >= 0) & (other >= 0)
    cells = one * (int(other.max()) + 1) + other
    used = np.flatnonzero(np.bincount(cells[known], minlength=1))
    place = np.full(int(cells.max(initial=0)) + 1, -1)
    place[used] = np.arange(len(used))
    return _counts(np.where(known, place[np.maximum(cells, 0)], -1), units)


def pair_divergences(
    codes: Mapping[int, Matrix], pairs: Sequence[tuple[int, int]], sizes: tuple[int, int]
) -> Matrix:
    """About the upper limits (P,) of the effects of pairs: a screen, from some of the rows.

    The plain divergence of the cells, less its mean if the tables are alike.
    """
    n, m = sizes
    rows = [
        np.arange(start, start + size, -(-size // _SCREENED)) for start, size in ((0, n), (n, m))
    ]
    few = {i: [code[part] for part in rows] for i, code in codes.items()}
    looked = (len(rows[0]), len(rows[1]))
    return np.array([excess_divergence(_cell_shares(few[i], few[j]), looked) for i, j in pairs])


def dependence_part(cells: Matrix, ordered: tuple[bool, bool]) -> float:
    """What the dependence of two columns did, of the effect of both together.

    Numbers go to their ranks within their own table, so that nothing they did alone is left. Of
    categories the divergences of their shares are taken off: I(xy; table) − I(x; table) −
    I(y; table), which is 0 where neither table has a dependence.

    Parameters
    ----------
    cells : array (2, K, L)
        Rows of A and of B.
    ordered : (bool, bool)
        Whether the classes of the first and of the second column have an order.
    """
    rows = cells.sum(axis=(1, 2))
    if rows.min() == 0:
        return 0.0
    free = [np.count_nonzero(cells.sum(axis=axes)) - 1 for axes in ((0, 2), (0, 1))]
    shares = cells / rows[:, None, None]
    shares = _by_rank(shares) if ordered[0] else shares
    shares = _by_rank(shares.swapaxes(1, 2)).swapaxes(1, 2) if ordered[1] else shares
    looks = (shares.reshape(2, -1), shares.sum(axis=2), shares.sum(axis=1))
    both, one, other = (float(divergences(look[:1], look[1:])[0]) for look in looks)
    noise = _noise((int(rows[0]), int(rows[1]))) * free[0] * free[1]
    return max(both - one - other - noise, 0.0)


def _by_rank(shares: Matrix) -> Matrix:
    """Shares (2, K, L) of cells, the first classes being those of the ranks within each table."""
    ends = np.array([0.0, *CELL_ENDS, 1.0])
    found = []
    for table in shares:
        own = table.sum(axis=1)
        top = np.cumsum(own)[:, None]
        overlap = np.minimum(top, ends[1:]) - np.maximum(top - own[:, None], ends[:-1])
        parts = np.maximum(overlap, 0.0) / np.where(own > 0.0, own, 1.0)[:, None]
        found.append(parts.T @ table)
    return np.array(found)


def _noise(rows: tuple[int, int]) -> float:
    """The mean divergence per free cell of tables that are alike."""
    return (1.0 / rows[0] + 1.0 / rows[1]) / float(8.0 * np.log(2.0))


def excess_divergence(shares: Matrix, rows: tuple[int, int]) -> float:
    """The plain divergence of cells (2, r), less its mean if the tables are alike."""
    cells = int(np.count_nonzero(shares.sum(axis=0)))
    return float(divergences(shares[:1], shares[1:])[0] - _noise(rows) * cells)


def _cell_shares(one: Sequence[Matrix], other: Sequence[Matrix]) -> Matrix:
    """Shares (2, r) of the cells in both tables, of rows that have both values."""
    width = 1 + max(int(part.max()) for part in other)
    size = width * (1 + max(int(part.max()) for part in one))
    counts = []
    for first, second in zip(one, other, strict=True):
        known = (first >= 0) & (second >= 0)
        counts.append(np.bincount((first * width + second)[known], minlength=size))
    return np.array([count / max(count.sum(), 1) for count in counts])


def coarse_codes(view: ColumnView, weights: Matrix | None = None) -> Matrix:
    """Class of each row in a pair, −1 where missing: few, as cells are their product."""
    column = view.column
    if view.missing:
        return column.missing.astype(np.int64)
    if column.kind is Kind.CATEGORICAL:
        return few_classes(column.values.astype(np.int64), len(CELL_ENDS), 1, weights)
    places = np.searchsorted(CELL_ENDS, np.nan_to_num(ranks(column.values, weights)))
    return np.where(column.missing, -1, places)


def _counts(codes: Matrix, units: Units) -> Matrix:
    """Counts (U, r) of codes per unit; rows without one are shared out as the pool is."""
    count = max(int(codes.max()) + 1, 1)
    unit, known = units.unit, units.unit >= 0
    seen = known & (codes >= 0)
    counts = np.bincount(unit[seen] * count + codes[seen], minlength=units.count * count)
    return shared_out(counts.reshape(units.count, count).astype(np.float64), units)


def shared_out(table: Matrix, units: Units) -> Matrix:
    """Counts (U, r) with the rows that have no code shared out as the pool is."""
    total = float(table.sum())
    if 0 < total < float(units.sizes.sum()):
        absent = units.sizes - table.sum(axis=1)
        table += absent[:, None] * (table.sum(axis=0) / total)
    return table


def _classes(column: Column, weights: Matrix | None = None) -> Matrix:
    """Class of each value, −1 where missing."""
    if column.features is not None and column.features.finer:
        return few_classes(_feature_cells(column, column.features.values), MOST_CATEGORIES - 1, 1)
    if column.kind is Kind.CATEGORICAL:
        return _many_classes(column.values.astype(np.int64), weights)
    places = ranks(column.values, weights)
    codes = np.searchsorted(CLASS_ENDS, np.nan_to_num(places))
    often = None if weights is None else weights[~column.missing]
    sizes = np.bincount(codes[~column.missing], often, minlength=len(CLASS_ENDS) + 1)
    return np.where(column.missing, -1, _merged(sizes)[codes])


def _feature_cells(column: Column, features: Matrix) -> Matrix:
    """Cells of the commonest categories and of the sides of a few fixed directions of features.

    Capitals that are a little oftener in every value leave all categories as they are.
    """
    few = MOST_CATEGORIES >> _DIRECTIONS
    own = few_classes(column.values.astype(np.int64), few - 1, 1)
    spread = np.nanstd(features, axis=0)
    standard = (features - np.nanmean(features, axis=0)) / np.where(spread > 0, spread, np.inf)
    weights = np.random.default_rng(0).normal(size=(_DIRECTIONS, features.shape[1]))
    for direction in weights:
        places = (standard * direction).sum(axis=1)
        own = 2 * own + (places > np.nanmedian(places))
    return np.where(column.missing, -1, own)


def _many_classes(codes: Matrix, weights: Matrix | None) -> Matrix:
    """Classes of categories: as many as there are rows for, in the room there is."""
    rows = len(codes) if weights is None else float(weights.sum())
    most = int(max(min(rows / ROWS_OF_CLASS, _ROOM / len(codes)), MOST_CATEGORIES))
    return few_classes(codes, most - most // 4, most // 4, weights)


def _merged(sizes: Matrix) -> Matrix:
    """New class of each class, so that all have LEAST_ROWS rows of the pool or more.

    Classes that would all become one (a rare "true") stay what they are.
    """
    places, place, rows, rest = [], 0, 0, int(sizes.sum())
    for size in sizes:
        places.append(place)
        rows, rest = rows + int(size), rest - int(size)
        if rows >= LEAST_ROWS and rest >= LEAST_ROWS:
            place, rows = place + 1, 0
    return np.array(places) if place else np.maximum(np.cumsum(sizes > 0) - 1, 0)


def joint_operators(coordinates: Matrix, units: Units, rng: np.random.Generator) -> Matrix:
    """Σ φφᵀ (U, r, r) over the rows of each unit, with Fourier features of all columns."""
    features = effect_features(coordinates, rng)
    total = np.zeros((units.count, features.size, features.size))
    for rows, unit in _unit_chunks(units):
        phi = np.asarray(features(coordinates[rows]))
        starts = np.flatnonzero(np.append(True, unit[1:] != unit[:-1]))
        for low, high in zip(starts, np.append(starts[1:], len(unit)), strict=True):
            total[unit[low]] += phi[low:high].T @ phi[low:high]
    return total


def effect_features(coordinates: Matrix, rng: np.random.Generator) -> FourierFeatures:
    """Fourier features of a Laplace kernel as wide as the rows lie apart."""
    few = coordinates[rng.permutation(len(coordinates))[:2_000]]
    bandwidth = max(median_bandwidth(few, metric="cityblock"), 1e-12)
    width = coordinates.shape[1]
    frequencies = draw_frequencies(Laplace(bandwidth), width, FREQUENCIES, rng=rng)
    return FourierFeatures(frequencies.astype(coordinates.dtype))


def _unit_chunks(units: Units) -> Iterator[tuple[Matrix, Matrix]]:
    """Rows in the order of the units, some at a time, with their units."""
    order = np.argsort(units.unit, kind="stable")[int((units.unit < 0).sum()) :]
    for start in range(0, len(order), _CHUNK):
        rows = order[start : start + _CHUNK]
        yield rows, units.unit[rows]
