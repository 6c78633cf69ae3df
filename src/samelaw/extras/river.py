"""A drift monitor as a detector of river: one row at a time, a flag that is up for one update."""

from collections.abc import Mapping
from typing import Any

from samelaw.core.optional import require

require(__name__, "river")

from river.base import DriftDetector

from samelaw.core.checks import as_count
from samelaw.monitor.drift_reading import DriftReading
from samelaw.monitor.monitor import DriftMonitor
from samelaw.monitor.promises import Promise, RunLength
from samelaw.monitor.reference import LEAST_ROWS


class RiverDriftDetector(DriftDetector):
    """A drift detector of river for rows of many columns, with bounded false alarms.

    Parameters
    ----------
    reference : table, optional
        Rows as they should be. Without, the first ``warm_up`` rows of the stream are.
    warm_up : int
        Rows from which a reference is made, at the start and after every drift.
    promise : Ever or RunLength
        The bound on false alarms, see `samelaw.DriftMonitor`.
    seed : int, optional

    Notes
    -----
    ``drift_detected`` is True after the update that raised the alarm and False after the next,
    which starts a new run, as river's detectors do. About a millisecond per row; `DriftMonitor`
    takes batches, a hundred times faster.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> detector = RiverDriftDetector(rng.normal(size=(1000, 2)), seed=0)
    >>> for x, y in rng.normal(size=(200, 2)) + 1:
    ...     detector.update({"x1": x, "x2": y})
    ...     if detector.drift_detected:
    ...         break
    >>> sorted(detector.reading.columns)
    ['x1', 'x2']
    """

    def __init__(
        self,
        reference: object | None = None,
        warm_up: int = 1_000,
        promise: Promise = RunLength(10_000),
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self.reference = reference
        self.warm_up = as_count("warm_up", warm_up, LEAST_ROWS)
        self.promise = promise
        self.seed = seed
        self._waiting: list[dict[str, Any]] = []
        self._monitor: DriftMonitor | None = None
        if reference is not None:
            self._start(reference)

    def _start(self, reference: object) -> None:
        self._monitor = DriftMonitor(reference, promise=self.promise, rng=self.seed)

    def update(self, x: Mapping[str, Any] | float) -> None:
        """Judge one row: values by name, or one number."""
        row = dict(x) if isinstance(x, Mapping) else {"x1": x}
        if self._monitor is None:
            self._warm_up(row)
            return
        if self._drift_detected:
            self._monitor.accept(collect=self.warm_up)
        self._drift_detected = self._monitor.update(row).alarm

    def _warm_up(self, row: dict[str, Any]) -> None:
        self._waiting.append(row)
        if len(self._waiting) == self.warm_up:
            names = self._waiting[0]
            self._start({name: [one.get(name) for one in self._waiting] for name in names})
            self._waiting = []

    @property
    def reading(self) -> DriftReading | None:
        """What the monitor knows; None before there is a reference."""
        return None if self._monitor is None else self._monitor.reading
