"""What a comparison says of rows that a reference kept."""

import numpy as np
import pytest

from samelaw import Reference, compare
from samelaw.comparison.from_references import of_references

RNG = np.random.default_rng(3)


def table(rows):
    days = np.datetime64("2025-01-01") + np.sort(RNG.integers(0, 300, rows))
    return {"x": RNG.normal(size=rows), "day": days, "void": np.full(rows, np.nan)}


A, B = table(300), table(200)


@pytest.fixture(scope="module")
def reference():
    return Reference.of(A, rng=0)


def test_dates_are_left_out_for_what_they_are(reference):
    found = compare(reference, B, rng=0, permutations=99)
    reasons = {out.column: out.reason for out in found.left_out}
    assert reasons["day"] == "dates, of which only whether there is a value is kept"
    assert reasons["void"] == "every value is missing"


def test_rows_of_references_are_not_shown(reference):
    found = compare(A, B, rng=0, permutations=99)
    assert {row.table for row in found.rows} == {"A", "B"}
    for sides, left in (("A", {"B"}), ("B", {"A"}), ("AB", set())):
        assert {row.table for row in of_references(found, reference, sides).rows} == left
    other = Reference.of(B, like=reference, rng=0)
    assert compare(reference, other, rng=0, permutations=99).rows == ()


def test_a_table_beside_its_own_reference_is_said_to_be_no_other_sample():
    """Its kept rows are rows of the table, which no test of independent samples is about."""
    rng = np.random.default_rng(0)
    own = {"x": rng.normal(size=300), "y": rng.normal(size=300)}
    found = compare(Reference.of(own, rng=0), own, rng=0, permutations=99)
    assert "100 % of the rows of A are also in B" in found.sentence
    assert any("occur twice in the pool, which alone may be found" in note for note in found.notes)
    assert any("compare it with rows that came later" in note for note in found.notes)
    assert not any("EXCEPT" in note for note in found.notes)  # its rows are gone
    later = {"x": rng.normal(size=300), "y": rng.normal(size=300)}
    assert not compare(Reference.of(own, rng=0), later, rng=0, permutations=99).notes[1:]
