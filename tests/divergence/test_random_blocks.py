"""Rows dealt to blocks by their numbers: each once, at random, the same for everybody."""

import numpy as np
import pytest
from scipy import stats

from samelaw.divergence.random_blocks import Deal


@pytest.mark.parametrize("rows", [1, 2, 3, 10, 64, 65, 1000, 100_003])
def test_every_place_is_taken_once(rows):
    places = Deal(rows, 1, seed=3).places(np.arange(rows))
    np.testing.assert_array_equal(np.sort(places), np.arange(rows))


def test_parts_and_their_order_do_not_matter():
    deal, numbers = Deal(1000, 30, seed=1), np.random.default_rng(0).permutation(1000)
    blocks = deal.blocks(np.arange(1000))
    np.testing.assert_array_equal(deal.blocks(numbers), blocks[numbers])
    np.testing.assert_array_equal(np.unique(blocks, return_counts=True)[1], [10] + [30] * 33)


def test_a_row_goes_anywhere_and_pairs_go_anywhere():
    rows, seeds = 8, 700
    places = np.array([Deal(rows, 1, seed).places(np.arange(rows)) for seed in range(seeds)])
    first = np.bincount(places[:, 0], minlength=rows)
    pair = np.bincount(places[:, 3] * rows + places[:, 4], minlength=rows**2)
    apart = pair[np.flatnonzero(~np.eye(rows, dtype=bool).ravel())]
    assert stats.chisquare(first).pvalue > 1e-4
    assert stats.chisquare(apart).pvalue > 1e-4


def test_blocks_of_a_sorted_table_are_like_the_table():
    """Striping a sorted table, or cutting it, would make blocks of unlike rows."""
    blocks = Deal(20_000, 100, seed=5).blocks(np.arange(20_000))
    means = np.bincount(blocks, np.arange(20_000)) / 100
    expected = 20_000 / np.sqrt(12 * 100)  # of random rows
    assert means.std() == pytest.approx(expected, rel=0.15)
    assert abs(np.corrcoef(means, np.arange(200))[0, 1]) < 0.25


def test_numbers_beyond_the_table_are_refused():
    with pytest.raises(ValueError, match="from 5 to 10; the table was said to have 10 rows"):
        Deal(10, 2, seed=0).blocks(np.arange(5, 11))
