"""Numbers keep the words they were written as, and are those words again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns.raw_column import PLAIN, Form
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import RawWords, words_of


def numbers(values, **options):
    values = np.asarray(values)
    return RawNumbers(values, np.zeros(len(values), dtype=bool), **options)


def test_times_and_truth_values_are_no_numbers():
    for column in (numbers([5.0, 6.0], clock=True), numbers([True, False])):
        assert column.count(Form.NUMBER) == 0
        codes, ways = column.manners(Form.NUMBER)
        assert PLAIN not in [ways[code] for code in codes]


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), min_size=1, max_size=12))
def test_numbers_as_words_are_the_same_numbers(values):
    missing = np.array([value is None for value in values])
    column = RawNumbers(np.array([value or 0.0 for value in values]), missing)
    codes, labels = column.words()
    again = RawWords(codes, labels)
    np.testing.assert_array_equal(again.missing, missing)
    np.testing.assert_array_equal(again.numbers(Form.NUMBER), column.numbers(Form.NUMBER))


def test_numbers_keep_the_words_they_were_written_as():
    column = numbers([1.0, 7.0], spelled=lambda: words_of(np.arange(2), ["1.0", " 7"]))
    assert column.words()[1] == ["1.0", " 7"]
