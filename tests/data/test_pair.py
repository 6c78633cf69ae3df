import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.data.kinds import FEW_ROWS, Kind
from samelaw.data.pair import Change, pair_tables
from samelaw.data.read import read_table

N = 2 * FEW_ROWS


def pair(a, b, **options):
    return pair_tables(read_table(a), read_table(b), **options)


def only(a, b, **options):
    """The one column of a pair."""
    (column,) = pair({"x": a}, {"x": b}, **options).columns
    return column


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ([1, 2, 3], [1.5, 2.5], Kind.NUMERIC),
        ([True, False], [0, 1], Kind.BOOLEAN),
        ([True, False], [0, 2], Kind.CATEGORICAL),
        (["true", "no"], [1, 0], Kind.BOOLEAN),
        (["1", "2"], [1.5, 2], Kind.NUMERIC),
        (["2025-03-01", "2025-03-02"], [np.datetime64("2025-03-03")], Kind.DATETIME),
        (["a", "b"], [1, 2], Kind.CATEGORICAL),
        ([1, 1], [2, 2], Kind.INTEGER),
        (["a", "a"], ["b"], Kind.CATEGORICAL),
        ([None, None], [1.5, 2.5], Kind.NUMERIC),
        (["red"] * N, [f"{i} new words here" for i in range(N // 2)], Kind.CATEGORICAL),
    ],
)
def test_one_kind_for_both(a, b, kind):
    assert only(a, b).kind is kind
    assert only(b, a).kind is kind


def test_values_are_those_of_a_over_those_of_b():
    found = pair({"x": [1, None], "c": ["u", "v"]}, {"c": ["w"], "x": [2.5]})
    assert found.sizes == (2, 1)
    x, c = found.columns
    np.testing.assert_array_equal(x.values, [1, np.nan, 2.5])
    np.testing.assert_array_equal(c.values, [0, 1, 2])
    assert c.categories == ("u", "v", "w")


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


def test_what_is_left_out_and_why():
    text = [f"a long sentence with number {i}" for i in range(N)]
    a = {
        "x": np.linspace(0, 1, N),
        "row": np.arange(N),
        "text": text,
        "same": ["k"] * N,
        "nothing": [None] * N,
        "comment": [None, *text[1:]],
    }
    found = pair(a, a)
    assert {out.column: out.missingness_compared for out in found.left_out} == {
        "row": False,
        "text": False,
        "same": False,
        "nothing": False,
        "comment": True,
    }
    assert [column.name for column in found.columns] == ["x", "comment"]
    reasons = {out.column: out.reason for out in found.left_out}
    assert "identifier" in reasons["row"]
    assert "embeddings" in reasons["text"]
    assert reasons["same"] == "every value is the same"
    assert reasons["nothing"] == "every value is missing"


def test_numbers_spoilt_by_a_word_are_left_out_with_the_way_back():
    values = [str(v) for v in np.linspace(0, 1, N)]
    a, b = {"x": values, "y": values}, {"x": [*values[1:], "error"], "y": values}
    found = pair(a, b)
    (out,) = found.left_out
    assert "mixes numbers with words such as 'error'" in out.reason
    assert "kind numeric would count those as missing" in out.reason
    x, _ = pair(a, b, kinds={"x": "numeric"}).columns
    assert x.kind is Kind.NUMERIC
    assert x.missing.sum() == 1


def test_constants_that_differ_are_compared():
    assert only([3.5] * N, [4.5] * N).kind is Kind.NUMERIC
    assert only(["old"] * N, ["new"] * N).kind is Kind.CATEGORICAL


def test_columns_and_ignore():
    a = {"x": [1, 2], "y": [1, 2], "z": [1, 2], "old": [1, 2]}
    b = {"x": [1, 2], "y": [1, 2], "z": [1, 2]}
    chosen = pair(a, b, columns=["z", "x"])
    assert [column.name for column in chosen.columns] == ["z", "x"]
    assert chosen.schema_changes == []
    rest = pair(a, b, ignore=["x", "old"])
    assert [column.name for column in rest.columns] == ["y", "z"]
    assert rest.schema_changes == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["q"]}, "column 'q' is not in the dict; its columns are 'x', 'a'"),
        ({"columns": ["a"]}, "column 'a' is not in the dict; its columns are 'x', 'b'"),
        ({"ignore": ["q"]}, "column 'q' is not in either table; its columns are 'x', 'a', 'b'"),
        ({"ignore": ["x"]}, "share no column to compare"),
        ({"kinds": {"q": "text"}}, "column 'q' is not in either table"),
        ({"kinds": {"x": "colour"}}, "kind of column 'x' is 'colour'; expected one of numeric"),
        ({"kinds": {"x": "datetime"}}, None),
        ({"kinds": {"x": "text"}}, r"no column is left to compare: 'x' \(free text"),
        ({"columns": "x"}, "columns is the text 'x'; expected a list of names"),
        ({"ignore": "x"}, "ignore is the text 'x'; expected a list of names"),
    ],
)
def test_options_are_checked(options, message):
    a, b = {"x": [1, 2], "a": [1, 2]}, {"x": [1, 3], "b": [1, 2]}
    if message is None:
        assert pair(a, b, **options).columns[0].kind is Kind.DATETIME
        return
    with pytest.raises(ValueError, match=message):
        pair(a, b, **options)


def test_no_shared_column():
    with pytest.raises(ValueError, match="share no column to compare: the first has 'x'"):
        pair({"x": [1]}, {"y": [1]})


def test_nothing_left():
    with pytest.raises(ValueError, match=r"'x' \(every value is the same\); a column"):
        pair({"x": [1, 1]}, {"x": [1]})


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
