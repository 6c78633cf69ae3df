"""The views of a column that are compared: its values, their absence, and its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Features, Kind
from samelaw.tables.columns.cycles import DAY, DAYS, HOURS, cycles, waves_of
from samelaw.tables.columns.text import ALONE


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A column, the absence of its values, or a part of it such as the hour of the day.

    Parameters
    ----------
    column : Column
        Of both tables, the rows of A first; of a part, the column that holds it.
    missing : bool
        Whether this is about its missing values.
    of : Column, optional
        The column of the tables that this is a part of.
    part : str
        Which part: "hour of day", "as written", "length", "words"; empty for the values.
    alone : bool
        Whether it says in another way what a view beside it says: it is then compared by itself,
        not in pairs nor with all columns together.
    """

    column: Column
    missing: bool = False
    of: Column | None = None
    part: str = ""
    alone: bool = False

    @property
    def whole(self) -> Column:
        """The column of the tables that this is about."""
        return self.of or self.column

    @property
    def name(self) -> str:
        return view_name(self.column.name, missing=self.missing, part=self.part)


def view_name(column: str, *, missing: bool, part: str) -> str:
    """How a view of a column is called."""
    of = "missing" if missing else part
    return f"{column} ({of})" if of else column


def column_views(columns: Sequence[Column]) -> list[ColumnView]:
    """The views of all columns: values if comparable, missing values if any, and parts."""
    found = []
    for column in columns:
        if column.compared:
            found.append(ColumnView(column))
        if 0 < float(column.absent.mean()) < 1:
            found.append(ColumnView(replace(column, missing=column.absent), missing=True))
        found += [
            ColumnView(part, of=column, part=name, alone=name in ALONE)
            for name, part in column.parts.items()
        ]
    return found


HOUR_OF_DAY, DAY_OF_WEEK = "hour of day", "day of week"


_PARTS = {"time of day": (HOUR_OF_DAY, HOURS), "weekday": (DAY_OF_WEEK, DAYS)}


def compared_views(columns: Sequence[Column]) -> list[ColumnView]:
    """The views of all columns that are compared one by one; those of dates with their cycles."""
    return [view for column in columns for view in (*column_views([column]), *_cycles(column))]


def _cycles(column: Column) -> Iterator[ColumnView]:
    if column.kind is not Kind.DATETIME or bool(column.missing.all()):
        return
    for name, phase in cycles(column.values):
        part, words = _PARTS[name]
        codes = np.where(column.missing, -1, np.nan_to_num(phase) * len(words) + 1e-9)
        code = np.minimum(codes.astype(np.int64), len(words) - 1)
        as_words = Column(
            column.name, Kind.CATEGORICAL, code, column.missing, words,
            features=Features(waves_of(phase), finer=False),
        )  # fmt: skip
        yield ColumnView(as_words, of=column, part=part, alone=True)


def mean_hour(moments: Matrix) -> float | None:
    """The hour around which seconds since 1970 lie; None where they lie all around the clock.

    Examples
    --------
    >>> round(mean_hour(np.array([23.5, 0.5, 1.5]) * 3600), 2)
    0.5
    """
    turn = complex(np.mean(np.exp(2j * np.pi * np.mod(moments, DAY) / DAY)))
    if abs(turn) < 0.1:
        return None
    return float(np.mod(np.angle(turn) * 12.0 / np.pi, 24.0))
