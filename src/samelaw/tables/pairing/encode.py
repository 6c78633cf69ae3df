"""Columns as coordinates in which rows can be compared: one dissimilarity per column.

Every column j becomes coordinates such that

    δ_j(i, i') = Σ_f |z_if − z_i'f| + Σ_c 1[code_ic ≠ code_i'c]

over its own features f and codes c. Rows differ by Σ_j δ_j, so a column of any kind counts about
as much as any other: two rows drawn at random differ by about 2/3 in a numeric column.

- numbers, counts and dates: z = (u + w)/2 with u the mid-rank in the pool, mapped to (−1, 1), and
  w = TAME · asinh((x − median)/scale), the value itself with its tails tamed. Both grow with x, so
  |z − z'| is the mean of the two dissimilarities: ranks see any monotone picture of the bulk, the
  value sees how far a tail has moved.
- dates further get the time of day and the day of the week, as points on circles, when the pool
  spans them.
- booleans: 0 and 1. Categories: codes.
- missing values: a column of its own, 0 or 1. In the column itself they sit at the pooled median
  (the most frequent category), so that an absence does not speak twice.

Only the pool is looked at, never which table a row belongs to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.categories import MOST_CODES, few_classes
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.cycles import cycles, on_circle
from samelaw.tables.columns.scales import monotone
from samelaw.tables.columns.views import ColumnView, column_views
from samelaw.tables.pairing.pair import TablePair

SINGLE_ABOVE = 100_000  # rows from which coordinates are kept in single precision

Rows = Matrix | slice


@dataclass(frozen=True)
class EncodedView:
    """The coordinates that belong to a column view: a column, or the absence of its values.

    Parameters
    ----------
    name, column : of the view, and of its column.
    missing : whether this is about missing values.
    features, codes : column numbers in `Prepared.features` and `Prepared.codes`.
    """

    name: str
    column: str
    missing: bool = False
    features: tuple[int, ...] = ()
    codes: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Prepared:
    """Coordinates of all rows, those of A first; see the top of this file for δ_j.

    Parameters
    ----------
    features : array (n + m, k), float64
    codes : array (n + m, c), int64
    views : tuple of EncodedView
        What δ_j is summed over.
    sizes : (n, m)
    """

    features: Matrix = field(repr=False)
    codes: Matrix = field(repr=False)
    views: tuple[EncodedView, ...]
    sizes: tuple[int, int]

    def dissimilarity(self, rows: Rows, others: Rows, view: int | None = None) -> Matrix:
        """Σ_j δ_j between two sets of rows, or δ_j of one view: (r, s).

        The meaning of the coordinates in code; for blocks of rows, not for all of them at once.
        """
        chosen = self.views if view is None else (self.views[view],)
        total: Matrix = np.zeros(())
        for one in chosen:
            for f in one.features:
                total = total + np.abs(self.features[rows, f][:, None] - self.features[others, f])
            for c in one.codes:
                total = total + (self.codes[rows, c][:, None] != self.codes[others, c])
        return np.asarray(total)

    def coordinates(self, views: Sequence[int] | None = None) -> Matrix:
        """Rows as points (n + m, k) whose city-block distance is Σ_j δ_j over the views.

        A code becomes indicators of ½, MOST_CODES at most: of more codes the rarer ones are dealt
        to half of them, so that most of those differ from each other too.
        """
        chosen = range(len(self.views)) if views is None else views
        dtype = np.float32 if len(self.features) > SINGLE_ABOVE else np.float64
        points: Matrix = np.empty((len(self.features), sum(map(self.width, chosen))), dtype)
        start = 0
        for view in chosen:
            for f in self.views[view].features:
                points[:, start] = self.features[:, f]
                start += 1
            for c in self.views[view].codes:
                start += _write_half_indicators(self.codes[:, c], points[:, start:])
        return points

    def width(self, view: int) -> int:
        """How many coordinates a view has."""
        one = self.views[view]
        return len(one.features) + sum(_code_width(self.codes[:, c]) for c in one.codes)


def _code_count(codes: Matrix) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _code_width(codes: Matrix) -> int:
    return min(_code_count(codes), MOST_CODES)


def _write_half_indicators(codes: Matrix, points: Matrix) -> int:
    """Write the indicators into the first columns of ``points``; how many they are."""
    width = _code_width(codes)
    points[:, :width] = 0.0
    points[np.arange(len(codes)), few_classes(codes, *shared_codes(_code_count(codes)))] = 0.5
    return width


def shared_codes(count: int) -> tuple[int, int]:
    """Of so many codes, those with an indicator of their own, and indicators of all others."""
    return (count, 1) if count <= MOST_CODES else (MOST_CODES // 2, MOST_CODES // 2)


def prepare(pair: TablePair) -> Prepared:
    """The coordinates of every row of a pair of tables.

    Parameters
    ----------
    pair : TablePair

    Returns
    -------
    Prepared

    Notes
    -----
    O(N log N) per column for N = n + m rows; one float64 per row and feature.

    Examples
    --------
    >>> from samelaw.tables.pairing.pair import pair_tables
    >>> from samelaw.tables.reading.read import read_table
    >>> a = read_table({"size": [1.0, 2.5, None], "colour": ["red", "blue", "red"]})
    >>> prepared = prepare(pair_tables(a, a))
    >>> [view.name for view in prepared.views]
    ['size', 'size (missing)', 'colour']
    >>> prepared.features.shape, prepared.codes.shape
    ((6, 2), (6, 1))
    """
    features: list[Matrix] = []
    codes: list[Matrix] = []
    views: list[EncodedView] = []
    found = column_views(pair.columns)
    for view in [view for view in found if not view.alone] or found:
        numbers, words = _encode(view)
        places = [
            tuple(range(len(found), len(found) + len(own)))
            for found, own in ((features, numbers), (codes, words))
        ]
        features += numbers
        codes += words
        views.append(EncodedView(view.name, view.column.name, view.missing, *places))
    rows = sum(pair.sizes)
    return Prepared(
        features=_side_by_side(features, rows, np.float64),
        codes=_side_by_side(codes, rows, np.int64),
        views=tuple(views),
        sizes=pair.sizes,
    )


def _side_by_side(columns: Sequence[Matrix], rows: int, dtype: type) -> Matrix:
    matrix: Matrix = np.empty((rows, len(columns)), dtype=dtype)
    for i, values in enumerate(columns):
        matrix[:, i] = values
    return matrix


def _encode(view: ColumnView) -> tuple[list[Matrix], list[Matrix]]:
    """Features and codes of a view; a missing value sits at the median or the commonest one."""
    column = view.column
    if view.missing:
        return [column.missing.astype(np.float64)], []
    match column.kind:
        case Kind.DATETIME:
            return _times(column), []
        case Kind.BOOLEAN:
            filled = np.where(column.missing, np.nanmedian(column.values), column.values)
            return [filled], []
        case Kind.CATEGORICAL:
            most = np.bincount(column.values[~column.missing]).argmax()
            return [], [np.where(column.missing, most, column.values)]
    return [monotone(column.values)], []


def _times(column: Column) -> list[Matrix]:
    """The moment, and the cycles it spans, in equal shares."""
    circles = [on_circle(phase) for _, phase in cycles(column.values)]
    places = [monotone(column.values), *(place for points in circles for place in points.T)]
    return [place / (1 + len(circles)) for place in places]
