"""Opening files, and the binary formats.

A file is data, never code: nothing in it is executed, unpickled or evaluated, and what it unpacks
to is bounded.
"""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from samelaw.data import parquet
from samelaw.data.frames import check_distinct, from_array, from_vector, table_of
from samelaw.data.kinds import Table
from samelaw.data.limits import room, too_large
from samelaw.data.raw_column import Stored


def arrow(module: str = "") -> Any:
    """The pyarrow package or one of its modules, or what to install."""
    try:
        return import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError as error:
        raise ValueError(
            "reading CSV, Parquet and Arrow files needs pyarrow; run: pip install samelaw[cli]"
        ) from error


CHUNK = 2**20


class Limited(io.RawIOBase):
    """A stream, unpacked if it is gzip, that refuses to give more than there is room for."""

    def __init__(self, raw: BinaryIO, source: str, share: float = 1.0) -> None:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        self._stream: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        self._source, self._left = source, share * room()
        self.quotes = 0  # of what was read: an odd number in a CSV is worth a look

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        count = int(self._stream.readinto(view))
        self._left -= count
        if self._left < 0:
            raise too_large(self._source)
        self.quotes += bytes(view[:count]).count(b'"')
        return count


@contextmanager
def opened(path: Path, share: float = 1.0) -> Iterator[Any]:
    """The bytes of a file, unpacked and bounded by a share of the room there is."""
    with open(path, "rb") as raw, io.BufferedReader(Limited(raw, str(path), share), CHUNK) as file:
        yield file


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Turn what goes wrong into one plain sentence, and notice a file that changes meanwhile."""
    try:
        before = _fingerprint(path)
        yield
        after = _fingerprint(path)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{path} does not exist; check the path.") from error
    except PermissionError as error:
        raise forbidden(path) from error
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise unreadable(path, what, error) from error
    except Exception as error:
        if type(error).__module__.startswith("pyarrow"):
            raise unreadable(path, what, error) from error
        raise
    if before != after:
        raise ValueError(f"{path} changed while it was read; wait until it is complete.")


def forbidden(path: Path) -> PermissionError:
    return PermissionError(f"{path} may not be read: permission denied; check who owns it.")


def _fingerprint(path: Path) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns, status.st_ino


def unreadable(path: Path, what: str, error: Exception) -> ValueError:
    first = (str(error).strip().splitlines() or ["the file is damaged"])[0][:160].rstrip(".")
    return ValueError(
        f"{path} cannot be read as {what} ({first}); check that it is complete and named rightly."
    )


def read_parquet(path: Path, columns: Collection[str] | None = None) -> tuple[Any, tuple[str, ...]]:
    """A Parquet file as an Arrow table, and the names of columns that were not asked for."""
    with reading(path, "Parquet"), open(path, "rb") as file:
        check_distinct(arrow("parquet").read_schema(file).names, str(path))
        file.seek(0)
        return parquet.read(file, path, columns)


def read_arrow(path: Path, columns: Collection[str] | None = None) -> tuple[Any, tuple[str, ...]]:
    """An Arrow (Feather) file or stream as an Arrow table, checked before use; names left out."""
    with reading(path, "Arrow"), open(path, "rb") as file:
        ipc = arrow("ipc")
        is_file = file.read(6) == b"ARROW1"
        open_any = ipc.open_file if is_file else ipc.open_stream
        file.seek(0)
        names = open_any(file).schema.names
        places = [i for i, name in enumerate(names) if columns is None or name in columns]
        file.seek(0)
        found = open_any(file, options=ipc.IpcReadOptions(included_fields=places))
        table = arrow().Table.from_batches(list(_batches(found, is_file, path)), found.schema)
        table.validate(full=True)
        return table, tuple(name for i, name in enumerate(names) if i not in set(places))


def _batches(found: Any, is_file: bool, path: Path) -> Iterator[Any]:
    """Batch after batch, as long as there is room: compressed ones may grow."""
    left = room()
    parts = map(found.get_batch, range(found.num_record_batches)) if is_file else found
    for batch in parts:
        left -= batch.nbytes
        if left < 0:
            raise too_large(str(path), by_column=True)
        yield batch


def read_numpy(path: Path) -> Table:
    """A .npy file: columns x1, x2, …; a .npz file: one or more columns per array."""
    source = str(path)
    with reading(path, "a numpy file"):
        with open(path, "rb") as file:
            start = file.read(6)
        if start == b"\x93NUMPY":
            return from_array(_load(path), source)
        if not start.startswith(b"PK"):
            raise unreadable(path, "a numpy file", ValueError("it does not start like one"))
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > room():
                raise too_large(source)
        with np.load(path, allow_pickle=False) as archive:
            try:
                arrays = {name: archive[name] for name in archive.files}
            except ValueError as error:
                raise _no_objects(path, error) from error
        if len(arrays) == 1:
            return from_array(next(iter(arrays.values())), source)
        return table_of(_archive_columns(arrays, source), source)


def _load(path: Path) -> Any:
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


def _archive_columns(arrays: dict[str, Any], source: str) -> dict[str, Stored]:
    columns = {}
    for name, array in arrays.items():
        if array.ndim == 1:
            columns[name] = from_vector(array, source)
        else:
            part = from_array(array, f"{source}: array {name!r}")
            columns |= {f"{name}_{field}": part.stored[field] for field in part.names}
    return columns
