"""Files piece by piece: the same rows as read at once, as often as asked for."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from samelaw.tables.reading import arrow_batches, file_batches
from samelaw.tables.reading import arrow_batches as pieces
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.reading.read import read_table

ROWS = 3_000


def table():
    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue"])[rng.integers(0, 3, ROWS)]
    return pa.table({"n": rng.integers(0, 9, ROWS), "x": rng.normal(size=ROWS), "w": words})


def written(folder, kind):
    whole, path = table(), folder / f"t.{kind}"
    match kind:
        case "parquet":
            pq.write_table(whole, path, row_group_size=700)
        case "csv":
            pc.write_csv(whole, path)
        case "arrow":
            pf.write_feather(whole, path)
        case "jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in whole.to_pylist()))
        case "folder":
            path.mkdir()
            for k in range(3):
                pq.write_table(whole.slice(k * 1_000, 1_000), path / f"{k}.parquet")
    return path


@pytest.mark.parametrize("kind", ["parquet", "csv", "arrow", "jsonl", "folder"])
def test_pieces_hold_the_rows_of_the_whole_and_come_twice(tmp_path, kind, monkeypatch):
    for module in (pieces, file_batches):
        monkeypatch.setattr(module, "ROWS", 1_024)
    found = open_batches(written(tmp_path, kind))
    assert found.names == ("n", "x", "w")
    for _ in range(2):
        some = list(found.pieces())
        assert len(some) > 1 or kind == "arrow"
        assert sum(piece.num_rows for piece in some) == ROWS
    rows = found.table(arrow_batches.stack(some))
    expected = read_table(table())
    for own, other in zip(rows.columns, expected.columns, strict=True):
        assert (own.name, own.kind) == (other.name, other.kind)
        np.testing.assert_array_equal(own.values, other.values)
    assert 0.5 * ROWS < found.rows < 4 * ROWS


@pytest.mark.parametrize("kind", ["parquet", "csv", "arrow", "jsonl"])
def test_only_the_columns_asked_for_are_read(tmp_path, kind):
    found = open_batches(written(tmp_path, kind), ["w", "n"])
    assert found.names == ("n", "w")
    assert next(found.pieces()).column_names == ["n", "w"]


def test_a_list_of_json_objects_is_read_at_once(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"x": 1}, {"x": 2}]')
    assert open_batches(path) is None


def test_rows_of_csv_that_do_not_fit_are_told_with_their_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4,5\n")
    with pytest.raises(ValueError, match="'3,4,5' has 3 fields, the first line 2"):
        list(open_batches(path).pieces())


def test_csv_without_names_and_with_another_separator(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1;2,5\n3;4,5\n")
    found = open_batches(path, text=CsvFormat(sep=";", header=False))
    assert found.table(next(found.pieces())).column("column 2").values.tolist() == [2.5, 4.5]
