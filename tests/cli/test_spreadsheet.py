"""Rows reach a spreadsheet as they are, and nothing in them runs there."""

import csv
import io
from dataclasses import replace

import pytest

from comparisons import changed_shop
from optional import need
from samelaw.cli.spreadsheet import harmless, rows_csv


@pytest.mark.parametrize(
    "cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "  =1", "＝1", "\r=1"]
)
def test_formulas_are_disarmed(cell):
    assert harmless(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["-1.5", "+3", "-1e-05", "-inf", "", "a=b", "1-2", "-1,5"])
def test_numbers_and_words_are_left_alone(cell):
    assert harmless(cell) == cell


def test_rows_are_written_with_their_values():
    need("pyarrow")
    found = changed_shop()
    rows = (
        replace(found.rows[0], values={"=name": "=1+1", "x": None}),
        replace(found.rows[1], values={"=name": 'a "quoted", cell', "x": "-2"}),
    )
    table = list(csv.reader(io.StringIO(rows_csv(replace(found, rows=rows)))))
    assert table[0] == ["table", "row", "score", "'=name", "x"]
    assert table[1] == ["B", "3", "0.9", "'=1+1", ""]
    assert table[2] == ["B", "10", "0.85", 'a "quoted", cell', "-2"]
