"""Columns that both tables have but whose values are not compared, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.results.words import in_a_row
from samelaw.tables.columns.column import PRESENT, Column, Kind
from samelaw.tables.pairing.schema_changes import SHOWN


@dataclass(frozen=True)
class LeftOut:
    """A column both tables have but whose values are not compared, and why.

    ``in_part`` if something of them is (lengths of words, how dates are written); ``same`` if there
    is but one value, or none, so that nothing could differ.
    """

    column: str
    reason: str
    missingness_compared: bool = False
    in_part: bool = False
    same: bool = False


def left_out(column: Column) -> LeftOut | None:
    """Why the values of a column are not compared, and what of it is; None if they are."""
    reason = _reason(column)
    if not reason:
        return None
    one = column.kind in (Kind.EMPTY, Kind.CONSTANT) and not _only_presence(column)
    return LeftOut(
        column.name,
        reason,
        missingness_compared=bool(column.missing.any()) and not bool(column.missing.all()),
        in_part=bool(column.parts),
        same=one,
    )


def _only_presence(column: Column) -> bool:
    """Whether a reference kept nothing of its values but that they were there."""
    return column.kind is Kind.CONSTANT and column.categories == (PRESENT,)


def _reason(column: Column) -> str:
    """Why the values of a column are not compared; empty if they are."""
    if _only_presence(column):
        return "of its values the reference keeps only whether there are any"
    if column.set_aside:
        return column.set_aside
    match column.kind:
        case Kind.EMPTY:
            return "every value is missing"
        case Kind.CONSTANT:
            return "every value is the same"
        case Kind.IDENTIFIER:
            return f"an identifier: {_distinct(column)}{_compared(column)}"
        case Kind.TEXT:
            more = "; embeddings as numeric columns would say more"
            return f"free text{_compared(column)}{more}"
    return ""


def _distinct(column: Column) -> str:
    known = column.values[~column.missing]
    values, rows = len(np.unique(known)), len(known)
    return f"{values:,} different value{'s' * (values != 1)} in {rows:,} row{'s' * (rows != 1)}"


def _compared(column: Column) -> str:
    """What is known of its values and what of them is compared nevertheless."""
    parts = [*column.notes]
    if column.parts:
        parts.append(f"compared by {in_a_row([*column.parts], SHOWN)} only")
    return "".join(f"; {part}" for part in parts)


def nothing_left(left: Sequence[LeftOut]) -> str:
    """That no column is compared, and why."""
    reasons = "; ".join(f"{out.column!r} ({out.reason})" for out in left[:SHOWN])
    return (
        f"no column is left to compare: {reasons}; a column of another kind than it looks can be "
        "told so (--kind NAME=KIND, kinds= in Python)."
    )
