"""Columns are matched by name; names that are none, or nobody has, are refused."""

import pytest

from optional import need
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def pair(a, b, **options):
    return pair_tables(read_table(a), read_table(b), **options)


def test_rows_taken_for_names_are_refused_unless_both_have_them(tmp_path):
    need("pyarrow")
    for name, line in {"a": "1.5,red", "b": "2.5,red", "c": "1.5,red"}.items():
        (tmp_path / f"{name}.csv").write_text(f"{line}\n" + "3.5,blue\n4.5,red\n" * 5)
    with pytest.raises(
        ValueError, match=r"first line of .*a\.csv looks like a row, not like names"
    ):
        pair(tmp_path / "a.csv", tmp_path / "b.csv")
    same = pair(tmp_path / "a.csv", tmp_path / "c.csv")
    assert [c.name for c in same.columns] == ["1.5", "red"]
    assert "say --no-header" in same.notes[0]


def test_columns_and_ignore():
    a = {"x": [1, 2], "y": [1, 2], "z": [1, 2], "old": [1, 2]}
    b = {"x": [1, 2], "y": [1, 2], "z": [1, 2]}
    chosen = pair(a, b, columns=["z", "x"])
    assert [column.name for column in chosen.columns] == ["z", "x"]
    assert chosen.schema_changes == []
    rest = pair(a, b, ignore=["x", "old"])
    assert [column.name for column in rest.columns] == ["y", "z"]
    assert rest.schema_changes == []


def test_no_shared_column():
    with pytest.raises(ValueError, match="share no column to compare: the first has 'x'"):
        pair({"x": [1]}, {"y": [1]})
