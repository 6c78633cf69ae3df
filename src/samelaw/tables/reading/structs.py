"""Columns of structs: what they hold becomes columns of its own, under names with a dot."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from samelaw.tables.reading.objects import DEEPEST
from samelaw.tables.reading.opening import arrow
from samelaw.tables.reading.pandas_columns import in_words

if TYPE_CHECKING:
    import pyarrow as pa


def spread(table: "pa.Table", columns: Collection[str] | None = None) -> "pa.Table":
    """A table without structs, or those of its columns that are asked for.

    Examples
    --------
    >>> import pyarrow as pa
    >>> spread(pa.table({"buyer": [{"age": 30, "home": {"zip": "10115"}}]})).column_names
    ['buyer.age', 'buyer.home.zip']
    """
    table = in_words(table)
    if any(map(arrow().types.is_struct, table.schema.types)):
        parts = {n: part for name in table.column_names for n, part in _spread(table, name).items()}
        table = arrow().table(parts)
    if columns is None:
        return table
    return table.select([name for name in table.column_names if name in columns])


def owners(schema: "pa.Schema") -> dict[str, str]:
    """Of each column there will be, the column of the file that holds it."""
    empty = in_words(schema.empty_table())
    return {part: name for name in schema.names for part in _spread(empty, name)}


def _spread(table: "pa.Table", name: str) -> dict[str, "pa.ChunkedArray"]:
    """What a column holds; itself if names would be taken."""
    found = _parts(name, table[name], DEEPEST)
    names = [part for part, _ in found]
    taken = len({*names}) < len(names) or {*names} & ({*table.column_names} - {name})
    return {name: table[name]} if taken else dict(found)


def _parts(name: str, column: "pa.ChunkedArray", depth: int) -> list[tuple[str, "pa.ChunkedArray"]]:
    kind = column.type
    if not (arrow().types.is_struct(kind) and kind.num_fields and depth):
        return [(name, column)]
    names = (f"{name}.{kind.field(i).name}" for i in range(kind.num_fields))
    inside = zip(names, column.flatten(), strict=True)  # where the struct is missing, all is
    return [part for one, values in inside for part in _parts(one, values, depth - 1)]
