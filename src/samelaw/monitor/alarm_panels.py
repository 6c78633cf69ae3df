"""A column before and after an alarm: hold-out rows of the reference beside rows of the stream."""

from collections.abc import Iterable

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.reference import Rows
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.panels import Panel, panel
from samelaw.tables.columns.parse import OF_DAY
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.frozen import FrozenColumn, FrozenTable

OTHER = "any other"


def panels(
    rules: FrozenTable, columns: Iterable[str], before: Rows, after: Rows
) -> tuple[Panel, ...]:
    """Shares of values, A before and B after, of those of these columns that have values to draw.

    Numbers beyond the ends of the reference are drawn near its ends, as the monitor sees them.
    """
    wanted, found, start = set(columns), [], 0
    for column in rules.columns:
        end = start + len(column.coordinates)
        if column.name in wanted and end > start:
            points = np.concatenate([before.points[:, start:end], after.points[:, start:end]])
            if (decoded := _decoded(column, points)) is not None:
                found.append(panel(ColumnView(decoded), len(before.points)))
        start = end
    return tuple(found)


def _decoded(column: FrozenColumn, points: Matrix) -> Column | None:
    """Values from coordinates (n, c); None where nothing but missing values is watched."""
    coordinates = column.coordinates
    missing = np.zeros(len(points), dtype=bool)
    if coordinates[-1].missing:
        missing, points = points[:, -1] > 0, points[:, :-1]
    if not points.shape[1]:
        return None
    if column.kind is Kind.CATEGORICAL:
        words = tuple(one.category or "" for one in coordinates if not one.missing)
        known = points.max(axis=1) > 0
        codes = np.where(known, points.argmax(axis=1), len(words))
        return Column(
            column.name, column.kind, np.where(missing, -1, codes), missing, (*words, OTHER)
        )
    values = np.interp(points[:, 0], column.scores, column.knots)
    notes = (OF_DAY,) if column.of_day else ()
    return Column(column.name, column.kind, np.where(missing, np.nan, values), missing, notes=notes)
