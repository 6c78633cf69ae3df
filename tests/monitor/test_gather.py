"""Rows under each other are those of one table."""

import json

import numpy as np
import pytest

from samelaw.monitor.gather import Gathered
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.read import read_table

PARTS = [
    {
        "number": [1, 2, None],
        "mixed": [1, 2, 3],
        "word": ["b", "a", None],
        "when": np.array(["2025-01-01", "NaT", "2025-03-01"], dtype="datetime64[s]"),
        "flag": [True, False, True],
        "left out": [0, 0, 0],
    },
    {
        "number": [0.5],
        "mixed": ["x"],
        "word": ["c"],
        "when": np.array(["2025-01-02"], dtype="datetime64[s]"),
        "flag": [False],
    },
]
NAMES = ("number", "mixed", "word", "when", "flag")


def gathered():
    found = Gathered(NAMES)
    for part in PARTS:
        found = found.adding(read_table(part))
    return found


def saved(found):
    plain, arrays = found.state()
    return Gathered.from_state(json.loads(json.dumps(plain)), arrays)


@pytest.mark.parametrize("way", [lambda found: found, saved])
def test_values_and_kinds_are_those_of_all_rows(way):
    table = way(gathered()).table
    assert table.rows == 4
    assert tuple(table.raw) == NAMES
    kinds = [str(table.column(name).kind) for name in NAMES]
    assert kinds == ["numeric", "categorical", "categorical", "datetime", "boolean"]
    numbers = table.raw["number"].numbers(Form.NUMBER)
    assert np.array_equal(numbers, [1, 2, np.nan, 0.5], equal_nan=True)
    codes, labels = table.raw["mixed"].words()
    assert [labels[i] for i in codes] == ["1", "2", "3", "x"]
    assert table.raw["when"].missing.tolist() == [False, True, False, False]


def test_nothing_yet_is_saved_too():
    assert saved(Gathered(NAMES)).rows == 0


def test_a_column_that_is_missing_is_named():
    with pytest.raises(ValueError, match="'b'"):
        Gathered(("a", "b")).adding(read_table({"a": [1]}))
