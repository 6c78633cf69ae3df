"""A comparison of rows that references kept, without what such rows cannot tell."""

from dataclasses import replace

from samelaw.comparison.result import Comparison
from samelaw.data.columns import Kind
from samelaw.references.reference import Reference

_WORDS = {Kind.DATETIME: "dates", Kind.TEXT: "free text", Kind.IDENTIFIER: "an identifier"}


def of_references(found: Comparison, reference: Reference, sides: str) -> Comparison:
    """The comparison, where the tables of these sides ("A", "B", "AB") are rows of references.

    Their rows have no numbers that anyone could look up. Values of which a reference keeps only
    whether there is one look as if all of them were the same.
    """
    reasons = {
        column.name: f"{_WORDS[column.kind]}, of which only whether there is a value is kept"
        for column in reference.rules.columns
        if column.kind in _WORDS
    }
    return replace(
        found,
        rows=tuple(row for row in found.rows if row.table not in sides),
        left_out=tuple(
            replace(out, reason=reasons.get(out.column, out.reason)) for out in found.left_out
        ),
    )
