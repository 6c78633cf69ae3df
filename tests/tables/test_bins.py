"""Bins: every value has one, and they say what the values said."""

import numpy as np
import pytest

from samelaw.tables.bins import (
    NUMBERS,
    CycleBins,
    GapBins,
    NumberBins,
    Reading,
    TruthBins,
    WordBins,
)
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.notation import Writing
from samelaw.tables.columns.raw_column import PLAIN, Form
from samelaw.tables.reading.objects import raw_objects
from samelaw.tables.reading.read import read_table


def reading(values):
    return Reading(read_table({"x": values}).raw["x"])


def test_each_of_few_numbers_has_a_bin_of_its_own():
    values = np.array([3.0, 1.0, 1.0, 7.0, np.nan])
    bins = NumberBins.of(values, Kind.NUMERIC)
    codes = bins.codes(reading(values.tolist()))
    assert codes[-1] == bins.count
    np.testing.assert_array_equal(bins.column("x").values[codes], values)
    other = bins.codes(reading([2.0, 1.0 + 1e-12, np.nextafter(1.0, 2.0)]))
    assert other[2] == codes[1], "rounding makes no other number"
    assert other[0] == other[1] != other[2], "what was not seen lies between"


def test_many_numbers_share_bins_of_about_equal_size_and_spikes_do_not():
    rng = np.random.default_rng(0)
    values = np.append(rng.normal(size=20_000), np.full(40, -9.0))
    bins = NumberBins.of(values, Kind.NUMERIC, own=[-9.0])
    codes = bins.codes(reading(values))
    assert NUMBERS <= bins.count <= NUMBERS + 20
    assert np.bincount(codes, minlength=bins.count + 1).max() <= 1.2 * len(values) / NUMBERS
    assert (codes == codes[-1]).sum() == 40
    far = bins.codes(reading([-np.inf, np.inf, 1e300]))
    assert far[0] == 0
    assert far[1] == far[2] == bins.count - 1


def test_rows_spread_over_bins_have_the_quantiles_of_the_values():
    values = np.random.default_rng(1).gamma(2.0, size=20_000)
    bins = NumberBins.of(values, Kind.NUMERIC)
    codes = np.sort(bins.codes(reading(values)))
    counts = np.bincount(codes, minlength=bins.count + 1)
    places = (np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes]) / counts[codes]
    levels = np.linspace(0.01, 0.99, 50)
    found = np.quantile(bins.spread("x", codes, places).values, levels)
    np.testing.assert_allclose(found, np.quantile(values, levels), rtol=0.01)


def test_a_word_that_was_not_known_goes_to_the_last_bin_and_is_counted_by_name():
    bins = WordBins.of(["b", "a", "c"], np.array([5, 9, 0]))
    some = reading(["a", "b", "new", None, "new", "c"])
    assert bins.codes(some).tolist() == [0, 1, 2, 3, 2, 2]
    assert bins.unknown(some) == {"new": 2, "c": 1}
    assert bins.column("x").categories[:2] == ("a", "b")


def test_how_numbers_are_written_is_a_word():
    bins = WordBins.of([PLAIN], np.array([9]), Form.NUMBER)
    words = ["1.5", "oops", "2", *["3"] * 30]
    assert bins.codes(reading(words))[:3].tolist() == [0, 1, 0]
    assert bins.codes(reading([1.0, 2.0, None])).tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    ("bins", "values", "codes"),
    [
        (TruthBins(), [True, False, None], [1, 0, 2]),
        (GapBins(Kind.NUMERIC), [1.0, None, 2.0], [0, 1, 0]),
        (CycleBins("time of day"), np.array(["2025-03-03T09:30"], dtype="M8[s]"), [9]),
        (CycleBins("weekday"), np.array(["2025-03-03T09:30", "NaT"], dtype="M8[s]"), [0, 7]),
    ],
)
def test_other_kinds(bins, values, codes):
    assert bins.codes(reading(values)).tolist() == codes
    assert len(bins.column("x").missing) == bins.count + 1


def test_bins_of_dates_whose_order_other_rows_told():
    raw = raw_objects(["03/04/2025", "05/04/2025", "04/27/2025"])
    bins = NumberBins.of(np.array([86_400.0 * d for d in range(25_000)]), Kind.DATETIME)
    read = Reading(raw, Writing(orders=frozenset([True])))
    np.testing.assert_array_equal(np.isnan(read.numbers(Form.TIME)), [False, False, True])
    assert read.numbers(Form.TIME)[1] - read.numbers(Form.TIME)[0] == 2 * 86_400
    assert bins.codes(read)[2] == bins.count
