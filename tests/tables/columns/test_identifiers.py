"""What identifiers tell without being compared: repeats, and values of both tables."""

from dataclasses import replace

import numpy as np
import pytest

from samelaw import compare
from samelaw.tables.columns.identifiers import IdentifierFinding, count_identifiers, number_rows
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.read import read_table


def test_counts_are_those_of_sets():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 40, 90)
    found = count_identifiers("key", codes, 50)
    a, b = ([int(c) for c in side if c >= 0] for side in (codes[:50], codes[50:]))
    assert found.known == (len(a), len(b))
    assert found.repeats == (len(a) - len(set(a)), len(b) - len(set(b)))
    assert found.shared == (sum(c in b for c in a), sum(c in a for c in b))


def test_a_key_that_repeats_in_one_table_is_worth_a_look():
    once = IdentifierFinding("key", (9, 9), (0, 2), (0, 0))
    assert list(once.remarks()) == ["key repeats in 2 rows of B, never in A"]
    assert list(once.notes()) == []
    assert list(IdentifierFinding("key", (9, 9), (1, 2), (0, 0)).remarks()) == []


def test_tables_of_the_same_things_are_said_to_be():
    share, advice = IdentifierFinding("key", (10, 20), (0, 0), (9, 10)).notes()
    assert share == "key: 90 % of the values in A are in B too, 50 % of B in A."
    assert "--groups key (" in advice
    named = IdentifierFinding("column 1", (10, 20), (0, 0), (9, 10))
    assert "--groups 'column 1' (" in list(named.notes())[1]
    assert len(list(replace(named, row_index=True).notes())) == 1


def test_numbers_of_rows_are_no_things_that_both_tables_have():
    a = {"x": np.linspace(0, 1, 80), "row": [*range(80)], "key": [f"o-{i}" for i in range(80)]}
    found = {key.column: key.row_index for key in pair_tables(*2 * [read_table(a)]).identifiers}
    assert found == {"row": True, "key": False}


@pytest.mark.parametrize(
    ("values", "number"),
    [
        (lambda rng: rng.permutation(4_000), True),
        (lambda rng: rng.permutation(4_000) + 10**6, True),
        (lambda rng: rng.permutation(8_000)[:4_000], False),  # more values than rows
        (lambda rng: rng.integers(0, 4_000, 4_000), False),  # repeats
        (lambda rng: rng.permutation(4_000) + 0.5, False),
    ],
)
def test_rows_drawn_tell_whether_a_column_numbers_all_of_them(values, number):
    rng = np.random.default_rng(0)
    drawn = [read_table({"n": values(rng)[:400]}).raw["n"] for _ in range(2)]
    assert number_rows("n", drawn, 8_000 if number else 4_000) is number
    few = [side.taken(np.arange(50)) for side in drawn]
    assert not number_rows("n", few, 8_000)  # others would hardly have repeated either


def orders(rng, start, rows=80):
    keys = [f"o-{i}" for i in range(start, start + rows)]
    return {"x": rng.normal(size=rows), "key": keys}


def test_repeated_keys_reach_the_sentence_and_the_notes():
    """They were an identifier that nobody looked at."""
    rng = np.random.default_rng(0)
    a, b = orders(rng, 0), orders(rng, 60)
    b["key"][5] = b["key"][7]
    found = compare(a, b, rng=0, permutations=39)
    assert not found.reject
    assert "Worth a look: key repeats in 1 row of B, never in A." in found.sentence
    assert any(note.startswith("key: 24 % of the values in A are in B too") for note in found.notes)
    assert found.to_dict()["identifiers"][0]["repeats"] == [0, 1]


def rows_of_keys(keys, seed=0):
    return {"order": keys, "x": np.random.default_rng(seed).normal(size=len(keys))}


@pytest.mark.parametrize("write", [lambda i: f"o-{i:04}", int], ids=["words", "numbers"])
def test_a_join_that_doubled_rows_is_worth_a_look(write):
    """The key of A is no identifier of both tables then, and nothing was said of it."""
    once, twice = [write(i) for i in range(120)], [write(i) for i in range(60)] * 2
    (found,) = pair_tables(*(read_table(rows_of_keys(k)) for k in (once, twice))).identifiers
    assert list(found.remarks()) == ["order repeats in 60 rows of B, never in A"]
    result = compare(rows_of_keys(twice), rows_of_keys(once, 1), rng=0, permutations=19)
    assert "Worth a look: order repeats in 60 rows of A, never in B." in result.sentence


def test_a_few_rows_without_a_repeat_are_no_identifiers():
    words = [f"w{i}" for i in np.random.default_rng(0).integers(0, 3_000, 4_025)]
    few = [*dict.fromkeys(words[:30])][:25]
    pair = pair_tables(*(read_table(rows_of_keys(keys)) for keys in (few, words[25:])))
    assert not pair.identifiers
    told = [read_table(rows_of_keys(k)) for k in ([f"{i}" for i in range(90)], ["1", "2"] * 45)]
    assert not pair_tables(*told, kinds={"order": "categorical"}).identifiers
