"""Dates as what people say of them: the moment, the hour of the day and the day of the week.

An hour more everywhere is next to nothing over a year and a lot within a day. So each cycle that a
column of dates spans is looked at, named and measured by itself.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Features, Kind
from samelaw.tables.columns.cycles import DAY, DAYS, HOURS, cycles, waves_of
from samelaw.tables.columns.views import ColumnView, column_views

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
