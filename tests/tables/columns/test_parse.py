import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns.parse import (
    MISSING_WORDS,
    comma_number,
    hours,
    is_dotted,
    is_missing,
    literal,
    number,
    seconds,
    truth,
    undressed,
)
from samelaw.tables.columns.raw_column import Form
from samelaw.tables.reading.objects import raw_objects


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        (" -1.5e3 ", -1500),
        (".5", 0.5),
        ("5.", 5),
        ("+0.25", 0.25),
        ("Inf", np.inf),
        ("-infinity", -np.inf),
        ("007", np.nan),
        ("-01", np.nan),
        ("1_000", np.nan),
        ("1,5", np.nan),
        ("0x10", np.nan),
        ("١", np.nan),
        ("", np.nan),
        ("1 2", np.nan),
        ("__import__('os')", np.nan),
    ],
)
def test_number(text, value):
    np.testing.assert_equal(number(text), value)


def test_comma_number():
    texts = ["1,5", "-0,25e2", "12", "1.5", "1,5,6", "1.234,5"]
    np.testing.assert_equal(
        [comma_number(t) for t in texts], [1.5, -25, 12, np.nan, np.nan, 1234.5]
    )


@pytest.mark.parametrize(
    ("text", "found", "sign"),
    [
        ("$1.23", "1.23", "$"),
        ("-$1.23", "-1.23", "$"),
        ("$-1.23", "-1.23", "$"),
        ("1.23 €", "1.23", "€"),
        ("EUR 5", "5", "EUR"),
        ("12 %", "12", "%"),
        ("12%", "12", "%"),
        ("−3", "-3", ""),
        ("1,234", "1234", ""),
        ("£1,234,567.5", "1234567.5", "£"),
        ("1'234.5", "1234.5", ""),
        ("1 234", "1234", ""),
        ("1,23", "", ""),
        ("12,34,567", "", ""),
        ("1,234 567", "", ""),
        ("0,123", "", ""),
        ("007", "", ""),
        ("%5", "", ""),
        ("$", "", "$"),
        ("$$5", "", "$"),
        ("--5", "", ""),
        ("", "", ""),
    ],
)
def test_amounts(text, found, sign):
    body, beside = undressed(text)
    assert (literal(body), beside) == (found, sign)


def test_amounts_with_decimal_commas():
    texts = ["1,5", "1.234,5", "1 234,50", "1'234", "12", "1.5", "1.234", "1,234.5"]
    assert [literal(text, comma=True) for text in texts] == [
        *("1.5", "1234.5", "1234.50", "1234", "12", "", "", ""),
    ]


def test_dots_of_thousands():
    texts = ["1.234", "-1.234.567", "567", "0.123", "1.23", "1234.567"]
    assert [literal(text, dots=True) for text in texts] == [
        *("1234", "-1234567", "567", "0.123", "1.23", "1234.567"),
    ]
    assert [is_dotted(text) for text in texts] == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("08:15", 8.25),
        (" 8:15 ", 8.25),
        ("00:00:00", 0.0),
        ("23:59:59.9", (24 * 3600 - 0.1) / 3600),
        ("12:30 am", 0.5),
        ("12:30 p.m.", 12.5),
        ("24:00", np.nan),
        ("08:60", np.nan),
        ("13:15 PM", np.nan),
        ("8", np.nan),
        ("08:15:30:00", np.nan),
    ],
)
def test_times_of_day(text, value):
    np.testing.assert_equal(hours(text), value)


@pytest.mark.parametrize(
    "text", ["today", "2025", "20250301", "2025-W01-1", "2025-13-01", "25-03-01", "2025-03-01T"]
)
def test_not_a_time(text):
    assert np.isnan(seconds(text))


def test_truth_and_missing_words():
    np.testing.assert_equal([truth(t) for t in ("TRUE", " no ", "1.0", "2")], [1, 0, 1, np.nan])
    assert all(map(is_missing, MISSING_WORDS | {"", " \t"}))
    assert not any(map(is_missing, ["none", "0", "na", "-"]))


@given(st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)), st.sampled_from("T "))
def test_times_round_trip(moment, separator):
    expected = (moment - dt.datetime(1970, 1, 1)).total_seconds()
    assert seconds(moment.isoformat(separator)) == expected
    assert raw_objects([moment]).numbers(Form.TIME)[0] == expected


@given(st.floats(allow_nan=False))
def test_numbers_round_trip(value):
    assert number(repr(value)) == value
