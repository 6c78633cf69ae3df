"""A raw column keeps all it was given, and can be read in every way that fits all its values."""

import numpy as np
import pytest

from samelaw.tables.columns.raw_column import Form, is_whole
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import words_of


def numbers(values, **options):
    values = np.asarray(values)
    return RawNumbers(values, np.zeros(len(values), dtype=bool), **options)


def words(labels, **options):
    return words_of(np.arange(len(labels)), labels, **options)


@pytest.mark.parametrize(
    ("column", "forms", "family"),
    [
        (numbers([0.5, 2]), {Form.NUMBER}, Form.NUMBER),
        (numbers([3, 4]), {Form.NUMBER, Form.INTEGER}, Form.INTEGER),
        (numbers([0, 1]), {Form.NUMBER, Form.INTEGER, Form.BOOLEAN}, Form.INTEGER),
        (numbers([False, True]), {Form.BOOLEAN}, Form.BOOLEAN),
        (numbers([0.0, 1.0], clock=True), {Form.TIME}, Form.TIME),
        (words(["1", "2.5"]), {Form.NUMBER}, Form.NUMBER),
        (words(["yes", "NO"]), {Form.BOOLEAN}, Form.BOOLEAN),
        (words(["2025-03-01"]), {Form.TIME}, Form.TIME),
        (words(["1,5", "2"], comma=True), {Form.NUMBER}, Form.NUMBER),
        (words(["1,5", "2"]), set(), Form.WORDS),
        (words(["red", "1"]), set(), Form.WORDS),
    ],
)
def test_forms_are_those_that_fit_every_value(column, forms, family):
    assert column.forms == forms | {Form.WORDS}
    assert column.family is family


def test_every_form_fits_where_there_is_no_value():
    gone = RawNumbers(np.zeros(2), np.ones(2, dtype=bool))
    assert gone.forms == words(["", "NA"]).forms == frozenset(Form)


@pytest.mark.parametrize("column", [numbers([0.5, 1.0, 7.0]), words(["0.5", "1", "7"])])
def test_values_that_are_not_of_a_form_are_missing_in_it(column):
    np.testing.assert_array_equal(column.numbers(Form.NUMBER), [0.5, 1, 7])
    np.testing.assert_array_equal(column.numbers(Form.INTEGER), [np.nan, 1, 7])
    np.testing.assert_array_equal(column.numbers(Form.BOOLEAN), [np.nan, 1, np.nan])


@pytest.mark.parametrize("column", [numbers([0.5, 1.0, 7.0]), words(["0.5", "1", "7"])])
def test_values_of_a_form_are_counted(column):
    forms = (Form.WORDS, Form.NUMBER, Form.INTEGER, Form.BOOLEAN, Form.TIME)
    assert [column.count(form) for form in forms] == [3, 3, 2, 1, 0]


def test_some_rows_know_nothing_of_the_others():
    column = words_of(np.array([0, 1, 2, -1]), ["1", "oops", "2"]).taken(np.array([2, 3, 0]))
    assert Form.INTEGER in column.forms
    np.testing.assert_array_equal(column.numbers(Form.NUMBER), [2, np.nan, 1])
    spelt = numbers([1.0, 7.0, 8.0], spelled=lambda: words(["1.0", " 7", "8"])).taken([2, 1])
    assert [spelt.as_read(row) for row in (0, 1)] == ["8", " 7"]


def test_values_as_they_were_read():
    assert words(["1.50", "NA"]).as_read(0) == "1.50"
    assert words(["1.50", "NA"]).as_read(1) is None
    assert numbers([1234567, 2]).as_read(0) == "1234567"
    assert numbers([0.1, 2.0]).as_read(0) == "0.1"
    assert numbers([1.7e9, 0.0], clock=True).as_read(0) == "2023-11-14T22:13:20"
    assert RawNumbers(np.zeros(1), np.ones(1, dtype=bool)).as_read(0) is None


def test_whole_numbers_are_finite_and_have_no_fraction():
    values = np.array([3.0, -0.0, 2.5, np.nan, np.inf])
    assert is_whole(values).tolist() == [True, True, False, False, False]
