"""The views of a column that are compared: its values, and the absence of its values."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from samelaw.core.types import Matrix
from samelaw.data.kinds import Column, Kind

COMPARED = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME, Kind.BOOLEAN, Kind.CATEGORICAL)
"""Kinds whose values are compared; of others only what is missing is."""


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A column, the absence of its values, or a part of them such as the hour of the day.

    Parameters
    ----------
    column : Column
        Of both tables, the rows of A first; of a part, what the part is in words.
    missing : bool
        Whether this is about its missing values.
    of : Column, optional
        The column that this is a part of.
    part : str
        Which part.
    phase : array (N,), optional
        Of a part that comes back, where each row is in its turn, in [0, 1); NaN where missing.
    """

    column: Column
    missing: bool = False
    of: Column | None = None
    part: str = ""
    phase: Matrix | None = field(default=None, repr=False)

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
