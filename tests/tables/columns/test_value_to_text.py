import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns.parse import number, seconds, truth
from samelaw.tables.columns.value_to_text import spell, spell_times


@given(st.one_of(st.floats(allow_nan=False), st.integers(-(2**53), 2**53)))
def test_a_spelled_number_is_read_as_itself(value):
    assert number(spell(value)) == value


@pytest.mark.parametrize(
    ("value", "word"),
    [(1.0, "1"), (1, "1"), (np.float32(0.5), "0.5"), (np.bool_(True), "true"), (None, "None")],
)
def test_one_spelling_per_value(value, word):
    assert spell(value) == word


@pytest.mark.parametrize(
    "value",
    [
        ["a", 1, None],
        ("a", 1, None),
        np.array(["a", 1, None], dtype=object),
        [np.str_("a"), np.int64(1), None],
    ],
)
def test_lists_are_spelled_alike_whoever_holds_them(value):
    assert spell(value) == '["a", 1, null]'
    assert spell({"ü": value}) == '{"ü": ["a", 1, null]}'


def test_what_json_has_no_word_for_is_spelled_somehow():
    assert spell([{(1, 2): 3}]) == "[{(1, 2): 3}]"
    assert spell([np.datetime64("2025-01-02"), b"a"]) == '["2025-01-02", "b\'a\'"]'


def test_truth_is_read_as_itself():
    assert [truth(spell(value)) for value in (True, False)] == [1.0, 0.0]


@given(st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=5))
def test_spelled_times_are_read_as_themselves(moments):
    words = spell_times(np.array(moments, dtype=np.float64))
    for word, moment in zip(words, moments, strict=True):
        if not word.startswith("-"):  # years before 1
            assert seconds(word) == moment


def test_moments_beyond_a_calendar_stay_seconds():
    assert spell_times(np.array([0.0, 86400e9])) == ["1970-01-01", "86400000000000 s"]
