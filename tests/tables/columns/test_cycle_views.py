"""Hours of the day and days of the week, looked at by themselves."""

import numpy as np
import pytest

from samelaw import compare
from samelaw.comparison.pairs.classes import classes_of
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.views import DAYS, HOURS, compared_views, mean_hour

HOUR, DAY = 3_600.0, 86_400.0


def column(seconds, kind=Kind.DATETIME):
    values = np.asarray(seconds, dtype=float)
    return Column("when", kind, values, np.isnan(values))


def test_hours_and_days_are_those_of_the_calendar():
    moments = ["2024-01-01T00:00", "2024-01-06T23:59", "2024-02-29T09:30"]
    seconds = np.array(moments, dtype="datetime64[s]").astype(float)
    views = {view.name: view for view in compared_views([column([*seconds, np.nan])])}
    hours, days = views["when (hour of day)"], views["when (day of week)"]
    assert set(views) == {"when", "when (missing)", hours.name, days.name}
    assert [HOURS[code] for code in hours.column.values[:3]] == ["00 h", "23 h", "09 h"]
    assert [DAYS[code] for code in days.column.values[:3]] == ["Monday", "Saturday", "Thursday"]
    assert hours.column.values[3] == days.column.values[3] == -1


def test_only_cycles_that_the_pool_spans_are_looked_at():
    def parts(one):
        return [view.part for view in compared_views([one]) if view.part]

    assert parts(column(np.arange(0, DAY, HOUR))) == []
    assert parts(column(np.arange(0, 5 * DAY, HOUR))) == ["hour of day"]
    assert parts(column(np.arange(0, 30 * DAY, DAY))) == ["day of week"]  # midnights
    assert parts(column(np.arange(0, 30 * DAY, HOUR), Kind.NUMERIC)) == []
    assert parts(column([np.nan] * 4)) == []


def test_parts_take_no_part_in_pairs():
    parts = [v for v in compared_views([column(np.arange(0, 30 * DAY, HOUR))]) if v.part]
    assert [classes_of(view, (360, 360)).count for view in parts] == [0, 0]


def test_the_mean_hour_goes_round_midnight():
    assert mean_hour(np.array([23.0, 1.0]) * HOUR) in (
        pytest.approx(0.0, abs=1e-9),
        pytest.approx(24.0),
    )
    assert mean_hour(np.arange(24) * HOUR) is None


def times(rng, rows, later=0.0, weekend=1.0):
    days = np.arange(0, 280)
    weights = np.where((days + 3) % 7 >= 5, weekend, 1.0)
    day = rng.choice(days, rows, p=weights / weights.sum())
    return {
        "when": (day * DAY + rng.beta(4, 3, rows) * 16 * HOUR + later).astype("datetime64[s]"),
        "x": rng.normal(size=rows),
    }


def test_an_hour_later_everywhere_is_told_as_the_hour_of_the_day():
    """It was "when changed" with an effect of another column, and a median date."""
    rng = np.random.default_rng(0)
    found = compare(times(rng, 350), times(rng, 350, later=HOUR), rng=0, permutations=99)
    changed = [column for column in found.marginals if column.changed]
    assert [column.name for column in changed] == ["when (hour of day)"]
    assert changed[0].sentence.startswith("around 09:")
    assert "→ 10:" in changed[0].sentence
    assert "when (hour of day) changed" in found.sentence
    assert found.columns_changed == ("when",)
    assert found.effect_of in ("when (hour of day)", "all columns")
    assert changed[0].effect > 0.005


def test_more_weekends_are_told_as_the_day_of_the_week():
    rng = np.random.default_rng(1)
    found = compare(times(rng, 600), times(rng, 600, weekend=2.0), rng=0, permutations=99)
    changed = [column for column in found.marginals if column.changed]
    assert [column.name for column in changed] == ["when (day of week)"]
    assert any(day in changed[0].sentence for day in ("Saturday", "Sunday"))
    assert changed[0].kind == "datetime"
