import gzip
import json
import os
import subprocess
import sys
import zipfile
from glob import glob
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from optional import need
from samelaw.data import binary, csv, limits
from samelaw.data.folders import matching
from samelaw.data.kinds import Kind, Table
from samelaw.data.raw_column import Form, stored_objects
from samelaw.data.read import read_table

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
HERE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def kinds(table):
    return {column.name: str(column.kind) for column in table.columns}


def mixed_arrow():
    pa = need("pyarrow")
    return pa.table(
        {
            "price": [1.5, None, 2.5, 4.0],
            "count": [3, 5, 3, 8],
            "sold": [True, False, None, True],
            "colour": ["red", None, "blue", "red"],
            "day": pa.array([0, 1, None, 2], pa.date32()),
            "coded": pa.array(["p", "q", None, "p"]).dictionary_encode(),
            "nothing": pa.nulls(4),
        }
    )


MIXED = {
    "price": "numeric",
    "count": "integer",
    "sold": "boolean",
    "colour": "categorical",
    "day": "datetime",
    "coded": "categorical",
    "nothing": "empty",
}


def check_mixed(table):
    assert kinds(table) == MIXED
    assert table.rows == 4
    np.testing.assert_array_equal(table.column("price").values, [1.5, np.nan, 2.5, 4.0])
    np.testing.assert_array_equal(table.column("sold").values, [1, 0, np.nan, 1])
    np.testing.assert_array_equal(table.column("day").values, [0, 86400, np.nan, 172800])
    colour = table.column("colour")
    assert colour.categories == ("blue", "red")
    np.testing.assert_array_equal(colour.values, [1, -1, 0, 1])
    np.testing.assert_array_equal(colour.missing, [False, True, False, False])


# Formats


def write_arrow_file(path, table):
    need("pyarrow.feather").write_feather(table, path)


def write_arrow_stream(path, table):
    with need("pyarrow.ipc").new_stream(path, table.schema) as writer:
        writer.write_table(table)


def write_parquet(path, table):
    need("pyarrow.parquet").write_table(table, path)


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


CSV = (
    "price,count,sold,colour,day,coded,nothing\n"
    "1.5,3,true,red,1970-01-01,p,\n"
    ",5,false,,1970-01-02,q,NA\n"
    "2.5,3,,blue,,,\n"
    "4,8,true,red,1970-01-03,p,\n"
)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_csv_with_any_separator(tmp_path, separator):
    need("pyarrow")
    check_mixed(read_table(write(tmp_path / "t.csv", CSV.replace(",", separator))))


@pytest.mark.parametrize("ending", ["csv", "tsv", "CSV"])
def test_gzip_bom_and_windows_line_ends(tmp_path, ending):
    need("pyarrow")
    text = b"\xef\xbb\xbf" + CSV.replace("\n", "\r\n").encode()
    check_mixed(read_table(write(tmp_path / f"t.{ending}.gz", gzip.compress(text))))
    check_mixed(read_table(write(tmp_path / f"t.{ending}", text)))


def test_gzipped_json_lines(tmp_path):
    text = b'{"x": 1, "y": "a"}\n\n{"x": 2}\n{"z": [1], "x": 4.5}\n'
    table = read_table(write(tmp_path / "t.jsonl.gz", gzip.compress(text)))
    assert kinds(table) == {"x": "numeric", "y": "constant", "z": "constant"}
    np.testing.assert_array_equal(table.column("y").missing, [False, True, True])
    assert table.column("z").notes == ("holds list values, which are read as text",)


def test_frames_of_every_library():
    table = mixed_arrow()
    check_mixed(read_table(table))
    check_mixed(read_table(table.to_batches()[0]))
    need("pandas")
    check_mixed(read_table(table.to_pandas()))
    polars = need("polars")
    check_mixed(read_table(polars.from_arrow(table)))
    check_mixed(read_table(polars.from_arrow(table).lazy()))


def test_duckdb_relation():
    need("duckdb")
    script = (
        "import duckdb; from samelaw.data.read import read_table\n"
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


def test_pandas_nullable_types_and_objects():
    pandas = need("pandas")
    frame = pandas.DataFrame(
        {
            "i": pandas.array([1, None, 3], dtype="Int64"),
            "b": pandas.array([True, None, False], dtype="boolean"),
            "o": pandas.Series(["a", 1, None], dtype=object),
            "t": pandas.to_datetime(["2025-03-01", None, "2025-03-02"]).tz_localize("UTC"),
            7: [1.0, float("nan"), 2.5],
        }
    )
    table = read_table(frame)
    assert kinds(table) == {
        "i": "integer",
        "b": "boolean",
        "o": "categorical",
        "t": "datetime",
        "7": "numeric",
    }
    assert all(
        bool(column.missing[i]) for column, i in zip(table.columns, [1, 1, 2, 1, 1], strict=True)
    )


def test_arrays_of_every_library(to_xp):
    table = read_table(to_xp(np.array([[1.0, 2.5], [3.0, np.nan], [5.0, 1.0]])))
    assert kinds(table) == {"x1": "integer", "x2": "numeric"}
    assert table.column("x2").missing.tolist() == [False, True, False]
    assert read_table(to_xp(np.arange(4))).names == ("x1",)


def test_tensors():
    torch = need("torch")
    assert read_table(torch.ones(3, dtype=torch.bfloat16)).rows == 3
    assert read_table(torch.ones(3, 2, requires_grad=True) * 2).rows == 3


def test_rare_types_of_polars():
    polars = need("polars")
    columns = {
        "decimal": ["1.5", None],
        "large": polars.Series([1, 2], dtype=polars.Int128),
        "listed": [[1], [2]],
        "nothing": [None, None],
        "fixed": polars.Series(["a", None], dtype=polars.Enum(["a", "b"])),
    }
    frame = polars.DataFrame(columns).with_columns(polars.col("decimal").cast(polars.Decimal(9, 2)))
    assert list(kinds(read_table(frame)).values()) == [
        "constant",
        "integer",
        "categorical",
        "empty",
        "constant",
    ]


NEVER = "9999-12-31"  # what many tables write for a date that has no end


def check_never(table, expected=253402214400.0):
    column = table.column("until")
    assert column.kind is Kind.DATETIME
    np.testing.assert_array_equal(column.values, [0.0, expected, np.nan, expected])


def test_dates_far_from_now(tmp_path):
    """Microseconds since 1970 have more digits than a float from the year 2255 on."""
    pa = need("pyarrow")
    days = np.array(["1970-01-01", NEVER, "NaT", NEVER], dtype="datetime64[D]")
    kinds_of_time = [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ms")]
    kinds_of_time += [pa.timestamp("us"), pa.timestamp("us", tz="Europe/Berlin")]
    for kind in kinds_of_time:
        table = pa.table({"until": pa.array(days.astype("datetime64[us]").tolist(), kind)})
        check_never(read_table(table))
        coded = table["until"].combine_chunks().dictionary_encode()
        check_never(read_table(pa.table({"until": coded})))
        write_parquet(tmp_path / "t.parquet", table)
        check_never(read_table(tmp_path / "t.parquet"))
    check_never(read_table({"until": days}))
    check_never(
        read_table(write(tmp_path / "t.csv", f"until,x\n1970-01-01,1\n{NEVER},2\n,3\n{NEVER},"))
    )
    pandas, polars = need("pandas"), need("polars")
    check_never(read_table(pandas.DataFrame({"until": days.astype("datetime64[s]")})))
    check_never(read_table(polars.DataFrame({"until": days.tolist()})))
    far = pa.table({"until": pa.array([0, 10**13, None, 10**13], pa.timestamp("s"))})
    check_never(read_table(far), 1e13)  # no microseconds hold it


def large_numbers(pa, missing):
    """Numbers of messages: neighbours are one float, and some may be absent."""
    return pa.table({"key": pa.array([2**60 + i for i in range(40)] + [None] * missing)})


@pytest.mark.parametrize("missing", [0, 1])
def test_large_whole_numbers_keep_their_digits(tmp_path, missing):
    pa = need("pyarrow")
    table = large_numbers(pa, missing)
    sources = [table, table.rename_columns(["user_id"]), tmp_path / "t.parquet"]
    write_parquet(tmp_path / "t.parquet", table)
    sources.append(write(tmp_path / "t.csv", csv_of(table)))
    sources.append({"key": table["key"].to_pylist()})
    polars, pandas = need("polars"), need("pandas")
    sources += [
        polars.from_arrow(table),
        pandas.DataFrame({"key": table["key"].to_pylist()}, dtype="Int64"),
    ]
    for source in sources:
        column = read_table(source).columns[0]
        assert column.kind is Kind.IDENTIFIER
        assert len(column.categories) == 40
        assert column.missing.sum() == missing


def csv_of(table):
    names, rows = table.column_names, table.to_pylist()
    lines = [",".join("" if row[n] is None else str(row[n]) for n in names) for row in rows]
    return "\n".join([",".join(names), *(line or '""' for line in lines), ""])


def test_large_whole_numbers_that_are_no_identifiers():
    values = [2**60 + i % 5 for i in range(40)]
    assert read_table({"key": values}).columns[0].kind is Kind.INTEGER
    assert read_table({"key": [2**60] * 40}).columns[0].kind is Kind.CONSTANT
    spread = [2**60 + i * 10**9 for i in range(40)]
    assert read_table({"key": spread}).columns[0].kind is Kind.INTEGER
    assert read_table({"key_id": spread}).columns[0].kind is Kind.IDENTIFIER


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("name", ["t.feather", "t.arrow", "stream.arrow"])
def test_feather_files_of_polars(tmp_path, name, compression):
    need("pyarrow")
    polars = need("polars")
    words = ["red", None, "a longer word than fits", "red"]
    frame = polars.DataFrame(
        {
            "word": words,
            "coded": polars.Series(words, dtype=polars.Categorical),
            "fixed": polars.Series(
                words, dtype=polars.Enum(["unused", *sorted({*words} - {None})])
            ),
            "number": ["1.5", "NA", "2", "2"],
        }
    )
    writer = frame.write_ipc_stream if name.startswith("stream") else frame.write_ipc
    writer(tmp_path / name, compression=compression)
    table = read_table(tmp_path / name)
    for column in ("word", "coded", "fixed"):
        found = table.column(column)
        assert found.categories == ("a longer word than fits", "red")
        np.testing.assert_array_equal(found.values, [1, -1, 0, 1])
    np.testing.assert_array_equal(table.column("number").values, [1.5, np.nan, 2, 2])


def test_every_type_of_words_of_arrow():
    pa = need("pyarrow")
    plain = pa.array(["p", "q", None, "p"])
    types = [pa.string(), pa.large_string(), pa.string_view()]
    types += [pa.dictionary(pa.uint8(), kind) for kind in types]
    for kind in types:
        index = pa.array([0, 1, None, 3])
        words = pa.array(["p", "q", "unused", "p"], getattr(kind, "value_type", kind))
        coded = pa.DictionaryArray.from_arrays(index, words)
        column = coded if hasattr(kind, "value_type") else plain.cast(kind)
        found = read_table(pa.table({"w": pa.chunked_array([column, column.slice(1)])})).column("w")
        assert found.categories == ("p", "q")
        np.testing.assert_array_equal(found.values, [0, 1, -1, 0, 1, -1, 0])


def test_a_dictionary_of_numbers_is_numbers():
    pa = need("pyarrow")
    numbers = [str(i / 8) for i in range(2000)]
    for words in (numbers, [*numbers[:-1], "NA"]):  # written out for speed, or not
        fast = read_table(pa.table({"x": pa.array(words).dictionary_encode()})).column("x")
        slow = read_table(pa.table({"x": words})).column("x")
        assert fast.kind is slow.kind is Kind.NUMERIC
        np.testing.assert_array_equal(fast.values, slow.values)


def test_npy_and_npz(tmp_path):
    np.save(tmp_path / "t.npy", np.arange(6.0).reshape(3, 2))
    assert read_table(tmp_path / "t.npy").names == ("x1", "x2")
    np.savez(tmp_path / "one.npz", np.arange(6.0).reshape(3, 2))
    assert read_table(tmp_path / "one.npz").names == ("x1", "x2")
    np.savez(
        tmp_path / "many.npz",
        a=np.array([1, 2, 2]),
        w=np.array(["u", "v", "v"]),
        e=np.ones((3, 2)),
        t=np.array(["2025-03-01", "NaT", "2025-03-02"], dtype="datetime64[D]"),
    )
    assert kinds(read_table(tmp_path / "many.npz")) == {
        "a": "integer",
        "w": "categorical",
        "e_x1": "constant",
        "e_x2": "constant",
        "t": "datetime",
    }
    fields = np.array([(1.5, "a"), (2.5, "b")], dtype=[("size", "f8"), ("word", "U1")])
    np.save(tmp_path / "fields.npy", fields)
    assert kinds(read_table(tmp_path / "fields.npy")) == {"size": "numeric", "word": "categorical"}


def test_dict_of_columns_and_table():
    table = read_table({"x": (1, 2), "y": np.array([1.5, 2.0]), 3: ["a", None]})
    assert kinds(table) == {"x": "integer", "y": "numeric", "3": "constant"}
    assert read_table(table) is table
    pandas = need("pandas")
    assert kinds(read_table({"x": pandas.Series([1.5, 2.0])})) == {"x": "numeric"}


# Folders and patterns


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


def test_links_that_go_round_give_each_file_once(tmp_path):
    need("pyarrow")
    (tmp_path / "day" / "deep").mkdir(parents=True)
    write(tmp_path / "day" / "1.csv", "x,y\n1,a\n")
    write(tmp_path / "day" / "deep" / "2.csv", "x,y\n2,b\n")
    for i in range(8):  # every further link multiplies the paths: 8 to the power of 40 in all
        (tmp_path / "day" / "deep" / f"up{i}").symlink_to(tmp_path)
    (tmp_path / "day" / "3.csv").symlink_to(tmp_path / "day" / "1.csv")
    for source in ("", "**/*.csv", "day/**/*.csv", "d*/**/*.csv", "**/[12].csv"):
        table = read_table(f"{tmp_path}/{source}")
        np.testing.assert_array_equal(table.column("x").values, [1, 2])
    assert read_table(f"{tmp_path}/*/*.csv").rows == 1


def test_a_linked_folder_is_read(tmp_path):
    need("pyarrow")
    (tmp_path / "real").mkdir()
    (tmp_path / "here").mkdir()
    write(tmp_path / "real" / "1.csv", "x,y\n1,a\n")
    (tmp_path / "here" / "link").symlink_to(tmp_path / "real")
    for source in (tmp_path / "here", tmp_path / "here" / "link", f"{tmp_path}/here/**/*.csv"):
        assert read_table(source).rows == 1


@pytest.mark.parametrize(
    "pattern", ["**/*.csv", "*/*.csv", "**/b/*.csv", "a/**", "**", "**/.h*/*", "a/**/b/**/*.csv"]
)
def test_patterns_mean_what_glob_means(tmp_path, pattern):
    for name in (
        "1.csv",
        "a/2.csv",
        "a/b/3.csv",
        "a/b/c/4.csv",
        ".h/5.csv",
        "a/.h/6.csv",
        "b/7.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write(tmp_path / name, "x\n1\n")
    found = glob(f"{tmp_path}/{pattern}", recursive=True)
    assert matching(f"{tmp_path}/{pattern}") == sorted(p for p in map(Path, found) if p.is_file())


def test_folder_of_csv_with_a_new_column(tmp_path):
    need("pyarrow")
    write(tmp_path / "1.csv", "x;y\n1,5;2\n2,5;3\n")
    write(tmp_path / "2.csv.gz", gzip.compress(b"y;x;z\n5;7,5;a\n"))
    table = read_table(tmp_path)
    np.testing.assert_array_equal(table.column("x").values, [1.5, 2.5, 7.5])
    np.testing.assert_array_equal(table.column("z").missing, [True, True, False])
    assert table.notes == ("column 'z' is absent from 1 of its 2 files",)


def test_folder_errors(tmp_path):
    pa = need("pyarrow")
    write(tmp_path / "notes.md", "hello")
    with pytest.raises(FileNotFoundError, match="holds no Parquet or CSV file"):
        read_table(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no file matches .*\*\.csv; check the pattern"):
        read_table(tmp_path / "*.csv")
    write_parquet(tmp_path / "1.parquet", pa.table({"x": [1, 2]}))
    write_parquet(tmp_path / "2.parquet", pa.table({"x": ["a", "b"]}))
    with pytest.raises(ValueError, match=r"do not fit together .*x.*one type in all"):
        read_table(tmp_path)
    write(tmp_path / "3.csv", "x\n1\n")
    with pytest.raises(ValueError, match=r"both Parquet and CSV files; say which"):
        read_table(tmp_path)


# What CSV files hold


def test_decimal_commas(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", "x;y;z\n1,5;2;1.5\n-2,25;3;2,5\n;4;x\n"))
    np.testing.assert_array_equal(table.column("x").values, [1.5, -2.25, np.nan])
    assert kinds(table) == {"x": "numeric", "y": "integer", "z": "categorical"}
    thousands = read_table(write(tmp_path / "two.csv", "x;y\n1.234,50;1\n2,50;2\n"))
    np.testing.assert_array_equal(thousands.column("x").values, [1234.5, 2.5])
    one = read_table(write(tmp_path / "one.csv", "x\n1,5\n2,5\n"))
    np.testing.assert_array_equal(one.column("x").values, [1.5, 2.5])


def test_commas_are_not_decimal_in_a_comma_file(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", 'x,y\n"1,234",1\n"5,678",2\n'))
    assert kinds(table) == {"x": "categorical", "y": "integer"}


def test_mixed_types_fall_back_to_words_and_say_so(tmp_path):
    need("pyarrow")
    column = read_table(write(tmp_path / "t.csv", "x,y\n1,1\n2,2\nabc,3\n1,4\n")).column("x")
    assert column.kind is Kind.CATEGORICAL
    assert column.categories == ("1", "2", "abc")
    assert "mixes numbers with words such as 'abc'" in column.notes[0]
    numeric = read_table(tmp_path / "t.csv").column("x", "numeric")
    np.testing.assert_array_equal(numeric.values, [1, 2, np.nan, 1])
    assert numeric.notes == ("1 value(s) that are not numeric count as missing",)


def test_mixed_types_in_json_lines(tmp_path):
    text = '{"x": 1}\n{"x": "abc"}\n{"x": 1.0}\n{"x": true}\n'
    column = read_table(write(tmp_path / "t.jsonl", text)).column("x")
    assert column.categories == ("1", "abc", "true")
    np.testing.assert_array_equal(column.values, [0, 1, 0, 2])


def test_quotes_line_breaks_and_unicode(tmp_path):
    need("pyarrow")
    text = 'größe,"名,前",{{x}}\n1.5,"a\nb",<script>\n2.5,"say ""hi""",ü\n'
    table = read_table(write(tmp_path / "t.csv", text))
    assert table.names == ("größe", "名,前", "{{x}}")
    assert table.column("名,前").categories == ("a\nb", 'say "hi"')
    assert table.column("{{x}}").categories == ("<script>", "ü")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings(tmp_path, encoding):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "Straße,x\nHöhe,1\nTal,2\n".encode(encoding))
    table = read_table(path)
    assert table.column("Straße").categories == ("Höhe", "Tal")
    assert bool(table.notes) == (encoding == "latin-1")


def test_bytes_that_are_not_utf8_far_down(tmp_path, monkeypatch):
    need("pyarrow")
    monkeypatch.setattr(csv, "SAMPLE", 16)
    path = write(tmp_path / "t.csv", b"x,y\n" + b"1,abc\n" * 50 + b"2,\xfc\n")
    assert read_table(path).column("y").categories == ("abc", "ü")


def test_blank_names_and_spaces_around_names(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", ", x ,\n0,1.5,\n1,2.5,\n"))
    assert table.names == ("column 1", "x", "column 3")


def test_header_of_numbers_is_noted(tmp_path):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", "1,2\n3,4\n"))
    assert "first line holds only numbers" in table.notes[0]


def test_many_columns(tmp_path):
    need("pyarrow")
    names = ",".join(f"column_{i}" for i in range(3000))
    row = ",".join(str(i) for i in range(3000))
    table = read_table(write(tmp_path / "t.csv", f"{names}\n{row}\n{row}\n"))
    assert len(table.names) == 3000
    assert table.column("column_2999").kind is Kind.CONSTANT


# Bad input


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", r"t\.csv is empty; expected a line of column names, then rows"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "x,y\n", r"has columns but no rows; expected at least one row"),
        ("t.csv", "x,y,x\n1,2,3\n", r"more than one column named 'x'; rename all but one"),
        ("t.csv", "x,y\n1,2\n1,2,3\n", r"the row '1,2,3' has 3 fields, the first line 2; quote"),
        ("t.csv", b"PAR1\x00\x01", r"t\.csv is not CSV but a Parquet file; rename it"),
        ("t.csv", b"PK\x03\x04\x14", "is not CSV but a zip or Excel file"),
        ("t.csv", b"\x7fELF\x00\x00", r"t\.csv is not text but binary data; export it as CSV"),
        ("t.csv.gz", gzip.compress(b"x\n1\n" * 99, mtime=0)[:-12], r"cannot be read as CSV"),
        ("t.parquet", "x,y\n1,2\n", r"t\.parquet cannot be read as Parquet .*named rightly"),
        ("t.arrow", "x,y\n1,2\n", "cannot be read as Arrow"),
        ("t.feather", b"ARROW1 but no more", "cannot be read as Arrow"),
        ("t.jsonl", "", "is empty; expected one JSON object per line"),
        ("t.jsonl", '{"x": 1}\nhello\n', r"line 2 is not JSON .*one JSON object per line"),
        ("t.jsonl", "[1, 2]\n", "line 1 is a JSON list; expected an object"),
        ("t.jsonl", "[" * 100_000 + "\n", "line 1 is not JSON"),
        ("t.jsonl", "{}\n{}\n", "has no columns"),
        ("t.npy", "hello", r"t\.npy cannot be read as a numpy file \(it does not start like one"),
        ("t.npz", b"PK\x03\x04but no more", r"t\.npz cannot be read as a numpy file"),
        ("t.xlsx", "hello", r"ends in '\.xlsx'; samelaw reads \.csv, \.tsv, \.parquet"),
        ("data", "hello", "ends in 'nothing'; samelaw reads"),
    ],
)
def test_bad_files_give_one_plain_sentence(tmp_path, name, content, message):
    need("pyarrow")
    with pytest.raises(ValueError, match=message) as caught:
        read_table(write(tmp_path / name, content))
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


@pytest.mark.parametrize("name", ["no.csv", "no.parquet", "no.jsonl", "no.npy", "no.txt", "no"])
def test_missing_file(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=f"{name} does not exist; check the path"):
        read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl", "t.npy"])
def test_permission_denied(tmp_path, name, monkeypatch):
    path = write(tmp_path / name, "x\n1\n")

    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(binary, "_fingerprint", refuse)  # tests may run as root, who may read all
    with pytest.raises(PermissionError, match=f"{name} may not be read: permission denied"):
        read_table(path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_permission_denied_by_the_system(tmp_path):
    path = write(tmp_path / "t.csv", "x\n1\n")
    path.chmod(0)
    with pytest.raises(PermissionError, match=r"t\.csv may not be read: permission denied"):
        read_table(path)


def test_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = write(tmp_path / "t.jsonl", '{"x": 1}\n')
    parse = csv._json_object

    def grow(path, place, line):
        if place == 1:
            with open(path, "a") as file:
                file.write('{"x": 2}\n')
        return parse(path, place, line)

    monkeypatch.setattr(csv, "_json_object", grow)
    with pytest.raises(ValueError, match=r"t\.jsonl changed while it was read; wait until"):
        read_table(path)


def test_replaced_file_is_noticed(tmp_path, monkeypatch):
    need("pyarrow")
    path = write(tmp_path / "t.csv", "x\n1\n2\n")
    parse = csv._parse

    def replace(*arguments):
        table = parse(*arguments)
        write(tmp_path / "new", "x\n1\n3\n").rename(path)
        return table

    monkeypatch.setattr(csv, "_parse", replace)
    with pytest.raises(ValueError, match=r"t\.csv changed while it was read; wait until"):
        read_table(path)


def test_small_files_that_unpack_to_large_ones_are_refused(tmp_path, monkeypatch):
    need("pyarrow")
    monkeypatch.setattr(limits, "LARGEST", 2**16)
    bomb = gzip.compress(b"x\n" + b"1\n" * 2**17)
    for name in ("t.csv.gz", "t.jsonl.gz"):
        with pytest.raises(ValueError, match="unpacks to more than"):
            read_table(write(tmp_path / name, bomb))
    np.savez_compressed(tmp_path / "t.npz", np.zeros(2**17))
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_table(tmp_path / "t.npz")
    write_parquet(tmp_path / "t.parquet", need("pyarrow").table({"x": np.arange(2**15) * 0.7}))
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_table(tmp_path / "t.parquet")


def peak(script, *arguments):
    """Mebibytes that a script takes at most, as Linux counts them, and what it printed."""
    tail = "\nlines = open('/proc/self/status').read().splitlines()"
    tail += "\nprint(next(int(line.split()[1]) for line in lines if 'VmHWM' in line) // 1024)"
    run = subprocess.run(
        [sys.executable, "-c", script + tail, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    *lines, size = run.stdout.splitlines()
    return int(size), lines


READ = """
import sys
from samelaw.data import limits
limits.LARGEST = 2**28
from samelaw.data.read import read_table
try:
    print([str(column.kind) for column in read_table(sys.argv[1]).columns])
except ValueError as error:
    print(error)
"""


def write_bomb(path, word, kind, rows=1000):
    """One long word, a thousand times: a gigabyte in some hundred kilobytes."""
    pa = need("pyarrow")
    coded = pa.DictionaryArray.from_arrays(pa.array([0] * rows), pa.array([word], kind))
    columns = {"word": coded, "x": np.arange(rows) * 0.5}
    if pa.types.is_list(kind):
        columns["word"] = coded.dictionary_decode()
    table = pa.table(columns)
    need("pyarrow.parquet").write_table(table, path, store_schema=False)
    assert path.stat().st_size < 2**20
    return path


def test_a_long_word_many_times_is_read_once(tmp_path):
    pa = need("pyarrow")
    path = write_bomb(tmp_path / "t.parquet", "ab" * 2**19, pa.string())
    size, lines = peak(READ, path)
    assert lines == ["['constant', 'numeric']"]
    assert size < 2**9


@pytest.mark.parametrize("kind", ["bytes", "list", "prefixes", "numbers", "batch"])
def test_values_that_decode_to_more_than_there_is_room_for(tmp_path, kind):
    pa = need("pyarrow")
    path = tmp_path / "t.parquet"
    if kind == "bytes":
        write_bomb(path, b"ab" * 2**19, pa.binary())
    elif kind == "list":
        write_bomb(path, ["ab" * 2**19], pa.list_(pa.string()), rows=400)
    elif kind == "prefixes":
        words = pa.table({"word": ["ab" * 2**19 + str(i) for i in range(400)]})
        options = {"use_dictionary": False, "column_encoding": {"word": "DELTA_BYTE_ARRAY"}}
        need("pyarrow.parquet").write_table(words, path, **options)
    elif kind == "numbers":
        write_parquet(path, pa.table({"x": np.zeros(2**26, dtype=np.int8)}))
    else:
        path = tmp_path / "t.arrow"
        options = need("pyarrow.ipc").IpcWriteOptions(compression="zstd")
        zeros = pa.record_batch({"x": np.zeros(2**20)})
        with need("pyarrow.ipc").new_file(path, zeros.schema, options=options) as writer:
            for _ in range(100):
                writer.write_batch(zeros)
    assert path.stat().st_size < 2**22
    size, lines = peak(READ, path)
    assert lines == [
        f"{path} unpacks to more than 256.0 MiB, all that it may take here; compare fewer columns "
        "(--columns, columns= in Python) or a sample of its rows."
    ]
    assert size < 2**10


def test_only_the_columns_asked_for_are_read(tmp_path):
    pa = need("pyarrow")
    bomb = write_bomb(tmp_path / "t.parquet", b"ab" * 2**19, pa.binary())
    write_arrow_file(tmp_path / "t.feather", mixed_arrow())
    script = READ.replace("read_table(sys.argv[1])", "read_table(sys.argv[1], ['x'])")
    size, lines = peak(script, bomb)
    assert lines == ["['numeric']"]
    assert size < 2**9
    for path, name, rest in (
        (bomb, "x", {"word"}),
        (tmp_path / "t.feather", "day", {*MIXED} - {"day"}),
    ):
        table = read_table(path, [name])
        assert tuple(table.stored) == (name,)
        assert set(table.unread) == rest
        with pytest.raises(ValueError, match=f"column 'z' is not in {path}; its columns are"):
            read_table(path, ["z"])


def test_room_is_what_is_free(monkeypatch):
    assert 0 < limits.free_memory() < 2**50
    monkeypatch.setattr(limits, "free_memory", lambda: 2.0**31)
    assert limits.room() == 2**30
    monkeypatch.setattr(limits, "free_memory", lambda: 0.0)
    assert limits.room() == limits.LEAST
    monkeypatch.setattr(limits, "free_memory", lambda: float("inf"))
    assert limits.room() == limits.LARGEST


def test_a_json_line_without_end_is_not_read_whole(tmp_path):
    path = tmp_path / "t.jsonl"
    with open(path, "wb") as file:
        file.write(b'{"x": 1}\n[')
        file.truncate(2**33)  # zeros that take no room on the disk
    size, lines = peak(READ.replace("2**28", "2**34"), path)
    assert lines == [
        f"{path}: line 2 is longer than 16 MiB; expected one JSON object per line "
        "(jq -c '.[]' makes such lines of a list)."
    ]
    assert size < 2**9


def test_array_header_that_claims_too_much(tmp_path):
    np.save(tmp_path / "t.npy", np.zeros(3))
    claim = (tmp_path / "t.npy").read_bytes().replace(b"(3,)", b"(3000000000000,)")
    claim = claim.replace(b" " * 12 + b"\n", b"\n")
    with pytest.raises(ValueError, match="cannot be read as a numpy file"):
        read_table(write(tmp_path / "t.npy", claim))


def test_pickles_are_never_loaded(tmp_path):
    np.save(tmp_path / "t.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "t.npz", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("t.npy", "t.npz"):
        with pytest.raises(ValueError, match="holds Python objects, which samelaw never loads"):
            read_table(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "z.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises((ValueError, TypeError)):
        read_table(tmp_path / "z.npz")


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
        (np.array([b"a"]), ValueError, "holds raw bytes"),
        ("x,y\n1,2\n", ValueError, r"the text 'x,y.n1,2.n' is no path; write the data to a file"),
        ("", ValueError, "the text '' is no path"),
        ("x" * 5000, ValueError, "is no path"),
        (3.5, TypeError, "cannot be read from a float; expected a path, a frame"),
        ([[1, 2]], TypeError, "cannot be read from a list; expected a path"),
        (None, TypeError, "cannot be read from a NoneType"),
    ],
)
def test_bad_sources_in_memory(source, error, message):
    with pytest.raises(error, match=message):
        read_table(source)


def test_duplicate_names_in_frames():
    pa, pandas = need("pyarrow"), need("pandas")
    double = pa.table([[1], [2]], names=["x", "x"])
    for source in (double, pandas.DataFrame([[1, 2]], columns=["x", "x"])):
        with pytest.raises(ValueError, match="more than one column named 'x'"):
            read_table(source)


def test_duplicate_names_in_parquet(tmp_path):
    write_parquet(tmp_path / "t.parquet", need("pyarrow").table([[1], [2]], names=["x", "x"]))
    with pytest.raises(ValueError, match=r"t\.parquet has more than one column named 'x'"):
        read_table(tmp_path / "t.parquet")


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(ValueError, match=r"pip install samelaw\[cli\]"):
            read_table(write(tmp_path / name, "x\n1\n"))


@pytest.mark.parametrize("rows", [1, 2])
def test_one_and_two_rows_are_read(tmp_path, rows):
    need("pyarrow")
    table = read_table(write(tmp_path / "t.csv", "x,y\n" + "1,a\n" * rows))
    assert isinstance(table, Table)
    assert table.rows == rows


# Round trips

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
                np.testing.assert_array_equal(column.values, expected)


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=6)


@HERE
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8))
def test_words_survive_csv_and_parquet(tmp_path, rows):
    from samelaw.data.parse import is_missing

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


AWKWARD = ["1", "0", "-2.5", "1e3", " 7 ", "007", "0.5", "+1", "5.", ".5", "inf", "NAN", "nan"]
AWKWARD += ["NA", " NA ", "", " ", "1_0", "1,5", "x", "true", "2025-03-01", "١", "0x1", "1e400"]


@given(st.lists(st.one_of(st.none(), st.sampled_from(AWKWARD)), min_size=1, max_size=6))
def test_arrow_words_are_read_by_the_same_rules(values):
    """The fast route for words that are numbers changes nothing but the speed."""
    fast = read_table(need("pyarrow").table({"x": [*values, "3"]})).stored["x"]
    slow = stored_objects([*values, "3"])
    assert fast.forms == slow.forms
    assert fast.family is slow.family
    assert fast.notes == slow.notes
    np.testing.assert_array_equal(fast.missing, slow.missing)
    for form in (Form.NUMBER, Form.INTEGER, Form.BOOLEAN):
        np.testing.assert_array_equal(fast.numbers(form), slow.numbers(form))
    (one, words), (other, same) = fast.words(), slow.words()
    np.testing.assert_array_equal(one, other)
    assert list(words) == list(same)


# The shipped examples


@pytest.mark.parametrize("name", ["same_a", "same_b", "changed_a", "changed_b"])
def test_shipped_examples_are_typed_as_meant(name):
    need("pyarrow")
    table = read_table(EXAMPLES / f"{name}.csv")
    assert kinds(table) == {
        "ordered_at": "datetime",
        "amount": "numeric",
        "items": "integer",
        "age": "integer",
        "minutes_on_site": "numeric",
        "pages_seen": "integer",
        "region": "categorical",
        "device": "categorical",
        "is_member": "boolean",
    }
    assert table.column("region").categories == ("east", "north", "south", "west")
    assert 0 < table.column("age").missing.mean() < 0.1
    start = np.datetime64("2025-03-01").astype("datetime64[s]").astype(np.float64)
    assert table.column("ordered_at").values.min() >= start
