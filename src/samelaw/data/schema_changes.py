"""What changed about the columns of two tables besides their values, in sentences."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from samelaw.data.kinds import Column, Kind, Table
from samelaw.data.raw_column import RawColumn
from samelaw.show.words import in_a_row

SHOWN = 5  # categories or names listed in a sentence before "and 7 more"


class Change(StrEnum):
    """What can change about a table besides the values."""

    ONLY_IN_A = "only in A"
    ONLY_IN_B = "only in B"
    TYPE = "type"
    NEW_CATEGORIES = "new categories"
    VANISHED_CATEGORIES = "vanished categories"
    ALL_MISSING = "all missing"


@dataclass(frozen=True)
class SchemaChange:
    """One change about a column, with a sentence for the report."""

    kind: Change
    column: str
    text: str
    categories: tuple[str, ...] = ()


def one_sided(a: Table, b: Table, ignore: Collection[str]) -> list[SchemaChange]:
    """Columns that only one table has."""
    gone = [n for n in a.names if n not in b.raw and n not in ignore]
    new = [n for n in b.names if n not in a.raw and n not in ignore]
    return [
        *(SchemaChange(Change.ONLY_IN_A, n, f"{n}: only in A, so not compared.") for n in gone),
        *(SchemaChange(Change.ONLY_IN_B, n, f"{n}: only in B, so not compared.") for n in new),
    ]


def changes_of(
    column: Column, sides: Sequence[RawColumn], chosen: Kind | None
) -> list[SchemaChange]:
    """What changed about a column of both tables: its type, its categories, all its values."""
    name = column.name
    empty = [bool(side.missing.all()) for side in sides]
    if empty[0] != empty[1]:
        text = f"{name}: every value is missing in {'A' if empty[0] else 'B'}."
        return [SchemaChange(Change.ALL_MISSING, name, text)]
    changes = []
    one, other = (side.family for side in sides)
    if one is not other and not all(empty) and chosen is None:
        how = ", compared as categories" if column.kind is Kind.CATEGORICAL else ""
        text = f"{name}: {one.value} in A, {other.value} in B{how}."
        changes.append(SchemaChange(Change.TYPE, name, text))
    if column.kind is Kind.CATEGORICAL:
        changes += _category_changes(column, len(sides[0].missing))
    return changes


def _category_changes(column: Column, rows: int) -> list[SchemaChange]:
    size = len(column.categories)
    counts = [
        np.bincount(part[part >= 0], minlength=size)
        for part in (column.values[:rows], column.values[rows:])
    ]
    found = []
    for kind, words, here, there in (
        (Change.NEW_CATEGORIES, "new in B", counts[1], counts[0]),
        (Change.VANISHED_CATEGORIES, "no longer in B", counts[0], counts[1]),
    ):
        only = np.flatnonzero((here > 0) & (there == 0))
        only = only[np.argsort(-here[only], kind="stable")]  # the most frequent first
        if len(only):
            names = tuple(column.categories[i] for i in only)
            total = int(here[only].sum())
            listed = in_a_row([repr(name) for name in names], SHOWN)
            text = f"{column.name}: {words}: {listed} ({total} row{'s' * (total != 1)})."
            found.append(SchemaChange(kind, column.name, text, names))
    return found
