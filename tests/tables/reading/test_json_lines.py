import gzip
import json

import numpy as np
import pytest

from samelaw.tables.reading import json_lines
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.json_lines import read_json
from samelaw.tables.reading.objects import flat
from samelaw.tables.reading.read import read_table
from samelaw.tables.reading.structs import DEEPEST
from table_files import READ, kinds, peak, write


def test_gzipped_json_lines(tmp_path):
    text = b'{"x": 1, "y": "a"}\n\n{"x": 2}\n{"z": [1], "x": 4.5}\n'
    table = read_table(write(tmp_path / "t.jsonl.gz", gzip.compress(text)))
    assert kinds(table) == {"x": "numeric", "y": "constant", "z": "constant"}
    np.testing.assert_array_equal(table.column("y").missing, [False, True, True])
    assert table.column("z").notes == (
        "holds lists, which are read as text; what is in them says more as columns of its own",
    )


@pytest.mark.parametrize("name", ["t.json", "t.jsonl", "t.json.gz"])
def test_a_list_of_objects(tmp_path, name):
    text = b' [{"x": 1, "y": "a"},\n {"x": 2.5}]\n'
    packed = gzip.compress(text) if name.endswith("gz") else text
    table = read_table(write(tmp_path / name, packed))
    np.testing.assert_array_equal(table.column("x").values, [1, 2.5])
    np.testing.assert_array_equal(table.column("y").missing, [False, True])
    assert table.open_ended


def test_json_lines_may_be_named_json(tmp_path):
    assert read_table(write(tmp_path / "t.json", '{"x": 1}\n{"x": 2}\n')).rows == 2


def test_mixed_types_in_json_lines(tmp_path):
    text = '{"x": 1}\n{"x": "abc"}\n{"x": 1.0}\n{"x": true}\n'
    column = read_table(write(tmp_path / "t.jsonl", text)).column("x")
    assert column.categories == ("1", "abc", "true")
    np.testing.assert_array_equal(column.values, [0, 1, 0, 2])


def test_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = write(tmp_path / "t.jsonl", '{"x": 1}\n')
    parse = json_lines._json_object

    def grow(path, place, line):
        if place == 1:
            with open(path, "a") as file:
                file.write('{"x": 2}\n')
        return parse(path, place, line)

    monkeypatch.setattr(json_lines, "_json_object", grow)
    with pytest.raises(ValueError, match=r"t\.jsonl changed while it was read; wait until"):
        read_table(path)


def test_a_json_line_without_end_is_not_read_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    with open(path, "wb") as file:
        file.write(b'{"x": 1}\n[')
        file.truncate(2**33)  # zeros that take no room on the disk
    size, lines = peak(READ.replace("2**28", "2**34"), path)
    assert lines == [
        f"{path}: line 2 is longer than 16 MiB; expected one JSON object per line, "
        "or a list of them."
    ]
    assert size < 2**9


@pytest.mark.parametrize(
    "columns",
    [
        {"x": {"0": 1.5, "1": 2.5}, "y": {"0": "a", "1": None}},
        {"x": [1.5, 2.5], "y": ["a", None]},
    ],
)
def test_an_object_of_columns(tmp_path, columns):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(columns))
    assert read_json(path) == {"x": [1.5, 2.5], "y": ["a", None]}
    assert open_batches(path) is None, "it is read at once"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "held",
    [
        {"columns": ["x", "y"], "index": [0, 1], "data": [[1.5, "a"], [2.5, None]]},
        {"0": {"x": 1.5, "y": "a"}, "1": {"x": 2.5, "y": None}},
        {"data": [{"x": 1.5, "y": "a"}, {"x": 2.5}]},
        {"status": "ok", "page": {"of": 1}, "rows": [{"x": 1.5, "y": "a"}, {"x": 2.5}]},
        {"x": [1.5, 2.5], "y": ["a", None]},
    ],
    ids=["split", "index", "wrapped", "wrapped beside others", "columns"],
)
def test_an_object_that_holds_a_table(tmp_path, held, indent):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(held, indent=indent))
    assert read_json(path) == {"x": [1.5, 2.5], "y": ["a", None]}
    assert open_batches(path) is None, "it is read at once"


@pytest.mark.parametrize(
    "row",
    [
        {"x": 1.5, "y": [1, 2]},
        {"x": {"0": 1, "1": 2}, "y": {"0": 1}},
        {"x": [1, 2], "y": {"0": 1, "1": 2}},
        {"buyer": "b", "items": [{"x": 1}]},
        {"columns": ["x", "x"], "data": [[1, 2], [3, 4], [5, 6]]},
        {},
    ],
)
def test_an_object_that_is_a_row(tmp_path, row):
    path = tmp_path / "t.json"
    path.write_text(json.dumps(row))
    assert read_json(path) == {name: [value] for name, value in row.items()}
    path.write_text(f"{json.dumps(row)}\n" * 2)
    assert read_json(path) == {name: [value] * 2 for name, value in flat(row).items()}


def test_rows_that_hold_lists_are_rows(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"x": [1, 2]}\n{"x": [3, 4]}\n')
    assert read_json(path) == {"x": [[1, 2], [3, 4]]}


NESTED = [
    {"price": 1.5 + i, "buyer": {"age": 20 + i, "home": {"city": "RSU"[i % 3]}}, "tags": ["a"]}
    for i in range(9)
]


@pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
def test_objects_in_objects_are_columns_of_their_own(tmp_path, name):
    rows = [*NESTED, {"price": 3.0, "buyer": None}, {"price": 4.0, "buyer": {}}]
    listed = "\n".join(map(json.dumps, rows)) if name.endswith("l") else json.dumps(rows)
    table = read_table(write(tmp_path / name, listed.encode()))
    np.testing.assert_array_equal(table.column("buyer.age").values[:9], np.arange(20, 29))
    np.testing.assert_array_equal(table.column("buyer.age").missing[9:], [True, True])
    assert table.column("buyer.home.city").categories == ("R", "S", "U")


def test_a_file_of_them_is_read_in_pieces_with_the_same_columns(tmp_path):
    path = write(tmp_path / "t.jsonl", "\n".join(map(json.dumps, NESTED)).encode())
    batches = open_batches(path)
    assert set(batches.names) == {"price", "buyer.age", "buyer.home.city", "tags"}
    (piece,) = batches.pieces()
    assert piece["buyer.age"].to_pylist() == list(range(20, 29))


def test_deep_objects_have_the_same_columns_in_pieces(tmp_path):
    """Beyond eight levels memory spread them further."""
    deep: dict[str, object] = {"x": 1}
    for _ in range(12):
        deep = {"x": deep, "n": 2}
    path = write(tmp_path / "t.jsonl", "\n".join([json.dumps(deep)] * 3).encode())
    assert set(open_batches(path).names) == set(read_table(path).names)


def test_names_that_are_taken_and_depths_without_end_stay_text():
    taken = {"a.b": 1, "a": {"b": 2, "c": 3}}
    assert flat(taken) == taken
    deep: dict[str, object] = {"x": 1}
    for _ in range(400):
        deep = {"x": deep}
    ((name, value),) = flat(deep).items()
    assert name == ".".join("x" * (DEEPEST + 1))
    assert isinstance(value, dict)
