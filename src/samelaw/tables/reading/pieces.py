"""Pieces of a table: how many rows one has, small ones together, and all under each other."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from samelaw.tables.reading.arrow_columns import written_out
from samelaw.tables.reading.opening import arrow

if TYPE_CHECKING:
    import pyarrow as pa

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
