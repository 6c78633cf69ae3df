"""References as tables that `compare` takes, and what it should say about them.

Rows of the other table go through the same rules: a value that the reference cannot tell from
another is not told from it on either side, which keeps the rows exchangeable.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from samelaw.comparison.references.reference import Reference
from samelaw.core.types import Matrix
from samelaw.results.words import in_a_row, listed, quoted
from samelaw.tables.columns.column import DRAWN_IN, ENDS, Kind
from samelaw.tables.columns.raw_column import Floats, RawColumn
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.frozen import FrozenColumn
from samelaw.tables.hash64 import mixed, word_hashes
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.reading.read import read_table
from samelaw.tables.table import Table

ENDING = ".safetensors"

_TOLD = (Kind.NUMERIC, Kind.INTEGER, Kind.BOOLEAN, Kind.CATEGORICAL)
_PRESENCE = (Kind.DATETIME, Kind.TEXT, Kind.IDENTIFIER)
_SHOWN = 3
_OUTLIERS = 0.05  # share of values beyond the ends of a reference that are not worth a word


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
    raw = {
        column.name: _marked(table.raw[column.name], _ends(column, reference.kept[:, i]))
        for i, column in enumerate(reference.rules.columns)
    }
    return replace(table, raw=raw, notes=tuple(_notes(reference)))


def through_rules(reference: Reference, source: Any, text: CsvFormat) -> Table:
    """Another table as the rules of a reference see it; columns of its own stay as they are."""
    table = read_table(source, text=text)
    here = [c for c in reference.rules.columns if c.name in table.raw]
    if not here:
        return table  # that no column is shared is said where pairs of tables are made
    seen = replace(reference, rules=replace(reference.rules, columns=tuple(here)))
    kept = seen.encode_kept(table)
    restored = _restored(seen, kept, table.source)
    own = {name: raw for name, raw in table.raw.items() if name not in restored.raw}
    for i, column in enumerate(here):
        marks = _ends(column, kept[:, i])
        if len(_drawn_in(column, table.raw[column.name])):
            marks = (DRAWN_IN, *marks)
        own[column.name] = _marked(restored.raw[column.name], marks)
    said = [note for c in here if (note := unseen_values(c, table.raw[c.name]))]
    notes = (*table.notes, *said)
    return replace(restored, raw={**restored.raw, **own}, rows=table.rows, notes=notes)


def _restored(reference: Reference, kept: Matrix, source: str) -> Table:
    columns = reference.rules.columns
    raw = {c.name: c.restored(kept[:, i]) for i, c in enumerate(columns)}
    return Table(raw, len(kept), source)


def _notes(reference: Reference) -> list[str]:
    notes = [
        f"a reference of {reference.rows:,} rows (those that its rules were made of are held back "
        f"and not among them), of which {len(reference.kept):,}, drawn at random, are compared; "
        "numbers are compared through their quantiles in it."
    ]
    return [*notes, *presence_notes(reference)]


def presence_notes(reference: Reference) -> list[str]:
    """Which columns are known by their missing values alone."""
    names = [c.name for c in reference.rules.columns if c.kind in _PRESENCE]
    if not names:
        return []
    return [
        f"of {in_a_row(names)} (dates, text, identifiers) a reference keeps only whether there "
        "is a value."
    ]


def unseen_values(column: FrozenColumn, raw: RawColumn) -> str:
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
        if len(beyond := _drawn_in(column, raw)):
            ends = " to ".join(column.show(float(column.knots[i])) for i in (0, -1))
            far = column.show(float(beyond[np.argmax(np.abs(beyond - np.median(column.knots)))]))
            return (
                f"{column.name}: {len(beyond):,} values lie beyond {ends}, the farthest is {far}."
            )
    return ""


def _drawn_in(column: FrozenColumn, raw: RawColumn) -> Floats:
    """The numbers (k,) beyond the ends of a reference, if they are more than outliers."""
    found = column.beyond(raw)
    return found if len(found) > _OUTLIERS * raw.known else found[:0]


def _ends(column: FrozenColumn, kept: Floats) -> tuple[str, ...]:
    """Marks of the ends to which any value was drawn in; no other value is just there."""
    if column.kind not in (Kind.NUMERIC, Kind.INTEGER):
        return ()
    ends = column.scores[[0, -1]].astype(kept.dtype)
    return tuple(mark for mark, end in zip(ENDS, ends, strict=True) if (kept == end).any())


def _marked(raw: RawColumn, marks: Sequence[str]) -> RawColumn:
    if not (marks and isinstance(raw, RawNumbers)):
        return raw
    return replace(raw, notes=(*raw.notes, *marks))


def seen_keys(table: Table, names: Iterable[str]) -> Matrix:
    """A number (n,) for each row of a table as a reference sees it, by its values in some columns.

    Two references of one set of rules, or one and a table, have equal numbers for equal rows.
    """
    keys = np.zeros(table.rows, dtype=np.uint64)
    for name in names:
        raw = table.raw[name]
        if isinstance(raw, RawNumbers):
            values = np.where(raw.missing, np.inf, raw.values).astype(np.float64) + 0.0  # −0 is 0
            found = values.view(np.uint64)
        else:
            codes, labels = raw.words()
            found = np.append(word_hashes(labels), np.uint64(0))[codes]  # −1 finds the last
        keys = mixed(keys ^ found)
    return keys


def refuse_beside_reference(kinds: object, groups: object, unique: bool) -> None:
    if kinds or groups or unique:
        raise ValueError(
            "with a reference there is no kinds (--kind), groups (--groups) or unique (--unique): "
            "kinds were fixed when it was made, and of its rows only some are kept."
        )


def refuse_without_rows(source: str, options: Mapping[str, object]) -> None:
    """Raise if something was asked that only rows can answer."""
    if asked := [name for name, value in options.items() if value]:
        raise ValueError(
            f"{source} keeps no rows: {listed(asked)} cannot be answered from its sums. Compare "
            "with a reference that keeps rows (made without --no-rows)."
        )


def with_reference(
    a: Any,
    b: Any,
    kinds: Mapping[str, Kind | str] | None,
    groups: object,
    unique: bool,
    text: CsvFormat,
) -> tuple[Table, Table, Mapping[str, Kind | str]]:
    """Both tables as the rules of a reference see them, and the kinds it gives their columns."""
    refuse_beside_reference(kinds, groups, unique)
    first = as_reference(a if is_reference(a) else b)
    if is_reference(a) and is_reference(b):
        second = as_reference(b)
        if first.fingerprint != second.fingerprint:
            raise ValueError(
                f"{first.source} and {second.source} were made by other rules and cannot be "
                "compared: make the second one like the first (samelaw profile --like)."
            )
        return kept_table(first), kept_table(second), told_kinds(first)
    sides = [
        kept_table(first) if is_reference(side) else through_rules(first, side, text)
        for side in (a, b)
    ]
    told = {n: k for n, k in told_kinds(first).items() if all(n in side.raw for side in sides)}
    return sides[0], sides[1], told
