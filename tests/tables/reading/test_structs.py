"""What structs hold is read as columns of its own, from files, in pieces and from frames."""

import json

import numpy as np
import pytest

from optional import need
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.read import read_table
from samelaw.tables.reading.structs import DEEPEST, owners, spread

pa = need("pyarrow")
feather, parquet = need("pyarrow.feather"), need("pyarrow.parquet")

ROWS = [
    {"price": 1.5 + i, "buyer": {"age": 20 + i % 7, "home": {"city": "RSU"[i % 3]}}}
    for i in range(40)
]
NAMES = ("price", "buyer.age", "buyer.home.city")


def saved(folder, kind):
    table = pa.Table.from_pylist([*ROWS, {"price": 3.0, "buyer": None}])
    path = folder / f"t.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        feather.write_feather(table, path)
    return path


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_files_whole_and_in_pieces(tmp_path, kind):
    path = saved(tmp_path, kind)
    table = read_table(path)
    assert table.names == NAMES
    np.testing.assert_array_equal(table.column("buyer.age").missing, [False] * 40 + [True])
    assert table.column("buyer.home.city").categories == ("R", "S", "U")
    batches = open_batches(path)
    assert batches.names == NAMES
    (piece,) = batches.pieces()
    assert piece.column_names == list(NAMES)
    assert piece["buyer.age"].to_pylist()[-2:] == [20 + 39 % 7, None]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_some_columns_are_asked_for_by_their_new_names(tmp_path, kind):
    path = saved(tmp_path, kind)
    table = read_table(path, ["buyer.age"])
    assert [column.name for column in table.columns] == ["buyer.age"]
    assert set(table.unread) == {"price", "buyer.home.city"}
    batches = open_batches(path, columns=["buyer.age", "price"])
    (piece,) = batches.pieces()
    assert set(piece.column_names) == set(batches.names) == {"price", "buyer.age"}


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_frames(library):
    frame = pa.Table.from_pylist(ROWS)
    if library == "polars":
        frame = need("polars").from_arrow(frame)
    assert read_table(frame).names == NAMES


def test_names_that_are_taken_stay_what_they_are():
    taken = pa.table({"a.b": [1], "a": [{"b": 2, "c": 3}], "e": pa.array([{}], pa.struct([]))})
    assert spread(taken).column_names == ["a.b", "a", "e"]
    assert owners(taken.schema) == {"a.b": "a.b", "a": "a", "e": "e"}


def test_depths_without_end_stay_structs():
    kind = pa.int64()
    for _ in range(2 * DEEPEST):
        kind = pa.struct([("x", kind)])
    (name,) = owners(pa.schema([("x", kind)]))
    assert name == ".".join("x" * (DEEPEST + 1))


def test_a_table_without_structs_is_handed_on():
    table = pa.table({"a": [1], "b": [2]})
    assert spread(table) is table
    assert spread(table, ["b"]).column_names == ["b"]


def lists(rows):
    return {name: [row[name] for row in rows] for name in rows[0]}


SOURCES = {
    "a frame of pandas": lambda: need("pandas").DataFrame(ROWS),
    "structs of Arrow in pandas": lambda: pa.Table.from_pylist(ROWS).to_pandas(
        types_mapper=need("pandas").ArrowDtype
    ),
    "a list of records": lambda: ROWS,
    "a dict of lists": lambda: lists(ROWS),
    "a dict of arrays": lambda: {n: np.array(v) for n, v in lists(ROWS).items()},
    "a dict of series": lambda: {n: need("pandas").Series(v) for n, v in lists(ROWS).items()},
    "a series of polars": lambda: {n: need("polars").Series(v) for n, v in lists(ROWS).items()},
}


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_in_memory_is_read_as_files_are(source):
    table, file = read_table(SOURCES[source]()), read_table(pa.Table.from_pylist(ROWS))
    assert table.names == NAMES
    for name in NAMES:
        np.testing.assert_array_equal(table.column(name).values, file.column(name).values)


def test_records_of_pandas_with_gaps_and_other_values():
    frame = need("pandas").DataFrame({"a": [{"b": 1}, None, {"c": "x"}, "none", float("nan")]})
    table = read_table(frame)
    assert table.names == ("a.b", "a.c", "a")
    assert table.raw["a"].missing.tolist() == [True, True, True, False, True]
    taken = need("pandas").DataFrame({"a": [{"b": 1}, {"b": 2}], "a.b": [1, 2]})
    assert read_table(taken).names == ("a", "a.b")
    assert read_table({"a": taken["a"], "a.b": [1, 2]}).names == ("a", "a.b")
    assert read_table({"a": [{}, {}]}).names == ("a",)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_in_pieces_have_the_same_columns(library):
    frame = pa.Table.from_pylist(ROWS)
    frame = {"pandas": frame.to_pandas, "polars": lambda: need("polars").from_arrow(frame)}.get(
        library, lambda: frame
    )()
    batches = open_batches(frame)
    assert batches.names == NAMES
    (piece,) = batches.pieces()
    assert tuple(piece.column_names) == batches.table(piece).names == NAMES
    assert open_batches(frame, columns=["buyer.age"]).names == ("buyer.age",)


def test_lists_of_a_file_and_of_frames_are_the_same_words(tmp_path):
    tags = [["a"], ["b", "ü"], [], None] * 10
    path, table = tmp_path / "t.parquet", pa.table({"tags": tags})
    parquet.write_table(table, path)
    lines = tmp_path / "t.jsonl"
    lines.write_text("\n".join(json.dumps({"tags": value}) for value in tags))
    sources = [path, lines, table, table.to_pandas(), need("polars").from_arrow(table)]
    pieces = open_batches(lines)
    tables = [*map(read_table, sources), pieces.table(next(pieces.pieces()))]
    for found in tables:
        assert found.column("tags").categories == ('["a"]', '["b", "ü"]', "[]")
