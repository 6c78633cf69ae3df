"""What of text and identifiers is compared: functions of the pool, and none of a count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns import text
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import pool_words
from samelaw.tables.columns.text import OTHER, parts_of
from samelaw.tables.reading.objects import raw_objects

LATIN, GREEK = ["alpha", "beta", "gamma", "delta"], ["ena", "dio", "tria", "tessera"]


def sentences(words, count=60, seed=0):
    rng = np.random.default_rng(seed)
    return [f"the {' and '.join(rng.choice(words, 3))} {i}" for i in range(count)]


def parts(*sides, kind=Kind.TEXT):
    return parts_of("note", kind, *pool_words([raw_objects(side) for side in sides]))


def test_vocabularies_are_told_apart_by_their_common_words():
    found = parts(sentences(LATIN), [*sentences(GREEK), None])["words"]
    said = [None if code < 0 else found.categories[code] for code in found.values]
    assert set(said[:60]) <= {*LATIN}
    assert set(said[60:-1]) <= {*GREEK}
    assert said[-1] is None
    assert found.missing.tolist() == [False] * 120 + [True]


def test_lengths_are_counted_in_characters():
    found = parts(["ab", "größer"], [None])
    np.testing.assert_array_equal(found["length"].values, [2, 6, np.nan])


def test_rare_words_count_as_none():
    rare = [*sentences(LATIN, 20), "zebra"]
    words = parts(rare)["words"]
    assert words.categories[words.values[-1]] == OTHER
    assert "zebra" not in words.categories


@pytest.mark.parametrize(
    "names",
    [
        [f"customer{i}" for i in range(90)],
        [f"{i:04x}-{i * i:06x}" for i in range(90)],
        [f"2025-{i}" for i in range(90)],
    ],
)
def test_identifiers_that_count_up_have_nothing_to_compare(names):
    assert parts(names[:40], names[40:], kind=Kind.IDENTIFIER) == {}


def test_letters_of_identifiers_are_words():
    a = [f"{i}@home.org" for i in range(40)]
    b = [f"{i}@work.com" for i in range(40)]
    found = parts(a, b, kind=Kind.IDENTIFIER)
    assert set(found) == {"words"}
    assert {"home", "work"} & set(found["words"].categories)


@given(st.lists(st.sampled_from(sentences(LATIN + GREEK, 12)), min_size=2, max_size=30), st.data())
def test_the_pool_decides_not_the_tables(values, data):
    cut = data.draw(st.integers(1, len(values) - 1))
    order = data.draw(st.permutations(range(len(values))))
    dealt = [values[i] for i in order]
    one, other = parts(values[:cut], values[cut:]), parts(dealt[:cut], dealt[cut:])
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name].values[order], other[name].values)
        assert one[name].categories == other[name].categories
        if one[name].features is not None:
            here, there = one[name].features.values, other[name].features.values
            np.testing.assert_array_equal(here[order], there)


def test_words_that_nearly_all_values_hold_are_passed_over(monkeypatch):
    monkeypatch.setattr(text, "MOST_WORDS", 2)
    names = parts(sentences(LATIN))["words"].categories
    assert len(names) == 3
    assert not {"the", "and"} & set(names)


def test_identifiers_of_another_making_differ_in_their_pattern():
    a = [f"ab-{i:05d}" for i in range(40)]
    b = [f"abc/{i:04d}X" for i in range(40)]
    found = parts(a, b, kind=Kind.IDENTIFIER)
    assert set(found["pattern"].categories) == {"aa-99999", "aaa/9999a"}
    classes = found["characters"]
    assert classes.categories[classes.values[-1]] == "small letters, capitals, digits, signs"
    assert "length" not in found
    assert "trigrams" not in found


def test_padded_numbers_have_a_length_and_others_none():
    padded = parts(
        [f"{i:06d}" for i in range(40)], [f"{i:08d}" for i in range(40)], kind=Kind.IDENTIFIER
    )
    assert padded["pattern"].categories == ("999999", "99999999")
    assert parts(["k7", "k8"] * 10, ["k10", "k11"] * 10, kind=Kind.IDENTIFIER) == {}


def test_patterns_of_which_most_are_rare_are_not_looked_at():
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("a1- "), 12)) for _ in range(200)]
    assert "pattern" not in parts(names)
    assert parts([*names[:10], *(f"{i} oak road" for i in range(200, 400))])[
        "pattern"
    ].categories == ("(a rare one)", "9 aaa aaaa")


def test_text_in_a_language_without_blanks_is_told_apart_by_trigrams():
    rng = np.random.default_rng(0)
    here = ["".join(rng.choice(["天気は", "今日も", "良い人"], 5)) for _ in range(60)]
    there = ["".join(rng.choice(["天気は", "昨日も", "悪い人"], 5)) for _ in range(60)]
    found = parts(here, there)
    said = np.array(found["trigrams"].categories)[found["trigrams"].values]
    assert any("昨" in word for word in said[60:])
    assert not any("昨" in word for word in said[:60])
    shares = found["trigrams"].features.values
    assert np.abs(shares[:60].mean(axis=0) - shares[60:].mean(axis=0)).max() > 0.05
