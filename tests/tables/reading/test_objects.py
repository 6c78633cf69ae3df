import datetime as dt
from decimal import Decimal

import numpy as np
import pytest

from samelaw.tables.columns.column import Kind
from samelaw.tables.reading.read import read_table


def column(values, name="x", kind=None):
    return read_table({name: values}).column(name, kind)


def test_python_objects():
    assert column([Decimal("1.5"), Decimal("2")]).values.tolist() == [1.5, 2.0]
    assert column([10**400, -(10**400), 1]).values.tolist() == [np.inf, -np.inf, 1.0]
    assert column([dt.time(1), dt.time(2, 30)]).values.tolist() == [1.0, 2.5]
    assert column([dt.timedelta(1), dt.timedelta(hours=1)]).values.tolist() == [86400.0, 3600.0]
    assert column([np.datetime64("1970-01-02"), np.datetime64("NaT")]).missing.tolist() == [0, 1]
    assert column([1, "1", 1.0, "x", True]).categories == ("1", "true", "x")
    assert column([(1,), None]).notes == (
        "holds lists, which are read as text; what is in them says more as columns of its own",
    )


def test_integers_beyond_float_precision_stay_distinct_as_words():
    values = np.array([2**60, 2**60 + 1])
    assert column(values, kind="categorical").categories == (str(2**60), str(2**60 + 1))


def test_words_for_missing_among_mixed_objects_are_said():
    found = column([1, "x", "NA", [2]])
    assert found.missing.tolist() == [False, False, True, False]
    assert found.notes[:2] == (
        "'NA' counts as missing",
        "holds lists, which are read as text; what is in them says more as columns of its own",
    )


def test_bytes_that_are_text_are_that_text():
    """Some engines write words to Parquet files as bytes, without saying that they are words."""
    found = column([b"red", "red", "größe".encode(), b"\xff", None])
    assert set(found.categories) == {"red", "größe", "b'\\xff'"}


CLOSE = {
    "whole": [Decimal(2**60 + k) for k in range(50)],
    "long": [10**30 + k for k in range(50)],
    "fractions": [Decimal(2**53) + Decimal(k) / 100 for k in range(50)],
    "beyond floats": [10**400 + k for k in range(50)],
}


@pytest.mark.parametrize("kind", CLOSE)
def test_numbers_that_floats_cannot_tell_apart_keep_all_digits(kind):
    found = column(2 * CLOSE[kind])
    assert found.kind is Kind.CATEGORICAL
    assert len(found.categories) == 50
    assert Decimal(found.categories[7]) == CLOSE[kind][7]


def test_decimals_with_the_digits_of_floats_are_floats():
    assert column([Decimal("1.50"), Decimal("0.1"), 2**53 - 1]).values.tolist() == [
        *(1.5, 0.1, 2.0**53 - 1),
    ]
    thirds = column([Decimal(k) / 3 for k in range(50)])  # 28 digits, of which 16 are enough
    assert thirds.kind is Kind.NUMERIC
