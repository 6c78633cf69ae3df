"""Words are read by what is in them: signs beside numbers, strays, spellings of nothing."""

import numpy as np

from samelaw.tables.columns.raw_column import PLAIN, Form
from samelaw.tables.columns.raw_words import words_of


def test_signs_and_strays_are_how_numbers_are_written():
    column = words_of(np.array([0, 1, 2, 3, 0, -1]), ["1.5", "$2", "oops", "3 %"])
    codes, ways = column.manners(Form.NUMBER)
    said = [None if code < 0 else ways[code] for code in codes]
    assert said == [PLAIN, "with $", "oops", "with %", PLAIN, None]
    assert column.grouped == ""
    assert words_of(np.arange(2), ["5", "1,000"]).grouped == "1,000"


def test_numbers_in_brackets_are_below_0_as_accountants_write_them():
    words = [
        "83.99",
        "(83.99)",
        "$(1,234)",
        "(€5)",
        "( 12 )",
        "(see note)",
        "(-5)",
        "-(5)",
        "(007)",
    ]
    column = words_of(np.arange(9), words)
    expected = [83.99, -83.99, -1234.0, -5.0, -12.0, *[np.nan] * 4]
    np.testing.assert_array_equal(column.numbers(Form.NUMBER), expected)
    codes, ways = column.manners(Form.NUMBER)
    said = [PLAIN, PLAIN, "with $", "with €", PLAIN]  # brackets say what the minus says
    assert [ways[code] for code in codes[:5]] == said
    assert (
        words_of(np.arange(2), ["1,5", "(2.000,5)"], comma=True).numbers(Form.NUMBER)[1] == -2000.5
    )


def test_words_for_missing_values_are_taken_out_and_said():
    column = words_of(np.array([0, 1, 2, -1, 3]), ["b", "NA", " ", "a"])
    assert column.missing.tolist() == [False, True, True, True, False]
    assert [column.labels[code] for code in column.codes if code >= 0] == ["b", "a"]
    assert column.notes == ("'NA' counts as missing",)
