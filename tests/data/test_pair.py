import numpy as np
import pytest

from samelaw.data.kinds import FEW_ROWS, Kind
from samelaw.data.pair import pair_tables
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
