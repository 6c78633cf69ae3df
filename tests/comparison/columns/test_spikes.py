"""Values that stand out of the pool by themselves."""

import numpy as np

from samelaw.comparison.columns.spikes import spikes
from samelaw.comparison.constants import FEWEST_ROWS, SPIKES
from samelaw.tables.columns.column import Column, Kind


def column(*parts):
    values = np.concatenate([np.asarray(part, dtype=float) for part in parts])
    return Column("x", Kind.NUMERIC, values, np.isnan(values))


def test_a_continuous_column_has_none():
    assert len(spikes(column(np.random.default_rng(0).normal(size=500)))) == 0


def test_words_for_unknown_are_found_among_ages_that_are_all_commoner():
    ages = np.tile(np.arange(18, 91), 50)
    for unknown in (-999.0, -1.0, 999.0, np.inf, -np.inf):
        found = spikes(column(ages, np.full(FEWEST_ROWS, unknown)))
        assert found[0] == unknown
        assert len(found) == SPIKES
        assert unknown not in spikes(column(ages, np.full(FEWEST_ROWS - 1, unknown)))


def test_a_value_that_occurs_oftener_than_its_neighbours_is_found():
    rng = np.random.default_rng(1)
    assert spikes(column(rng.exponential(size=500), np.zeros(20)))[0] == 0.0
    assert spikes(column(rng.integers(0, 100, 5_000), np.full(60, 50.0)))[0] == 50.0


def test_missing_values_and_single_values_are_none():
    assert len(spikes(column(np.full(50, np.nan), np.arange(30)))) == 0
    assert len(spikes(column(np.full(50, 3.0)))) == 0
    assert set(spikes(column(np.full(50, np.inf), np.full(50, -np.inf)))) == {np.inf, -np.inf}


def test_the_order_of_rows_does_not_matter():
    values = np.random.default_rng(2).poisson(4, 800).astype(float)
    np.testing.assert_array_equal(spikes(column(values)), spikes(column(values[::-1])))


def test_values_at_the_end_of_the_range_pass_without_a_word():
    """Warnings are errors here: steps and their median overflow."""
    huge = column(np.full(60, 1e-12), np.full(60, 1.7e308), np.full(40, np.inf), [1.5])
    assert np.inf in spikes(huge)
