"""Findings are plain values: names, equality, and the schema that describes them."""

import json
from dataclasses import fields
from importlib.resources import files

import pytest

from samelaw.comparison import findings
from samelaw.comparison.findings import ColumnFinding
from samelaw.comparison.rows.duplicates import Duplicates

SCHEMA = json.loads((files("samelaw.results") / "schemas" / "comparison.json").read_text())
PARTS = {
    "measure": findings.Measure,
    "column": findings.ColumnFinding,
    "pair": findings.PairFinding,
    "missing": findings.MissingFinding,
    "row": findings.RowFinding,
    "direction": findings.Direction,
    "rule": findings.Rule,
    "duplicates": Duplicates,
}


@pytest.mark.parametrize("part", PARTS)
def test_the_schema_has_every_field(part):
    known = SCHEMA["$defs"][part]
    assert set(known["properties"]) == {field.name for field in fields(PARTS[part])}
    assert known["additionalProperties"] is False


def test_the_name_says_whether_missing_values_are_meant():
    values = ("age", "numeric", False, True, 0.01, 0.1, (0.0, 0.2), "median 1 → 2")
    assert ColumnFinding(*values).name == "age"
    assert ColumnFinding("age", "numeric", True, *values[3:]).name == "age (missing)"
    assert ColumnFinding(*values, part="hour of day").name == "age (hour of day)"
    assert ColumnFinding(*values) == ColumnFinding(*values)
