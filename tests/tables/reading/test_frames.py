import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from optional import need
from samelaw import compare
from samelaw.tables.reading.frames import read_once
from samelaw.tables.reading.read import read_table
from table_files import check_mixed, kinds, mixed_arrow


def test_frames_of_every_library():
    table = mixed_arrow()
    check_mixed(read_table(table))
    check_mixed(read_table(table.to_batches()[0]))
    need("pandas")
    check_mixed(read_table(table.to_pandas()))
    polars = need("polars")
    check_mixed(read_table(polars.from_arrow(table)))
    check_mixed(read_table(polars.from_arrow(table).lazy()))


class OnlyArrow:
    """What hands out Arrow and does nothing else, as many times as it is asked."""

    def __init__(self, table):
        self.table, self.asked = table, 0

    def __arrow_c_stream__(self, requested_schema=None):
        self.asked += 1
        return self.table.__arrow_c_stream__(requested_schema)


def test_what_hands_out_arrow_is_a_table_and_is_read_once():
    """Readers of record batches were refused, and so was all that only speaks Arrow."""
    table = mixed_arrow()
    check_mixed(read_table(table.to_reader()))
    other = OnlyArrow(table)
    check_mixed(read_table(other))
    assert other.asked == 1
    pair = [OnlyArrow(table), table.to_reader()]
    assert compare(*pair, rng=0, permutations=19).sizes == (table.num_rows, table.num_rows)
    assert pair[0].asked == 1
    pandas = need("pandas")
    frame = pandas.DataFrame({"x": [1]})
    assert read_once(frame) is frame


def test_duckdb_relation():
    need("duckdb")
    script = (
        "import duckdb; from samelaw.tables.reading.read import read_table\n"
        "table = read_table(duckdb.sql(\"select 1.5 as x, 'a' as y union all select 2, 'b'\"))\n"
        "print(*[column.kind for column in table.columns])"
    )
    # In a process of its own: the library complains about itself when the process ends.
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["numeric", "categorical"]


def test_series_is_one_column():
    pandas, polars = need("pandas"), need("polars")
    for series in (pandas.Series([1.5, 2.5], name="x"), polars.Series("x", [1.5, 2.5])):
        assert kinds(read_table(series)) == {"x": "numeric"}
    assert read_table(pandas.Series([1.5, 2.5])).names == ("x1",)


def test_arrays_of_every_library(to_xp):
    table = read_table(to_xp(np.array([[1.0, 2.5], [3.0, np.nan], [5.0, 1.0]])))
    assert kinds(table) == {"x1": "integer", "x2": "numeric"}
    assert table.column("x2").missing.tolist() == [False, True, False]
    assert read_table(to_xp(np.arange(4))).names == ("x1",)


def test_tensors():
    torch = need("torch")
    assert read_table(torch.ones(3, dtype=torch.bfloat16)).rows == 3
    assert read_table(torch.ones(3, 2, requires_grad=True) * 2).rows == 3


def test_dict_of_columns_and_table():
    table = read_table({"x": (1, 2), "y": np.array([1.5, 2.0]), 3: ["a", None]})
    assert kinds(table) == {"x": "integer", "y": "numeric", "3": "constant"}
    assert read_table(table) is table
    pandas = need("pandas")
    assert kinds(read_table({"x": pandas.Series([1.5, 2.0])})) == {"x": "numeric"}


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ({}, ValueError, "the dict has no columns"),
        ({"x": []}, ValueError, "the dict has columns but no rows"),
        ({"x": [1, 2], "y": [1]}, ValueError, "'x' has 2 values, 'y' has 1; all columns must"),
        ({1: [1], "1": [2]}, ValueError, "more than one column named '1'"),
        ({"x": "abc"}, TypeError, "column 'x' is a str; expected a list or an array"),
        ({"x": np.ones((2, 2))}, ValueError, r"column has shape \(2, 2\); expected one dimension"),
        (np.ones((2, 2, 2)), ValueError, r"has shape \(2, 2, 2\); expected \(rows, columns\)"),
        (np.ones((0, 2)), ValueError, "has columns but no rows"),
        (np.ones(3) * 1j, ValueError, "is complex; pass real and imaginary parts"),
        (np.ma.masked_array([1.0, 2.0]), TypeError, "masked array"),
        (sparse.csr_array(np.eye(2)), TypeError, r"a sparse csr_array, .* use \.toarray"),
        (np.array([b"a"]), ValueError, "holds raw bytes"),
        ("x,y\n1,2\n", ValueError, r"the text 'x,y.n1,2.n' is no path; write the data to a file"),
        ("", ValueError, "the text '' is no path"),
        ("x" * 5000, ValueError, "is no path"),
        (3.5, TypeError, "cannot be read from the type float; expected a path, a frame"),
        (["a"], TypeError, "cannot be read from the type list; expected a path"),
        ([[1, 2], [3]], ValueError, "list is not a rectangular array of numbers"),
        ([[1, "a"]], TypeError, "list holds .* values; expected numbers"),
        (None, TypeError, "cannot be read from the type NoneType"),
    ],
)
def test_bad_sources_in_memory(source, error, message):
    with pytest.raises(error, match=message):
        read_table(source)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("held", [np.matrix, np.ndarray.tolist], ids=["matrix", "lists"])
def test_numbers_held_otherwise_are_the_array_they_are(held):
    """As in `two_sample_test`, which takes them too."""
    plain = np.arange(6.0).reshape(3, 2)
    found, expected = read_table(held(plain)).raw, read_table(plain).raw
    assert list(found) == list(expected) == ["x1", "x2"]
    for name, column in expected.items():
        np.testing.assert_array_equal(vars(found[name])["values"], vars(column)["values"])


def test_duplicate_names_in_frames():
    pa, pandas = need("pyarrow"), need("pandas")
    double = pa.table([[1], [2]], names=["x", "x"])
    for source in (double, pandas.DataFrame([[1, 2]], columns=["x", "x"])):
        with pytest.raises(ValueError, match="more than one column named 'x'"):
            read_table(source)


def test_a_blank_name_is_that_of_its_place():
    table = read_table({"": [1.0, 2.0], "x": [0.0, 1.0], " ": [1.0, 1.0]})
    assert list(table.raw) == ["column 1", "x", "column 3"]


def test_a_list_of_records_is_a_table_with_gaps():
    table = read_table([{"a": 1, "b": "x"}, {"a": 2.5}, {"b": "y", "c": True}])
    assert table.rows == 3
    assert list(table.raw) == ["a", "b", "c"]
    assert table.raw["a"].missing.tolist() == [False, False, True]
    assert table.raw["b"].missing.tolist() == [False, True, False]
