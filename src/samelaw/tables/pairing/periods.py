"""Columns that only say when a row came: dates and keys that tell two tables apart completely.

Every date of July's extract lies after every date of January's, and every order number above every
earlier one. Compared as data they say "nearly all rows would have to change" every day, and drown
what else changed. Such a column is told in one line and set aside.

That a column separates the tables is a fact about the labels, which nothing outside the permuted
statistic may look at. The level holds all the same:

- If the rows are exchangeable with the column in them, two of the C(n + m, n) ways to label them
  separate the tables: the n lowest values are A's, or the n highest. A column is only set aside
  where that chance is below NO_CHANCE, which is all that it can add to the level.
- If they are not, as months differ in every extract, the column is set aside in every draw. The
  rest is then tested as if the column had never been there: exact if the other columns are
  exchangeable, as permutations of the rows do not look at the column.

Of groups (``groups=``) fewer labels are possible: at least 2^g with g groups in each table.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from samelaw.results.shell import shell_line
from samelaw.results.words import moment
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.identifiers import numbers_rows
from samelaw.tables.columns.kinds import FEW_ROWS, find_kind, pool_words
from samelaw.tables.columns.raw_column import Codes, Floats, Form
from samelaw.tables.table import Table, row_numbers

NO_CHANCE = 1e-9
"""Chance of a separation among exchangeable rows, below which it is none."""

_CALENDAR = {
    "year": (1000, 2999),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (0, 53),
    "day": (1, 366),
    "date": (10000101, 29991231),
}
"""Names of whole numbers that are parts of dates, and their ends."""


@dataclass(frozen=True, eq=False)
class Periods:
    """Two tables of which columns are asked whether they cover different periods.

    Parameters
    ----------
    sizes : (n, m)
        Rows of A and of B.
    whole : (int, int)
        Rows of the tables that these were drawn from.
    groups : array (n + m,), optional
        The group of each row, if rows are permuted by groups.
    """

    sizes: tuple[int, int]
    whole: tuple[int, int]
    groups: Codes | None = field(default=None, repr=False)

    @classmethod
    def of(cls, tables: tuple[Table, Table], groups: str | None = None) -> "Periods":
        """Of two tables, and the name of the column of groups, if there are any."""
        a, b = tables
        codes = None
        if groups is not None and all(groups in table.raw for table in tables):
            codes = pool_words([table.raw[groups] for table in tables])[0]
        return cls((a.rows, b.rows), (a.whole or a.rows, b.whole or b.rows), codes)

    def reason(self, column: Column) -> str:
        """Why a column is set aside, in words; empty if it is not."""
        if column.kind not in (Kind.DATETIME, Kind.INTEGER):
            return ""
        known = [np.flatnonzero(~own) for own in np.split(column.missing, [self.sizes[0]])]
        known[1] += self.sizes[0]
        a, b = (column.values[rows] for rows in known)
        if not (_separate(a, b) and self._beyond_chance(*known)):
            return ""
        if column.kind is Kind.DATETIME:
            return _told(column, a, b, moment, "the tables cover different periods")
        if _is_calendar(column.name, a, b):
            return _told(column, a, b, _whole, "the tables cover different periods")
        if all(self._counts_up(side, values) for side, values in enumerate((a, b))):
            return _told(column, a, b, _whole, "it counts up and never repeats, as keys do")
        return ""

    def _beyond_chance(self, a: Codes, b: Codes) -> bool:
        """Whether exchangeable rows with these numbers would never be separated."""
        n, m = len(a), len(b)
        labels = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
        if self.groups is not None:
            labels = math.log(2) * min(len(np.unique(self.groups[rows])) for rows in (a, b))
        return math.log(2) - labels < math.log(NO_CHANCE)

    def _counts_up(self, side: int, values: Floats) -> bool:
        """Whether the values rise or fall with the rows, or number them in any order."""
        rows = len(values) * self.whole[side] / self.sizes[side]
        return _rises_or_falls(values) or numbers_rows(values, rows)


def keys_of(table: Table) -> dict[str, Kind]:
    """Whole numbers that number, rise or fall down all rows of a table that stands for later ones.

    Those will have other ones. That a table alone decides does no harm to the
    level: of k rows in random order all rise or all fall with probability 2/k!.

    Examples
    --------
    >>> from samelaw.tables.reading.read import read_table
    >>> table = read_table({"order": range(7, 307, 3), "size": [4, 9, 2, 7] * 25})
    >>> {name: str(kind) for name, kind in keys_of(table).items()}
    {'order': 'identifier'}
    """
    found = row_numbers((table,), table.raw)
    for name, raw in table.raw.items():
        if Form.INTEGER in raw.forms and find_kind(name, [raw]) is Kind.INTEGER:
            values = raw.numbers(Form.INTEGER)
            known = values[~np.isnan(values)]
            if len(known) >= FEW_ROWS and _rises_or_falls(known):
                found[name] = Kind.IDENTIFIER
    return found


def _rises_or_falls(values: Floats) -> bool:
    steps = np.diff(values)
    return bool((steps > 0).all() or (steps < 0).all())


def _separate(a: Floats, b: Floats) -> bool:
    return min(len(a), len(b)) > 0 and bool(a.max() < b.min() or b.max() < a.min())


def _is_calendar(name: str, *sides: Floats) -> bool:
    ends = _CALENDAR.get(re.sub("[^a-z]", "", name.casefold()))
    return ends is not None and all(ends[0] <= v.min() and v.max() <= ends[1] for v in sides)


def _told(column: Column, a: Floats, b: Floats, show: Callable[[float], str], what: str) -> str:
    option = shell_line(["--kind", f"{column.name}={column.kind}"])
    spans = [_span(show(float(v.min())), show(float(v.max()))) for v in (a, b)]
    return (
        f"{spans[0]} in A, {spans[1]} in B: {what}; {option} "
        f"(kinds={{{column.name!r}: '{column.kind}'}}) compares it"
    )


def _span(first: str, last: str) -> str:
    return first if first == last else f"{first} to {last}"


def _whole(value: float) -> str:
    return f"{value:.0f}"
