"""Rows that occur more than once, within a table and in both.

One row written 200 times moves every column it has a value in, and rows that both tables share make
them look more alike than two samples would. Neither is an error of the test; both must be known.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.data.column_views import column_views
from samelaw.data.columns import Column
from samelaw.data.pair import TablePair
from samelaw.show.words import percent

_TELLING = 0.5  # share of the rows of a table that occur once
_MUCH = 0.05  # share of repeats by which tables differ, before it is told in the sentence
_ODD = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))  # of splitmix64


@dataclass(frozen=True)
class Duplicates:
    """How often rows of two tables are the same in all columns that are compared.

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
    """

    repeats: tuple[int, int]
    most: tuple[int, int]
    most_row: tuple[int, int]
    shared: tuple[int, int]
    telling: bool

    def notes(self, sizes: tuple[int, int]) -> list[str]:
        """What a reader should know of them; nothing if repeats mean nothing."""
        return list(self._notes(sizes)) if self.telling else []

    def _notes(self, sizes: tuple[int, int]) -> Iterator[str]:
        for side, size, repeats, most, row in zip(
            "AB", sizes, self.repeats, self.most, self.most_row, strict=True
        ):
            if repeats:
                yield (
                    f"{side}: {repeats:,} of its {size:,} rows repeat an earlier one; the most "
                    f"frequent (row {row:,}) occurs {most:,} times."
                )
        if self.remarks(sizes):
            yield (
                "A row that is repeated moves every column towards its own values; --unique "
                "(unique=True) compares distinct rows."
            )
        if min(self.shared):
            a, b = self.shared
            yield (
                f"{a:,} rows of A are also in B ({b:,} rows of B in A): what they share makes the "
                "tables look more alike than independent samples."
            )

    def remarks(self, sizes: tuple[int, int]) -> list[str]:
        """What belongs into a sentence: a row, or repeats, that make up more of one table."""
        if not self.telling:
            return []
        shares = [count / size for count, size in zip(self.repeats, sizes, strict=True)]
        if abs(shares[1] - shares[0]) < _MUCH:
            return []
        k = int(np.argmax(shares))
        if self.most[k] >= max(_MUCH * sizes[k], 3):
            return [f"one row makes up {percent(self.most[k] / sizes[k])} of {'AB'[k]}"]
        return [f"{percent(shares[k])} of the rows of {'AB'[k]} repeat an earlier one"]


UNKNOWN = Duplicates((0, 0), (1, 1), (0, 0), (0, 0), telling=False)
"""Of tables whose rows were not kept."""


def duplicates_of(pair: TablePair) -> Duplicates:
    """Count the rows of both tables that are the same in all compared columns.

    O(N k) for hashes of 64 bits, and one sort.
    """
    keys = row_keys(pair.columns)
    sides = np.split(keys, [pair.sizes[0]])
    found = [np.unique(side, return_index=True, return_counts=True) for side in sides]
    most = [int(np.argmax(counts)) for _, _, counts in found]
    single = [np.count_nonzero(counts == 1) / counts.sum() for _, _, counts in found]
    first = [int(rows[k]) for (_, rows, _), k in zip(found, most, strict=True)]
    n = pair.sizes[0]
    return Duplicates(
        repeats=_two(len(side) - len(one[0]) for side, one in zip(sides, found, strict=True)),
        most=_two(int(one[2][k]) for one, k in zip(found, most, strict=True)),
        most_row=(pair.row_in_table(first[0]), pair.row_in_table(n + first[1])),
        shared=_two(int(np.isin(sides[k], found[1 - k][0]).sum()) for k in (0, 1)),
        telling=bool(max(single) >= _TELLING),
    )


def _two(values: Iterator[int]) -> tuple[int, int]:
    first, second = values
    return first, second


def row_keys(columns: tuple[Column, ...]) -> Matrix:
    """A number (N,) for each row, the same for rows with the same values and missing values."""
    keys = np.zeros(len(columns[0].missing), dtype=np.uint64)
    for view in column_views(columns):
        missing = view.column.missing
        values = missing if view.missing else np.where(missing, 0.0, view.column.values)
        keys ^= (values + 0.0).astype(np.float64).view(np.uint64)  # −0 is 0
        for odd, shift in zip(_ODD, (30, 27), strict=True):
            keys = (keys ^ (keys >> np.uint64(shift))) * odd
    return keys ^ (keys >> np.uint64(31))


def distinct_rows(pair: TablePair) -> TablePair:
    """Every row of a table once, the first of its repeats; and a note that says what it costs."""
    n = pair.sizes[0]
    sides = np.split(row_keys(pair.columns), [n])
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
