"""A stream as it is kept between calls: its monitor, what it has judged, what was told of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Self

import numpy as np

from samelaw.core.container import Container, Format
from samelaw.core.types import Matrix
from samelaw.monitor.history import DriftHistory, Period
from samelaw.monitor.monitor import DriftMonitor
from samelaw.results.result import plain

FORMAT = Format("state of a stream", 2)

MOST_PERIODS = 1_000
"""Files that are kept with all that was found; of older ones the digest is enough to know them."""

_OLD = "old_digests"


@dataclass
class Stream:
    """A monitor and the files it has judged, which are saved together or not at all.

    Parameters
    ----------
    monitor : DriftMonitor
    source, digest : where the rows of the reference came from, and the SHA-256 of that.
    settings : how the stream was to be judged when it began, as plain values.
    periods : the files that were judged, the oldest first.
    told : how many of them were told in every output.
    old : digests (m, 32) of files judged before the first of them, as bytes.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from samelaw.monitor.history import watch_period
    >>> stream = Stream(DriftMonitor(np.random.default_rng(0).normal(size=(500, 2)), rng=0))
    >>> stream.add(watch_period(stream.monitor, np.zeros((5, 2)), "monday.csv"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stream.write(f"{folder}/state")
    ...     [period.name for period in Stream.read(f"{folder}/state").untold]
    ['monday.csv']
    """

    monitor: DriftMonitor
    source: str = ""
    digest: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    periods: list[Period] = field(default_factory=list)
    told: int = 0
    old: Matrix = field(default_factory=lambda: np.zeros((0, 32), dtype=np.uint8))

    def __post_init__(self) -> None:
        old = (row.tobytes().hex() for row in self.old)
        self._known = {*old, *(one.digest for one in self.periods)}

    def knows(self, digest: str) -> bool:
        """Whether a file of this content was judged."""
        return bool(digest) and digest in self._known

    def add(self, period: Period) -> None:
        """A file that was judged; the oldest that were told become digests."""
        self.periods.append(period)
        self._known.add(period.digest)
        more = min(len(self.periods) - MOST_PERIODS, self.told)
        if more > 0:
            gone = "".join(one.digest for one in self.periods[:more])
            rows = np.frombuffer(bytes.fromhex(gone), dtype=np.uint8).reshape(-1, 32)
            self.old = np.concatenate([self.old, rows])
            del self.periods[:more]
            self.told -= more

    @property
    def untold(self) -> Sequence[Period]:
        """Files that were judged by a call whose outputs failed."""
        return self.periods[self.told :]

    def history(self, unread: Sequence[Period] = ()) -> DriftHistory:
        """Everything so far, and the files that could not be read this time."""
        periods = [*self.periods, *unread]
        return DriftHistory(self.monitor.reading, periods, self.source, len(self.old))

    def write(self, path: str | PathLike[str]) -> None:
        """Write a file that is whole or absent; nothing of the file before stays in it."""
        state = self.monitor.state_dict()
        facts = {
            "monitor": state["plain"],
            "source": self.source,
            "digest": self.digest,
            "settings": self.settings,
            "periods": self.periods,
            "told": self.told,
        }
        FORMAT.write(path, Container({**state["arrays"], _OLD: self.old}, plain(facts)))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """The stream of `write`; a file in which any bit is another is refused."""
        found = FORMAT.read(path)
        facts = dict(found.facts)
        monitor = DriftMonitor.from_state({"plain": facts.pop("monitor"), "arrays": found.arrays})
        periods = [Period.from_dict(one) for one in facts.pop("periods")]
        return cls(monitor, periods=periods, old=found.arrays[_OLD], **facts)
