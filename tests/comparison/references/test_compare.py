"""What a comparison says of rows that a reference kept."""

import numpy as np
import pytest

from samelaw import Reference, compare
from samelaw.comparison.references.compare import of_references

RNG = np.random.default_rng(3)


def table(rows):
    days = np.datetime64("2025-01-01") + np.sort(RNG.integers(0, 300, rows))
    return {"x": RNG.normal(size=rows), "day": days, "void": np.full(rows, np.nan)}


A, B = table(300), table(200)
FEW = {"permutations": 19}


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


def test_rows_that_a_reference_kept_are_taken_out_of_the_table_it_was_made_of():
    """A reference beside its own table was "different", p = .01: rows stood beside themselves."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        own = {"x": rng.normal(size=900), "y": rng.normal(size=900)}
        reference = Reference.of(own, rng=0)
        found = compare(reference, own, rng=0, permutations=99)
        assert not found.reject
        assert "Worth a look" not in found.sentence
        (note,) = [note for note in found.notes if "are also in" in note]
        assert note.startswith("720 of the 900 rows of B are also in A: B is compared without")
        assert "compare it with rows that came later" in note
        turned = compare({"x": own["x"][:200], "y": own["y"][:200]}, reference, rng=0, **FEW)
        assert not turned.reject
        assert any("rows of B are also in A" in note for note in turned.notes)
    later = {"x": rng.normal(size=300), "y": rng.normal(size=300)}
    assert not compare(reference, later, rng=0, **FEW).notes[1:]


def test_what_changed_in_other_rows_of_the_table_is_found_and_numbered():
    rng = np.random.default_rng(1)
    own = {"x": rng.normal(size=600), "y": rng.normal(size=600)}
    reference = Reference.of(own, rng=0)
    changed = {"x": own["x"].copy(), "y": own["y"]}
    changed["x"][500:] += 4.0
    found = compare(reference, changed, rng=0, permutations=99)
    assert found.columns_changed == ("x",)
    assert {row.table for row in found.rows} == {"B"}
    assert min(row.row for row in found.rows) >= 500


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (slice(None), "identical: the same 300 rows in another order"),
        (slice(1, None), "occur twice in the pool"),
    ],
)
def test_a_reference_beside_just_the_rows_it_kept_is_not_different(rows, told):
    """Then nothing is left to compare it with, and the answer says so."""
    rng = np.random.default_rng(0)
    own = {"x": rng.normal(size=300), "y": rng.normal(size=300)}
    like = Reference.of({"x": rng.normal(size=300), "y": rng.normal(size=300)}, rng=0)
    reference = Reference.of(own, like=like, rng=0)
    found = compare(reference, {name: values[rows] for name, values in own.items()}, rng=0, **FEW)
    assert not found.reject
    assert any(told in words for words in (found.sentence, *found.notes))
    assert not compare(reference, reference, rng=0, **FEW).reject
