"""Since when and in what: a description of changes whose answer is known."""

import numpy as np
import pytest

from monitors import Litter, changed, normal, shop
from samelaw import RunLength
from samelaw.monitor.description import Description, term_words
from samelaw.results.result import plain

RNG = np.random.default_rng
START = 600
ANSWERS = {
    "mean": (("x1",), "level"),
    "correlation": (("x1", "x2"), "going together"),
    "scale": (("x1",), "spread"),
}


@pytest.fixture(scope="module")
def litter():
    return Litter()


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_change_is_dated_and_named(litter, kind):
    """Medians over a few streams: the date within some rows, the columns and what about them."""
    since, inside, first = [], 0, []
    for i in range(8):
        reading = litter.monitor(RNG(i), 1_500).update(changed(kind, RNG(50 + i), 1_500, START))
        assert reading.alarm
        assert reading.alarm_row > START
        since.append(reading.since)
        inside += reading.since_range[0] <= START <= reading.since_range[1]
        first.append((reading.changes[0].columns, reading.changes[0].what))
    assert abs(np.median(since) - START) <= 30
    assert inside >= 6
    assert first.count(ANSWERS[kind]) >= 6


def test_a_change_in_a_shuffled_batch_is_dated_to_its_beginning(litter):
    monitor = litter.monitor(RNG(1), 3_000, shuffle=True)
    stream = changed("mean", RNG(2), 2_000, 1_000)
    for start in range(0, 2_000, 500):
        reading = monitor.update(stream[start : start + 500])
    assert reading.since == 1_000


def test_a_level_that_moves_far_is_no_news_about_spreads_and_pairs(litter):
    stream = normal(RNG(0), 400)
    stream[:, :2] += 1.5
    reading = litter.monitor(RNG(1), 1_000).update(stream)
    found = {(change.columns, change.what) for change in reading.changes}
    assert found == {(("x1",), "level"), (("x2",), "level")}


@pytest.fixture(scope="module")
def shops():
    return Litter(shop_with_gaps)


def shop_with_gaps(rng, rows):
    """A shop with a column that is nearly empty."""
    noted = np.where(rng.random(rows) < 0.98, np.nan, rng.standard_normal(rows))
    return {**shop(rng, rows), "noted": noted}


def named(shops, change, seeds, quiet=200):
    """Columns behind the alarm in streams that change after some quiet rows, and since when."""
    found = []
    for i in seeds:
        monitor = shops.monitor(RNG(i), 1_500, RunLength(2_000), shuffle=True)
        monitor.update(shop_with_gaps(RNG(100 + i), quiet))
        table = shop_with_gaps(RNG(200 + i), 600)
        reading = monitor.update({**table, **change(table)})
        assert reading.alarm
        if reading.alarm_row > quiet:
            found.append((reading.columns, reading.since, reading.alarm_row))
    return found


def test_a_change_of_units_is_named_though_its_alarm_comes_within_a_block(shops):
    """The rows of the block at hand, all that had changed, took no part in the description."""
    found = named(shops, lambda table: {"age": 1_000.0 * table["age"]}, range(6))
    assert any(row % 10 and row - 200 < 10 for _, _, row in found)
    assert {names for names, _, _ in found} == {("age",)}
    assert {since for _, since, _ in found} == {200}


def test_products_with_shares_and_gaps_tell_nothing_of_their_own(shops):
    """A spread that grows takes products with shares along, whose mean is not 0."""
    wider = named(shops, lambda table: {"amount": table["amount"] ** 3}, range(8))
    assert {names for names, _, _ in wider} == {("amount",)}


def test_every_feature_has_words(litter):
    score, rules = litter.first._reference.score, litter.first._reference.rules
    found = {term_words(score, rules.coordinates, rules.names, i) for i in range(len(score.centre))}
    assert len(found) == len(score.centre)
    for words in (
        (("x2",), "level"),
        (("x2",), "spread"),
        (("x2",), "lean"),
        (("x2",), "tails"),
        (("x2",), "share of new values"),
        (("x2", "x4"), "going together"),
        (("x2", "x4"), "level with spread"),
        (("x2", "x4"), "spread with level"),
        (("x2", "x4"), "spread with spread"),
    ):
        assert words in found


def test_a_description_is_written_down_and_read(litter):
    monitor = litter.monitor(RNG(0), 1_500)
    monitor.update(changed("mean", RNG(0), 1_500, START))
    found = monitor._run.description
    assert Description.from_dict(plain(found)) == found
