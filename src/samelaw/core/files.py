"""Files that are complete or not there: written beside their place, then moved to it."""

import hashlib
import os
import platform
import re
import stat
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text file, in UTF-8, as a whole or not at all."""
    write_bytes(path, text.encode())


def digest_of(path: Path) -> str:
    """SHA-256 of what a file holds."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def starts_with(path: Path, size: int, digest: str) -> bool:
    """Whether a file begins with content of so many bytes and of this SHA-256, and goes on."""
    if path.stat().st_size <= size:
        return False
    found = hashlib.sha256()
    with path.open("rb") as file:
        while size and (part := file.read(min(size, _PART))):
            found.update(part)
            size -= len(part)
    return found.hexdigest() == digest


_PART = 2**20


@contextmanager
def alone_with(path: Path) -> Iterator[None]:
    """No other process that asks for a file gets it meanwhile; one that dies blocks nobody."""
    with path.with_name(f"{path.name}.lock").open("ab") as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            raise OSError(f"{path} is in use by another process; try again later.") from error
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(number: int) -> None:
        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(number: int) -> None:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


def write_bytes(path: str | PathLike[str], content: bytes) -> None:
    """Write a file as a whole or not at all; links are followed, permissions kept."""
    place = Path(path)
    if is_special(place):  # a pipe or device has nothing to lose, and must not be replaced
        place.write_bytes(content)
        return
    place = place.resolve()
    _sweep(place.parent)
    number, name = tempfile.mkstemp(prefix=_prefix(), suffix=_SUFFIX, dir=place.parent)
    try:
        with open(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a name on the disk must not come before what it names
        os.chmod(name, _mode(place))
        os.replace(name, place)
        _sync_folder(place.parent)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


_SUFFIX = ".samelaw-tmp"
_UNFINISHED = re.compile(r"\.(?P<host>[0-9a-f]{8})-(?P<process>\d+)-\w+" + re.escape(_SUFFIX))
_LONG_AGO = 24 * 3600.0


def _prefix() -> str:
    """Says which process of which machine writes: what neither does any more is rubbish."""
    return f".{_host()}-{os.getpid()}-"


def _host() -> str:
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _sweep(folder: Path) -> None:
    """Remove what a killed run of ours left in a folder."""
    with suppress(OSError):  # someone else may sweep too, or nothing may be removed here
        for entry in os.scandir(folder):
            if (found := _UNFINISHED.fullmatch(entry.name)) and entry.is_file(
                follow_symlinks=False
            ):
                old = time.time() - entry.stat(follow_symlinks=False).st_mtime > _LONG_AGO
                if old or (found["host"] == _host() and not _is_running(int(found["process"]))):
                    os.unlink(entry.path)


def _is_running(process: int) -> bool:
    if os.name == "nt":  # signal 0 would end it there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is another user's
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """The new name on the disk; some systems cannot open folders, and lose nothing else."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def is_special(path: Path) -> bool:
    """Whether this is a pipe or a device."""
    return path.exists() and not path.is_file()


def _mode(path: Path) -> int:
    """Permissions of the file that is replaced, or those any new file would get."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
