"""Files as bytes: unpacked if they are gzip, bzip2 or zip, bounded, and complete.

A file is data, never code: nothing in it is executed, unpickled or evaluated, and what it unpacks
to is bounded.
"""

import bz2
import gzip
import io
import os
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from samelaw.core.free_memory import room, too_large
from samelaw.results.words import in_a_row

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

CHUNK = 2**20
START = 64
"""First bytes of a file, by which its format is told."""

PACKED = (".gz", ".bz2", ".zip")
"""Endings of packed files of text."""


def arrow(module: str = "") -> ModuleType:
    """The pyarrow package or one of its modules, or what to install."""
    try:
        return import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError as error:
        raise ValueError(
            "reading CSV, Parquet and Arrow files needs pyarrow; run: pip install samelaw[cli]"
        ) from error


def unpacked(raw: io.BufferedReader, source: str) -> io.BufferedIOBase:
    """What a stream holds, whatever it is packed with; a zip file must hold one file."""
    start = raw.read(4)
    raw.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(raw)
    if start == b"PK\x03\x04":
        archive = zipfile.ZipFile(raw)
        return cast(io.BufferedIOBase, archive.open(only_member(archive, source)))
    return raw


def only_member(archive: zipfile.ZipFile, source: str) -> zipfile.ZipInfo:
    """The one file in a zip file, without what some systems add."""
    members = [m for m in archive.infolist() if not m.is_dir() and "__MACOSX/" not in m.filename]
    names = [member.filename for member in members]
    if "[Content_Types].xml" in names:
        raise ValueError(
            f"{source} is an Excel file or the like; name it .xlsx or export it as CSV."
        )
    if len(members) != 1:
        held = in_a_row([repr(name) for name in names], 3) or "nothing"
        raise ValueError(f"{source} holds {held}; expected one file: unpack it and name one.")
    if members[0].flag_bits & 1:
        raise ValueError(f"{source} is locked with a password; unpack it first.")
    return members[0]


class Limited(io.RawIOBase):
    """A stream, unpacked, that refuses to give more than there is room for."""

    def __init__(self, raw: io.BufferedReader, source: str, share: float = 1.0) -> None:
        self.source = source
        self.quotes = 0  # of what was read: an odd number in a CSV is worth a look
        self._stream = unpacked(raw, source)
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


def is_stream(path: Path) -> bool:
    """Whether a path is a pipe, which can be read once and has no ending that tells its format."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


@contextmanager
def spooled(path: Path, source: str) -> Iterator[tuple[Path, bytes]]:
    """What comes from standard input (``-``) or a pipe, as a file, and how it begins unpacked."""
    from tempfile import TemporaryDirectory

    if str(path) == "-" and sys.stdin is None:
        raise ValueError("standard input is closed; give a file.")
    with TemporaryDirectory(prefix="samelaw-") as folder:
        file = Path(folder, "input")
        # Standard input stays open: whoever started this process may want more of it.
        with (
            nullcontext(sys.stdin.buffer) if str(path) == "-" else open(path, "rb") as stream,
            open(file, "wb") as copy,
        ):
            left = room()
            while chunk := stream.read(CHUNK):
                left -= copy.write(chunk)
                if left < 0:
                    raise too_large(source)
        with reading(file, "text"), opened(file) as found:
            start = found.read(START)
        yield file, start


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
    except (OSError, EOFError, NotImplementedError, zlib.error, zipfile.BadZipFile) as error:
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
    if "CRC checksum" in str(error):
        return ValueError(
            f"{path} is damaged: a part of it does not match the checksum that it was written "
            "with; copy or write it again."
        )
    first = (str(error).strip().splitlines() or ["the file is damaged"])[0][:160].rstrip(".")
    return ValueError(
        f"{path} cannot be read as {what} ({first}); check that it is complete and named rightly."
    )
