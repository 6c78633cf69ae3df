"""Files as bytes: unpacked if they are gzip, bounded, and complete.

A file is data, never code: nothing in it is executed, unpickled or evaluated, and what it unpacks
to is bounded.
"""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from samelaw.data.limits import room, too_large

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 2**20


def arrow(module: str = "") -> ModuleType:
    """The pyarrow package or one of its modules, or what to install."""
    try:
        return import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError as error:
        raise ValueError(
            "reading CSV, Parquet and Arrow files needs pyarrow; run: pip install samelaw[cli]"
        ) from error


class Limited(io.RawIOBase):
    """A stream, unpacked if it is gzip, that refuses to give more than there is room for."""

    def __init__(self, raw: io.BufferedReader, source: str, share: float = 1.0) -> None:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        self.source = source
        self.quotes = 0  # of what was read: an odd number in a CSV is worth a look
        self._stream = gzip.GzipFile(fileobj=raw) if packed else raw
        self._left = share * room()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        count = self._stream.readinto(view)
        self._left -= count
        if self._left < 0:
            raise too_large(self.source)
        self.quotes += bytes(view[:count]).count(b'"')
        return count


@contextmanager
def opened(path: Path, share: float = 1.0) -> "Iterator[io.BufferedReader[Limited]]":
    """The bytes of a file, unpacked and bounded by a share of the room there is."""
    with open(path, "rb") as raw, io.BufferedReader(Limited(raw, str(path), share), CHUNK) as file:
        yield file


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Turn what goes wrong into one plain sentence, and notice a file that changes meanwhile."""
    try:
        before = fingerprint(path)
        yield
        after = fingerprint(path)
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


def fingerprint(path: Path) -> tuple[int, int, int]:
    """What tells a file from one that was written since."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns, status.st_ino


def forbidden(path: Path) -> PermissionError:
    return PermissionError(f"{path} may not be read: permission denied; check who owns it.")


def unreadable(path: Path, what: str, error: Exception) -> ValueError:
    first = (str(error).strip().splitlines() or ["the file is damaged"])[0][:160].rstrip(".")
    return ValueError(
        f"{path} cannot be read as {what} ({first}); check that it is complete and named rightly."
    )
