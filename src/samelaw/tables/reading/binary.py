"""Binary formats: Parquet and Arrow files as Arrow tables, NumPy files as arrays."""

import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from samelaw.core.free_memory import room, too_large
from samelaw.core.types import Matrix
from samelaw.tables.columns.names import check_distinct
from samelaw.tables.reading.arrow_batches import Part
from samelaw.tables.reading.opening import arrow, reading, unreadable
from samelaw.tables.reading.structs import owners, spread

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.ipc as ipc
    import pyarrow.parquet as pq


def read_parquet(path: Path, columns: Collection[str] | None = None) -> Part:
    """A Parquet file, or those of its columns that are asked for."""
    with reading(path, "Parquet"), open(path, "rb") as file:
        schema = arrow("parquet").read_schema(file)
        check_distinct(schema.names, str(path))
        file.seek(0)
        known = owners(schema)
        held = None if columns is None else {known[name] for name in columns if name in known}
        table = spread(read(file, path, held), columns)
    return Part(table, unread=tuple(n for n in known if n not in table.column_names))


def read_arrow(path: Path, columns: Collection[str] | None = None) -> Part:
    """An Arrow (Feather) file or stream, or some of its columns; checked before use."""
    with reading(path, "Arrow"), open(path, "rb") as file:
        ipc = arrow("ipc")
        is_file = file.read(6) == b"ARROW1"
        open_any = ipc.open_file if is_file else ipc.open_stream
        file.seek(0)
        schema = open_any(file).schema
        check_distinct(schema.names, str(path))
        known = owners(schema)
        held = {known[name] for name in known if columns is None or name in columns}
        places = [i for i, name in enumerate(schema.names) if name in held]
        file.seek(0)
        found = open_any(file, options=ipc.IpcReadOptions(included_fields=places))
        table = arrow().Table.from_batches(list(_batches(found, is_file, path)), found.schema)
        table.validate(full=True)
    table = spread(table, columns)
    return Part(table, unread=tuple(n for n in known if n not in table.column_names))


def _batches(
    found: "ipc.RecordBatchFileReader | ipc.RecordBatchStreamReader", is_file: bool, path: Path
) -> Iterator["pa.RecordBatch"]:
    """Batch after batch, as long as there is room: compressed ones may grow."""
    left = room()
    parts = map(found.get_batch, range(found.num_record_batches)) if is_file else found
    for batch in parts:
        left -= batch.nbytes
        if left < 0:
            raise too_large(str(path), by_column=True)
        yield batch


def read_numpy(path: Path) -> Matrix | dict[str, Matrix]:
    """The array of a .npy file, or of a .npz file with one; else the arrays by name."""
    with reading(path, "a numpy file"):
        with open(path, "rb") as file:
            start = file.read(6)
        if start == b"\x93NUMPY":
            return _load(path)
        if not start.startswith(b"PK"):
            raise unreadable(path, "a numpy file", ValueError("it does not start like one"))
        arrays = _load_archive(path)
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays


def _load_archive(path: Path) -> dict[str, Matrix]:
    with zipfile.ZipFile(path) as members:
        if sum(member.file_size for member in members.infolist()) > room():
            raise too_large(str(path))
    with np.load(path, allow_pickle=False) as archive:
        try:
            return {name: archive[name] for name in archive.files}
        except ValueError as error:
            raise _no_objects(path, error) from error


def _load(path: Path) -> Matrix:
    try:
        # Mapped, so that a header claiming a huge shape is refused before memory is taken.
        return np.array(np.load(path, mmap_mode="r", allow_pickle=False))
    except ValueError as error:
        raise _no_objects(path, error) from error


def _no_objects(path: Path, error: ValueError) -> ValueError:
    if "allow_pickle" in str(error) or "Python objects" in str(error):
        return ValueError(
            f"{path} holds Python objects, which samelaw never loads from a file; "
            "save arrays of numbers or text."
        )
    return unreadable(path, "a numpy file", error)


MOST_ROWS = 1024
"""Rows read at once of values whose size only shows when they are read."""


_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}


_CODE = 4


_OURS = 9  # bytes of a value in our own columns: a float or code, and whether it is missing


_AS_LONG = frozenset({"PLAIN", "RLE", "BIT_PACKED"})  # decoded values are as long as their pages


_CODED = _AS_LONG | {"PLAIN_DICTIONARY", "RLE_DICTIONARY"}


@dataclass(frozen=True)
class Leaf:
    """One chunk of values, and how many bytes each takes; 0 if they differ in length."""

    values: int
    width: int
    pages: int
    encodings: frozenset[str]


def opened(file: BinaryIO, words: Sequence[str] = ()) -> "pq.ParquetFile":
    """A file whose pages are checked where they carry a sum; these columns as codes and words."""
    found: pq.ParquetFile = arrow("parquet").ParquetFile(
        file, read_dictionary=words, page_checksum_verification=True
    )
    return found


def read(file: BinaryIO, path: Path, columns: Collection[str] | None) -> "pa.Table":
    """The columns as an Arrow table."""
    found = opened(file)
    wanted = [n for n in found.schema_arrow.names if columns is None or n in columns]
    leaves = _leaves(found)
    words = {name for name in wanted if _is_words(found.schema_arrow.field(name).type)}
    bounded = [name for name in wanted if _is_bounded(leaves[name], name in words)]
    if sum(map(_decoded, (leaf for name in bounded for leaf in leaves[name]))) > room():
        raise too_large(str(path), by_column=True)
    reader = opened(file, words=sorted(words.intersection(bounded)))
    table = reader.read(columns=bounded).select(bounded)
    for name in wanted:
        if name not in table.column_names:
            rows = _rows_at_once(leaves[name])
            values = _read_slowly(found, name, rows, path, room() - table.nbytes)
            table = table.append_column(name, values)
    return table.select(wanted)


def batches(file: BinaryIO, columns: Collection[str], rows: int) -> Iterator["pa.RecordBatch"]:
    """So many rows at a time; fewer where their size only shows when they are read."""
    found = opened(file)
    leaves = _leaves(found)
    wanted = [name for name in found.schema_arrow.names if name in columns]
    words = {name for name in wanted if _is_words(found.schema_arrow.field(name).type)}
    bounded = {name for name in wanted if _is_bounded(leaves[name], name in words)}
    few = min((_rows_at_once(leaves[name]) for name in wanted if name not in bounded), default=rows)
    reader = opened(file, words=sorted(words & bounded))
    yield from reader.iter_batches(batch_size=min(few, rows), columns=wanted)


def _leaves(found: "pq.ParquetFile") -> dict[str, list[Leaf]]:
    """The chunks of every column; a nested one has several per row group."""
    metadata, schema = found.metadata, found.schema
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    leaves: dict[str, list[Leaf]] = {}
    for field, places in _places(found.schema_arrow):
        leaves[field.name] = [
            _leaf(group.column(place), schema.column(place)) for group in groups for place in places
        ]
    return leaves


def _places(schema: "pa.Schema") -> Iterator[tuple["pa.Field", range]]:
    """Each field with the numbers of its chunks: names may hold the dots that paths are cut by."""
    start = 0
    for field in schema:
        stop = start + _count(field.type)
        yield field, range(start, stop)
        start = stop


def _count(kind: "pa.DataType") -> int:
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return _count(kind.storage_type)
    if not pa.types.is_nested(kind):
        return 1
    return sum(_count(kind.field(i).type) for i in range(kind.num_fields))


def _leaf(chunk: "pq.ColumnChunkMetaData", column: "pq.ColumnSchema") -> Leaf:
    width = _WIDTHS.get(chunk.physical_type, 0)
    if chunk.physical_type == "FIXED_LEN_BYTE_ARRAY":
        width = max(16, column.length)  # a decimal takes 16 bytes, however few it had
    return Leaf(chunk.num_values, width, chunk.total_uncompressed_size, frozenset(chunk.encodings))


def _is_words(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _is_bounded(leaves: list[Leaf], words: bool) -> bool:
    """Whether the size of what comes out is known before."""
    return all(leaf.width or (words and leaf.encodings <= _CODED) for leaf in leaves)


def _decoded(leaf: Leaf) -> int:
    size = leaf.values * leaf.width if leaf.width else leaf.pages + leaf.values * _CODE
    return size + leaf.values * _OURS


def _rows_at_once(leaves: list[Leaf]) -> int:
    """So few that even the longest values, each as long as all pages, leave some room."""
    longest = max((leaf.pages for leaf in leaves if not leaf.encodings <= _AS_LONG), default=0)
    return max(1, min(MOST_ROWS, room() // (4 * max(longest, 1))))


def _read_slowly(
    found: "pq.ParquetFile", name: str, rows: int, path: Path, left: int
) -> "pa.ChunkedArray":
    import pyarrow as pa

    parts = []
    for batch in found.iter_batches(batch_size=rows, columns=[name]):
        parts.append(batch.column(name))
        left -= parts[-1].nbytes
        if left < 0:
            raise too_large(str(path), by_column=True)
    return pa.chunked_array(parts, found.schema_arrow.field(name).type)
