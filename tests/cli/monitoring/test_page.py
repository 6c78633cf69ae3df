"""The page of a monitor: what was found is on it, and nothing in names can harm."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from monitors import Litter, shop
from optional import need
from samelaw.monitor.history import DriftHistory, Period, watch_period

need("jinja2")
need("matplotlib")
from samelaw.cli.monitoring.page import render_drift_page  # noqa: E402

RNG = np.random.default_rng
HARM = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def history():
    monitor, periods = Litter(shop).monitor(RNG(0), 3_000), []
    for day in range(4):
        batch = shop(RNG(day + 1), 400)
        batch["amount"] = batch["amount"] * (1 + (day > 1))
        periods.append(watch_period(monitor, batch, f"{HARM} {day}.csv"))
    periods.append(Period("bad.csv", 1_600, 0, 1.0, 40.0, error=f"{HARM} is no table"))
    return DriftHistory(monitor.reading, periods, HARM)


def test_it_shows_alarm_names_files_and_rows(history):
    made = datetime(2026, 2, 3, 4, 5, tzinfo=UTC)
    page = render_drift_page(history, command=("samelaw", "monitor"), made=made)
    assert '<time datetime="2026-02-03T04:05+00:00">3 February 2026, 04:05 UTC</time>' in page
    assert page == render_drift_page(history, command=("samelaw", "monitor"), made=made)
    assert HARM not in page
    for words in (
        "Alarm in &lt;script",
        "amount",
        "Rows that stand out",
        "not judged",
        "is no table",
    ):
        assert words in page
    assert page.count("<svg") == 2 + len(history.alarms[0][1].panels)
    assert len(page) < 300_000


def test_a_quiet_stream_and_one_that_is_not_watched_say_so(history):
    quiet = replace(history.reading, alarm=False, alarm_row=None, since=None, columns=())
    assert "No alarm</h1>" in render_drift_page(DriftHistory(quiet, history.periods[:2]))
    assert "<b>ever</b>" in render_drift_page(DriftHistory(replace(quiet, rows_left=None), []))
    blind = replace(quiet, rows_left=0, reserve=False)
    assert "Not watching now</h1>" in render_drift_page(DriftHistory(blind, []))
