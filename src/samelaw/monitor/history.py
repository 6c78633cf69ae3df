"""What a monitor has seen, file by file: a result that prints, draws and becomes JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from samelaw.monitor.drift_reading import ChangeTerm, DriftReading, StandingRow
from samelaw.monitor.monitor import DriftMonitor
from samelaw.results.drift_plots import draw_periods
from samelaw.results.result import Facts, Result
from samelaw.results.words import pvalue_words
from samelaw.tables.columns.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Alarm:
    """What was known when the period of an alarm ended.

    Attributes
    ----------
    row : int
        Rows of the stream at the alarm.
    since, since_range : as in `DriftReading`.
    changes : what moved, with p-values from rows of the period after the alarm.
    panels : the columns behind it, in the reference (A) and in the period (B).
    """

    row: int
    since: int | None
    since_range: tuple[int, int] | None
    changes: tuple[ChangeTerm, ...]
    standing_out: tuple[StandingRow, ...]
    panels: tuple[Panel, ...] = field(repr=False, default=())

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Alarm":
        span = plain["since_range"]
        return cls(
            plain["row"],
            plain["since"],
            None if span is None else (span[0], span[1]),
            tuple(ChangeTerm(**{**c, "columns": tuple(c["columns"])}) for c in plain["changes"]),
            tuple(StandingRow(**row) for row in plain["standing_out"]),
            tuple(Panel(**{k: _tuple(v) for k, v in one.items()}) for one in plain["panels"]),
        )


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class Period:
    """One file of a stream, or one batch.

    Attributes
    ----------
    name : str
    first_row, rows : int
        Where its rows begin in the stream, counted from 0, and how many there are.
    evidence : float
        The most there was while its rows were judged.
    threshold : float
        The evidence that raises an alarm.
    effect, effect_error : float or None
        Mean over its rows, and the standard error.
    run : int
    alarm : Alarm or None
        Raised by a row of it.
    pvalue : float or None
        Of a period after an alarm, which is held to the reference by itself: of the hypothesis
        that its rows follow the law of the reference.
    error : str
        Why its rows could not be read; they do not count then.
    digest : str
        SHA-256 of the file.
    size : int
        Bytes of the file.
    """

    name: str
    first_row: int
    rows: int
    evidence: float
    threshold: float
    effect: float | None = None
    effect_error: float | None = None
    run: int = 1
    alarm: Alarm | None = None
    error: str = ""
    digest: str = ""
    pvalue: float | None = None
    size: int = 0

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Period":
        alarm = plain["alarm"]
        return cls(**{**plain, "alarm": None if alarm is None else Alarm.from_dict(alarm)})


@dataclass(frozen=True, eq=False)
class DriftHistory(Result):
    """What a monitor has seen, period by period.

    Attributes
    ----------
    reading : DriftReading
        What is known now.
    periods : sequence of Period
    source : str
        Where the rows of the reference came from.
    earlier : int
        Files judged before the first of these periods.
    """

    kind: ClassVar[str] = "drift_history"

    reading: DriftReading
    periods: Sequence[Period]
    source: str = ""
    earlier: int = 0

    @property
    def alarms(self) -> list[tuple[Period, Alarm]]:
        """All alarms and the periods that raised them, the first one first."""
        return [(period, period.alarm) for period in self.periods if period.alarm]

    def facts(self) -> Facts:
        """Those of the reading, and each period."""
        return [*self.reading.facts(), *((one.name, period_words(one)) for one in self.periods)]

    def __str__(self) -> str:
        return str(self.reading)

    def draw(self, ax: "Axes") -> None:
        """Effect of each period with twice its standard error; alarms in the colour of B."""
        known = [one for one in self.periods if one.effect is not None]
        draw_periods(
            ax,
            [one.name for one in known],
            np.array([[one.effect, one.effect_error] for one in known]).reshape(-1, 2),
            [one.alarm is not None for one in known],
        )


def period_words(period: Period) -> str:
    """A period in one line."""
    if period.error:
        return f"not judged: {period.error}"
    effect = "" if period.effect is None else f", effect {period.effect:.3f}"
    if period.pvalue is not None:
        return f"{period.rows:,} rows against the reference, {pvalue_words(period.pvalue)}{effect}"
    alarm = "" if period.alarm is None else f": alarm at row {period.alarm.row:,}"
    return f"{period.rows:,} rows, evidence up to {period.evidence:.3g}{effect}{alarm}"


def watch_period(
    monitor: DriftMonitor, batch: object, name: str, digest: str = "", size: int = 0
) -> Period:
    """Let a monitor judge a batch, and say what came of it.

    While an alarm stands, the batch is compared with the reference by itself.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> monitor = DriftMonitor(rng.normal(size=(2000, 2)), rng=0)
    >>> period = watch_period(monitor, rng.normal(size=(300, 2)), "Monday")
    >>> period.rows, period.alarm
    (300, None)
    """
    before = monitor.reading
    pvalue = monitor.pvalue_since_alarm(batch) if before.alarm else None
    after = monitor.update(batch)
    trail = np.asarray(after.trail).reshape(-1, 2)
    evidence = trail[trail[:, 0] > before.rows, 1]
    alarm = None
    if after.alarm and not before.alarm and after.alarm_row is not None:
        alarm = Alarm(
            after.alarm_row,
            after.since,
            after.since_range,
            tuple(after.changes),
            tuple(after.standing_out),
            monitor.before_and_after(batch, after.columns),
        )
    return Period(
        name,
        before.rows,
        after.rows - before.rows,
        float(evidence.max()) if len(evidence) else after.evidence,
        after.threshold,
        after.effect,
        after.effect_error,
        after.run,
        alarm,
        digest=digest,
        pvalue=pvalue,
        size=size,
    )
