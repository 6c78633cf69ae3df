"""Binary formats: Parquet and Arrow files as Arrow tables, NumPy files as arrays."""

import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from samelaw.core.free_memory import room, too_large
from samelaw.core.types import Matrix
from samelaw.tables.columns.names import check_distinct
from samelaw.tables.reading import parquet
from samelaw.tables.reading.arrow_batches import Part
from samelaw.tables.reading.opening import arrow, reading, unreadable
from samelaw.tables.reading.structs import owners, spread

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.ipc as ipc


def read_parquet(path: Path, columns: Collection[str] | None = None) -> Part:
    """A Parquet file, or those of its columns that are asked for."""
    with reading(path, "Parquet"), open(path, "rb") as file:
        schema = arrow("parquet").read_schema(file)
        check_distinct(schema.names, str(path))
        file.seek(0)
        known = owners(schema)
        held = None if columns is None else {known[name] for name in columns if name in known}
        table = spread(parquet.read(file, path, held), columns)
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
