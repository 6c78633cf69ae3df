"""Frozen rules: what a row becomes depends on the row and on the rows that froze them alone."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from samelaw.tables.categories import MOST_CODES
from samelaw.tables.frozen import MOST_KNOTS, FrozenTable, freeze, normal_scores
from samelaw.tables.reading.read import read_table

RNG = np.random.default_rng


def mixed(rng, rows):
    return {
        "number": rng.standard_cauchy(rows),
        "gaps": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows)),
        "count": rng.poisson(2, rows),
        "flag": rng.random(rows) < 0.4,
        "word": rng.choice(["a", "b", "c"], rows, p=[0.2, 0.5, 0.3]).tolist(),
        "two": rng.choice(["no way", "of course"], rows).tolist(),
        "one": ["k"] * rows,
        "seven": np.full(rows, 7),
        "when": np.arange(rows).astype("datetime64[D]"),
        "text": [f"a text of its own {i} words" for i in range(rows)],
        "nothing": [None] * rows,
    }


@pytest.fixture(scope="module")
def rules():
    return freeze(read_table(mixed(RNG(0), 200)))


def test_coordinates_say_what_they_are(rules):
    found = [(c.column, c.category, c.missing, c.curved) for c in rules.coordinates]
    two = mixed(RNG(0), 200)["two"]
    common = max(set(two), key=two.count)
    assert found == [
        ("number", None, False, True),
        ("gaps", None, False, True),
        ("gaps", None, True, False),
        ("count", None, False, True),
        ("flag", None, False, False),
        ("word", "b", False, False),
        ("word", "c", False, False),
        ("word", "a", False, False),
        ("two", common, False, False),
    ]


def test_rows_do_not_depend_on_the_rows_beside_them(rules):
    batch = read_table(mixed(RNG(1), 60))
    whole = rules.encode(batch)
    for i in (0, 17, 59):
        for all_rows, alone in zip(whole, rules.encode(batch.taken(np.array([i]))), strict=True):
            assert np.array_equal(all_rows[i], alone[0])


def test_what_the_frozen_rows_did_not_have_is_new(rules):
    table = {name: list(values) for name, values in mixed(RNG(2), 200).items()}
    for name, value in (
        ("number", None),
        ("gaps", None),
        ("count", "many"),
        ("flag", 2),
        ("word", "d"),
        ("one", "other"),
        ("seven", 8),
        ("when", None),
        ("nothing", "something"),
    ):
        table[name][0] = value
    new = rules.encode(read_table(table))[1]
    seen = dict(zip(rules.names, new[0].tolist(), strict=True))
    assert [name for name, is_new in seen.items() if not is_new] == ["gaps", "two", "text"]
    assert not new[1:].any()


def test_numbers_are_numbers_however_they_are_written(rules):
    table = mixed(RNG(3), 30)
    words = {**table, "seven": ["7.0"] * 30, "count": [f"{c}.0" for c in table["count"]]}
    for one, other in zip(
        rules.encode(read_table(table)), rules.encode(read_table(words)), strict=True
    ):
        assert np.array_equal(one, other)


def test_normal_scores_of_a_normal_sample_are_the_values():
    values = RNG(0).normal(3, 2, 20_000)
    knots, scores = normal_scores(values)
    assert len(knots) <= MOST_KNOTS + 2
    z = np.linspace(-2, 2, 9)
    assert np.allclose(np.interp(3 + 2 * z, knots, scores), z, atol=0.06)
    assert np.interp(1e9, knots, scores) == scores[-1] < norm.isf(1 / 20_000) + 1.5


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=30))
def test_scores_grow_with_the_values(values):
    knots, scores = normal_scores(np.array(values))
    assert np.all(np.isfinite(knots))
    assert np.all(np.diff(scores) > 0)
    assert np.all(np.diff(knots) >= 0)


def test_monotone_maps_of_a_column_change_nothing():
    values = RNG(1).normal(size=300)
    one = freeze(read_table({"x": values})).encode(read_table({"x": values}))[0]
    other = freeze(read_table({"x": np.exp(values)})).encode(read_table({"x": np.exp(values)}))[0]
    assert np.allclose(one, other)


def test_rare_categories_have_no_indicator_but_are_not_new():
    words = [f"w{i}" for i in range(40) for _ in range(41 - i)]
    found = freeze(read_table({"word": words}))
    assert len(found.coordinates) == MOST_CODES
    points, new = found.encode(read_table({"word": ["w0", "w39", "zzz"]}))
    assert points.sum(axis=1).tolist() == [1.0, 0.0, 0.0]
    assert new[:, 0].tolist() == [False, False, True]


def test_state_and_back(rules):
    plain, arrays = rules.state()
    again = FrozenTable.from_state(json.loads(json.dumps(plain)), arrays)
    batch = read_table(mixed(RNG(4), 40))
    for one, other in zip(rules.encode(batch), again.encode(batch), strict=True):
        assert np.array_equal(one, other)
    assert again.coordinates == rules.coordinates


def test_rows_taken_leave_no_word_of_the_others():
    table = read_table({"word": ["1", "x", "2", None]}).taken(np.array([0, 2, 3]))
    assert table.rows == 3
    assert table.column("word").kind == "integer"
    assert np.isnan(table.column("word").values[2])


def test_a_column_that_is_missing_is_named(rules):
    with pytest.raises(ValueError, match="'number' is not in"):
        rules.encode(read_table({"other": [1.0]}))
