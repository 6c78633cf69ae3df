import numpy as np
import pytest

from optional import need
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import FEW_ROWS
from samelaw.tables.pairing import pair as data_pair
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.tables.thinning import Sample

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


def test_numbers_spoilt_by_a_word_stay_numbers():
    values = [str(v) for v in np.linspace(0, 1, N)]
    a, b = {"x": values, "y": values}, {"x": [*values[1:], "error"], "y": values}
    x, y = pair(a, b).columns
    assert (x.kind, y.kind) == (Kind.NUMERIC, Kind.NUMERIC)
    assert x.missing.sum() == 1
    assert x.absent.sum() == 0
    assert x.parts["as written"].categories[-1] == "error"
    assert y.parts == {}
    chosen, _ = pair(a, b, kinds={"x": "numeric"}).columns
    assert chosen.absent.sum() == 1  # told to be a number, so what is none is missing


def numbered(rows):
    """A table whose values say which row they are of."""
    return {"x": np.arange(rows) * 0.5, "word": [f"w{i % 7}" for i in range(rows)]}


def test_a_sample_knows_which_rows_it_is():
    sample = Sample(30, np.random.default_rng(0))
    found = pair(numbered(90), numbered(20), sample=sample)
    assert found.sizes == (30, 20)
    assert found.table_sizes == (90, 20)
    x = found.columns[0].values
    rows = [found.row_in_table(row) for row in range(50)]
    np.testing.assert_array_equal(0.5 * np.array(rows), x)
    assert len(set(rows[:30])) == 30
    assert rows[30:] == list(range(20))
    assert "30 of the 90 rows of A and 20 of the 20 of B, drawn at random" in found.notes[-1]
    again = pair(numbered(90), numbered(20), sample=Sample(30, np.random.default_rng(0)))
    np.testing.assert_array_equal(again.columns[0].values, x)
    assert found.row_as_read(3) == {"x": f"{x[3]:g}", "word": f"w{rows[3] % 7}"}


def test_row_numbers_are_none_in_a_sample_either():
    """Those of tables of other sizes were a change of law."""
    a, b = ({"x": np.arange(n) % 7, "row": np.arange(n)} for n in (900, 400))
    found = pair(a, b, sample=Sample(30, np.random.default_rng(0)))
    assert [out.column for out in found.left_out] == ["row"]
    told = pair(a, b, sample=Sample(30, np.random.default_rng(0)), kinds={"row": "integer"})
    assert not told.left_out


def test_kinds_are_those_of_the_sample():
    """A value that was not drawn has no say in how the others are read."""
    a = {"x": ["oops", *map(str, np.linspace(0, 1, 99))]}
    found = pair(a, a, sample=Sample(40, np.random.default_rng(5)))
    taken = {found.row_in_table(row) for row in range(80)}
    assert ("as written" in found.columns[0].parts) is (0 in taken)


def test_rows_are_shown_as_they_were_read(tmp_path):
    need("pyarrow")
    text = "n,price,flag,id,when\n" + "".join(
        f"{i},{i}.50,{'yes' if i % 2 else 'no'},k{i},2025-03-{1 + i % 28:02d} 12:30\n"
        for i in range(1, 41)
    )
    (tmp_path / "t.csv").write_text(text)
    found = pair(tmp_path / "t.csv", tmp_path / "t.csv")
    assert found.row_as_read(2) == {
        "n": "3", "price": "3.50", "flag": "yes", "id": "k3", "when": "2025-03-04 12:30",
    }  # fmt: skip
    assert found.row_as_read(42) == found.row_as_read(2)


def test_rows_of_large_tables_are_not_kept(monkeypatch):
    monkeypatch.setattr(data_pair, "MOST_KEPT", 10)
    assert pair(numbered(30), numbered(30)).row_as_read(0) == {}


def test_constants_that_differ_are_compared():
    assert only([3.5] * N, [4.5] * N).kind is Kind.NUMERIC
    assert only(["old"] * N, ["new"] * N).kind is Kind.CATEGORICAL


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["q"]}, "column 'q' is not in the dict; its columns are 'x', 'a'"),
        ({"columns": ["a"]}, "column 'a' is not in the dict; its columns are 'x', 'b'"),
        ({"ignore": ["q"]}, "column 'q' is not in either table; its columns are 'x', 'a', 'b'"),
        ({"ignore": ["x"]}, "every column that both tables have is ignored"),
        ({"kinds": {"q": "text"}}, "column 'q' is not in either table"),
        ({"kinds": {"x": "colour"}}, "kind of column 'x' is 'colour'; expected one of numeric"),
        ({"kinds": {"x": "datetime"}}, None),
        ({"kinds": {"x": "text"}}, r"no column is left to compare: 'x' \(free text"),
        ({"kinds": {"x": "identifier"}}, r"no column is left to compare: 'x' \(an identifier"),
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
