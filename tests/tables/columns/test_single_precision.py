"""Numbers of single precision are those of the other table, if they were written alike."""

import numpy as np
import pytest

from optional import need
from samelaw import compare
from samelaw.tables.columns.single_precision import widened
from samelaw.tables.reading.read import read_table


def test_they_are_what_their_shortest_digits_are():
    rng = np.random.default_rng(0)
    prices = np.round(rng.lognormal(3, 2, size=2_000), 2)
    far = np.array([3e38, 1e-30, 16_777_216, -0.3, 0.0, np.inf, -np.inf, 1.17e-38, 1e-45])
    single = np.concatenate([prices, far]).astype(np.float32)
    shortest = single.astype(str).astype(np.float64)
    found = widened(single)
    usual = np.abs(shortest) > 1e-15  # beyond, powers of ten are no floats
    np.testing.assert_array_equal(found[: len(prices)], prices)
    np.testing.assert_array_equal(
        found[usual & (shortest < 1e22)], shortest[usual & (shortest < 1e22)]
    )
    np.testing.assert_array_equal(found.astype(np.float32), single)


def test_values_that_are_not_rounded_and_other_precisions_stay():
    rng = np.random.default_rng(0)
    single = rng.normal(size=5_000).astype(np.float32)
    np.testing.assert_array_equal(widened(single), single.astype(np.float64))
    double = rng.normal(size=50)
    assert widened(double) is double
    np.testing.assert_array_equal(widened(np.zeros(0, np.float32)), np.zeros(0))
    assert np.isnan(widened(np.full(3, np.nan, np.float32))).all()


def test_a_few_missing_values_do_not_hide_that_most_have_few_digits():
    values = np.where(np.arange(900) % 3 == 0, np.nan, 19.99).astype(np.float32)
    assert set(widened(values)[np.arange(900) % 3 > 0]) == {19.99}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_every_library_is_read_so(library):
    values = np.array([19.99, 0.1, 103.46], dtype=np.float32)
    source = {"p": values} if library == "numpy" else _frame(library, values)
    assert read_table(source).column("p").values.tolist() == [19.99, 0.1, 103.46]


def _frame(library, values):
    made = need(library)
    return made.table({"p": values}) if library == "pyarrow" else made.DataFrame({"p": values})


def test_prices_of_two_precisions_are_the_same_prices():
    """They were "19.99 gone (18 %), 19.99 new (18 %)"."""
    rng = np.random.default_rng(0)
    prices = np.array([103.46, 104.46, 105.99, 9.99, 19.99, 0.1])
    a, b = (prices[rng.integers(0, 6, 150)] for _ in range(2))
    assert not compare({"p": a.astype(np.float32)}, {"p": b}, rng=0, permutations=39).reject
