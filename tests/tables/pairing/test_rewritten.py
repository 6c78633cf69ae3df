"""What was done to a whole column: told where nearly all values fit, and only there."""

import numpy as np
import pytest

from samelaw import compare
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.pairing.schema_changes import Change
from samelaw.tables.reading.read import read_table

DAY = 86_400


def causes(a, b):
    """The causes that two columns show, as (kind, text)."""
    rng = np.random.default_rng(0)
    tables = [read_table({"v": list(v), "x": rng.normal(size=len(v))}) for v in (a, b)]
    changes = pair_tables(*tables).schema_changes
    return [(change.kind, change.cause.text) for change in changes if change.cause]


def moments(seconds):
    return np.datetime64("2024-01-01", "s") + np.asarray(seconds).astype("timedelta64[s]")


def random_moments(rows=300, seed=0, step=1):
    return np.random.default_rng(seed).integers(0, 200 * DAY // step, rows) * step


def words(rows=300, seed=0):
    return [f"item {i:03d} long" for i in np.random.default_rng(seed).integers(0, 60, rows)]


@pytest.mark.parametrize("cut_side", ["A", "B"])
def test_values_cut_at_a_length_are_told(cut_side):
    tables = words(), [word[:7] for word in words(seed=1)]
    found = causes(*(tables if cut_side == "B" else tables[::-1]))
    assert found == [(Change.CUT, f"values of v are cut after 7 characters in {cut_side}")]


def test_a_column_with_values_that_are_cut_is_not_told_again_word_by_word():
    b = [word[:7] for word in words(seed=1)]
    found = compare({"w": words()}, {"w": b}, rng=0, permutations=99)
    assert found.sentence == "B differs from A: values of w are cut after 7 characters in B."
    assert found.causes[0].columns == ("w",)
    assert "'item 0" in found.causes[0].evidence
    assert "Causes\n•  values of w are cut after 7 characters in B: 100 %" in str(found)
    assert [change.kind for change in found.schema_changes] == [Change.CUT]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (["k10", "k11", "k25", "k31"], ["k1", "k2", "k3", "k2"]),  # numbers of another length
        (["A", "B", "AB", "0"], ["A", "B", "0", "A"]),  # a value that is rare
        (["north", "northeast", "south"], ["north", "south", "south"]),
        (["anna maria", "bernadette", "johannes"], ["clementi", "dominiqu", "eberhard"]),
        (["x", "y"], ["x", "y"]),
    ],
)
def test_shorter_words_are_no_cut_words(a, b):
    assert Change.CUT not in [kind for kind, _ in causes(a * 30, b * 30)]


def test_other_capitals_are_the_cause_and_come_first():
    b = [word.upper() for word in words(seed=1)]
    found = compare({"w": words()}, {"w": b}, rng=0, permutations=99)
    assert found.sentence.startswith("B differs from A: w is spelt differently in B ('ITEM 0")
    assert found.sentence.endswith(" more).")


def test_one_other_spelling_in_a_thousand_rows_is_no_cause():
    one, other = ["north", "south"] * 500, ["north", "South", "south"] + ["north", "south"] * 500
    assert causes([*one, "west"], [*other, "West"]) == []


def dates(style, seed):
    return [moment.item().strftime(style) for moment in moments(random_moments(seed=seed))]


@pytest.mark.parametrize(
    ("style", "shown"), [("%d.%m.%Y", "."), ("%d %b %Y", " "), ("%Y-%m-%d %H:%M", ":")]
)
def test_another_notation_of_dates_is_told(style, shown):
    ((kind, text),) = causes(dates("%Y-%m-%d", 0), dates(style, 1))
    assert kind is Change.WRITING
    before, after = text.split(" in B, like ")
    assert shown in before
    assert shown not in after.removesuffix(" in A")


def test_dates_that_are_written_alike_or_in_both_ways_are_not():
    assert causes(dates("%Y-%m-%d", 0), dates("%Y-%m-%d", 1)) == []
    mixed = dates("%Y-%m-%d", 0)[:150] + dates("%d.%m.%Y", 1)[:150]
    assert causes(mixed, mixed[::-1]) == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(14_400, "4 h later"), (-5_400, "1 h 30 min earlier"), (900, "15 min later")],
)
@pytest.mark.parametrize("shuffled", [False, True])
def test_times_some_hours_later_are_told(seconds, text, shuffled):
    a = random_moments()
    b = a + seconds
    b = np.random.default_rng(1).permutation(b)[:250] if shuffled else b
    assert causes(moments(a), moments(b)) == [(Change.SHIFTED, f"v is {text} in B")]


@pytest.mark.parametrize("step", [1, 60, 900, 3_600, DAY])
def test_moments_of_one_law_are_not_shifted(step):
    for seed in range(10):
        a, b = (random_moments(200, 2 * seed + k, step) for k in (0, 1))
        assert causes(moments(a), moments(b)) == []


def test_moments_of_another_time_are_not_shifted():
    """Of the next hour, of the next day, of hours in a row: other moments, not other clocks."""
    rng = np.random.default_rng(0)
    hour = rng.integers(0, 3_600, (2, 3_000))
    day = rng.integers(0, 1_440, (2, 3_000)) * 60
    slots = np.sort(rng.choice(DAY, 30, replace=False))
    row = np.arange(300) * 3_600
    for a, b in (
        (hour[0], hour[1] + 3_600),
        (day[0], day[1] + DAY),
        (slots, slots + DAY),
        (row, row + 3_600),
    ):
        assert causes(moments(a), moments(b)) == []


def test_shifted_times_are_told_where_no_difference_is_found_and_lead_where_one_is():
    a = random_moments()
    x = np.random.default_rng(2).normal(size=300)
    one, other = ({"t": moments(t), "x": x} for t in (a, a + 14_400))
    found = compare(one, other, rng=0, permutations=99)
    assert found.sentence == (
        "No difference found between A and B. Worth a look: t is 4 h later in B."
    )
    found = compare(one, {**other, "x": x + 2}, rng=0, permutations=99)
    assert found.sentence.startswith("B differs from A: t is 4 h later in B; x ")
