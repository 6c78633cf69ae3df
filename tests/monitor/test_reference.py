import numpy as np
import pytest

from monitors import normal, shop
from samelaw.monitor.reference import FrozenReference, as_batch, deal, freeze_reference

RNG = np.random.default_rng


@pytest.mark.parametrize("rows", [100, 1_000, 40_000])
def test_every_row_is_dealt_once(rows):
    parts = deal(rows, RNG(0))
    dealt = np.concatenate(list(parts.values()))
    assert np.array_equal(np.sort(dealt), np.arange(rows))
    assert len(parts["pairing"]) >= 0.45 * rows


def test_rows_are_dealt_without_a_look_at_them():
    """The same places whatever is in them: equal rows go to all parts."""
    frozen = freeze_reference({"x": np.repeat([1.0, 2.0, 3.0], 200)}, {}, (), RNG(0))
    for part in (frozen.pairing, frozen.holdout):
        shares = np.unique(part.points, return_counts=True)[1] / len(part)
        assert np.allclose(shares, 1 / 3, atol=0.2)


def test_rules_know_nothing_of_the_other_rows():
    """A word that only a pairing row has is new there, though it is in the reference."""
    rows = 400
    words = np.where(RNG(1).random(rows) < 0.5, "a", "b").astype("<U4")
    words[deal(rows, RNG(0))["pairing"][0]] = "rare"
    frozen = freeze_reference({"word": words.tolist(), "x": np.arange(rows) % 7}, {}, (), RNG(0))
    assert frozen.pairing.new.sum() == 1
    assert frozen.pairing.new[0, 0]
    assert not frozen.holdout.new.any()


@pytest.mark.parametrize("gaps", [1, 7])
def test_row_numbers_are_not_watched(gaps):
    """The rows that rules are found on have gaps between them: any batch raised an alarm."""
    rng = np.random.default_rng(0)
    table = {"row": gaps * np.arange(500), "x": rng.normal(size=500)}
    watched = [one.column for one in freeze_reference(table, {}, (), rng).rules.coordinates]
    assert watched == ["x"]
    told = freeze_reference(table, {"row": "integer"}, (), rng).rules.coordinates
    assert [one.column for one in told] == ["row", "x"]


def test_state_and_back():
    frozen = freeze_reference(shop(RNG(0), 400), {}, ("paid",), RNG(0))
    again = FrozenReference.from_state(*frozen.state())
    batch = as_batch(shop(RNG(1), 20), ())
    assert np.array_equal(frozen.encode(batch).points, again.encode(batch).points)
    assert (
        frozen.rules.names == again.rules.names == ("amount", "age", "region", "member", "currency")
    )


@pytest.mark.parametrize(
    ("row", "shape"),
    [
        (np.arange(3.0), (1, 3)),
        ({"x1": 1.0, "x2": 2, "x3": np.float32(3)}, (1, 3)),
        ({"x1": [1.0], "x2": [2], "x3": [3]}, (1, 3)),
        (normal(RNG(0), 4, 3), (4, 3)),
    ],
)
def test_a_row_may_come_alone(row, shape):
    table = as_batch(row, ("x1", "x2", "x3"))
    assert (table.rows, len(table.raw)) == shape


def test_one_column_is_rows():
    assert as_batch(np.arange(5.0), ("x1",)).rows == 5


@pytest.mark.parametrize(
    ("reference", "word"),
    [
        (np.zeros((9, 2)), "at least 10"),
        ({"t": np.arange(200).astype("datetime64[s]")}, "no column to watch"),
    ],
)
def test_what_cannot_be_watched_is_refused(reference, word):
    with pytest.raises(ValueError, match=word):
        freeze_reference(reference, {}, (), RNG(0))
