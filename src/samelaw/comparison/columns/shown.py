"""Columns of two tables in numbers to draw, their groups in words."""

import numpy as np

from samelaw.comparison.columns.words import category_words
from samelaw.results.words import clock, moment
from samelaw.tables.columns.column import AS_WRITTEN, Column, Kind
from samelaw.tables.columns.panels import known_values
from samelaw.tables.columns.value_to_text import spell


def describe_groups(column: Column, n: int) -> list[str]:
    """The mix of groups in A and in B, which is told and not tested."""
    size, sides = len(column.categories), known_values(column, n)
    first, second = (np.bincount(side, minlength=size) for side in sides)
    told = []
    for name, own, other in (("A", first, second), ("B", second, first)):
        lone = (own > 0) & (other == 0)
        if lone.any():
            rows = int(own[lone].sum())
            told.append(f"{int(lone.sum()):,} only in {name} ({rows:,} row{'s' * (rows != 1)})")
    shared = int(((first > 0) & (second > 0)).sum())
    groups = "; ".join([f"{shared:,} of its groups are in both tables", *told])
    notes = [f"{column.name}: {groups}."]
    if shared:
        moved = category_words(column, sides)
        notes.append(f"{column.name}: the mix of groups is not tested; {moved}.")
    return notes


def shown_value(column: Column, row: int) -> str | None:
    """The value of a row as people write it; None if it is missing."""
    if column.absent[row]:
        return None
    if column.missing[row]:  # a word in the place of a number
        written = column.parts[AS_WRITTEN]
        return written.categories[int(written.values[row])]
    value = column.values[row]
    if column.of_day:
        return clock(float(value))
    match column.kind:
        case Kind.CATEGORICAL:
            return column.categories[int(value)]
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.INTEGER:
            return f"{value:.0f}"
        case Kind.DATETIME:
            return moment(float(value))
        case Kind.NUMERIC:
            return spell(value)
    return "…"  # text and identifiers: only whether they are there is kept
