"""Rows that occur more than once, within a table and in both.

One row written 200 times moves every column it has a value in, and tables that share rows are no
independent samples: a p-value supposes that they are. Neither is an error of the test; both must be
known. Rows are told apart by all columns that both tables have, also by those not compared.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TypeVar

import numpy as np
from scipy.special import bdtrc, gammaln

from samelaw.core.types import Matrix
from samelaw.results.shell import shell_line
from samelaw.results.words import percent
from samelaw.tables.columns.column import Column
from samelaw.tables.columns.views import column_views
from samelaw.tables.hash64 import mixed
from samelaw.tables.pairing.pair import TablePair
from samelaw.tables.pairing.rewritten import Cause

_TELLING = 0.5  # share of the rows of a table that occur once
Number = TypeVar("Number", int, float)

_MUCH = 0.05  # share of repeats by which tables differ, before it is told in the sentence
_ENTANGLED = 0.1  # share of the rows of a table that the other one has
_BEYOND, _AND_ROWS = 3.5, 1  # standard errors above what chance brings about, and rows
_SURPLUS, _FEWEST = 0.01, 5  # share of a table, and rows, from which one row is worth naming
_NO_CHANCE = 1e-6  # that copies of a row fall into one table
_LINES = (".csv", ".tsv")  # files with names on the first line and a row on each other
_UNIQUE = "--unique (unique=True) compares distinct rows"
_LONGEST = 280  # characters of advice: more is cut where notes are shown


IN_ORDER, SHUFFLED = "in the same order", "in another order"


@dataclass(frozen=True)
class Surplus:
    """A row that one table has far oftener than the other.

    Attributes
    ----------
    table : "A" or "B"
    row : int
        Where it is found there first, counted from 0.
    times : (int, int)
        How often it occurs in A and in B.
    shares : (float, float)
        What it makes up of A and of B.
    """

    table: str
    row: int
    times: tuple[int, int]
    shares: tuple[float, float]

    def cause(self) -> Cause:
        """What it does, in words."""
        own = "AB".index(self.table)
        here, there = self.times[own], self.times[1 - own]
        beside = f" ({percent(self.shares[1 - own])})" if there > 1 else ""
        return Cause(
            f"one row occurs {here:,} times in {self.table} ({percent(self.shares[own])} of its "
            f"rows), {_times(there)} in {'AB'[1 - own]}{beside}",
            f"row {self.row:,} of {self.table} (from 0); --unique (unique=True) counts it once",
        )


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count:,} times")


@dataclass(frozen=True)
class Duplicates:
    """How often rows of two tables are the same in all columns that both have.

    Attributes
    ----------
    repeats : (int, int)
        Rows of A and of B that repeat an earlier one of their table.
    most : (int, int)
        How often the most frequent row of each table occurs.
    most_row : (int, int)
        Where that row is found first, counted from 0.
    shared : (int, int)
        Rows of A that are also in B, and rows of B that are also in A.
    telling : bool
        Whether rows are told apart by their values: in one of the tables at least half of them
        occur once. In a table of three answers everything is a duplicate, and none means anything.
    rows : (int, int)
        Rows of A and of B that were looked at.
    repeats_by_chance : (bool, bool)
        Whether no more rows of A and of B repeat than if both were dealt from their pool.
    shared_by_chance : bool
        Whether no more rows are in both than if they were dealt from their pool.
    surplus : sequence of Surplus
        The row of each table that it has oftenest beyond the other, if chance does not do that.
    same_rows : str
        "in the same order" or "in another order" if both tables have the same rows, each as often;
        else empty.
    """

    repeats: tuple[int, int]
    most: tuple[int, int]
    most_row: tuple[int, int]
    shared: tuple[int, int]
    telling: bool
    rows: tuple[int, int] = (0, 0)
    repeats_by_chance: tuple[bool, bool] = (True, True)
    shared_by_chance: bool = True
    surplus: tuple[Surplus, ...] = ()
    same_rows: str = ""

    @property
    def entangled(self) -> bool:
        """Whether so many rows of one table are in the other that no p-value holds."""
        if self.shared_by_chance or not self.telling:
            return False
        return max(map(_share, self.shared, self.rows)) >= _ENTANGLED

    @property
    def overlap(self) -> str:
        """How much of the one table that is more in the other: "40 % of the rows of A"."""
        if self.shared == self.rows:
            return "every row of A is in B and every row of B in A"
        shares = [*map(_share, self.shared, self.rows)]
        k = int(np.argmax(shares))
        return f"{percent(shares[k])} of the rows of {'AB'[k]} are also in {'AB'[1 - k]}"

    def notes(self, sources: tuple[str, str] = ("A", "B")) -> list[str]:
        """What a reader should know of them; nothing if repeats mean nothing."""
        return list(self._notes(sources)) if self.telling else []

    def _notes(self, sources: tuple[str, str]) -> Iterator[str]:
        if not (self.shared_by_chance or self.same_rows):
            yield from self._shared_notes(sources)
        for k, (side, size) in enumerate(zip("AB", self.rows, strict=True)):
            if self._worth_telling(k):
                yield (
                    f"{side}: {self.repeats[k]:,} of its {size:,} rows repeat an earlier one; the "
                    f"most frequent (row {self.most_row[k]:,}) occurs {self.most[k]:,} times."
                )
        if self.causes():
            yield f"A row that is repeated moves every column towards its own values; {_UNIQUE}."

    def _shared_notes(self, sources: tuple[str, str]) -> Iterator[str]:
        (a, b), (n, m) = self.shared, self.rows
        both = f"{a:,} of the {n:,} rows of A are also in B ({b:,} of the {m:,} of B in A)"
        if not self.entangled:
            yield f"{both}, more than independent samples share."
            return
        yield (
            f"{both}: the tables are not independent samples. The p-value supposes that they are, "
            "and may be far too small or far too large: rows of both occur twice in the pool, "
            "which alone may be found."
        )
        if advice := self.advice(sources):
            yield advice

    def advice(self, sources: tuple[str, str]) -> str:
        """What to compare instead of tables that share rows; nothing if none would be left."""
        if not self.entangled or self.shared == self.rows:
            return ""
        left = [size - shared for size, shared in zip(self.rows, self.shared, strict=True)]
        return _advice(sources, larger=int(left[1] >= left[0]))

    def _worth_telling(self, side: int) -> bool:
        """Whether rows repeat more than by chance, or one of them makes up much of a table."""
        much = self.most[side] >= max(_MUCH * self.rows[side], 3) or self._stands_out(side)
        return bool(self.repeats[side]) and (much or not self.repeats_by_chance[side])

    def _stands_out(self, side: int) -> bool:
        """Whether a table has one row far oftener than the other table."""
        return any(one.table == "AB"[side] for one in self.surplus)

    def causes(self) -> list[Cause]:
        """What moves columns: rows that one of the tables has oftener."""
        if not self.telling:
            return []
        return [*(one.cause() for one in self.surplus), *self._repeated()]

    def remarks(self) -> list[str]:
        """What belongs into a sentence beside: rows of both tables."""
        told = self.entangled and not self.same_rows
        return [f"{self.overlap}, so the p-value may be far off"] if told else []

    def _repeated(self) -> list[Cause]:
        """That one table repeats more of its rows, not by chance and not one row alone."""
        a, b = map(_share, self.repeats, self.rows)
        k = int(b >= a)
        if abs(b - a) < _MUCH or self.repeats_by_chance[k] or self._stands_out(k):
            return []
        here, there = (a, b)[k], (a, b)[1 - k]
        text = f"{percent(here)} of the rows of {'AB'[k]} repeat an earlier one"
        return [Cause(f"{text}, {percent(there)} of {'AB'[1 - k]}", _UNIQUE)]


def _share(count: int, size: int) -> float:
    return count / max(size, 1)


def _advice(sources: tuple[str, str], larger: int) -> str:
    """How to compare a table with those rows of the larger one that it does not have."""
    a, b = "AB"[1 - larger], "AB"[larger]
    old, new = sources[1 - larger], sources[larger]
    said = f"Compare {a} with the rows that only {b} has"
    kept = f"only_in_{b}{PurePath(new).suffix}"
    rule = "NR == FNR {seen[$0]; next} FNR == 1 || !($0 in seen)"
    find, ask = ["awk", rule, old, new], ["samelaw", "compare", old, kept]
    command = f"{said}: {shell_line(find)} > {kept}; {shell_line(ask)}"
    by_lines = all(PurePath(source).suffix.lower() in _LINES for source in sources)
    if by_lines and len(command) <= _LONGEST:
        return command
    return f"{said} (in SQL: SELECT * FROM {b} EXCEPT SELECT * FROM {a})."


UNKNOWN = Duplicates((0, 0), (1, 1), (0, 0), (0, 0), telling=False)
"""Of tables whose rows were not kept."""


def duplicates_of(pair: TablePair) -> Duplicates:
    """Count the rows of both tables that are the same in all columns that both have.

    O(N k) for hashes of 64 bits, and one sort.
    """
    keys, n = keys_of(pair), pair.sizes[0]
    found = duplicates_of_keys(keys, pair.sizes)
    first, second = found.most_row
    return replace(
        found,
        most_row=(pair.row_in_table(first), pair.row_in_table(n + second)),
        shared_by_chance=pair.shared_by_chance or found.shared_by_chance,
        surplus=tuple(
            replace(one, row=pair.row_in_table(one.row + n * (one.table == "B")))
            for one in found.surplus
        ),
        same_rows=_same_rows(keys, pair),
    )


def duplicates_of_keys(keys: Matrix, sizes: tuple[int, int]) -> Duplicates:
    """The same of rows that are known by a number each (n + m,)."""
    n = sizes[0]
    _, at, counts = np.unique(keys, return_inverse=True, return_counts=True)
    sides = np.stack([np.bincount(side, minlength=len(counts)) for side in np.split(at, [n])])
    most = [int(np.argmax(side)) for side in sides]
    first = [int(np.argmax(rows == k)) for rows, k in zip(np.split(at, [n]), most, strict=True)]
    single = [np.count_nonzero(side == 1) / side.sum() for side in sides]
    repeats = _two(int(side.sum() - np.count_nonzero(side)) for side in sides)
    both = (sides > 0).all(axis=0)
    chance = Chance(counts, sizes)
    return Duplicates(
        repeats=repeats,
        most=_two(int(side[k]) for side, k in zip(sides, most, strict=True)),
        most_row=_two(iter(first)),
        shared=_two(int(side[both].sum()) for side in sides),
        telling=bool(max(single) >= _TELLING),
        rows=sizes,
        repeats_by_chance=(chance.repeats(repeats[0], 0), chance.repeats(repeats[1], 1)),
        shared_by_chance=chance.shares(int(both.sum())),
        surplus=tuple(filter(None, (_surplus(at, sides, sizes, k) for k in (0, 1)))),
    )


def _surplus(at: Matrix, sides: Matrix, sizes: tuple[int, int], own: int) -> Surplus | None:
    """The row (of those numbered ``at``) that a table has oftenest beyond the other."""
    shares = sides / np.array(sizes)[:, None]
    beyond = shares[own] - shares[1 - own]
    k = int(np.argmax(beyond))
    times = _two(int(side[k]) for side in sides)
    if beyond[k] < _SURPLUS or times[own] < _FEWEST:
        return None
    if bdtrc(times[own] - 1, sum(times), sizes[own] / sum(sizes)) > _NO_CHANCE:
        return None
    row = int(np.argmax(np.split(at, [sizes[0]])[own] == k))
    return Surplus("AB"[own], row, times, _two(float(share) for share in shares[:, k]))


def _same_rows(keys: Matrix, pair: TablePair) -> str:
    """Whether both tables have the same rows, and in which order; empty of some of the rows."""
    a, b = np.split(keys, [pair.sizes[0]])
    if pair.schema_changes or pair.chosen is not None or len(a) != len(b):
        return ""
    if (a == b).all():
        return IN_ORDER
    return SHUFFLED if (np.sort(a) == np.sort(b)).all() else ""


def rows_apart(x: Matrix, y: Matrix) -> tuple[Matrix, Matrix] | None:
    """Which rows of two tables to compare where they have so many in common that no p-value holds.

    The larger table loses a row for each that the smaller one has too: if the one is drawn from the
    other, what is left of that is as good as drawn from it. None if they share few rows, or if
    fewer than two would be left.

    Examples
    --------
    >>> first, second = rows_apart(np.arange(40), np.arange(10, 60))
    >>> len(first), second.tolist() == list(range(30, 50))
    (40, True)
    """
    sizes = (len(x), len(y))
    if not duplicates_of_keys(np.concatenate([x, y]), sizes).entangled:
        return None
    first, second = np.arange(len(x)), np.arange(len(y))
    if len(x) > len(y):
        first = _left_over(x, y)
    else:
        second = _left_over(y, x)
    return None if min(len(first), len(second)) < 2 else (first, second)


def _left_over(rows: Matrix, others: Matrix) -> Matrix:
    """Places (k,) of the rows that are left when each of the others has taken one like itself."""
    _, at = np.unique(np.concatenate([rows, others]), return_inverse=True)
    own, taken = at[: len(rows)], np.bincount(at[len(rows) :], minlength=len(at))
    order = np.argsort(own, kind="stable")
    ranked = own[order]
    rank = np.empty_like(own)
    rank[order] = np.arange(len(own)) - np.searchsorted(ranked, ranked)  # among its equals
    return np.flatnonzero(rank >= taken[own])


class Chance:
    """What would be repeated and shared if both tables were dealt from their pool.

    Two equal rows of independent samples fall into one table as often as chance has it; rows that
    were copied from one table to the other do not. A row that occurs once says nothing of that.

    Parameters
    ----------
    counts : array (k,)
        How often each distinct row occurs in the pool.
    sizes : (n, m)
    """

    def __init__(self, counts: Matrix, sizes: tuple[int, int]) -> None:
        self.counts = counts[counts > 1]
        self.sizes = sizes
        self.only = [_all_in(self.counts, size, sum(sizes)) for size in sizes]

    def repeats(self, rows: int, side: int) -> bool:
        """Whether no more rows of a table repeat an earlier one than by chance."""
        none, here = self.only[1 - side], self.counts * self._part(side)
        spread = here * self._part(1 - side)  # of how many of equal rows the table has
        variance = spread + none * (1.0 - none - 2.0 * here)
        return self._holds(rows, here - 1.0 + none, variance, spread - none * here)

    def shares(self, distinct: int) -> bool:
        """Whether no more distinct rows are in both than by chance."""
        both = np.clip(1.0 - self.only[0] - self.only[1], 0.0, 1.0)
        common = self.counts * (self._part(0) * (1.0 - both) - self.only[0])
        return self._holds(distinct, both, both * (1.0 - both), common)

    def _part(self, side: int) -> float:
        return self.sizes[side] / sum(self.sizes)

    def _holds(self, count: int, means: Matrix, variances: Matrix, common: Matrix) -> bool:
        """Whether a sum over groups of equal rows is no larger than by chance.

        ``common`` (k,) are the covariances with how many rows of the group are in the table: their
        sum over all groups is its size, which is fixed, and takes part of the variance away.
        """
        lost = common.sum() ** 2 / (sum(self.sizes) * self._part(0) * self._part(1))
        error = math.sqrt(max(float(variances.sum() - lost), 0.0))
        return bool(count <= means.sum() + _BEYOND * error + _AND_ROWS)


def _all_in(counts: Matrix, size: int, total: int) -> Matrix:
    """Probabilities (k,) that all of so many rows of a pool are among the ``size`` of a table."""
    fits = counts <= size
    c = np.where(fits, counts, 0)
    ways = gammaln(size + 1.0) - gammaln(size - c + 1.0)
    ways += gammaln(total - c + 1.0) - gammaln(total + 1.0)
    return np.where(fits, np.exp(ways), 0.0)


def _two(values: Iterator[Number]) -> tuple[Number, Number]:
    first, second = values
    return first, second


def keys_of(pair: TablePair) -> Matrix:
    """A number (N,) for each row, the same for rows that agree in all columns both tables have."""
    keys = row_keys(pair.columns)
    return keys if pair.others is None else mixed(keys ^ pair.others)


def row_keys(columns: tuple[Column, ...]) -> Matrix:
    """A number (N,) for each row, the same for rows with the same values and missing values."""
    keys = np.zeros(len(columns[0].missing), dtype=np.uint64)
    for view in column_views(columns):
        missing = view.column.missing
        values = missing if view.missing else np.where(missing, 0.0, view.column.values)
        keys = mixed(keys ^ (values + 0.0).astype(np.float64).view(np.uint64))  # −0 is 0
    return keys


def distinct_rows(pair: TablePair) -> TablePair:
    """Every row of a table once, the first of its repeats; and a note that says what it costs."""
    n, all_rows = pair.sizes[0], duplicates_of(pair)
    sides = np.split(keys_of(pair), [n])
    first, second = (np.sort(np.unique(side, return_index=True)[1]) for side in sides)
    check_distinct_rows((len(first), len(second)))
    chosen = np.concatenate([first, n + second])
    return replace(
        pair,
        columns=tuple(column.taken(chosen) for column in pair.columns),
        sizes=(len(first), len(second)),
        notes=(*pair.notes, uniqueness(pair.sizes, (len(first), len(second)))),
        chosen=chosen if pair.chosen is None else pair.chosen[chosen],
        all_sizes=pair.table_sizes,
        as_read=pair.as_read and (pair.as_read[0].taken(first), pair.as_read[1].taken(second)),
        others=None if pair.others is None else pair.others[chosen],
        shared_by_chance=all_rows.shared_by_chance or not all_rows.telling,
    )


def check_distinct_rows(counts: tuple[int, int]) -> None:
    """Refuse tables with a single distinct row."""
    for side, count in zip("AB", counts, strict=True):
        if count < 2:
            raise ValueError(
                f"all rows of {side} are the same, so that one distinct row is left; a comparison "
                "needs at least two: leave --unique (unique=True) out."
            )


def uniqueness(sizes: tuple[int, int], counts: tuple[int, int]) -> str:
    """How many distinct rows there are, and what it costs to compare those."""
    return (
        f"Distinct rows only: {counts[0]:,} of the {sizes[0]:,} of A, {counts[1]:,} of the "
        f"{sizes[1]:,} of B. The p-value is not exact: of a larger sample of one law the distinct "
        "rows are others than of a smaller one, with more of what is rare."
    )
