import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.tables.columns.column import AS_WRITTEN, Kind
from samelaw.tables.columns.kinds import FEW_ROWS, find_kind, read_column, remarks_of
from samelaw.tables.columns.raw_column import PLAIN
from samelaw.tables.columns.raw_words import RawWords, words_of
from samelaw.tables.reading.objects import raw_objects
from samelaw.tables.reading.read import read_table

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
        (["31.12.2025", "2026/01/02", "3 Jan 2026 04:05"], Kind.DATETIME),
        (["12/31/2025", "01/02/2026"], Kind.DATETIME),
        (["red", "blue", "red"], Kind.CATEGORICAL),
        (["a", "b", "c"], Kind.CATEGORICAL),  # three words say nothing about their number
        (["007", "008"] * N, Kind.CATEGORICAL),  # leading zeros: codes
        (["1,5", "2,5"] * N, Kind.NUMERIC),
        (["1,5", "2,5", "1,2,3"] * N, Kind.CATEGORICAL),  # lists
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
        ([*map(str, RNG.normal(size=N)), "oops"], Kind.NUMERIC),
        ([*map(str, RNG.poisson(3.0, N)), "oops", "n/a?"], Kind.INTEGER),
        ([*DAYS, "unknown"], Kind.DATETIME),
        ([f"${v:.2f}" for v in RNG.gamma(3, 10, N)], Kind.NUMERIC),
        ([f"{v} %" for v in RNG.integers(0, 99, N)], Kind.INTEGER),
        ([*map(str, range(N)), "oops"], Kind.IDENTIFIER),
        ([*map(str, RNG.integers(10_000, 99_999, N)), "01067"], Kind.IDENTIFIER),  # codes
        (["1", "2"] * N + ["many"] * 2 * N, Kind.CATEGORICAL),  # too many words for strays
        (["0"] * N + ["x"], Kind.CATEGORICAL),  # one number and a word are two values
        (["5"] * N + ["$5"] * N, Kind.CATEGORICAL),
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
    sides = [raw_objects(list(range(80))), raw_objects(list(range(60)))]
    assert find_kind("row", sides) is Kind.IDENTIFIER
    sides = [raw_objects([f"c{i}" for i in range(80)])] * 2
    assert find_kind("customer", sides) is Kind.IDENTIFIER
    assert find_kind("twice", [raw_objects(list(range(80)) * 2)]) is Kind.INTEGER


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


def test_notes_say_what_was_done():
    assert column(["a", "NA", "b"]).notes == ("'NA' counts as missing",)
    assert column(["a", "", "b"]).notes == ()
    (note,) = column(["1", "2", "x"]).notes
    assert note.startswith("mixes numbers with text such as 'x'")
    (note,) = column(["11/12/2025", "01/01/2026"]).notes
    assert "or the month is open; write them as YYYY-MM-DD" in note


def test_strays_are_words_beside_the_numbers():
    values = [*map(str, RNG.normal(size=N)), "oops", "oops", "-", None]
    found = column(values)
    written = found.parts[AS_WRITTEN]
    assert written.categories == (PLAIN, "-", "oops")
    assert np.bincount(written.values[written.values >= 0]).tolist() == [N, 1, 2]
    assert found.missing.sum() == 4
    assert found.absent.sum() == 1
    assert found.notes == (
        "3 rows hold text such as 'oops' in place of a value, which is compared apart",
    )
    assert column(values[:-4]).parts == {}
    some = found.taken(np.arange(N, N + 4))
    assert some.absent.tolist() == [False, False, False, True]


def test_signs_are_told_and_thousands_are_not():
    amounts = RNG.gamma(3, 1000, N)
    dressed = column([f"${v:,.2f}" for v in amounts])
    np.testing.assert_allclose(dressed.values, amounts.round(2))
    assert dressed.parts == {}  # all are written alike
    sides = [
        raw_objects([f"{v:.2f}" for v in amounts]),
        raw_objects([f"${v:.2f}" for v in amounts]),
    ]
    assert read_column("x", sides).parts[AS_WRITTEN].categories == (PLAIN, "with $")
    plain = [
        raw_objects([f"{v:.2f}" for v in amounts]),
        raw_objects([f"{v:,.2f}" for v in amounts]),
    ]
    assert read_column("x", plain).parts == {}


MIXED = st.sampled_from([*map(str, range(40)), "1.5", "-7", "$3", "1,000", "oops", "?", "", "007"])


@given(st.lists(MIXED, min_size=30, max_size=50), st.data())
def test_strays_are_found_on_the_pool(values, data):
    cut = data.draw(st.integers(1, len(values) - 1))
    order = data.draw(st.permutations(range(len(values))))
    one = read_column("x", [raw_objects(values[:cut]), raw_objects(values[cut:])])
    dealt = [values[i] for i in order]
    other = read_column("x", [raw_objects(dealt[:cut]), raw_objects(dealt[cut:])])
    assert (one.kind, one.categories) == (other.kind, other.categories)
    np.testing.assert_array_equal(one.values[order], other.values)
    assert one.parts.keys() == other.parts.keys()
    for name, part in one.parts.items():
        np.testing.assert_array_equal(part.values[order], other.parts[name].values)
        assert part.categories == other.parts[name].categories


COMMAS = st.sampled_from(["1,5", "2,25", "3", "1.234", "1.5", "1.234,5", "x"])


@given(st.lists(COMMAS, min_size=24, max_size=40), st.data())
def test_decimal_commas_are_found_on_the_pool(values, data):
    """Neither table decides by itself what 1.234 means."""

    def side(part):
        index = {word: i for i, word in enumerate(dict.fromkeys(part))}
        return words_of(np.array([index[word] for word in part]), [*index], comma=True)

    cut = data.draw(st.integers(1, len(values) - 1))
    order = data.draw(st.permutations(range(len(values))))
    dealt = [values[i] for i in order]
    one, other = (
        read_column("x", [side(part[:cut]), side(part[cut:])]) for part in (values, dealt)
    )
    assert one.kind is other.kind
    np.testing.assert_array_equal(one.values[order], other.values)


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
    one = read_column("x", [raw_objects(values[:cut]), raw_objects(values[cut:])])
    dealt = [values[i] for i in order]
    other = read_column("x", [raw_objects(dealt[:cut]), raw_objects(dealt[cut:])])
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


def test_large_whole_numbers_that_are_no_identifiers():
    values = [2**60 + i % 5 for i in range(40)]
    assert read_table({"key": values}).columns[0].kind is Kind.CATEGORICAL  # floats merge them
    assert read_table({"key_id": values}).columns[0].kind is Kind.CATEGORICAL
    assert read_table({"key": [2**60] * 40}).columns[0].kind is Kind.CONSTANT
    spread = [2**60 + i * 10**9 for i in range(40)]
    assert read_table({"key": spread}).columns[0].kind is Kind.INTEGER
    assert read_table({"key_id": spread}).columns[0].kind is Kind.IDENTIFIER


def test_a_remark_on_words_is_made_once_though_examples_differ():
    sides = [RawWords(np.arange(4), ["1", "2", "3", word]) for word in ("abc", "xyz")]
    (said,) = remarks_of(sides)
    assert "such as 'abc'" in said


@pytest.mark.parametrize("kind", ["integer", "numeric"])
@pytest.mark.parametrize("held", [np.asarray, lambda keys: [*map(str, keys)], np.ndarray.tolist])
def test_large_numbers_are_no_numbers_by_order_if_floats_merge_them(kind, held):
    table = read_table({"key": held(2**60 + 2 * np.arange(40))})
    with pytest.raises(ValueError, match=r"column 'key' holds whole .* \(--kind key=categorical"):
        table.column("key", kind)
    assert len(table.column("key", "categorical").categories) == 40
    spread = read_table({"key": held(2**60 + 10**9 * np.arange(40))})
    assert spread.column("key", kind).kind == kind


def test_a_zero_beside_large_numbers_does_not_merge_them():
    keys = [0, *(2**60 + i % 5 for i in range(40))]
    assert read_table({"key": keys}).columns[0].kind is Kind.CATEGORICAL


def test_floats_are_as_good_as_the_numbers_they_are_nearest_to():
    exact, near = [2**60 + 256 * k + 1 for k in range(20)], 2.0**60 + 256.0 * np.arange(20)
    sides = [read_table({"key": side}).raw["key"] for side in (exact[::7], near)]
    assert find_kind("key", sides) is Kind.CATEGORICAL  # what the exact ones are tells
    sides = [read_table({"key": side}).raw["key"] for side in ([x - 1 for x in exact], near)]
    assert find_kind("key", sides) is Kind.INTEGER
