"""Rows that occur more than once."""

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw import Groups, compare
from samelaw.twotables.duplicates import distinct_rows, duplicates_of, row_keys


def rows(whole, chosen):
    return {name: np.asarray(values)[chosen] for name, values in whole.items()}


def tables(seed=0, n=200, m=150):
    rng = np.random.default_rng(seed)
    return table(rng, n), table(rng, m)


def test_repeats_within_and_across_tables_are_counted():
    a, b = tables()
    c = rows(b, [*range(150), *[7] * 9, 90])
    both = {k: np.concatenate([np.asarray(a[k]), np.asarray(c[k])[:10]]) for k in a}
    found = duplicates_of(pooled(both, c))
    assert found.repeats == (0, 10)
    assert found.most == (1, 10)
    assert found.most_row[1] == 7
    assert found.shared == (10, 19)  # row 7 ten times
    assert found.telling
    notes = " ".join(found.notes((210, 160)))
    assert "B: 10 of its 160 rows repeat an earlier one" in notes
    assert "the most frequent (row 7) occurs 10 times" in notes
    assert "10 rows of A are also in B (19 rows of B in A)" in notes
    assert "--unique" in notes


def test_missing_values_make_rows_neither_equal_nor_unequal_by_themselves():
    a = {"x": [1.0, None, 1.0, None, 0.0, -0.0], "c": ["u", "u", "u", "u", None, None]}
    keys = row_keys(pooled(a, a).columns)[:6]
    assert len(set(keys)) == 3
    assert keys[0] == keys[2] != keys[1] == keys[3]
    assert keys[4] == keys[5]


def test_independent_rows_get_no_note_and_few_answers_none_either():
    a, b = tables(1)
    found = duplicates_of(pooled(a, b))
    assert found.repeats == found.shared == (0, 0)
    assert found.notes((200, 150)) == found.remarks((200, 150)) == []
    answers = [{"q": np.arange(60) % 3, "r": np.arange(60) % 2} for _ in range(2)]
    many = duplicates_of(pooled(*answers))
    assert many.repeats == (54, 54)
    assert not many.telling
    assert many.notes((60, 60)) == many.remarks((60, 60)) == []


def test_one_row_written_two_hundred_times_is_given_as_the_reason():
    a, b = tables(2, 300, 200)
    found = compare(a, rows(b, [*range(200), *[5] * 50]), rng=0, permutations=99)
    assert found.reject
    assert len(found.columns_changed) > 1
    assert "one row makes up 20 % of B" in found.sentence
    assert found.duplicates.most == (1, 51)
    assert any("--unique" in note for note in found.notes)


def test_distinct_rows_are_compared_if_asked_for_and_labelled():
    a, b = tables(2, 300, 200)
    found = compare(a, rows(b, [*range(200), *[5] * 50]), rng=0, permutations=99, unique=True)
    assert not found.reject
    assert "approximate p-value (distinct rows only)" in found.method
    assert "exact p-value" not in found.method
    assert found.settings["unique"] is True
    assert found.sizes == (300, 250)
    note = next(note for note in found.notes if note.startswith("Distinct rows only"))
    assert "200 of the 250 of B" in note
    assert "not exact" in note


def test_row_numbers_are_those_of_the_table():
    a, b = tables(3, 40, 30)
    pair = distinct_rows(pooled(a, rows(b, [*[0] * 20, *range(30)])))
    assert pair.sizes == (40, 30)
    assert pair.row_in_table(40) == 0
    assert pair.row_in_table(41) == 21


def test_why_it_cannot_be_exact():
    """The distinct rows of 2,000 v 200 of one law differ: large tables have more rare ones."""
    rng = np.random.default_rng(4)
    a, b = ({"c": np.exp(2 * rng.normal(size=n)).round()} for n in (2_000, 200))
    assert not compare(a, b, rng=0, permutations=99).reject
    assert compare(a, b, rng=0, permutations=99, unique=True).reject


def test_what_cannot_be_asked_for():
    a, b = tables(5, 30, 30)
    with pytest.raises(ValueError, match="give one of them"):
        compare(a, b, unique=True, groups=Groups("word"))
    with pytest.raises(ValueError, match="all rows of B are the same"):
        compare(a, rows(b, [0] * 9), unique=True)
