"""Columns whose values are not compared are named with the reason."""

import numpy as np
import pytest

from samelaw.tables.columns.column import PRESENT
from samelaw.tables.columns.kinds import FEW_ROWS
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table

N = 2 * FEW_ROWS


def pair(a, b, **options):
    return pair_tables(read_table(a), read_table(b), **options)


def test_what_is_left_out_and_why():
    text = [f"a long sentence with number {i}" for i in range(N)]
    a = {
        "x": np.linspace(0, 1, N),
        "row": np.arange(N),
        "text": text,
        "same": ["k"] * N,
        "nothing": [None] * N,
        "comment": [None, *text[1:]],
    }
    found = pair(a, a)
    assert {out.column: out.missingness_compared for out in found.left_out} == {
        "row": False,
        "text": False,
        "same": False,
        "nothing": False,
        "comment": True,
    }
    assert [column.name for column in found.columns] == ["x", "text", "comment"]
    (of_x, *of_words) = (list(column.parts) for column in found.columns)
    assert of_x == []
    assert of_words == [["length", "characters", "trigrams"]] * 2  # words and patterns are alike
    assert {out.column for out in found.left_out if out.in_part} == {"text", "comment"}
    assert {out.column for out in found.left_out if out.same} == {"same", "nothing"}
    reasons = {out.column: out.reason for out in found.left_out}
    assert reasons["row"] == f"an identifier: {N} different values in {2 * N} rows"
    assert "embeddings" in reasons["text"]
    assert reasons["same"] == "every value is the same"
    assert reasons["nothing"] == "every value is missing"


def test_an_identifier_is_told_by_how_often_its_values_differ():
    """Its values may repeat in each table and still occur once per table on average."""
    names = [f"person {i % 36}".replace(" ", "-") for i in range(43)]
    a, b = ({"x": np.linspace(0, 1, 43), "who": [w + s for w in names]} for s in ("", "-b"))
    (out,) = pair(a, b).left_out
    assert out.reason.startswith("an identifier: 72 different values in 86 rows;")


def test_what_a_reference_did_not_keep_is_not_called_the_same():
    a = {"x": np.linspace(0, 1, N), "day": [PRESENT] * N}
    (out,) = pair(a, a).left_out
    assert not out.same
    assert out.reason == "of its values the reference keeps only whether there are any"


def test_nothing_left():
    with pytest.raises(ValueError, match=r"'x' \(every value is the same\); a column"):
        pair({"x": [1, 1]}, {"x": [1]})
