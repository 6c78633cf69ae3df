"""Permutation: one estimator, evaluated anew under every permutation."""

import numpy as np
import pytest

from samelaw import Gaussian, GramEstimator, Permutation, PowerSeries, two_sample_test

RNG = np.random.default_rng
X, Y = np.split(RNG(0).normal(size=(24, 2)), [13])
STRATEGY = Permutation(GramEstimator(Gaussian(1.0), PowerSeries(4)))


def test_the_statistic_is_the_estimate_of_the_two_samples():
    found = two_sample_test(X, Y, strategy=STRATEGY, permutations=39, rng=0)
    assert found.statistic == pytest.approx(STRATEGY.estimator(X, Y), abs=1e-12)
    assert found.method == f"permutation test of {STRATEGY.estimator!r}"
    assert found.components == ()


def test_few_rows_are_permuted_in_every_way():
    x, y = np.arange(4.0)[:, None], 100.0 + np.arange(4.0)[:, None]
    found = two_sample_test(x, y, strategy=STRATEGY, rng=0)
    assert found.pvalue == 2 / 70  # the observed one and its mirror image


def test_whole_groups_of_one_size_are_permuted_as_wholes():
    x, y, groups = X[:12], Y[:10], np.repeat(np.arange(11), 2)
    found = two_sample_test(x, y, strategy=STRATEGY, groups=groups, permutations=99, rng=0)
    assert "exact for groups of one size" in found.calibration


def test_what_does_not_fit_is_refused_before_it_is_made():
    rows = np.zeros((3_000, 2))
    with pytest.raises(MemoryError, match=r"GramEstimator of 6,000 rows takes .* or use Fuse\(\)"):
        two_sample_test(rows, rows, strategy=STRATEGY, memory=2**28)


def test_whole_groups_of_one_size_beside_shared_ones_keep_the_sizes_of_the_samples():
    """They were refused for rows of shared groups, which are permuted one by one."""
    shared, alone = np.repeat(np.arange(4), 3), np.repeat(np.arange(10, 14), 3)
    x, y = RNG(1).normal(size=(2, 24, 1))
    groups = (np.r_[shared, alone], np.r_[shared, alone + 10])
    options = {"strategy": STRATEGY, "groups": groups, "permutations": 99, "rng": 0}
    assert not two_sample_test(x, y, **options).reject
    assert two_sample_test(x, y + 5.0, **options).reject
    with pytest.raises(ValueError, match="groups of unequal size"):
        two_sample_test(x[:-1], y, **{**options, "groups": (groups[0][:-1], groups[1])})


@pytest.mark.parametrize("weights", ["proportional", "balanced"])
def test_one_odd_row_among_equal_ones_says_nothing_whatever_side_it_is_on(weights):
    """Eigenvalues of 0 came out as noise that was more than counted as rounding: p was .95."""
    x = np.zeros((15, 2))
    y = x.copy()
    y[3, 1] = 1.0
    strategy = Permutation(GramEstimator(Gaussian(1.0), weights=weights))
    runs = (two_sample_test(x, y, strategy=strategy, permutations=99, rng=s) for s in range(6))
    assert {found.pvalue for found in runs} == {1.0}
