"""Rows of groups of tables that are too large to hold: some groups, and some of their rows.

A group is drawn by a number from its name, so both tables draw the same groups; a row of those is
kept with one probability in both tables. Neither looks at whose a row is: what is permuted
afterwards (rows within their group, sides of a group, whole groups) is as exchangeable as before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from samelaw.columns.names import check_names
from samelaw.core.types import Matrix
from samelaw.reading.batches import Batches
from samelaw.reading.pieces import stack
from samelaw.streaming.held_tables import HeldTables
from samelaw.streaming.row_counter import RowCounter
from samelaw.streaming.survey import MOST_PIECES, changed
from samelaw.tables.bins import Reading
from samelaw.tables.mixing import mixed
from samelaw.tables.row_hashes import hashes_of_words

if TYPE_CHECKING:
    import pyarrow as pa

_ALL = np.uint64(2**64 - 1)
_COUNTING = 0.3  # of the time: the pass that counts groups


class GroupCounts:
    """How many rows the groups with the smallest numbers have.

    Parameters
    ----------
    most : int
        Groups that are counted.
    """

    def __init__(self, most: int) -> None:
        self.most, self.limit, self.rows = most, _ALL, 0
        self.groups = np.zeros(0, dtype=np.uint64)
        self.counts = np.zeros(0, dtype=np.int64)

    def add(self, numbers: Matrix) -> None:
        """The numbers (n,) of the groups of the next rows."""
        self.rows += len(numbers)
        new, counts = np.unique(numbers[numbers <= self.limit], return_counts=True)
        both = np.concatenate([self.groups, new])
        groups, place = np.unique(both, return_inverse=True)
        total = np.bincount(place, np.concatenate([self.counts, counts]), minlength=len(groups))
        self.groups, self.counts = groups, total.astype(np.int64)
        if len(groups) > 2 * self.most:
            self.groups, self.counts = self.groups[: self.most], self.counts[: self.most]
            self.limit = self.groups[-1]


@dataclass(frozen=True)
class Thinning:
    """Which groups and rows are kept.

    Parameters
    ----------
    limit : uint64
        The largest number of a group that is kept.
    share : float
        Of the rows of those.
    groups : int
        Kept.
    about : float
        Groups there are, exactly if all are kept.
    """

    limit: np.uint64
    share: float
    groups: int
    about: float

    @classmethod
    def of(cls, sides: tuple[GroupCounts, GroupCounts], most: int, rows: float) -> "Thinning":
        """At most so many groups, and so many rows in all."""
        limit = min(side.limit for side in sides)
        known = np.unique(np.concatenate([side.groups[side.groups <= limit] for side in sides]))
        if len(known) > most:
            known, limit = known[:most], known[most - 1]
        kept = sum(int(side.counts[side.groups <= limit].sum()) for side in sides)
        about = len(known) if limit == _ALL else (len(known) - 1) / (float(limit) / 2.0**64)
        return cls(limit, min(1.0, rows / max(kept, 1)), len(known), about)

    @property
    def whole(self) -> bool:
        return self.limit == _ALL and self.share == 1.0

    def said(self, sizes: tuple[int, int], kept: tuple[int, int]) -> str:
        groups = f"{self.groups:,} groups"
        if self.limit != _ALL:
            groups = f"{self.groups:,} of about {float(f'{self.about:.2g}'):,.0f} groups"
        of = f" and one in {1.0 / self.share:.3g} of their rows" if self.share < 1.0 else ""
        return (
            f"{groups}{of}, drawn at random, are compared: {kept[0]:,} of the {sizes[0]:,} rows of "
            f"A and {kept[1]:,} of the {sizes[1]:,} of B. Rows of groups are held in memory, and "
            "no more of them would be permuted."
        )


@dataclass(frozen=True, eq=False)
class GroupReader:
    """The groups of the rows of two tables.

    Parameters
    ----------
    column : str
    seed : int
    open_one : callable
        A table piece by piece with these columns only, by its number.
    """

    column: str
    seed: int
    open_one: Callable[[int, tuple[str, ...]], Batches] = field(repr=False)

    def numbers(self, one: Batches, piece: "pa.Table", side: int, start: int) -> Matrix:
        """The numbers (n,) of the groups of some rows; a row without one is its own group."""
        raw = one.table(piece.select([self.column])).raw[self.column]
        found = hashes_of_words(Reading(raw), self.seed)
        rows = np.arange(start, start + piece.num_rows, dtype=np.uint64)
        alone = mixed(mixed(rows * np.uint64(2) + np.uint64(side)) + np.uint64(self.seed))
        return np.where(raw.missing, alone, found)

    def counts(self, most: int, counter: RowCounter) -> tuple[GroupCounts, GroupCounts]:
        """A pass over the column of groups alone."""
        sides = (GroupCounts(most), GroupCounts(most))
        for side, found in enumerate(sides):
            one = self.open_one(side, (self.column,))
            report = counter.over(0.5 * _COUNTING, one.rows)
            for piece in one.pieces():
                found.add(self.numbers(one, piece, side, found.rows))
                report(piece.num_rows)
        return sides


def some_groups(
    batches: tuple[Batches, Batches],
    groups: GroupReader,
    most: int,
    rows: float,
    rng: np.random.Generator,
    counter: RowCounter,
) -> HeldTables:
    """Rows of at most so many groups, about so many rows in all."""
    for one in batches:
        check_names((groups.column,), (*one.names, *one.about.unread), one.source)
    sides = groups.counts(most, counter)
    thinning = Thinning.of(sides, most, rows)
    tables, numbers = [], []
    report = counter.over(counter.rest, sum(side.rows for side in sides))
    for side, (one, own) in enumerate(zip(batches, rng.spawn(2), strict=True)):
        seen, places = 0, []
        kept: list[pa.Table] = []
        for piece in one.pieces():
            chosen = groups.numbers(one, piece, side, seen) <= thinning.limit
            if thinning.share < 1.0:
                chosen &= own.random(piece.num_rows) < thinning.share
            own_rows = np.flatnonzero(chosen)
            if len(own_rows) or not kept:
                kept.append(piece.take(own_rows))
                places.append(seen + own_rows)
            if len(kept) > MOST_PIECES:
                kept = [stack(kept)]
            seen += piece.num_rows
            report(piece.num_rows)
        if seen != sides[side].rows:
            raise changed(one.source)
        tables.append(one.table(stack(kept)))
        numbers.append(one.number(np.concatenate(places)))
    sizes = (sides[0].rows, sides[1].rows)
    said = () if thinning.whole else (thinning.said(sizes, (tables[0].rows, tables[1].rows)),)
    return HeldTables((tables[0], tables[1]), (numbers[0], numbers[1]), sizes, said)
