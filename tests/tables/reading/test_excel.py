"""Excel files are read where openpyxl is, and the error says what to install where it is not."""

import datetime as dt
import sys

import numpy as np
import pytest

from optional import need
from samelaw.core import free_memory as limits
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.reading.read import read_table
from table_files import kinds

ROWS = [
    ("price", "sold", "when", None, "note"),
    (1.5, True, dt.datetime(2025, 3, 1), 7, "red"),
    (None, False, dt.datetime(2025, 3, 2), 8, "#N/A"),
    (None, None, None, None, None),
    (2.5, True, None, 9, "blue"),
]


def workbook(path, rows=ROWS, sheets=("May",)):
    book = need("openpyxl").Workbook()
    book.active.title = sheets[0]
    for row in rows:
        book.active.append(row)
    for name in sheets[1:]:
        book.create_sheet(name)
    book.save(path)
    return path


def test_the_first_sheet_is_read(tmp_path):
    table = read_table(workbook(tmp_path / "t.xlsx", sheets=("May", "June")))
    assert kinds(table) == {
        "price": "numeric",
        "sold": "boolean",
        "when": "datetime",
        "column 4": "integer",
        "note": "categorical",
    }
    assert table.rows == 3  # without the empty one
    np.testing.assert_array_equal(table.column("price").values, [1.5, np.nan, 2.5])
    assert table.column("note").categories == ("blue", "red")
    assert table.notes == (
        "of its 2 sheets the first, 'May', was read; --sheet (sheet= in Python) names another",
    )


def test_rows_above_the_names_are_passed_over(tmp_path):
    above = [("Sales in May",), ("made by", "Ann"), ()]
    path = workbook(tmp_path / "t.xlsx", rows=[*above, *ROWS])
    table = read_table(path)
    assert table.names == ("price", "sold", "when", "column 4", "note")
    assert "its first 2 lines are above the names of columns" in table.notes[0]
    assert read_table(path, text=CsvFormat(skip=3)).names == table.names
    assert read_table(path, text=CsvFormat(skip=0)).names[0] == "Sales in May"


def test_a_sheet_by_its_name(tmp_path):
    path = workbook(tmp_path / "t.xlsx", sheets=("May", "June"))
    assert read_table(path, text=CsvFormat(sheet="May")).notes == ()
    with pytest.raises(ValueError, match=r"no sheet 'July' \(--sheet\); it has 'May', 'June'"):
        read_table(path, text=CsvFormat(sheet="July"))


def test_without_a_row_of_names(tmp_path):
    path = workbook(tmp_path / "t.xlsx", rows=[(1.5, "a"), (2.5, "b")])
    assert read_table(path, text=CsvFormat(header=False)).names == ("column 1", "column 2")


def test_what_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"t\.xlsx: its sheet is empty"):
        read_table(workbook(tmp_path / "t.xlsx", rows=[]))
    two = workbook(tmp_path / "two.xlsx", rows=[("x", "x"), (1, 2)])
    with pytest.raises(ValueError, match="more than one column named 'x'"):
        read_table(two)
    monkeypatch.setattr(limits, "LARGEST", 2**12)
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_table(two)


def test_without_openpyxl_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ValueError, match=r"needs openpyxl; run: pip install samelaw\[excel\]"):
        read_table(path)


def test_a_cover_is_no_table(tmp_path):
    path = workbook(
        tmp_path / "t.xlsx", rows=[("Shop",), ("made by Ann",)], sheets=("Cover", "May")
    )
    with pytest.raises(ValueError, match=r"first sheet, 'Cover', holds no table; .*: 'May'\."):
        read_table(path)
    with pytest.raises(ValueError, match="its sheet is empty"):
        read_table(path, text=CsvFormat(sheet="May"))
