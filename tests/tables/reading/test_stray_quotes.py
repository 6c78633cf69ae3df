"""A quote that swallows rows is refused with its line; fields that hold line breaks are not."""

import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optional import need
from samelaw.tables.reading import stray_quotes as quotes
from samelaw.tables.reading.read import read_table

ROWS = 400


def lines(separator=","):
    """A table of a number, a number and a word."""
    values = np.random.default_rng(0).normal(size=ROWS)
    rows = ((str(i), f"{v:.3f}", f"w{i % 3}") for i, v in enumerate(values))
    return [separator.join(row) for row in (("x", "y", "z"), *rows)]


def spoilt(changes, separator=","):
    """The table with other lines at some places; the place in a file counts from 1."""
    table = lines(separator)
    for line, text in changes.items():
        table[line - 1] = text.replace(",", separator)
    return table


def refusal(path):
    with pytest.raises(ValueError, match="quote") as refused:
        read_table(path)
    message = str(refused.value)
    assert "\n" not in message
    return message.removeprefix(f"{path}, ")


NEVER = "line 101: the quote that opens a field here is never closed; close or remove it; a quote "
NEVER += "inside a quoted value is written twice."
SWALLOWED = NEVER.replace("is never closed", "swallows {} rows")

STRAY = {
    "never closed": ({101: '99,0.5,"w0'}, NEVER),
    "never closed, in the first column": ({101: '"99,0.5,w0'}, NEVER),
    "never closed, in the middle": ({101: '99,"0.5,w0'}, NEVER),
    "closed by another stray quote": (
        {101: '99,0.5,"w0', 301: '299,0.5,w0"'},
        SWALLOWED.format(200),
    ),
    "closed in the middle column": ({101: '99,"0.5,w0', 301: '299,0.5",w0'}, SWALLOWED.format(200)),
    "closed by a quoted field": ({101: '99,"0.5,w0', 301: '299,"0.5",w0'}, SWALLOWED.format(200)),
    "one too many columns": ({101: '99,0.5,"w0', 301: '299,"0.5",w0'}, SWALLOWED.format(200)),
    "a few rows": ({101: '99,0.5,"w0', 104: '299,0.5,w0"'}, SWALLOWED.format(3)),
    "after fields that were meant": (
        {50: '48,0.5,"two\nlines, with ""quotes"""', 100: '99,0.5,"w0', 301: '299,0.5,w0"'},
        SWALLOWED.format(201),
    ),
}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("case", STRAY)
def test_a_stray_quote_is_refused_with_its_line(tmp_path, case, end, separator):
    need("pyarrow")
    changes, message = STRAY[case]
    text = "\n".join([*spoilt(changes, separator), ""]).replace("\n", end)
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    assert refusal(path) == message


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings_and_gzip(tmp_path, encoding):
    need("pyarrow")
    table = spoilt({101: '99,0.5,"wä', 301: '299,0.5,wä"'})
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress("\n".join(table).encode(encoding)))
    assert refusal(path) == SWALLOWED.format(200)


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_the_line_does_not_depend_on_how_the_file_is_cut(chunk, monkeypatch):
    monkeypatch.setattr(quotes, "CHUNK", chunk)
    changes = {50: '48,"0.5","two\r\nlines, with ""quotes"" and, two commas"'}
    changes |= {101: '99,0.5,"w0', 301: '299,0.5,w0"'}
    file = io.BytesIO("\r\n".join(spoilt(changes)).encode())
    records = list(csv.reader(lines()[:20]))
    # One more line than rows: the field of row 50 has a line break.
    said = quotes.stray_quote(file, "utf-8", ",", records)
    assert said == SWALLOWED.format(200).replace("101", "102")


def test_the_last_line_and_the_names(tmp_path):
    need("pyarrow")
    path = tmp_path / "t.csv"
    path.write_text('x,y\n1,2\n3,4\n5,"6')
    assert refusal(path).startswith("line 4: the quote that opens a field here is never closed")
    path.write_text('x,"y\n1,2\n3,4\n5,6\n')
    assert refusal(path).startswith("line 1: the quote that opens a field here is never closed")


def test_a_field_without_end_is_refused_before_all_is_read(tmp_path, monkeypatch):
    need("pyarrow")
    monkeypatch.setattr(quotes, "LONGEST_FIELD", 1000)
    monkeypatch.setattr(quotes, "CHUNK", 100)
    path = tmp_path / "t.csv"
    path.write_text('x,y\n1,"' + "a\n" * 600 + '"\n')
    assert refusal(path).startswith("line 2: the quote that opens a field here is never closed")


def test_words_only_need_more_lines(tmp_path):
    need("pyarrow")
    path = tmp_path / "t.csv"
    rows = [f"a{i % 7},b{i % 5}" for i in range(200)]
    rows[100], rows[160] = 'a,"b', 'a,b"'
    path.write_text("\n".join(["p,q", *rows, ""]))
    assert "line 102: the quote that opens a field here swallows 60 rows" in refusal(path)


MEANT = [
    "Dear Sir,\nthank you, it works\nbest, Ann",
    "Main Street\n12345, Berlin",
    "Shopping:\napples, 3\nbananas, 5\npears, 12",
    "3, 4\n5, 6\n7, 8",
    'say ""hi"",\r\n\r\nthen go',
    "\n",
    "a,b,c\n1,2,3\n4,5,6",
]


@pytest.mark.parametrize("names", ["id,note", "id,size,note", "id,note,size"])
@pytest.mark.parametrize("note", MEANT)
def test_fields_with_line_breaks_are_read(tmp_path, names, note):
    need("pyarrow")
    row = {"id": "7", "size": "1.5", "note": f'"{note}"'}
    line = ",".join(row[name] for name in names.split(","))
    path = tmp_path / "t.csv"
    path.write_text("\n".join([names, *([line] * 30), ""]), newline="")
    table = read_table(path)
    assert table.rows == 30
    expected = () if not note.strip() else (note.replace('""', '"'),)
    assert table.column("note").categories == expected


def test_quotes_inside_of_words_are_signs(tmp_path):
    need("pyarrow")
    path = tmp_path / "t.csv"
    path.write_text('x,y\n1,5" pipe\n2,say "hi\n3,"closed" early\n')
    assert read_table(path).column("y").categories == ('5" pipe', "closed early", 'say "hi')


def plainly(text, separator):
    """Quoted fields with a line break or without an end, sign by sign: (line, column, text)."""
    found, place, line, column, starts = [], 0, 1, 0, True
    while place < len(text):
        sign = text[place]
        if sign == '"' and starts:
            begin, stop = line, place + 1
            while stop < len(text) and (text[stop] != '"' or text[stop + 1 : stop + 2] == '"'):
                stop += 2 if text[stop] == '"' else 1
            inner = text[place + 1 : stop]
            line += inner.count("\n")
            if "\n" in inner or stop >= len(text):
                found.append((begin, column, inner))
            place, starts = stop + 1, False
            continue
        line, column = line + (sign == "\n"), 0 if sign == "\n" else column + (sign == separator)
        starts = sign in f"{separator}\n"
        place += 1
    return found


@given(st.text(alphabet='a,"\n', max_size=60), st.integers(1, 9))
def test_the_fast_scan_finds_what_a_plain_one_does(text, chunk):
    before, quotes.CHUNK = quotes.CHUNK, chunk
    try:
        found = [(f.line, f.column, f.text) for f in quotes._Scan(io.StringIO(text), ",")]
    finally:
        quotes.CHUNK = before
    assert found == plainly(text, ",")
