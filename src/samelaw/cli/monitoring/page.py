"""What a monitor has seen as one HTML page that needs nothing else."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from samelaw.comparison.page.content import Cut, Drawn, panel_label
from samelaw.comparison.page.page import environment
from samelaw.core.files import write_text
from samelaw.core.version import own_version
from samelaw.monitor.drift_reading import ChangeTerm, StandingRow
from samelaw.monitor.history import Alarm, DriftHistory, Period
from samelaw.results.drift_plots import draw_evidence, draw_periods, draw_since
from samelaw.results.shell import shell_line
from samelaw.results.svg import TOKENS, figure_as_svg
from samelaw.results.words import in_a_row, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ALARMS = 5
MOST_FILES = 120
MOST_PANELS = 6


@dataclass(frozen=True)
class AlarmShown:
    """An alarm as the page shows it."""

    title: str
    sentence: str
    changes: Sequence[ChangeTerm]
    panels: Sequence[Drawn]
    rows: str


def write_drift_page(
    history: DriftHistory,
    path: str | PathLike[str],
    *,
    command: Sequence[str] = (),
    made: datetime | None = None,
) -> None:
    """Write what a monitor has seen as one HTML file, which is replaced when it is complete.

    Parameters
    ----------
    history : DriftHistory
    path : path
    command : words, optional
        The command that made it, to be shown.
    made : datetime, optional
        Now by default.
    """
    page = render_drift_page(history, command=command, made=made)
    write_text(path, page)


def render_drift_page(
    history: DriftHistory,
    *,
    command: Sequence[str] = (),
    made: datetime | None = None,
) -> str:
    """The page as text; the same history at the same time gives the same bytes."""
    template = environment().get_template("drift.html.j2")
    when = made or datetime.now().astimezone()
    content = _content(history)
    return template.render(content, command=shell_line(command), made=when)


def _content(history: DriftHistory) -> dict[str, object]:
    reading = history.reading
    alarms = Cut.of(reversed(history.alarms), MOST_ALARMS)  # the newest first
    shown = [_alarm(history, period, alarm) for period, alarm in alarms.shown]
    return {
        "history": history,
        "reading": reading,
        "tone": "differ" if reading.alarm else "little" if _is_blind(history) else "none",
        "verdict": _verdict(history),
        "alarms": Cut(shown, alarms.left),
        "periods": Cut.of(reversed(history.periods), MOST_FILES),
        "figures": _figures(history),
        "version": own_version(),
    }


def _is_blind(history: DriftHistory) -> bool:
    return history.reading.blind or bool(history.reading.collecting)


def _verdict(history: DriftHistory) -> str:
    if history.reading.alarm:
        return "Alarm"
    return "Not watching now" if _is_blind(history) else "No alarm"


def _alarm(history: DriftHistory, period: Period, alarm: Alarm) -> AlarmShown:
    """The newest alarm has p-values from all rows since, also of later files."""
    reading = history.reading
    current = reading.alarm and reading.alarm_row == alarm.row
    return AlarmShown(
        f"Alarm in {period.name}",
        _alarm_words(alarm),
        reading.changes if current else alarm.changes,
        _drawn(alarm),
        "; ".join(_places(history.periods, alarm.standing_out)),
    )


def _alarm_words(alarm: Alarm) -> str:
    if alarm.since is None:
        return f"Raised at row {alarm.row:,} of the stream, before a change could be dated."
    low, high = alarm.since_range or (alarm.since, alarm.since)
    range_words = f" (between {low:,} and {high:,})" if low < high else ""
    columns = tuple(dict.fromkeys(name for one in alarm.changes for name in one.columns))
    names = f", most in {listed(columns)}" if columns else ""
    return (
        f"Raised at row {alarm.row:,} of the stream; the law has changed since about row "
        f"{alarm.since:,}{range_words}{names}."
    )


def _drawn(alarm: Alarm) -> list[Drawn]:
    from markupsafe import Markup

    from samelaw.comparison.page.figures import panel_figure

    return [
        Drawn(one.column, "", "", Markup(panel_figure(one, panel_label(one, ""))))
        for one in alarm.panels[:MOST_PANELS]
    ]


def _places(periods: Sequence[Period], rows: Sequence[StandingRow]) -> list[str]:
    """Rows of the stream as rows of their files."""
    read = [period for period in periods if period.rows]
    starts = [period.first_row for period in read]
    found: dict[str, list[str]] = {}
    for row in sorted(one.row for one in rows):
        period = read[bisect_right(starts, row) - 1]
        found.setdefault(period.name, []).append(str(row - period.first_row))
    return [f"{name}: {in_a_row(numbers, 10)}" for name, numbers in found.items()]


def _figures(history: DriftHistory) -> dict[str, object]:
    from markupsafe import Markup

    evidence = f"Evidence over {history.reading.rows:,} rows; see the table of files."
    return {
        "evidence": Markup(evidence_figure(history, evidence)),
        "effects": Markup(periods_figure(history, "Effect file by file; see the table.")),
    }


MOST_PERIODS = 60


def evidence_figure(history: DriftHistory, label: str) -> str:
    """Evidence over rows of all runs: file by file of those that ended, row by row of the last."""
    reading = history.reading
    ended = [one for one in history.periods if one.rows and one.run < reading.run]
    points = [(one.first_row + one.rows, one.evidence) for one in ended]
    trail = np.concatenate([np.reshape(points, (-1, 2)), np.reshape(reading.trail, (-1, 2))])
    later = len(trail) - len(ended)
    lines = [one.threshold for one in ended] + [reading.threshold] * later

    def draw(ax: "Axes") -> None:
        draw_evidence(
            ax, trail[:, 0], trail[:, 1], lines if ended else reading.threshold, None, TOKENS
        )
        for _, alarm in history.alarms:
            if alarm.since is not None and alarm.since_range is not None:
                draw_since(ax, alarm.since, alarm.since_range, TOKENS)
        ax.set_xlim(0, max(reading.rows, 1))

    return figure_as_svg(draw, label, 210, left=50, bottom=38, width=360)


def periods_figure(history: DriftHistory, label: str) -> str:
    """The effect file by file, the last ones."""
    known = [one for one in history.periods if one.effect is not None][-MOST_PERIODS:]
    effects = np.array([(one.effect, one.effect_error) for one in known]).reshape(-1, 2)
    alarms = [one.alarm is not None for one in known]
    names = [one.name for one in known]
    return figure_as_svg(
        lambda ax: draw_periods(ax, names, effects, alarms, TOKENS),
        label,
        210,
        left=50,
        bottom=38,
        width=360,
    )
