"""References as tables that `compare` takes, and what it should say about them.

Rows of the other table go through the same rules: a value that the reference cannot tell from
another is not told from it on either side, which keeps the rows exchangeable.
"""

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from samelaw.comparison.reference import Reference
from samelaw.core.types import Matrix
from samelaw.data.columns import Kind
from samelaw.data.csv import CsvFormat
from samelaw.data.frozen import FrozenColumn
from samelaw.data.raw_column import RawColumn
from samelaw.data.read import read_table
from samelaw.data.table import Table
from samelaw.show.words import in_a_row, quoted

ENDING = ".safetensors"

_TOLD = (Kind.NUMERIC, Kind.INTEGER, Kind.BOOLEAN, Kind.CATEGORICAL)
_PRESENCE = (Kind.DATETIME, Kind.TEXT, Kind.IDENTIFIER)
_SHOWN = 3


def is_reference(source: object) -> bool:
    """Whether a table is given by a reference or the file of one."""
    return isinstance(source, Reference) or (
        isinstance(source, str | PathLike) and str(source).lower().endswith(ENDING)
    )


def as_reference(source: Any) -> Reference:
    """A reference, or the one in a file, called by the name of the file."""
    if isinstance(source, Reference):
        return source
    return replace(Reference.load(source), source=str(source))


def without_rows(a: Any, b: Any) -> Reference | None:
    """The reference that keeps no rows, if one of the two is such; two of them are refused."""
    found = [as_reference(side) for side in (a, b) if is_reference(side)]
    bare = [one for one in found if not len(one.kept)]
    if bare and len(found) > 1:
        raise ValueError(
            f"{bare[0].source} keeps no rows (it was made with --no-rows), so that only tables can "
            "be compared with it."
        )
    return bare[0] if bare else None


def told_kinds(reference: Reference) -> dict[str, Kind | str]:
    """The kinds of the columns whose values are compared."""
    return {c.name: c.kind for c in reference.rules.columns if c.kind in _TOLD}


def kept_table(reference: Reference) -> Table:
    """The rows that a reference kept, as a table."""
    table = _restored(reference, reference.kept, reference.source)
    return replace(table, notes=tuple(_notes(reference)))


def through_rules(reference: Reference, source: Any, text: CsvFormat) -> Table:
    """Another table as the rules of a reference see it; columns of its own stay as they are."""
    table = read_table(source, text=text)
    here = [c for c in reference.rules.columns if c.name in table.raw]
    seen = replace(reference, rules=replace(reference.rules, columns=tuple(here)))
    restored = _restored(seen, seen.encode_kept(table), table.source)
    own = {name: raw for name, raw in table.raw.items() if name not in restored.raw}
    said = [note for c in here if (note := _unseen(c, table.raw[c.name]))]
    notes = (*table.notes, *said)
    return replace(restored, raw={**restored.raw, **own}, rows=table.rows, notes=notes)


def _restored(reference: Reference, kept: Matrix, source: str) -> Table:
    columns = reference.rules.columns
    raw = {c.name: c.restored(kept[:, i]) for i, c in enumerate(columns)}
    return Table(raw, len(kept), source)


def _notes(reference: Reference) -> list[str]:
    notes = [
        f"a reference of {reference.rows:,} rows, of which {len(reference.kept):,}, drawn at "
        "random, are compared; numbers are compared through their quantiles in it."
    ]
    if names := [c.name for c in reference.rules.columns if c.kind in _PRESENCE]:
        notes.append(
            f"of {in_a_row(names)} (dates, text, identifiers) a reference keeps only whether there "
            "is a value."
        )
    return notes


def _unseen(column: FrozenColumn, raw: RawColumn) -> str:
    """Values that the reference does not tell apart, by name."""
    if column.kind is Kind.CATEGORICAL:
        codes, labels = raw.words()
        known = set(column.words)
        counts = np.bincount(codes[codes >= 0], minlength=len(labels))
        order = np.argsort(-counts, kind="stable")
        new = [i for i in order if counts[i] and labels[i] not in known]
        if new:
            some = in_a_row([quoted(labels[i]) for i in new], _SHOWN)
            return (
                f"{column.name}: {int(counts[new].sum()):,} rows hold values that are not listed "
                f"in the reference, compared as one: {some}."
            )
    if column.kind in (Kind.NUMERIC, Kind.INTEGER):
        unread = int(np.isnan(column.keep(raw)).sum()) - int(raw.missing.sum())
        if unread:
            return f"{column.name}: {unread:,} values are no numbers and count as missing."
    return ""
