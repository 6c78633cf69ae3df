"""The views of a column that are compared: its values, and the absence of its values."""

from collections.abc import Sequence
from dataclasses import dataclass

from samelaw.data.kinds import Column, Kind

COMPARED = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME, Kind.BOOLEAN, Kind.CATEGORICAL)
"""Kinds whose values are compared; of others only what is missing is."""


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A column, or the absence of its values.

    Parameters
    ----------
    column : Column
        Of both tables, the rows of A first.
    missing : bool
        Whether this is about its missing values.
    """

    column: Column
    missing: bool = False

    @property
    def name(self) -> str:
        return f"{self.column.name} (missing)" if self.missing else self.column.name


def column_views(columns: Sequence[Column]) -> list[ColumnView]:
    """The views of all columns: of each its values if comparable, its missing values if any."""
    found = []
    for column in columns:
        if column.kind in COMPARED:
            found.append(ColumnView(column))
        if 0 < float(column.missing.mean()) < 1:
            found.append(ColumnView(column, missing=True))
    return found
