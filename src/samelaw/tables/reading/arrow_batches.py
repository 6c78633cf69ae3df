"""A table in parts: what one file holds, and many files under each other."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samelaw.tables.reading.arrow_columns import written_out
from samelaw.tables.reading.opening import arrow

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Part:
    """One file: its columns, whether commas may be decimal, notes, and names not read.

    ``typed`` says whether it declares types, ``first_line`` is its line of names where that looks
    like a row.
    """

    table: "pa.Table"
    comma: bool = False
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    typed: bool = True
    first_line: str = ""


def stacked(parts: Sequence[Part], source: str) -> Part:
    """The rows of all parts under each other; a column may be absent from some."""
    if len(parts) == 1:
        return parts[0]
    tables = [part.table for part in parts]
    whole = _concatenate(tables, source)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    present = [set(table.column_names) for table in tables]
    notes += tuple(
        f"column {name!r} is absent from {absent} of its {len(tables)} files"
        for name in whole.column_names
        if (absent := sum(name not in names for names in present))
    )
    unread = tuple(dict.fromkeys(name for part in parts for name in part.unread))
    return Part(
        whole,
        all(part.comma for part in parts),
        notes,
        unread,
        all(part.typed for part in parts),
        next((part.first_line for part in parts if part.first_line), ""),
    )


def _concatenate(tables: Sequence["pa.Table"], source: str) -> "pa.Table":
    pa = arrow()
    try:
        return pa.concat_tables(_alike(tables), promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(
            f"the files of {source} do not fit together ({str(error).splitlines()[0][:120]}); "
            "give the column one type in all of them."
        ) from error


def _alike(tables: Sequence["pa.Table"]) -> list["pa.Table"]:
    """Words as words where some files hold them as codes of another type."""
    kinds: dict[str, set[pa.DataType]] = {}
    for table in tables:
        for field in table.schema:
            kinds.setdefault(field.name, set()).add(field.type)
    mixed = {n for n, k in kinds.items() if len(k) > 1 and any(hasattr(t, "index_type") for t in k)}
    return [written_out(table, mixed) for table in tables]


ROWS = 2**18
"""Rows of a piece, at most: enough that what is done once per piece costs nothing beside it."""


VALUES = 2**22
"""Values of a piece, about: of wide tables it has fewer rows."""


def rows_at_once(columns: int) -> int:
    """Rows of a piece of so many columns."""
    return max(2**10, min(ROWS, VALUES // max(columns, 1)))


def gathered(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.Table"]:
    """Small batches together, as long as a piece is not full."""
    some: list[pa.RecordBatch] = []
    for batch in batches:
        some.append(batch)
        rows = sum(one.num_rows for one in some)
        if rows >= rows_at_once(batch.num_columns) or sum(o.nbytes for o in some) >= 8 * VALUES:
            yield arrow().Table.from_batches(some)
            some = []
    if some:
        yield arrow().Table.from_batches(some)


def stack(pieces: Sequence["pa.Table"]) -> "pa.Table":
    """Pieces under each other; of a column with several types the words."""
    pa = arrow()
    coded = {f.name for piece in pieces for f in piece.schema if hasattr(f.type, "index_type")}
    plain = [written_out(piece, coded) for piece in pieces]
    try:
        return pa.concat_tables(plain, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.concat_tables(
            [_as_words(piece, plain) for piece in plain], promote_options="permissive"
        )


def _as_words(piece: "pa.Table", others: Sequence["pa.Table"]) -> "pa.Table":
    pa = arrow()
    for place, name in enumerate(piece.column_names):
        kinds = {o.schema.field(name).type for o in others if name in o.column_names}
        kinds.discard(pa.null())
        if len(kinds) > 1 and any(map(pa.types.is_string, kinds)):
            piece = piece.set_column(place, name, piece[name].cast(pa.string()))
    return piece


def forget_pieces() -> None:
    """Give back the memory of pieces that are gone, which Arrow keeps for the next ones."""
    arrow().default_memory_pool().release_unused()
