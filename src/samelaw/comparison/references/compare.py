"""A comparison of rows that references kept, without what such rows cannot tell."""

from collections.abc import Iterator
from dataclasses import replace

from samelaw.comparison.references.reference import Reference
from samelaw.comparison.result import Comparison
from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Kind

_WORDS = {Kind.DATETIME: "dates", Kind.TEXT: "free text", Kind.IDENTIFIER: "an identifier"}


_LATER = (
    "A reference was compared with rows that it was made of: compare it with rows that came later, "
    "or that are of another source."
)


def apart_words(sizes: tuple[int, int], rows: tuple[Matrix, Matrix]) -> str:
    """What to say of a table that is compared without the rows that a reference has too."""
    side = int(len(rows[1]) < sizes[1])
    own, other = "AB"[side], "AB"[1 - side]
    size, left = sizes[side], len(rows[side])
    return (
        f"{size - left:,} of the {size:,} rows of {own} are also in {other}: {own} is compared "
        f"without them, on {left:,} rows. {_LATER}"
    )


def of_references(found: Comparison, reference: Reference, sides: str) -> Comparison:
    """The comparison, where the tables of these sides ("A", "B", "AB") are rows of references.

    Their rows have no numbers that anyone could look up. Values of which a reference keeps only
    whether there is one look as if all of them were the same. Nor can its rows be taken out of
    another table that has them too.
    """
    reasons = {
        column.name: f"{_WORDS[column.kind]}, of which only whether there is a value is kept"
        for column in reference.rules.columns
        if column.kind in _WORDS
    }
    return replace(
        found,
        notes=tuple(_advised(found)),
        rows=tuple(row for row in found.rows if row.table not in sides),
        left_out=tuple(
            replace(out, reason=reasons.get(out.column, out.reason)) for out in found.left_out
        ),
    )


def _advised(found: Comparison) -> Iterator[str]:
    """The notes, with advice that can be followed where the rows of one table are gone."""
    shared = found.duplicates
    advice = shared.advice(found.sources) if shared and shared.entangled else ""
    for note in found.notes:
        yield _LATER if advice and note == advice else note
    if shared and shared.entangled and not advice:
        yield _LATER
