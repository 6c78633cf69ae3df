import json
from dataclasses import replace

import numpy as np
import pytest

from monitors import Litter, normal
from samelaw.cli.monitoring.metrics import json_lines, prometheus
from samelaw.monitor.history import DriftHistory, Period, watch_period


@pytest.fixture(scope="module")
def history():
    monitor = Litter(rows=400).first
    period = watch_period(monitor, normal(np.random.default_rng(0), 50), "one.csv")
    return DriftHistory(monitor.reading, [period, Period("bad", 50, 0, 0.1, 40.0, error="no")])


def test_every_period_is_a_line(history):
    lines = [json.loads(line) for line in json_lines(history.periods).splitlines()]
    assert [line["name"] for line in lines] == ["one.csv", "bad"]
    assert lines[0]["rows"] == 50
    assert json_lines([]) == ""


def test_prometheus_reads_a_number_with_help_and_type(history):
    text = prometheus(history)
    values = dict(line.split() for line in text.splitlines() if not line.startswith("#"))
    assert float(values["samelaw_drift_rows_total"]) == 50
    assert float(values["samelaw_drift_files_total"]) == 1
    assert float(values["samelaw_drift_files_unread"]) == 1
    assert text.count("# HELP") == text.count("# TYPE") == len(values)
    assert text.endswith("\n")
    odd = replace(history, reading=replace(history.reading, evidence=np.inf, effect=None))
    assert "samelaw_drift_evidence +Inf\n" in prometheus(odd)
    assert "samelaw_drift_effect NaN\n" in prometheus(odd)
