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
from typing import Any

import numpy as np

from samelaw.data.kinds import Column, Kind
from samelaw.data.pair import TablePair
from samelaw.data.raw_column import Vector

TAME = 0.73
"""Makes the tamed values of a Gaussian column differ by 2/3 on average, as its ranks do."""

FARTHEST = 1e6
"""Scales from the median beyond which values no longer count as farther away."""

MOST_CODES = 32
SINGLE_ABOVE = 100_000  # rows from which coordinates are kept in single precision

NORMAL_IQR = 1.349
DAY = 86400.0
WEEK = 7
FULL_DAYS, FULL_WEEKS = 2, 2  # cycles a column must span before the cycle is worth comparing

Named = list[tuple[str, Vector]]
Rows = Vector | slice


@dataclass(frozen=True)
class Owner:
    """A column, or the absence of its values, with the coordinates that belong to it.

    Parameters
    ----------
    column : name of the column.
    missing : whether this is about its missing values.
    features, codes : column numbers in `Prepared.features` and `Prepared.codes`.
    """

    column: str
    kind: Kind
    missing: bool = False
    features: tuple[int, ...] = ()
    codes: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.column} (missing)" if self.missing else self.column


@dataclass(frozen=True, eq=False)
class Prepared:
    """Coordinates of all rows, those of A first; see the top of this file for δ_j.

    Parameters
    ----------
    features : array (n + m, k), float64
    feature_names, feature_owner : of each feature, the name and the number of its owner.
    codes : array (n + m, c), int64
    code_names, code_owner : the same for codes.
    owners : tuple of Owner
        What δ_j is summed over.
    sizes : (n, m)
    """

    features: Vector = field(repr=False)
    feature_names: tuple[str, ...]
    feature_owner: Vector
    codes: Vector = field(repr=False)
    code_names: tuple[str, ...]
    code_owner: Vector
    owners: tuple[Owner, ...]
    sizes: tuple[int, int]

    def dissimilarity(self, rows: Rows, others: Rows, owner: int | None = None) -> Vector:
        """Σ_j δ_j between two sets of rows, or δ_j of one owner: (r, s).

        The meaning of the coordinates in code; for blocks of rows, not for all of them at once.
        """
        chosen = self.owners if owner is None else (self.owners[owner],)
        total: Any = 0.0
        for one in chosen:
            for f in one.features:
                total = total + np.abs(self.features[rows, f][:, None] - self.features[others, f])
            for c in one.codes:
                total = total + (self.codes[rows, c][:, None] != self.codes[others, c])
        return np.asarray(total)

    def coordinates(self, owners: Sequence[int] | None = None) -> Vector:
        """Rows as points (n + m, k) whose city-block distance is Σ_j δ_j over the owners.

        A code becomes indicators of ½. Beyond the MOST_CODES most frequent ones, codes share the
        last indicator: rare categories then differ from the others, not from each other.
        """
        chosen = range(len(self.owners)) if owners is None else owners
        dtype = np.float32 if len(self.features) > SINGLE_ABOVE else np.float64
        points: Vector = np.empty((len(self.features), sum(map(self.width, chosen))), dtype)
        start = 0
        for owner in chosen:
            for f in self.owners[owner].features:
                points[:, start] = self.features[:, f]
                start += 1
            for c in self.owners[owner].codes:
                start += _write_half_indicators(self.codes[:, c], points[:, start:])
        return points

    def width(self, owner: int) -> int:
        """How many coordinates an owner has."""
        one = self.owners[owner]
        return len(one.features) + sum(_code_width(self.codes[:, c]) for c in one.codes)


def _code_width(codes: Vector) -> int:
    return min(int((np.bincount(codes) > 0).sum()), MOST_CODES)


def _write_half_indicators(codes: Vector, points: Vector) -> int:
    """Write the indicators into the first columns of ``points``; how many they are."""
    counts = np.bincount(codes)
    place = np.empty(len(counts), dtype=np.int64)
    place[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    width = _code_width(codes)
    points[:, :width] = 0.0
    points[np.arange(len(codes)), np.minimum(place[codes], width - 1)] = 0.5
    return width


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
    >>> from samelaw.data.pair import pair_tables
    >>> from samelaw.data.read import read_table
    >>> a = read_table({"size": [1.0, 2.5, None], "colour": ["red", "blue", "red"]})
    >>> prepared = prepare(pair_tables(a, a))
    >>> [owner.name for owner in prepared.owners]
    ['size', 'size (missing)', 'colour']
    >>> prepared.features.shape, prepared.codes.shape
    ((6, 2), (6, 1))
    """
    features: Named = []
    codes: Named = []
    owners: list[Owner] = []
    for column in pair.columns:
        for missing, numbers, words in _aspects(column):
            own_features = range(len(features), len(features) + len(numbers))
            own_codes = range(len(codes), len(codes) + len(words))
            features += numbers
            codes += words
            owners.append(
                Owner(column.name, column.kind, missing, tuple(own_features), tuple(own_codes))
            )
    rows = sum(pair.sizes)
    return Prepared(
        features=_side_by_side(features, rows, np.float64),
        feature_names=tuple(name for name, _ in features),
        feature_owner=_owner_of([owner.features for owner in owners]),
        codes=_side_by_side(codes, rows, np.int64),
        code_names=tuple(name for name, _ in codes),
        code_owner=_owner_of([owner.codes for owner in owners]),
        owners=tuple(owners),
        sizes=pair.sizes,
    )


def _side_by_side(named: Named, rows: int, dtype: type) -> Vector:
    matrix: Vector = np.empty((rows, len(named)), dtype=dtype)
    for i, (_, values) in enumerate(named):
        matrix[:, i] = values
    return matrix


def _owner_of(members: Sequence[tuple[int, ...]]) -> Vector:
    return np.repeat(np.arange(len(members)), [len(member) for member in members])


def _aspects(column: Column) -> list[tuple[bool, Named, Named]]:
    """Whether it is about missing values, features, codes: once or twice per column."""
    found: list[tuple[bool, Named, Named]] = []
    match column.kind:
        case Kind.NUMERIC | Kind.INTEGER:
            found.append((False, [(column.name, monotone(column.values))], []))
        case Kind.DATETIME:
            found.append((False, _times(column), []))
        case Kind.BOOLEAN:
            filled = np.where(column.missing, np.nanmedian(column.values), column.values)
            found.append((False, [(column.name, filled)], []))
        case Kind.CATEGORICAL:
            most = np.bincount(column.values[~column.missing]).argmax()
            found.append(
                (False, [], [(column.name, np.where(column.missing, most, column.values))])
            )
    if bool(column.missing.any()):
        absent = column.missing.astype(np.float64)
        found.append((True, [(f"{column.name} (missing)", absent)], []))
    return found


def monotone(values: Vector) -> Vector:
    """Numbers (N,) with NaN for missing, as z = (u + w)/2; missing ones at the median, 0.

    Examples
    --------
    >>> monotone(np.array([1.0, 2.0, 3.0, np.inf, np.nan])).round(2)
    array([-0.81, -0.3 ,  0.3 ,  5.67,  0.  ])
    """
    known = ~np.isnan(values)
    some = values if bool(known.all()) else values[known]
    order = np.argsort(some)
    ordered = some[order]
    placed = np.empty(len(some))
    placed[order] = 0.5 * (_mid_ranks(ordered) + TAME * np.arcsinh(_standard(ordered)))
    if len(some) == len(values):
        return placed
    result = np.zeros(len(values))
    result[known] = placed
    return result


def ranks(values: Vector) -> Vector:
    """Mid-ranks (N,) in (0, 1) of the known numbers among themselves; NaN stays NaN.

    Examples
    --------
    >>> ranks(np.array([3.0, 1.0, np.nan, 1.0]))
    array([0.83333333, 0.33333333,        nan, 0.33333333])
    """
    known = ~np.isnan(values)
    some = values if bool(known.all()) else values[known]
    order = np.argsort(some)
    result = np.full(len(values), np.nan)
    places = order if len(some) == len(values) else np.flatnonzero(known)[order]
    result[places] = 0.5 * (_mid_ranks(some[order]) + 1.0)
    return result


def _mid_ranks(ordered: Vector) -> Vector:
    """Ranks of sorted values in (−1, 1), equal ones sharing their mean rank."""
    size = len(ordered)
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    last = np.append(first[1:], size)
    return np.repeat((first + last) / size - 1.0, last - first)


def _standard(ordered: Vector) -> Vector:
    """Sorted values, less their median, in units of their spread; never farther than FARTHEST."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centre = _quantile(ordered, 0.5)
        scaled = (ordered - centre) / _spread(ordered)
    return np.clip(np.nan_to_num(scaled, nan=0.0), -FARTHEST, FARTHEST)


def _spread(ordered: Vector) -> float:
    """IQR on the scale of a normal law; wider ranges while it is 0 (mostly one value)."""
    for tail, normal in ((0.25, NORMAL_IQR), (0.05, 3.29), (0.01, 4.653), (0.0, 1.0)):
        width = _quantile(ordered, 1.0 - tail) - _quantile(ordered, tail)
        if 0 < width < np.inf:
            return float(width / normal)
    return 1.0


def _quantile(ordered: Vector, level: float) -> float:
    """Mean of the two values around a level: symmetric, and no sort as the values are sorted."""
    place = level * (len(ordered) - 1)
    low, high = float(ordered[int(np.floor(place))]), float(ordered[int(np.ceil(place))])
    return low if low == high else 0.5 * low + 0.5 * high


def _times(column: Column) -> Named:
    """The moment, and the cycles it spans, in equal shares."""
    known = column.values[~column.missing]
    days = float(known.max() - known.min()) / DAY
    parts: list[Named] = [[(column.name, monotone(column.values))]]
    clock = np.mod(column.values, DAY) / DAY
    if days >= FULL_DAYS and bool(np.any(clock[~column.missing] != clock[~column.missing][0])):
        parts.append(_circle(f"{column.name} (time of day)", clock))
    if days >= FULL_WEEKS * WEEK:
        weekday = np.mod(np.floor(column.values / DAY) + 3, WEEK)  # 1970-01-01 was a Thursday
        parts.append(_circle(f"{column.name} (weekday)", weekday / WEEK))
    return [(name, values / len(parts)) for part in parts for name, values in part]


def _circle(name: str, phase: Vector) -> Named:
    """A phase in [0, 1) as a point on a circle; two random points differ by about 2/3."""
    angle = 2.0 * np.pi * phase
    radius = 0.41
    return [
        (f"{name}, {part}", np.nan_to_num(radius * turn(angle), nan=0.0))
        for part, turn in (("cos", np.cos), ("sin", np.sin))
    ]
