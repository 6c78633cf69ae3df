"""A monitor and the files it has seen, in one database: both or neither.

State and ledger are written in one transaction, so that a process that dies at any moment neither
loses a file nor counts one twice. The database is locked as long as it is open: there is one
watcher.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

from samelaw.monitor.history import DriftHistory, Period
from samelaw.monitor.monitor import DriftMonitor
from samelaw.show.result import plain

VERSION = 1
_TABLES = """
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL, content BLOB);
CREATE TABLE files (number INTEGER PRIMARY KEY, name TEXT, digest TEXT, period TEXT NOT NULL);
"""


class Ledger:
    """The state of a monitor and its periods, in a file.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from samelaw.monitor.history import watch_period
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/state") as ledger:
    ...     monitor = DriftMonitor(np.random.default_rng(0).normal(size=(500, 2)), rng=0)
    ...     ledger.start(monitor, "reference.csv")
    ...     ledger.add(monitor, watch_period(monitor, np.zeros((5, 2)), "monday.csv"))
    ...     [period.name for period in ledger.periods()]
    ['monday.csv']
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._database = sqlite3.connect(self.path, timeout=0.5, isolation_level=None)
        try:
            self._open()
        except sqlite3.Error as error:
            self._database.close()
            raise _said(self.path, error) from error
        except BaseException:
            self._database.close()
            raise

    def _open(self) -> None:
        """Lock the file until it is closed, and see that it is ours."""
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            version = self._one("PRAGMA user_version")
            tables = self._one("SELECT count(*) FROM sqlite_master")
            if version == 0 and tables == 0:
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise ValueError(
                    f"{self.path} is no state of samelaw monitor of version {VERSION}; "
                    "name another file."
                )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN EXCLUSIVE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def _one(self, query: str) -> int:
        return int(self._database.execute(query).fetchone()[0])

    @property
    def started(self) -> bool:
        """Whether there is a monitor in it."""
        return bool(self._one("SELECT count(*) FROM state"))

    def start(self, monitor: DriftMonitor, source: str) -> None:
        """Put a new monitor in, and say where its reference came from."""
        with self._spoken(), self._transaction():
            self._database.execute(
                "INSERT INTO state VALUES (1, ?, ?)", (source, monitor.to_bytes())
            )

    def monitor(self) -> DriftMonitor:
        """The monitor as it was when it was last written."""
        with self._spoken():
            (content,) = self._database.execute("SELECT content FROM state").fetchone()
        return DriftMonitor.from_bytes(content, self.path)

    def save(self, monitor: DriftMonitor) -> None:
        """Write a monitor that has seen no further file, but was told something."""
        with self._spoken(), self._transaction():
            self._database.execute("UPDATE state SET content = ?", (monitor.to_bytes(),))

    def add(self, monitor: DriftMonitor, period: Period) -> None:
        """Write a monitor and the period it has just seen, both or neither."""
        text = json.dumps(plain(period), allow_nan=False)
        with self._spoken(), self._transaction():
            self._database.execute(
                "INSERT INTO files (name, digest, period) VALUES (?, ?, ?)",
                (period.name, period.digest, text),
            )
            self._database.execute("UPDATE state SET content = ?", (monitor.to_bytes(),))

    def periods(self) -> list[Period]:
        """All periods, the oldest first."""
        with self._spoken():
            rows = self._database.execute("SELECT period FROM files ORDER BY number").fetchall()
        return [Period.from_dict(json.loads(text)) for (text,) in rows]

    def history(self, monitor: DriftMonitor) -> DriftHistory:
        (source,) = self._database.execute("SELECT source FROM state").fetchone()
        return DriftHistory(monitor.reading, self.periods(), source)

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _said(self.path, error) from error

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _said(path: Path, error: sqlite3.Error) -> OSError:
    """What a database says, in words that help."""
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return OSError(f"{path} is in use by another samelaw monitor; stop it first.")
    if code.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return OSError(f"{path} is damaged, or no state of samelaw monitor: {error}.")
    return OSError(f"{path} cannot be used as a state: {error}.")
