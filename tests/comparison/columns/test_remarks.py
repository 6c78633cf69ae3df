"""What must be seen though it cannot be significant."""

import numpy as np
import pytest

from samelaw import compare
from samelaw.comparison.columns.remarks import remarks
from samelaw.tables.columns.column import Column, Kind


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
        (with_end(USUAL[1], 1e9), "x reaches 1,000,000,000 in B (1 row), 3.066 in A"),
        (with_end(USUAL[1], -999), "x goes down to −999 in B (1 row), −3.772 in A"),
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


BOARDS = np.random.default_rng(4).uniform(20, 640, (2, 300)).round()
BOARDS[:, 0], BOARDS[:, 1] = 20, 640
WAITS = np.random.default_rng(5).gamma(4.0, 1.6, (2, 300)).round(1)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (BOARDS[0], with_end(BOARDS[1], -999), "x goes down to −999 in B (1 row), 20 in A"),
        (
            BOARDS[0],
            np.append(BOARDS[1][:-5], [-999] * 5),
            "x goes down to −999 in B (5 rows), 20 in A",
        ),
        (BOARDS[0], with_end(BOARDS[1], 9_999), "x reaches 9,999 in B (1 row), 640 in A"),
        (BOARDS[0], np.append(BOARDS[1][:-5], [999] * 5), "x reaches 999 in B (5 rows), 640 in A"),
        (
            WAITS[0],
            np.append(WAITS[1][:-9], 10 * WAITS[1][-9:]),
            "x reaches 122 in B (7 rows), 16.9 in A",
        ),
    ],
)
def test_codes_and_wrong_units_are_told_though_they_lie_within_ten_ranges(a, b, said):
    """−999 was silent beside what runs from 20 to 640, and some values times 10."""
    assert told(a, b) == [said]


def test_a_tail_that_falls_slowly_explains_what_is_far_out():
    """Of such tables of one law two in five got a remark for ten ranges alone."""
    from scipy.stats import binom

    rng = np.random.default_rng(6)
    remarked = sum(bool(told(rng.pareto(1.0, 100), rng.pareto(1.0, 1_000))) for _ in range(100))
    assert remarked <= binom.ppf(0.999, 100, 0.13)


def test_a_value_of_the_other_sign_needs_a_distance_too():
    near = np.linspace(0.001, 6.0, 300)
    assert told(near, with_end(near, -0.2)) == []
    assert told(near, with_end(near, -6.0)) == ["x goes down to −6 in B (1 row), 0.001 in A"]


def test_dates_have_no_sign():
    year = 365.25 * 86_400.0
    born = np.random.default_rng(8).uniform(1.5, 31.0, (2, 300)) * year  # from 1971 on
    before = np.append(born[1][:-3], np.array([-10.0, -9.9, -9.8]) * year)
    assert told(born[0], before, Kind.DATETIME) == []
    assert told(born[0], before) != []
    assert told(born[0], with_end(born[1], -70.0 * year), Kind.DATETIME) == [
        "x goes down to 1899-12-31 12:00 in B (1 row), 1971-11-20 07:24 in A"
    ]


def test_years_and_signs_are_written_as_people_do():
    years = np.repeat(np.arange(1952.0, 2018.0), 3)
    values = np.concatenate([years, with_end(years, -1989.0)])
    column = Column("Year", Kind.INTEGER, values, np.isnan(values))
    assert remarks([column], len(years)) == ["Year goes down to −1989 in B (1 row), 1952 in A"]


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
    assert "Worth a look: x reaches 1,000,000,000 in B (1 row)" in found.sentence
    assert any(note.startswith("x reaches 1,000,000,000") for note in found.notes)


@pytest.mark.long
def test_one_percent_of_a_code_for_unknown_and_twenty_infinities_are_found():
    """They were missed among 4,000 rows each, p = .07 and .2."""
    rng = np.random.default_rng(1)
    a, b = ({"age": rng.integers(18, 91, 4_000), "x": rng.normal(size=4_000)} for _ in range(2))
    b["age"][:40], b["x"][-20:] = -999, np.inf
    found = compare(a, b, rng=0, permutations=99)
    changed = {column.name: column.sentence for column in found.marginals if column.changed}
    assert changed.keys() == {"age", "x"}
    assert "−999 new (1 %)" in changed["age"]
    assert "infinite 0 → 20 times" in changed["x"]
