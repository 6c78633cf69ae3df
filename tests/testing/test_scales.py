"""Views: units of one scale, ranks that ties share, nothing that depends on the order of rows."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from samelaw.testing import View

ROWS = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, 1e-9, 1e12]


def test_rows_stay_as_they_are():
    np.testing.assert_array_equal(View.ROWS(ROWS)(ROWS), ROWS)


def test_standard_columns_have_unit_variance_and_constant_ones_say_nothing():
    rows = np.column_stack([ROWS, np.full(40, 7.3)])
    found = View.STANDARD(rows)(rows)
    np.testing.assert_allclose(found[:, :3].std(axis=0), 1.0)
    np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-12)
    assert np.all(found[:, 3] == 0.0)


def test_ranks_are_mid_ranks():
    column = np.array([3.0, 1.0, 3.0, 2.0, 3.0])[:, None]
    expected = (rankdata(column[:, 0]) - 0.5) / 5
    np.testing.assert_allclose(View.RANKS(column)(column)[:, 0], expected)
    np.testing.assert_allclose(View.NORMAL(column)(column)[:, 0], norm.ppf(expected))


def test_ties_count_the_other_rows_with_a_value_and_say_nothing_of_lone_ones():
    column = np.array([3.0, 1.0, 3.0, 2.0, 3.0])[:, None]
    np.testing.assert_allclose(View.TIES(column)(column)[:, 0], np.log([3, 1, 3, 1, 3]))
    new = np.array([[2.5], [3.0], [1.0]])
    np.testing.assert_allclose(View.TIES(column)(new)[:, 0], np.log([1, 3, 1]))
    assert not View.TIES(ROWS)(ROWS).any()


@pytest.mark.parametrize("view", list(View))
def test_a_view_treats_all_rows_alike(view):
    order = np.random.default_rng(1).permutation(40)
    np.testing.assert_allclose(view(ROWS[order])(ROWS[order]), view(ROWS)(ROWS)[order], atol=1e-12)


@pytest.mark.parametrize("view", [View.RANKS, View.NORMAL])
def test_rows_beyond_the_reference_stay_finite(view):
    found = view(ROWS)(np.array([[-1e30] * 3, [1e30] * 3]))
    assert np.all(np.isfinite(found))
    assert np.all(found[0] < found[1])
