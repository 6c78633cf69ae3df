"""Characters of many words at once agree with a look at each word."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samelaw.tables.columns import characters
from samelaw.tables.columns.characters import (
    BUCKETS,
    CLASSES,
    NO_TRIGRAM,
    bucket_shares,
    class_shares,
    classes_in,
    common_trigram,
)

WORDS = st.lists(st.text(max_size=9), max_size=6)


@pytest.fixture(params=[3, 1 << 21], autouse=True)
def piece(request, monkeypatch):
    """Pieces of three characters cut everywhere between words."""
    monkeypatch.setattr(characters, "_PIECE", request.param)


@pytest.mark.parametrize(
    ("word", "held"),
    [
        ("ab", "small letters"),
        ("A1", "capitals, digits"),
        ("ab é!", "small letters, signs, beyond ASCII"),
        (" ", "blanks"),
        ("", "blanks"),
    ],
)
def test_classes_are_named_as_people_do(word, held):
    assert classes_in(*class_shares([word])) == [held]


@pytest.mark.filterwarnings("ignore")
def test_shares_are_those_of_each_word():
    words = ["", "aB1", "zz\u00e9", "\U0001f600 -"]
    shares, names = class_shares(words)
    assert names == CLASSES
    for word, own in zip(words, shares, strict=True):
        assert own.sum() == pytest.approx(1.0 if word else 0.0)
        assert own[CLASSES.index("digits")] == pytest.approx(
            sum(map(str.isdigit, word)) / max(len(word), 1)
        )
        assert own[CLASSES.index("beyond ASCII")] == pytest.approx(
            sum(not sign.isascii() for sign in word) / max(len(word), 1)
        )


@settings(max_examples=20)
@given(WORDS)
def test_buckets_depend_on_the_word_alone(words):
    together = bucket_shares(words)
    assert together.shape == (len(words), BUCKETS)
    for word, own in zip(words, together, strict=True):
        np.testing.assert_array_equal(bucket_shares([word])[0], own)
        assert own.sum() == pytest.approx(float(len(word) >= 3))


def test_the_rarest_common_trigram_is_said():
    words = sorted([f"the cat {c}" for c in "abcdefghij"] + [f"the dog {c}" for c in "abcdefghij"])
    said = common_trigram(words, 8)
    for word, three in zip(words, said, strict=True):
        assert three in word
        assert ("cat" in word) == any(part in three for part in ("ca", "at", "c"))
    assert common_trigram(["ab", "abc"], 8) == [NO_TRIGRAM] * 2


def test_common_means_in_so_many_words():
    words = sorted({f"{i:03d}-xyz" for i in range(20)} | {"qqqqqq"})
    counts = Counter(common_trigram(words, 8))
    assert counts[NO_TRIGRAM] == 1
