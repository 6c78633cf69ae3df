import bz2
import gzip
import io
import json
import os
import threading

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optional import need
from samelaw.tables.columns.kinds import tied
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.batches import read_whole
from samelaw.tables.reading.read import read_table
from table_files import check_mixed, mixed_arrow, write, write_arrow_file, write_parquet

HERE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)


def write_arrow_stream(path, table):
    with need("pyarrow.ipc").new_stream(path, table.schema) as writer:
        writer.write_table(table)


def write_json(path, table):
    rows = (json.dumps(row, default=str) for row in table.to_pylist())
    path.write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("name", "writer"),
    [
        ("t.parquet", write_parquet),
        ("t.feather", write_arrow_file),
        ("t.arrow", write_arrow_file),
        ("stream.arrow", write_arrow_stream),
        ("t.jsonl", write_json),
        ("t.ndjson", write_json),
    ],
)
def test_every_format_gives_the_same_table(tmp_path, name, writer):
    writer(tmp_path / name, mixed_arrow())
    check_mixed(read_table(tmp_path / name))
    check_mixed(read_table(str(tmp_path / name)))


def test_folder_and_pattern_of_parquet(tmp_path):
    table = mixed_arrow()
    (tmp_path / "sub").mkdir()
    write_parquet(tmp_path / "1.parquet", table.slice(0, 1))
    write_parquet(tmp_path / "sub" / "2.parquet", table.slice(1, 3))
    write(tmp_path / "_SUCCESS", "")
    write(tmp_path / ".hidden.csv", "x\n1\n")
    check_mixed(read_table(tmp_path))
    assert read_table(f"{tmp_path}/*.parquet").rows == 1
    check_mixed(read_table(f"{tmp_path}/**/*.parquet"))


def test_folder_errors(tmp_path):
    pa = need("pyarrow")
    write(tmp_path / "notes.md", "hello")
    with pytest.raises(FileNotFoundError, match="holds no Parquet or CSV file"):
        read_table(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no file matches .*\*\.csv; check the pattern"):
        read_table(tmp_path / "*.csv")
    with pytest.raises(FileNotFoundError, match=r"write duckdb:///.*shop\.db\?table=may or sqlite"):
        read_table(tmp_path / "shop.db?table=may")
    write_parquet(tmp_path / "1.parquet", pa.table({"x": [1, 2]}))
    write_parquet(tmp_path / "2.parquet", pa.table({"x": ["a", "b"]}))
    with pytest.raises(ValueError, match=r"do not fit together .*x.*one type in all"):
        read_table(tmp_path)
    write(tmp_path / "3.csv", "x\n1\n")
    with pytest.raises(ValueError, match=r"both Parquet and CSV files; say which"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", r"t\.csv is empty; expected a line of column names, then rows"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "x,y\n", r"has columns but no rows; expected at least one row"),
        ("t.csv", "x,y,x\n1,2,3\n", r"more than one column named 'x'; rename all but one"),
        ("t.csv", "x,y\n1,2\n1,2,3\n", r"the row '1,2,3' has 3 fields, the first line 2; quote"),
        ("t.csv", b"PAR1\x00\x01", r"t\.csv is not CSV but a Parquet file; rename it"),
        ("t.csv", b"PK\x03\x04\x14", r"cannot be read as CSV \(File is not a zip file\)"),
        ("t.csv", b"\x7fELF\x00\x00", r"t\.csv is not text but binary data; export it as CSV"),
        ("t.csv.gz", gzip.compress(b"x\n1\n" * 99, mtime=0)[:-12], r"cannot be read as CSV"),
        ("t.parquet", "x,y\n1,2\n", r"t\.parquet cannot be read as Parquet .*named rightly"),
        ("t.arrow", "x,y\n1,2\n", "cannot be read as Arrow"),
        ("t.feather", b"ARROW1 but no more", "cannot be read as Arrow"),
        ("t.jsonl", "", "is empty; expected one JSON object per line"),
        ("t.jsonl", '{"x": 1}\nhello\n', r"line 2 is not JSON .*one JSON object per line"),
        ("t.jsonl", "[1, 2]\n", "entry 1 of its list is a JSON int; expected an object"),
        ("t.jsonl", '{"x": 1}\n[1, 2]\n', "line 2 is a JSON list; expected an object"),
        ("t.json", "[" * 100_000 + "\n", "is no list of JSON objects"),
        ("t.json", '[{"x": 1}, ', "is no list of JSON objects"),
        ("t.json", "[]", "is empty; expected one JSON object per line, or a list of them"),
        ("t.jsonl", "{}\n{}\n", "has no columns"),
        ("t.npy", "hello", r"t\.npy cannot be read as a numpy file \(it does not start like one"),
        ("t.npz", b"PK\x03\x04but no more", r"t\.npz cannot be read as a numpy file"),
        ("t.xlsx", "hello", r"t\.xlsx cannot be read as Excel"),
        ("t.xls", "hello", r"ends in '\.xls'; samelaw reads \.csv, \.tsv, \.parquet"),
        ("data.log", "hello", "ends in '.log'; samelaw reads"),
        ("data", "hello", "has columns but no rows"),
        ("data", b"%PDF-1.7", "is not CSV but a PDF"),
        ("t.csv", "\n<!DOCTYPE html>\n<html>\n<body>Log in</body>", "is not CSV but a web page"),
        ("t.csv", "<?xml version='1.0'?><Workbook/>", "is not CSV but a web page or XML"),
        ("shop.duckdb", b"\x00DUCK", r"name one of them: duckdb:///.*shop\.duckdb\?table=NAME"),
        ("shop.sqlite", b"SQLite format 3", r"name one of them: sqlite:///.*\?table=NAME"),
    ],
)
def test_bad_files_give_one_plain_sentence(tmp_path, name, content, message):
    need("pyarrow")
    with pytest.raises(ValueError, match=message) as caught:
        read_table(write(tmp_path / name, content))
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


class Stdin:
    """Standard input with these bytes."""

    def __init__(self, content):
        self.buffer = io.BytesIO(content)


def as_parquet(table):
    sink = io.BytesIO()
    need("pyarrow.parquet").write_table(table, sink)
    return sink.getvalue()


def contents():
    """The same table in all formats that first bytes tell apart."""
    pa = need("pyarrow")
    text = b"x,y\n1.5,a\n2.5,b\n"
    rows = [{"x": 1.5, "y": "a"}, {"x": 2.5, "y": "b"}]
    return {
        "csv": text,
        "gzip": gzip.compress(text),
        "bzip2": bz2.compress(text),
        "lines": "\n".join(map(json.dumps, rows)).encode(),
        "list": json.dumps(rows).encode(),
        "parquet": as_parquet(pa.table({"x": [1.5, 2.5], "y": ["a", "b"]})),
    }


def test_standard_input_is_told_by_its_first_bytes(monkeypatch):
    for kind, content in contents().items():
        monkeypatch.setattr("sys.stdin", Stdin(content))
        table = read_table("-")
        assert table.source == "standard input", kind
        np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5], err_msg=kind)
        assert table.column("y").categories == ("a", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "standard input is empty; expected a line"),
        (b"x,y\n1\n", "^standard input: the row '1' has 1 fields"),
        (b"PAR1 but no more", "^standard input cannot be read as Parquet"),
    ],
)
def test_what_is_wrong_with_standard_input_is_said_of_it(monkeypatch, content, message):
    need("pyarrow")
    monkeypatch.setattr("sys.stdin", Stdin(content))
    with pytest.raises(ValueError, match=message) as caught:
        read_table("-")
    assert "tmp" not in str(caught.value)


@pytest.mark.parametrize("read", [read_table, lambda path: read_whole(open_batches(path))])
def test_a_file_without_an_ending_is_told_by_its_first_bytes(tmp_path, read):
    for kind, content in contents().items():
        if kind == "list" and read is not read_table:
            continue  # is read at once
        (tmp_path / "data").write_bytes(content)
        table = read(tmp_path / "data")
        np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5], err_msg=kind)


def test_pipes_of_a_shell_are_named():
    need("pyarrow")
    out, into = os.pipe()
    os.write(into, b"x,y\n1,2\n3,4\n")
    os.close(into)
    assert read_table(f"/dev/fd/{out}").source == f"pipe {out}"
    os.close(out)


def test_a_pipe_is_read_like_standard_input(tmp_path):
    need("pyarrow")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"x,y\n1,2\n3,4\n"))
    writer.start()
    table = read_table(pipe)
    writer.join()
    assert table.names == ("x", "y")
    assert table.source == str(pipe)


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


NUMBERS = st.one_of(st.none(), st.floats(allow_nan=False, width=64), st.integers(-(10**15), 10**15))


@HERE
@given(st.dictionaries(NAMES, st.lists(NUMBERS, min_size=3, max_size=3), min_size=2, max_size=4))
def test_numbers_survive_every_text_format(tmp_path, columns):
    need("pyarrow")
    import csv

    with open(tmp_path / "t.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    text = "\n".join(json.dumps(row) for row in rows)
    write(tmp_path / "t.jsonl", text)
    for name in ("t.csv", "t.jsonl"):
        table = read_table(tmp_path / name)
        assert table.names == tuple(columns)
        for key, values in columns.items():
            expected = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
            column = table.column(key, "numeric")
            if not np.isnan(expected).all():
                np.testing.assert_array_equal(column.values, tied(expected))


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6)


@HERE
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8))
def test_words_survive_csv_and_parquet(tmp_path, rows):
    from samelaw.tables.columns.parse import is_missing

    pa = need("pyarrow")
    import csv

    with open(tmp_path / "t.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([("a", "b"), *rows])
    write_parquet(tmp_path / "t.parquet", pa.table({"a": [r[0] for r in rows]}))
    for name in ("t.csv", "t.parquet"):
        column = read_table(tmp_path / name).column("a", "categorical")
        words = [None if code < 0 else column.categories[code] for code in column.values]
        assert words == [None if is_missing(a) else a for a, _ in rows]


@pytest.mark.parametrize("address", ["https://x.org/a.csv", "s3://store/a.parquet"])
def test_addresses_are_not_fetched(address):
    with pytest.raises(ValueError, match="is an address, and nothing is fetched; download it"):
        read_table(address)


def test_a_reference_is_no_table(tmp_path):
    with pytest.raises(ValueError, match="is a reference, which holds sums and no rows"):
        read_table(write(tmp_path / "r.safetensors", b"x"))
