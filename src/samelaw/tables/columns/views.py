"""The views of a column that are compared: its values, their absence, and its parts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samelaw.tables.columns.column import Column
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
