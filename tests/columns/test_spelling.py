import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.columns.parse import number, seconds, truth
from samelaw.columns.spelling import spell, spell_times


@given(st.one_of(st.floats(allow_nan=False), st.integers(-(2**53), 2**53)))
def test_a_spelled_number_is_read_as_itself(value):
    assert number(spell(value)) == value


@pytest.mark.parametrize(
    ("value", "word"),
    [(1.0, "1"), (1, "1"), (np.float32(0.5), "0.5"), (np.bool_(True), "true"), (None, "None")],
)
def test_one_spelling_per_value(value, word):
    assert spell(value) == word


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
