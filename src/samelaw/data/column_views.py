"""The views of a column that are compared: its values, their absence, and its traits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samelaw.data.kinds import Column, Kind

COMPARED = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME, Kind.BOOLEAN, Kind.CATEGORICAL)
"""Kinds whose values are compared; of others what is missing and their traits are."""


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A column, the absence of its values, or one of its traits.

    Parameters
    ----------
    column : Column
        Of both tables, the rows of A first; of a trait the column that holds it.
    missing : bool
        Whether this is about its missing values.
    trait : str
        What of the column this is about: "as written", "length", "words"; empty for its values.
    """

    column: Column
    missing: bool = False
    trait: str = ""

    @property
    def name(self) -> str:
        return view_name(self.column.name, missing=self.missing, trait=self.trait)


def view_name(column: str, *, missing: bool, trait: str) -> str:
    """How a view of a column is called."""
    of = "missing" if missing else trait
    return f"{column} ({of})" if of else column


def column_views(columns: Sequence[Column]) -> list[ColumnView]:
    """The views of all columns: values if comparable, missing values if any, and traits."""
    found = []
    for column in columns:
        if column.kind in COMPARED:
            found.append(ColumnView(column))
        if 0 < float(column.absent.mean()) < 1:
            found.append(ColumnView(replace(column, missing=column.absent), missing=True))
        found += [ColumnView(trait, trait=name) for name, trait in column.traits.items()]
    return found
