import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samelaw.data.pair import pair_tables
from samelaw.data.read import read_table
from samelaw.data.schema_changes import Change


def pair(a, b, **options):
    return pair_tables(read_table(a), read_table(b), **options)


def changes(found):
    return [(change.kind, change.column) for change in found.schema_changes]


def test_columns_on_one_side_are_reported():
    found = pair({"x": [1, 2], "old": [1, 2]}, {"new": [1, 2], "x": [1, 3]})
    assert changes(found) == [(Change.ONLY_IN_A, "old"), (Change.ONLY_IN_B, "new")]
    assert found.schema_changes[0].text == "old: only in A, so not compared."


def test_changes_of_type():
    found = pair(
        {"i": [1, 2], "b": [True, False], "w": [1, 2], "gone": [1, 2], "d": ["2025-03-01"] * 2},
        {"i": [1.5, 2], "b": [0, 1], "w": ["a", "b"], "gone": [None] * 2, "d": ["x", "y"]},
    )
    assert [change.text for change in found.schema_changes if change.kind is Change.TYPE] == [
        "i: whole numbers in A, numbers in B.",
        "b: true/false in A, whole numbers in B.",
        "w: whole numbers in A, words in B, compared as categories.",
        "d: dates in A, words in B, compared as categories.",
    ]
    assert (Change.ALL_MISSING, "gone") in changes(found)
    assert "every value is missing in B" in str(found.schema_changes)


def test_new_and_vanished_categories_with_the_most_frequent_first():
    found = pair({"x": ["a", "b", "b"]}, {"x": ["a", "d", *"ccc", *"efghi"]})
    new, gone = found.schema_changes
    assert new.categories == ("c", "d", "e", "f", "g", "h", "i")
    assert new.text == "x: new in B: 'c', 'd', 'e', 'f', 'g' and 2 more (9 rows)."
    assert gone.text == "x: no longer in B: 'b' (2 rows)."


CELLS = st.sampled_from([None, "a", "b", "c", "1", "2", "2.5"])


@given(st.lists(CELLS, min_size=2, max_size=15), st.lists(CELLS, min_size=2, max_size=15))
def test_swapping_the_tables_swaps_the_report(a, b):
    extra = {"t": [0.5] * len(a)}, {"t": [1.5] * len(b)}
    one = pair({"x": a} | extra[0], {"x": b} | extra[1])
    other = pair({"x": b} | extra[1], {"x": a} | extra[0])
    assert [c.kind for c in one.columns] == [c.kind for c in other.columns]
    assert [c.categories for c in one.columns] == [c.categories for c in other.columns]
    for left, right in zip(one.columns, other.columns, strict=True):
        np.testing.assert_array_equal(left.values, np.roll(right.values, len(a)))
    swap = {
        Change.NEW_CATEGORIES: Change.VANISHED_CATEGORIES,
        Change.VANISHED_CATEGORIES: Change.NEW_CATEGORIES,
    }
    assert {(swap.get(c.kind, c.kind), c.categories) for c in one.schema_changes} == {
        (c.kind, c.categories) for c in other.schema_changes
    }
