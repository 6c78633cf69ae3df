"""Columns as coordinates by rules frozen on some rows, for rows that are yet to come.

`encode` looks at all rows of two tables; here the rules are found on the rows of one table and then
stay as they are, so that what a row becomes never depends on the rows beside it.

- numbers and counts: normal scores, Φ⁻¹ of the mid-rank among the frozen rows, straight between
  them and one unit farther beyond their ends; a missing value is 0, the median.
- booleans: 0 and 1. Categories: an indicator each, the MOST_CODES most frequent ones.
- missing values: an indicator, where some were missing when the rules were frozen.
- dates, text, identifiers: their missing values alone. Dates move on in every stream.

Beside the coordinates every column says which of its values are *new*: of a sort that the frozen
rows did not have. A missing value where there was none, an unseen category, a word among numbers,
another value in a constant column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from samelaw.core.tolerances import LARGEST
from samelaw.core.types import Matrix
from samelaw.results.words import are_years, clock, number
from samelaw.tables.categories import MOST_CODES
from samelaw.tables.columns.column import PRESENT, Column, Kind
from samelaw.tables.columns.kinds import as_kinds
from samelaw.tables.columns.names import check_names
from samelaw.tables.columns.raw_column import Floats, Form, Mask, RawColumn
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import RawWords
from samelaw.tables.columns.scales import spread
from samelaw.tables.table import Table

MOST_KNOTS = 512
FEW_VALUES = 5  # fewer distinct numbers have no tails: powers of them say nothing new
BEYOND = (1.0, 1.0)  # spreads beyond the last knot at which scores end, and by how much they grow

OTHER = "(another value)"
"""A value that is not among those that were frozen."""

_NUMBERS = (Kind.NUMERIC, Kind.INTEGER)


@dataclass(frozen=True)
class Coordinate:
    """One number per row: of which column, and what it says.

    Parameters
    ----------
    column : str
    category : str, optional
        It is 1 where the column has this value.
    missing : bool
        It is 1 where the column has no value.
    curved : bool
        Whether its powers say more than itself.
    """

    column: str
    category: str | None = None
    missing: bool = False
    curved: bool = False


@dataclass(frozen=True, eq=False)
class FrozenColumn:
    """The rules of one column.

    Parameters
    ----------
    name, kind : of the column.
    knots, scores : arrays (q,)
        Numbers in increasing order and their normal scores; the one number of a constant.
    words : tuple of str
        Categories, the most frequent first; the one word of a constant.
    gaps : bool
        Whether values were missing.
    of_day : bool
        Whether the numbers are times of day, in hours.
    """

    name: str
    kind: Kind
    knots: Floats = field(repr=False)
    scores: Floats = field(repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    gaps: bool = False
    of_day: bool = False

    @property
    def coordinates(self) -> list[Coordinate]:
        found = [Coordinate(self.name, word) for word in self._shown_words]
        if self.kind in (*_NUMBERS, Kind.BOOLEAN):
            found.append(Coordinate(self.name, curved=len(self.knots) > FEW_VALUES))
        if self._gaps_speak:
            found.append(Coordinate(self.name, missing=True))
        return found

    @property
    def _shown_words(self) -> tuple[str, ...]:
        """Categories with an indicator: one is enough for two."""
        most = 1 if len(self.words) == 2 else MOST_CODES
        return self.words[:most] if self.kind is Kind.CATEGORICAL else ()

    @property
    def _gaps_speak(self) -> bool:
        return self.gaps and self.kind is not Kind.EMPTY

    def show(self, value: float) -> str:
        """One of its numbers in words."""
        if self.of_day:
            return clock(value)
        whole = self.kind in (Kind.INTEGER, Kind.CONSTANT)
        years = whole and are_years(self.name, float(self.knots[0]), float(self.knots[-1]))
        return number(value, calendar=years)

    def encode(self, raw: RawColumn) -> tuple[list[Matrix], Mask]:
        """Coordinates (n,) in their order, and which values (n,) are new."""
        new: Mask = np.zeros(len(raw.missing), dtype=bool) if self.gaps else raw.missing.copy()
        found: list[Matrix] = []
        if self.kind is Kind.EMPTY:
            new = ~raw.missing
        elif self.kind is Kind.CONSTANT:
            new |= self._differs(raw)
        elif self.kind is Kind.CATEGORICAL:
            places = self._places(raw)
            new |= (places == len(self.words)) & ~raw.missing
            found = [(places == i).astype(np.float64) for i in range(len(self._shown_words))]
        elif self.kind in (*_NUMBERS, Kind.BOOLEAN):
            values = self._numbers(raw)
            unread = np.isnan(values)
            new |= unread & ~raw.missing
            found = [np.where(unread, self._centre, np.interp(values, self.knots, self.scores))]
        if self._gaps_speak:
            found.append(raw.missing.astype(np.float64))
        return found, new

    def keep(self, raw: RawColumn) -> Floats:
        """One number per row (n,) that `restored` turns into a value; NaN where there is none.

        Normal scores of numbers, places of words among ours; of dates, text and identifiers only
        that there was a value.
        """
        found: Floats = np.zeros(len(raw.missing))
        if self.kind is Kind.CATEGORICAL:
            found = self._places(raw).astype(np.float64)
        elif self.kind in (*_NUMBERS, Kind.BOOLEAN):
            found = np.interp(self._numbers(raw), self.knots, self.scores)
        elif self.kind is Kind.CONSTANT:
            found = self._differs(raw).astype(np.float64)
        return np.where(raw.missing, np.nan, found).astype(np.float32)

    def beyond(self, raw: RawColumn) -> Floats:
        """The numbers (k,) that lie beyond the ends, to which they are drawn in."""
        if self.kind not in _NUMBERS:
            return np.zeros(0)
        values = self._numbers(raw)
        return np.asarray(values[(values < self.knots[0]) | (values > self.knots[-1])])

    def restored(self, kept: Floats) -> RawColumn:
        """What was kept as a column; values between two knots are nearly what they were."""
        missing = np.isnan(kept)
        if self.kind in _NUMBERS:
            scores = self.scores.astype(kept.dtype)
            values = np.interp(kept, scores, self.knots)
            at = np.minimum(np.searchsorted(scores, kept), len(scores) - 1)
            values = np.where(scores[at] == kept, self.knots[at], values)
            whole = self.kind is Kind.INTEGER
            return RawNumbers(np.rint(values) if whole else values, missing)
        if self.kind is Kind.BOOLEAN:
            return RawNumbers(np.where(missing, 0.0, kept) > 0.5, missing)
        codes = np.where(missing, -1.0, kept).astype(np.int64)
        return RawWords(codes, self._labels)

    @property
    def _labels(self) -> tuple[str, ...]:
        if self.kind is Kind.CATEGORICAL:
            return (*self.words, OTHER)
        if self.kind is Kind.CONSTANT:
            return (self.words[0] if self.words else f"{self.knots[0]:g}", OTHER)
        return (PRESENT,)

    @property
    def _centre(self) -> float:
        return 0.5 if self.kind is Kind.BOOLEAN else 0.0

    def _numbers(self, raw: RawColumn) -> Floats:
        # A count that has become a fraction is a number still.
        form = Form.BOOLEAN if self.kind is Kind.BOOLEAN else Form.NUMBER
        return np.clip(raw.numbers(form), -LARGEST, LARGEST)

    def _places(self, raw: RawColumn) -> Matrix:
        """Where each word is among ours; their number if it is not, or missing."""
        codes, labels = raw.words()
        place = {word: i for i, word in enumerate(self.words)}
        found = [place.get(label, len(place)) for label in labels]
        return np.asarray([*found, len(place)], dtype=np.int64)[codes]  # code −1 finds the last

    def _differs(self, raw: RawColumn) -> Mask:
        if len(self.knots):
            return np.asarray((self._numbers(raw) != self.knots[0]) & ~raw.missing)
        return np.asarray((self._places(raw) > 0) & ~raw.missing)


@dataclass(frozen=True, eq=False)
class FrozenTable:
    """The rules of all columns of a table.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> rules = freeze(read_table({"size": [1.0, 2.0, 3.0], "colour": ["red", "blue", "red"]}))
    >>> points, new = rules.encode(read_table({"size": [2, None], "colour": ["red", "green"]}))
    >>> points
    array([[0., 1.],
           [0., 0.]])
    >>> new
    array([[False, False],
           [ True,  True]])
    """

    columns: tuple[FrozenColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(found for column in self.columns for found in column.coordinates)

    def encode(self, table: Table) -> tuple[Matrix, Mask]:
        """Points (n, k) and which values (n, columns) are new; other columns are not looked at."""
        check_names(self.names, tuple(table.raw), table.source)
        points: Matrix = np.empty((table.rows, len(self.coordinates)))
        new: Mask = np.empty((table.rows, len(self.columns)), dtype=bool)
        start = 0
        for i, column in enumerate(self.columns):
            found, new[:, i] = column.encode(table.raw[column.name])
            for values in found:
                points[:, start] = values
                start += 1
        return points, new

    def state(self) -> tuple[list[dict[str, Any]], dict[str, Matrix]]:
        """All of it as plain values and arrays; `from_state` is the way back."""
        plain = [
            {
                "name": c.name,
                "kind": str(c.kind),
                "words": list(c.words),
                "gaps": c.gaps,
                "of_day": c.of_day,
            }
            for c in self.columns
        ]
        arrays: dict[str, Matrix] = {}
        for i, column in enumerate(self.columns):
            arrays |= {f"column{i}.knots": column.knots, f"column{i}.scores": column.scores}
        return plain, arrays

    @classmethod
    def from_state(
        cls, plain: Sequence[Mapping[str, Any]], arrays: Mapping[str, Matrix]
    ) -> "FrozenTable":
        return cls(
            tuple(
                FrozenColumn(
                    one["name"],
                    Kind(one["kind"]),
                    arrays[f"column{i}.knots"],
                    arrays[f"column{i}.scores"],
                    tuple(one["words"]),
                    one["gaps"],
                    one.get("of_day", False),  # not in references of old
                )
                for i, one in enumerate(plain)
            )
        )


def freeze(table: Table, kinds: Mapping[str, Kind | str] | None = None) -> FrozenTable:
    """Find the rules of every column on the rows of a table.

    Parameters
    ----------
    table : Table
    kinds : {name: kind}, optional
        Kinds that should not be found by looking.

    Returns
    -------
    FrozenTable
    """
    chosen = as_kinds(kinds)
    check_names(tuple(chosen), table.names, table.source)
    raw = table.raw
    return FrozenTable(tuple(_freeze(table.column(n, chosen.get(n)), raw[n]) for n in raw))


def _freeze(column: Column, raw: RawColumn) -> FrozenColumn:
    none: Floats = np.empty(0)
    gaps = bool(column.missing.any())
    match column.kind:
        case Kind.BOOLEAN:
            ends = np.array([0.0, 1.0])
            return FrozenColumn(column.name, column.kind, ends, ends, gaps=gaps)
        case Kind.CATEGORICAL:
            counts = np.bincount(column.values[~column.missing], minlength=len(column.categories))
            words = tuple(column.categories[i] for i in np.argsort(-counts, kind="stable"))
            return FrozenColumn(column.name, column.kind, none, none, words, gaps)
        case Kind.CONSTANT if Form.NUMBER in raw.forms:
            value = raw.numbers(Form.NUMBER)[~raw.missing][:1]
            return FrozenColumn(column.name, column.kind, value, np.zeros(1), gaps=gaps)
        case Kind.CONSTANT:
            return FrozenColumn(column.name, column.kind, none, none, column.categories, gaps)
        case Kind.NUMERIC | Kind.INTEGER:
            knots, scores = normal_scores(column.values[~column.missing])
            return FrozenColumn(
                column.name, column.kind, knots, scores, gaps=gaps, of_day=column.of_day
            )
    return FrozenColumn(column.name, column.kind, none, none, gaps=gaps)


def normal_scores(values: Floats) -> tuple[Floats, Floats]:
    """Knots (q,) in increasing order and their normal scores (q,); straight lines between them.

    Examples
    --------
    >>> knots, scores = normal_scores(np.array([1.0, 2.0, 2.0, 3.0]))
    >>> scores.round(2)
    array([-2.15, -1.15,  0.  ,  1.15,  2.15])
    """
    from scipy.special import ndtri

    ordered = np.sort(np.clip(values, -LARGEST, LARGEST))
    distinct, counts = np.unique(ordered, return_counts=True)
    scores = ndtri((np.cumsum(counts) - 0.5 * counts) / len(ordered))
    kept = np.unique(np.linspace(0, len(distinct) - 1, MOST_KNOTS).round().astype(np.int64))
    apart, farther = BEYOND[0] * spread(ordered), BEYOND[1]
    knots = distinct[kept]
    return (
        np.concatenate([[knots[0] - apart], knots, [knots[-1] + apart]]),
        np.concatenate([[scores[0] - farther], scores[kept], [scores[-1] + farther]]),
    )
