"""What a monitor has seen, for other programs: JSON lines, and numbers for Prometheus."""

import json
import math
from collections.abc import Iterator, Sequence

from samelaw.monitor.drift_reading import DriftReading
from samelaw.monitor.history import DriftHistory, Period
from samelaw.results.escape_controls import escape_json
from samelaw.results.result import plain


def json_lines(periods: Sequence[Period]) -> str:
    """One line of JSON for every period, the oldest first."""
    lines = (json.dumps(plain(period), ensure_ascii=False, allow_nan=False) for period in periods)
    return "".join(escape_json(line) + "\n" for line in lines)


def prometheus(history: DriftHistory) -> str:
    """Numbers in the text format that Prometheus' node exporter collects from files."""
    return "".join(f"{line}\n" for line in _lines(history))


def _lines(history: DriftHistory) -> Iterator[str]:
    reading = history.reading
    values = (
        ("alarm", "gauge", "Whether an alarm stands", float(reading.alarm)),
        ("evidence", "gauge", "Evidence of a change", reading.evidence),
        ("threshold", "gauge", "Evidence that raises an alarm", reading.threshold),
        ("effect", "gauge", "Size of the change, 0 to 1, in the last file", reading.effect),
        ("rows_total", "counter", "Rows of the stream", float(reading.rows)),
        ("rows_unjudged_total", "counter", "Rows that were not judged", float(reading.unjudged)),
        ("pairing_rows_left", "gauge", "Rows the reference lasts for", _lasting(reading)),
        ("files_total", "counter", "Files read", float(history.earlier + _count(history, False))),
        ("files_unread", "gauge", "Files not read by the last call", float(_count(history, True))),
        ("run", "gauge", "Number of the run", float(reading.run)),
    )  # fmt: skip
    for name, kind, help_text, value in values:
        yield f"# HELP samelaw_drift_{name} {help_text}."
        yield f"# TYPE samelaw_drift_{name} {kind}"
        yield f"samelaw_drift_{name} {_number(value)}"


def _count(history: DriftHistory, aside: bool) -> int:
    return sum(bool(period.error) == aside for period in history.periods)


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "NaN"
    return "+Inf" if math.isinf(value) else f"{value:.10g}"


def _lasting(reading: DriftReading) -> float:
    return math.inf if reading.rows_left is None else float(reading.rows_left)
