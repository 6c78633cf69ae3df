import datetime as dt
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.data.kinds import FEW_ROWS, Kind, find_kind, read_column
from samelaw.data.parse import MISSING_WORDS, comma_number, is_missing, number, seconds, truth
from samelaw.data.raw_column import Form, stored_objects
from samelaw.data.read import read_table

N = 4 * FEW_ROWS
RNG = np.random.default_rng(0)
SENTENCES = [f"order {i} came late and {i * 7} too" for i in range(N)]
DAYS = [f"2025-03-{1 + i % 28:02d}" for i in range(N)]


def column(values, name="x", kind=None):
    return read_table({name: values}).column(name, kind)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.5, 2.0, None], Kind.NUMERIC),
        (["1.5", "-2e3", ""], Kind.NUMERIC),
        ([1.0, 2.0, np.nan], Kind.INTEGER),
        (["1", "2", "NA", "3.0"], Kind.INTEGER),
        (RNG.poisson(3.0, N), Kind.INTEGER),
        (RNG.integers(0, 10**9, N), Kind.INTEGER),  # amounts in cents: distinct, but no counter
        ([0, 1, 1], Kind.BOOLEAN),
        ([True, None, False], Kind.BOOLEAN),
        (["yes", "No", "TRUE", "0"], Kind.BOOLEAN),
        (["1970-01-02", "2025-03-01T12:30:00.5Z", None], Kind.DATETIME),
        ([dt.date(2025, 3, 1), dt.datetime(2025, 3, 1, 12), None], Kind.DATETIME),
        (["red", "blue", "red"], Kind.CATEGORICAL),
        (["a", "b", "c"], Kind.CATEGORICAL),  # three words say nothing about their number
        (["007", "008"] * N, Kind.CATEGORICAL),  # leading zeros: codes
        (["1,5", "2,5"] * N, Kind.CATEGORICAL),
        (["2025-02-30", "2025-03-01"] * N, Kind.CATEGORICAL),  # no such day
        (["01/02/2025", "03/04/2025"] * N, Kind.CATEGORICAL),
        ([f"customer{i}" for i in range(N)], Kind.IDENTIFIER),
        (list(range(7, 7 + N)), Kind.IDENTIFIER),
        (RNG.permutation(N).astype(float), Kind.IDENTIFIER),
        (SENTENCES, Kind.TEXT),
        ([f"word{i % (N // 2 + 20)}" for i in range(N)], Kind.TEXT),
        (["same", None, "same"], Kind.CONSTANT),
        ([3.5, 3.5], Kind.CONSTANT),
        (["1", "1.0"], Kind.CONSTANT),
        ([True], Kind.CONSTANT),
        (DAYS[:1] * 3, Kind.CONSTANT),
        ([None, None], Kind.EMPTY),
        (["", "NA", " "], Kind.EMPTY),
        ([np.nan, np.nan], Kind.EMPTY),
        (DAYS, Kind.DATETIME),
    ],
)
def test_kinds_by_looking(values, kind):
    assert column(values).kind is kind


def test_numbers_named_like_an_id_are_identifiers():
    values = RNG.integers(0, 10**9, N)
    for name in ("id", "customer_id", "customerId", "order ID", "user.uuid"):
        assert column(values, name).kind is Kind.IDENTIFIER
    for name in ("paid", "amount", "idle", "id_count"):
        assert column(values, name).kind is Kind.INTEGER
    assert column(RNG.integers(0, 9, N), "shop_id").kind is Kind.INTEGER


def test_row_numbers_in_both_tables_are_identifiers_in_the_pool():
    sides = [stored_objects(list(range(80))), stored_objects(list(range(60)))]
    assert find_kind("row", sides) is Kind.IDENTIFIER
    sides = [stored_objects([f"c{i}" for i in range(80)])] * 2
    assert find_kind("customer", sides) is Kind.IDENTIFIER
    assert find_kind("twice", [stored_objects(list(range(80)) * 2)]) is Kind.INTEGER


def test_values_by_kind():
    np.testing.assert_array_equal(column(["yes", "no", ""]).values, [1, 0, np.nan])
    days = column(["1970-01-02", "1970-01-01T01:00:00+01:00", "NaT"])
    np.testing.assert_array_equal(days.values, [86400, 0, np.nan])
    assert days.categories == ()
    words = column(["b", None, "a"])
    np.testing.assert_array_equal(words.values, [1, -1, 0])
    assert words.categories == ("a", "b")
    assert words.values.dtype == np.int64
    numbers = column([np.inf, 1.0, -np.inf, np.nan])
    np.testing.assert_array_equal(numbers.values, [np.inf, 1, -np.inf, np.nan])
    assert numbers.kind is Kind.NUMERIC


def test_python_objects():
    assert column([Decimal("1.5"), Decimal("2")]).values.tolist() == [1.5, 2.0]
    assert column([10**400, -(10**400), 1]).values.tolist() == [np.inf, -np.inf, 1.0]
    assert column([dt.time(1), dt.time(2, 30)]).values.tolist() == [3600.0, 9000.0]
    assert column([dt.timedelta(1), dt.timedelta(hours=1)]).values.tolist() == [86400.0, 3600.0]
    assert column([np.datetime64("1970-01-02"), np.datetime64("NaT")]).missing.tolist() == [0, 1]
    assert column([1, "1", 1.0, "x", True]).categories == ("1", "true", "x")
    assert column([(1,), None]).notes == ("holds tuple values, which are read as text",)


def test_integers_beyond_float_precision_stay_distinct_as_words():
    values = np.array([2**60, 2**60 + 1])
    assert column(values, kind="categorical").categories == (str(2**60), str(2**60 + 1))


def test_notes_say_what_was_done():
    assert column(["a", "NA", "b"]).notes == ("'NA' counts as missing",)
    assert column(["a", "", "b"]).notes == ()
    (note,) = column(["1", "2", "x"]).notes
    assert note.startswith("mixes numbers with words such as 'x'")
    (note,) = column(["31.12.2025", "01.01.2026"]).notes
    assert "order of day and month is open; write them as YYYY-MM-DD" in note


# Overrides


def test_overrides():
    zips = ["10115", "80331", "10115"]
    assert column(zips).kind is Kind.INTEGER
    assert column(zips, kind="categorical").categories == ("10115", "80331")
    assert column([0, 60], kind=Kind.DATETIME).values.tolist() == [0.0, 60.0]
    read = column(["1", "2.5", "x"], kind="integer")
    np.testing.assert_array_equal(read.values, [1, np.nan, np.nan])
    assert read.notes == ("2 value(s) that are not integer count as missing",)
    assert column([0, 1, 2], kind="boolean").missing.tolist() == [False, False, True]
    assert column([1.5, 2.0], kind="integer").missing.tolist() == [True, False]
    assert column(["a", "b"], kind="text").kind is Kind.TEXT
    assert column([None], kind="numeric").kind is Kind.EMPTY


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("numeric", "column 'x' cannot be read as numeric: none of its values is one"),
        ("datetime", "cannot be read as datetime"),
        ("boolean", "cannot be read as boolean"),
        ("number", "kind of column 'x' is 'number'; expected one of numeric, integer, boolean"),
        ("constant", "kind of column 'x' is 'constant'; expected one of"),
    ],
)
def test_overrides_that_do_not_fit(kind, message):
    with pytest.raises(ValueError, match=message):
        column(["red", "blue"], kind=kind)


def test_unknown_column():
    with pytest.raises(ValueError, match="column 'y' is not in the dict; its columns are 'x'"):
        read_table({"x": [1]}).column("y")


# Single values


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
    "text", ["today", "2025", "20250301", "2025-W01-1", "2025-13-01", "25-03-01", "2025-03-01T"]
)
def test_not_a_time(text):
    assert np.isnan(seconds(text))


def test_truth_and_missing_words():
    np.testing.assert_equal([truth(t) for t in ("TRUE", " no ", "1.0", "2")], [1, 0, 1, np.nan])
    assert all(map(is_missing, MISSING_WORDS | {"", " \t"}))
    assert not any(map(is_missing, ["none", "0", "na", "-"]))


# Properties

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(-9, 9), st.sampled_from(["a", "1", ""])
)


@given(st.lists(SCALARS, min_size=1, max_size=12), st.randoms())
def test_the_kind_does_not_depend_on_the_order_of_rows(values, random):
    mixed = random.sample(values, len(values))
    assert column(values).kind is column(mixed).kind


@given(st.lists(SCALARS, min_size=2, max_size=12), st.data())
def test_the_pool_decides_not_the_tables(values, data):
    """Any way to deal the rows out to two tables gives the same column."""
    cut = data.draw(st.integers(1, len(values) - 1))
    order = data.draw(st.permutations(range(len(values))))
    one = read_column("x", [stored_objects(values[:cut]), stored_objects(values[cut:])])
    dealt = [values[i] for i in order]
    other = read_column("x", [stored_objects(dealt[:cut]), stored_objects(dealt[cut:])])
    assert one.kind is other.kind
    assert one.categories == other.categories
    np.testing.assert_array_equal(one.values[order], other.values)


@given(st.lists(SCALARS, min_size=1, max_size=12))
def test_missing_agrees_with_the_values(values):
    found = column(values)
    codes = found.kind not in (Kind.NUMERIC, Kind.INTEGER, Kind.BOOLEAN, Kind.DATETIME)
    expected = found.values < 0 if codes else np.isnan(found.values)
    np.testing.assert_array_equal(found.missing, expected)
    assert len(found.values) == len(values)


@given(st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30)), st.sampled_from("T "))
def test_times_round_trip(moment, separator):
    expected = (moment - dt.datetime(1970, 1, 1)).total_seconds()
    assert seconds(moment.isoformat(separator)) == expected
    assert stored_objects([moment]).numbers(Form.TIME)[0] == expected


@given(st.floats(allow_nan=False))
def test_numbers_round_trip(value):
    assert number(repr(value)) == value
