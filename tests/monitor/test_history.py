import json

import numpy as np
import pytest

from monitors import Litter, shop
from samelaw.monitor.history import DriftHistory, Period, period_words, watch_period
from samelaw.results.result import plain

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def history():
    monitor, periods = Litter(shop).monitor(RNG(0), 3_000), []
    for day in range(4):
        batch = shop(RNG(day + 1), 400)
        batch["amount"] = batch["amount"] * (1 + (day > 1))
        periods.append(watch_period(monitor, batch, f"day {day}"))
    return DriftHistory(monitor.reading, periods, "the shop")


def test_periods_follow_each_other_and_say_what_they_found(history):
    assert [one.first_row for one in history.periods] == [0, 400, 800, 1_200]
    assert {one.rows for one in history.periods} == {400}
    ((period, alarm),) = history.alarms
    assert period.name == "day 2"
    assert 800 < alarm.row <= 1_200
    assert alarm.changes[0].columns == ("amount",)
    assert "amount" in [panel.column for panel in alarm.panels]
    effects = [one.effect for one in history.periods]
    assert max(effects[:2]) < 0.02 < min(effects[2:])
    assert history.periods[1].evidence < history.periods[2].evidence


def test_a_period_is_written_down_and_read(history):
    for period in history.periods:
        assert Period.from_dict(json.loads(json.dumps(plain(period)))) == period


def test_words_of_a_period(history):
    assert period_words(history.periods[0]).startswith("400 rows, evidence up to ")
    assert ": alarm at row " in period_words(history.periods[2])
    aside = Period("x", 0, 0, 0.0, 40.0, error="no columns")
    assert period_words(aside) == "not judged: no columns"
    assert history.facts()[-1][0] == "day 3"
