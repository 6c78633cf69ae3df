"""Sums over blocks: every row once, in a block drawn at random, whatever pieces it came in."""

import numpy as np
import pytest

from samelaw.comparison.block_sums import Dealer
from streaming_tables import mixed, summed


def test_blocks_are_full_and_the_rest_is_left_over():
    dealt = Dealer(1_007, np.arange(10), 100, np.random.default_rng(0)).deal(1_007)
    assert np.bincount(dealt + 1).tolist() == [7, *[100] * 10]


def test_the_deal_does_not_depend_on_the_pieces():
    one = Dealer(200_000, np.arange(50), 4_000, np.random.default_rng(0))
    other = Dealer(200_000, np.arange(50), 4_000, np.random.default_rng(0))
    parts = [other.deal(k) for k in (1, 70_000, 0, 129_999)]
    np.testing.assert_array_equal(one.deal(200_000), np.concatenate(parts))


def test_every_row_may_go_to_every_block():
    """Rows of a sorted table that stayed together would make every two tables differ."""
    dealer = Dealer(20_000, np.arange(20), 1_000, np.random.default_rng(1))
    first = np.bincount(dealer.deal(10_000), minlength=20)
    assert abs(first - 500).max() < 5 * np.sqrt(1_000 * 0.25)


def test_more_rows_than_were_counted_are_an_error():
    dealer = Dealer(100, np.arange(4), 25, np.random.default_rng(0))
    dealer.deal(100)
    with pytest.raises(ValueError, match="more rows"):
        dealer.deal(1)


def test_sums_are_those_of_the_rows():
    a, b = mixed(700, 0), mixed(500, 1)
    _, units, tests = summed(a, b, 20)
    sums, rows = tests.sums, units.unit >= 0
    assert sum(total.sum() for total in sums.all_bins[0]) == 1_200
    counts = np.concatenate([a["count"].to_numpy(), b["count"].to_numpy()])
    place = next(i for i, look in enumerate(sums.scheme.looks) if look.name == "count")
    values = np.nan_to_num(sums.scheme.looks[place].view.column.values)
    expected = np.bincount(units.unit[rows], counts[rows])
    np.testing.assert_allclose(sums.bins[place] @ values, expected)
    points = sums.scheme.points(sums.scheme.drawn).astype(np.float64)
    np.testing.assert_allclose(
        sums.first.sum(axis=0), points[rows].sum(axis=0), rtol=1e-4, atol=1e-3
    )
    total = points[rows].T @ points[rows]
    np.testing.assert_allclose(sums.second.sum(axis=0), total, rtol=1e-4, atol=1e-3)
    waves = sums.covariances[-1]
    np.testing.assert_allclose(np.einsum("ukk->u", waves), 20 * waves.shape[1] / 2, rtol=1e-4)
