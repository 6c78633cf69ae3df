import numpy as np
import pytest

from monitors import Litter, shop
from samelaw import DriftMonitor
from samelaw.monitor.alarm_panels import OTHER, panels
from samelaw.monitor.reference import as_batch

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def reference():
    return Litter(shop).first._reference


def drawn(reference, batch, *columns):
    rows = reference.encode(as_batch(batch, ()))
    return panels(reference.rules, columns, reference.holdout, rows)


def test_values_come_back_in_their_own_units(reference):
    batch = shop(RNG(0), 2_000)
    batch["amount"] = batch["amount"] + 3
    (found,) = drawn(reference, batch, "amount")
    centres = np.add(found.edges[:-1], found.edges[1:]) / 2
    means = [np.dot(centres, shares) for shares in (found.shares_a, found.shares_b)]
    assert means[1] - means[0] == pytest.approx(3, abs=0.4)
    assert sum(found.shares_a) == pytest.approx(1)


def test_categories_and_flags_are_bars_and_new_ones_are_others(reference):
    batch = shop(RNG(0), 1_000)
    batch["region"] = np.where(RNG(1).random(1_000) < 0.25, "moon", "north")
    region, member = drawn(reference, batch, "member", "region")
    after = dict(zip(region.categories, region.shares_b, strict=True))
    assert after[OTHER] == pytest.approx(0.25, abs=0.05)
    assert after["north"] == pytest.approx(0.75, abs=0.05)
    assert member.categories == ("false", "true")
    assert member.shares_b[1] == pytest.approx(0.4, abs=0.06)


def test_missing_values_are_not_drawn_and_constants_have_nothing_to_draw(reference):
    batch = shop(RNG(0), 500)
    (age,) = drawn(reference, batch, "age", "currency")
    assert sum(age.shares_b) == pytest.approx(1)
    assert 17 <= age.edges[0] < age.edges[-1] <= 81


def test_times_of_day_are_drawn_as_such():
    rng = np.random.default_rng(0)

    def day(rows):
        minutes = rng.integers(480, 1000, rows)
        return {"opened": [f"{m // 60:02}:{m % 60:02}" for m in minutes]}

    monitor = DriftMonitor(day(2_000), rng=0)
    (panel,) = monitor.before_and_after(day(100), ["opened"])
    assert panel.kind == "time of day"
