"""Tables as they were read: some of their rows, and columns that rows of JSON left out."""

import numpy as np
import pytest

from samelaw.tables.columns.column import Kind
from samelaw.tables.reading.read import read_table


def test_unknown_column():
    with pytest.raises(ValueError, match="column 'y' is not in the dict; its columns are 'x'"):
        read_table({"x": [1]}).column("y")


def test_some_rows_of_a_table_have_their_values():
    table = read_table({"x": [1.5, None, 2.5, 4.5], "c": ["a", "b", "a", "b"]})
    part = table.taken(np.array([3, 1]))
    assert part.rows == 2
    assert (part.whole, part.numbers.tolist()) == (4, [3, 1])
    assert part.taken(np.array([1])).numbers.tolist() == [1], "as in the first table"
    np.testing.assert_array_equal(part.column("x", "numeric").values, [4.5, np.nan])
    assert part.column("c").categories == ("b",)


def test_a_column_may_be_read_as_another_kind():
    table = read_table({"zip": [10, 20, 10, 30]})
    assert table.column("zip").kind is Kind.INTEGER
    assert table.column("zip", "categorical").categories == ("10", "20", "30")


def test_names_that_json_left_out_are_columns_of_missing_values(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"x": 1}\n{"x": 2}\n')
    filled = read_table(path).filled(["x", "y"])
    assert filled.column("y").missing.all()
    typed = read_table({"x": [1, 2]})
    assert typed.filled(["x", "y"]) is typed
