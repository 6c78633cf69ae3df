"""What arithmetic leaves behind makes no other number; what was measured stays."""

import numpy as np
import pytest

from samelaw import compare
from samelaw.tables.bins import NumberBins, Reading
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import tied
from samelaw.tables.reading.read import read_table


def test_tenths_are_tenths_however_they_were_computed():
    counted = np.arange(1, 2_000)
    pool = np.concatenate([counted / 10, counted * 0.1, counted * 0.2 / 2])
    assert len(np.unique(pool)) > 1_999
    found = tied(pool)
    assert len(np.unique(found)) == 1_999
    np.testing.assert_allclose(found, pool, rtol=1e-15)


@pytest.mark.parametrize("shape", [0, 1, 500])
def test_other_numbers_are_left_alone(shape):
    rng = np.random.default_rng(0)
    values = np.append(
        rng.normal(size=shape),
        [
            np.nan,
            np.inf,
            -np.inf,
            0.0,
            -0.0,
            1.7976931348623157e308,
            -1.7976931348623157e308,
            1e-300,
            5e-324,
        ],
    )
    np.testing.assert_array_equal(tied(values), values)


def test_numbers_of_which_only_the_last_digits_differ_stay():
    """Far from 0 these are all that is known: no end of a run is near its start."""
    dense = 1e15 + 0.125 * np.arange(400)
    np.testing.assert_array_equal(tied(dense), dense)


def test_order_and_rows_do_not_matter():
    rng = np.random.default_rng(1)
    pool = rng.integers(0, 50, size=300) * 0.1
    order = rng.permutation(300)
    np.testing.assert_array_equal(tied(pool)[order], tied(pool[order]))


def reading(values):
    return Reading(read_table({"price": values}).raw["price"])


def tables(n=400, m=300):
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 9, size=n), rng.integers(1, 9, size=m)
    return {"price": a / 10, "x": rng.normal(size=n)}, {"price": b * 0.1, "x": rng.normal(size=m)}


def test_tables_computed_in_two_ways_are_of_one_law():
    a, b = tables()
    assert not np.isin(b["price"], a["price"]).all()
    assert compare(a, b, rng=0).pvalue > 0.2


def test_rows_to_come_fall_into_the_bin_of_their_value():
    """Of a table read in pieces only some rows make the bins."""
    counted = np.arange(1, 9)
    bins = NumberBins.of(np.repeat(counted / 10, 50), Kind.NUMERIC)
    exact, off = (bins.codes(reading(values)) for values in (counted / 10, counted * 0.1))
    np.testing.assert_array_equal(exact, off)
    assert len(np.unique(exact)) == 8
