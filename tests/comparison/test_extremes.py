"""What must be seen though it cannot be significant."""

import numpy as np
import pytest

from samelaw import compare
from samelaw.columns.column import Column, Kind
from samelaw.comparison.extremes import remarks


def told(a, b, kind=Kind.NUMERIC, categories=()):
    values = np.concatenate([a, b])
    missing = values < 0 if kind is Kind.CATEGORICAL else np.isnan(values)
    return remarks([Column("x", kind, values, missing, categories)], len(a))


def with_end(values, end):
    return np.append(values[:-1], end)


USUAL = np.random.default_rng(0).normal(size=(2, 400)).round(3)


@pytest.mark.parametrize(
    ("b", "said"),
    [
        (with_end(USUAL[1], 1e9), "x reaches 1e+09 in B (1 row), 3.066 in A"),
        (with_end(USUAL[1], -999), "x goes down to -999 in B (1 row), -3.772 in A"),
        (with_end(USUAL[1], np.inf), "x is infinite in 1 row of B"),
        (with_end(USUAL[1], -np.inf), "x is minus infinity in 1 row of B"),
        (np.full(400, 5.5), "x is always 5.5 in B, not in A"),
    ],
)
def test_ends_are_told(b, said):
    assert told(USUAL[0], b) == [said]
    swapped = said.translate(str.maketrans("AB", "BA"))
    if "infini" not in said:
        assert told(b, USUAL[0]) == [swapped]


def test_tables_of_one_law_get_none():
    rng = np.random.default_rng(1)
    for draw in (rng.normal, rng.exponential, lambda size: np.exp(rng.normal(size=size))):
        for _ in range(100):
            assert told(draw(size=100), draw(size=80)) == []


def test_what_many_rows_have_is_for_the_test():
    assert told(USUAL[0], np.concatenate([USUAL[1], np.full(50, 1e9)])) == []
    assert told(np.arange(400.0), np.arange(400.0) + 5_000) == []


def test_constant_categories_and_rare_flags():
    mixed, one = np.tile([0, 1], 20), np.zeros(40, dtype=int)
    assert told(mixed, one, Kind.CATEGORICAL, ("red", "blue")) == [
        "x is always 'red' in B, not in A"
    ]
    assert told(mixed, one[:5], Kind.CATEGORICAL, ("red", "blue")) == []  # so few may be alike
    rare = np.append(np.zeros(99), 1.0)
    assert told(rare, np.zeros(100), Kind.BOOLEAN) == []


def test_nothing_is_said_of_an_empty_side_or_of_words_that_are_not_compared():
    assert told(np.full(9, np.nan), np.arange(9.0)) == []
    assert told(np.zeros(20, dtype=int), np.zeros(20, dtype=int), Kind.CATEGORICAL, ("a",)) == []


def test_one_wild_value_is_in_the_sentence_and_in_the_notes():
    rng = np.random.default_rng(2)
    a, b = ({"x": rng.normal(size=300), "y": rng.normal(size=300)} for _ in range(2))
    b["x"][7] = 1e9
    found = compare(a, b, rng=0, permutations=99)
    assert not found.reject
    assert "Worth a look: x reaches 1e+09 in B (1 row)" in found.sentence
    assert any(note.startswith("x reaches 1e+09") for note in found.notes)


@pytest.mark.long
def test_one_percent_of_a_code_for_unknown_and_twenty_infinities_are_found():
    """They were missed among 4,000 rows each, p = .07 and .2."""
    rng = np.random.default_rng(1)
    a, b = ({"age": rng.integers(18, 91, 4_000), "x": rng.normal(size=4_000)} for _ in range(2))
    b["age"][:40], b["x"][-20:] = -999, np.inf
    found = compare(a, b, rng=0, permutations=99)
    changed = {column.name: column.sentence for column in found.marginals if column.changed}
    assert changed.keys() == {"age", "x"}
    assert "-999 new (1 %)" in changed["age"]
    assert "infinite 0 → 20 times" in changed["x"]
