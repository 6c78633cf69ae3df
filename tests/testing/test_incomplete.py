"""Sums over some pairs of rows only, in linear time."""

from itertools import product

import numpy as np
import pytest

from samelaw import Aggregate, Gaussian, Laplace, two_sample_test
from samelaw.testing.aggregate import incomplete_values, permuted_pvalues

KERNELS = [Gaussian(0.7), Laplace(1.5), Gaussian(3.0)]


def samples(n=9, m=9, shift=0.5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("pairs", [1, 3, 50])
def test_incomplete_sums_are_those_of_a_double_loop(pairs, squared):
    x, y = samples()
    flips = np.where(np.random.default_rng(1).random((5, 9)) < 0.5, 1.0, -1.0).astype(np.float32)
    values = incomplete_values(x, y, KERNELS, flips, pairs, squared)
    for row, kernel in enumerate(KERNELS):
        power = 2 if squared else 1
        within_x, within_y, across = (kernel(a, b) ** power for a, b in ((x, x), (y, y), (x, y)))
        expected = np.zeros(5)
        for i in range(9):
            for j in range(i + 1, min(i + pairs, 8) + 1):
                h = within_x[i, j] + within_y[i, j] - across[i, j] - across[j, i]
                expected += flips[:, i] * flips[:, j] * h
        np.testing.assert_allclose(values[row], expected, atol=1e-5)


def test_flipping_a_sign_is_swapping_a_matched_pair():
    x, y = samples()
    flip = np.ones((1, 9), dtype=np.float32)
    flip[0, [2, 5]] = -1
    flipped = incomplete_values(x, y, KERNELS, flip, 4, True)
    x[[2, 5]], y[[2, 5]] = y[[2, 5]].copy(), x[[2, 5]].copy()
    swapped = incomplete_values(x, y, KERNELS, np.ones((1, 9), dtype=np.float32), 4, True)
    np.testing.assert_allclose(flipped, swapped, atol=1e-5)


def test_swaps_are_exact():
    """Over all 2⁶ swaps of six pairs, P(p ≤ a) ≤ a for the p-values of all of them."""
    x, y = samples(6, 6, shift=0.0)
    every = np.array(list(product([1.0, -1.0], repeat=6)), dtype=np.float32)
    values = incomplete_values(x, y, KERNELS, every, 3, True)
    smallest = np.min([permuted_pvalues(v) for v in values], axis=0)
    pvalues = permuted_pvalues(-smallest)
    for level in (0.05, 0.1, 0.25, 0.5):
        assert np.mean(pvalues <= level + 1e-9) <= level + 1e-9
    assert pvalues.min() < 0.1


def test_all_pairs_of_equal_samples_are_the_full_statistic():
    """With every pair, the incomplete sum is n(n−1)/2 times MMD² without the pairs (i, i)."""
    x, y = samples()
    ones = np.ones((1, 9), dtype=np.float32)
    (value,) = incomplete_values(x, y, KERNELS[:1], ones, 8, False)
    gram = KERNELS[0](np.r_[x, y], np.r_[x, y])
    h = gram[:9, :9] + gram[9:, 9:] - gram[:9, 9:] - gram[9:, :9]
    assert value[0] == pytest.approx((h.sum() - np.trace(h)) / 2, rel=1e-5)


def test_the_larger_sample_is_cut_to_the_smaller():
    x, y = samples(40, 25, shift=1.5)
    result = two_sample_test(x, y, strategy=Aggregate.mmd(pairs=10), permutations=99, rng=0)
    assert "25 matched rows, each compared with 10 others" in result.method
    assert result.reject
