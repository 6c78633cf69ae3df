"""A folder as a stream: each new file is judged once, whatever happens in between."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from samelaw.core.files import digest_of
from samelaw.monitor.history import DriftHistory, Period, watch_period
from samelaw.monitor.ledger import Ledger
from samelaw.monitor.monitor import DriftMonitor
from samelaw.present.request import Written
from samelaw.reading.read import is_readable

SETTLED = 2.0
"""Seconds a file must have stayed as it is to be taken for complete."""

_Mark = tuple[int, int]  # size and time of change


@dataclass(frozen=True)
class Watched:
    """A file that was seen: as it was, and since when, by a clock that never jumps."""

    mark: _Mark
    since: float


@dataclass
class Watch:
    """What a watcher keeps between two looks at its folder.

    Parameters
    ----------
    folder : Path
    ledger : Ledger
    monitor : DriftMonitor
    settled : float
        Seconds after which a file that stayed as it was is complete.
    written : Written
        How the files are written.
    """

    folder: Path
    ledger: Ledger
    monitor: DriftMonitor
    settled: float = SETTLED
    written: Written = field(default_factory=Written)
    _seen: dict[str, Watched] = field(default_factory=dict)
    _done: dict[str, _Mark] = field(default_factory=dict)
    _read: dict[str, str] = field(default_factory=dict)  # digest of each name that was read
    _aside: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        for period in self.ledger.periods():
            self._remember(period)

    def _remember(self, period: Period) -> None:
        if period.error:
            self._aside.add((period.name, period.digest))
        else:
            self._read[period.name] = period.digest

    def look(self) -> list[Period]:
        """Judge what has become complete; the periods that were added."""
        found = (self._judged(path) for path in self._complete())
        return [period for period in found if period is not None]

    @property
    def waiting(self) -> bool:
        """Whether there are files that may not be complete yet."""
        return any(self._done.get(name) != one.mark for name, one in self._seen.items())

    def _complete(self) -> list[Path]:
        """New files in the order of their names that have stayed as they are."""
        now, found = time.monotonic(), []
        names = sorted(entry.name for entry in os.scandir(self.folder) if _is_data(entry))
        for name in names:
            mark = _mark(self.folder / name)
            if mark is None or self._done.get(name) == mark:
                continue
            known = self._seen.get(name)
            if known is None or known.mark != mark:
                known = self._seen[name] = Watched(mark, now)
            if now - known.since >= self.settled:
                found.append(self.folder / name)
        return found

    def _judged(self, path: Path) -> Period | None:
        """Judge a file unless its content is known; set it aside if it cannot be read."""
        mark, name = _mark(path), path.name
        try:
            digest = digest_of(path)
        except OSError:  # it is gone; what cannot be opened is set aside below
            digest = ""
        if mark is None or _mark(path) != mark:  # it is being written after all
            return None
        if self._read.get(name) == digest or (name, digest) in self._aside:
            self._done[name] = mark
            return None
        period = self._period(path, digest, mark)
        if period is None:
            return None
        try:
            self.ledger.add(self.monitor, period)
        except OSError:  # a full disk, say: nothing was counted
            self.monitor = self.ledger.monitor()
            raise
        self._done[name] = mark
        self._remember(period)
        return period

    def _period(self, path: Path, digest: str, mark: _Mark) -> Period | None:
        """What came of a file; None if it changed while it was read."""
        if path.name in self._read:
            return self._set_aside(path, digest, "it changed after it was read; not read again")
        if twins := [name for name, other in self._read.items() if other == digest]:
            return self._set_aside(path, digest, f"it holds what {twins[0]} held, which was read")
        try:
            table = self.written.table(str(path))
            if _mark(path) != mark:
                return None
            return watch_period(self.monitor, table, path.name, digest)
        except (ValueError, TypeError, OSError, ArithmeticError) as error:
            if _mark(path) != mark:
                return None
            self.monitor = self.ledger.monitor()  # as it was before this file
            return self._set_aside(path, digest, " ".join(str(error).split()))

    def _set_aside(self, path: Path, digest: str, error: str) -> Period:
        now = self.monitor.reading
        evidence = (now.evidence, now.threshold)
        return Period(path.name, now.rows, 0, *evidence, run=now.run, error=error, digest=digest)


def _is_data(entry: "os.DirEntry[str]") -> bool:
    return not entry.name.startswith((".", "_")) and entry.is_file() and is_readable(entry.name)


def _mark(path: Path) -> _Mark | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def watch(
    found: Watch,
    interval: float,
    told: Callable[[DriftHistory, list[Period]], None],
    *,
    once: bool = False,
    failed: Callable[[OSError], None],
) -> DriftHistory:
    """Look at a folder again and again until SIGTERM; once: until nothing is left to wait for.

    Parameters
    ----------
    interval : float
        Seconds between two looks.
    told : function
        Called with everything and what is new, at the start and whenever something is new.
    failed : function
        Called when the ledger cannot be written; what was not counted is tried again.
    """
    pause = min(interval, found.settled) if once else interval
    with stopping() as stop:
        told(found.ledger.history(found.monitor), [])
        while True:
            try:
                new = found.look()
            except OSError as error:
                if once:
                    raise
                failed(error)
                new = []
            if new:
                told(found.ledger.history(found.monitor), new)
            if stop() or (once and not found.waiting):
                return found.ledger.history(found.monitor)
            _sleep(pause, stop)


def _sleep(seconds: float, stop: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stop() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, 0.2))


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Whether SIGTERM has come, which ends the watch after the file at hand."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    before = signal.signal(signal.SIGTERM, ask)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGTERM, before)


def as_seconds(text: str) -> float:
    """Seconds from ``90``, ``90s``, ``5m`` or ``1h``.

    Examples
    --------
    >>> as_seconds("90"), as_seconds("5m")
    (90.0, 300.0)
    """
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1.0)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < 1e6:
        raise ValueError(
            f"--interval is {text!r}; expected seconds, minutes or hours: 90s, 5m, 1h."
        )
    return seconds
