"""Aggregate: the smallest p-value by brute force, and the linear-time sums by a double loop."""

from itertools import product

import numpy as np
import pytest

from samelaw import Aggregate, Exact, Gaussian, Laplace, two_sample_test
from samelaw.kernels import Categorical
from samelaw.testing import MeanDiscrepancy, Sequential
from samelaw.testing.aggregate import permuted_pvalues

KERNELS = [Gaussian(0.7), Laplace(1.5), Gaussian(3.0)]


def samples(n=9, m=9, shift=0.5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


def test_every_value_gets_the_pvalue_of_a_count():
    values = np.array([3.0, 1.0, 3.0, 2.0, 0.1 + 0.2, 0.3])
    counted = [np.sum(values >= v - 1e-9) / 6 for v in values]
    np.testing.assert_allclose(permuted_pvalues(values), counted)


@pytest.mark.parametrize("weights", [None, (1.0, 2.0, 4.0)])
def test_the_smallest_weighted_pvalue_is_calibrated_on_the_same_relabellings(weights):
    """All 20 splits of 3 v 3 rows, every p-value by a count, then a count of their minima."""
    x, y = samples(4, 4)
    pool = np.r_[x, y]
    result = two_sample_test(
        x, y, strategy=Aggregate(KERNELS, entropies=(1,), weights=weights), level=0.05, rng=0
    )
    splits = np.array([s for s in product([True, False], repeat=8) if sum(s) == 4])
    observed = np.flatnonzero((splits == (np.arange(8) < 4)).all(axis=1))[0]
    scores = []
    for kernel, weight in zip(KERNELS, weights or (1, 1, 1), strict=True):
        squared = kernel(pool, pool) ** 2
        signs = np.where(splits, 0.25, -0.25)
        values = np.einsum("bi,ij,bj->b", signs, squared, signs)
        pvalues = np.array([np.mean(values >= v - 1e-9) for v in values])
        scores.append(pvalues * max(weights or (1,)) / weight)
    smallest = np.min(scores, axis=0)
    assert len(splits) == len(result.null_distribution) + 1 == 70
    assert -result.statistic == pytest.approx(smallest[observed])
    assert result.pvalue == pytest.approx(np.mean(smallest <= smallest[observed] + 1e-9))


@pytest.mark.parametrize("pairs", [None, 6])
def test_weights_are_checked_on_both_routes(pairs):
    x, y = samples()
    for weights in ((1.0, 2.0), (-1.0, 1.0, 1.0)):
        with pytest.raises(ValueError, match="expected 3 non-negative weights"):
            two_sample_test(x, y, strategy=Aggregate(KERNELS, weights=weights, pairs=pairs))
    strategy = Aggregate(KERNELS, weights=np.array([1.0, 0.0, 0.0]), pairs=pairs)
    alone = Aggregate(KERNELS[:1], pairs=pairs)
    found, single = (
        two_sample_test(x, y, strategy=s, permutations=99, rng=0).pvalue for s in (strategy, alone)
    )
    assert found == single


def test_the_adjusted_level_lies_between_the_bound_for_many_tests_and_the_level():
    x, y = samples(30, 30)
    result = two_sample_test(x, y, strategy=Aggregate(KERNELS, entropies=(1,)), rng=0)
    assert 0.05 / 3 - 0.001 <= result.settings["adjusted_level"] <= 0.05


def test_exact_and_mean_statistics_are_taken():
    x, y = samples(shift=3.0)
    for statistic in (Exact(), MeanDiscrepancy()):
        strategy = Aggregate(KERNELS, entropies=(2,), statistic=statistic)
        assert two_sample_test(x, y, strategy=strategy, permutations=99, rng=0).reject


def test_what_cannot_be_done_is_refused():
    x, y = samples()
    with pytest.raises(ValueError, match="fix their number"):
        two_sample_test(x, y, strategy=Aggregate(), permutations=Sequential(5, 99))
    with pytest.raises(ValueError, match="pairs must be a positive whole number"):
        Aggregate(pairs=0)
    with pytest.raises(TypeError, match="independent rows of one array"):
        two_sample_test(x, y, strategy=Aggregate(pairs=2), groups=np.arange(18))
    with pytest.raises(TypeError, match="needs kernels of a distance"):
        two_sample_test(x, y, strategy=Aggregate([Categorical()], pairs=2))


def test_matched_rows_too_few_for_the_level_are_refused():
    x, y = samples(5, 60, shift=9.0)
    strategy = Aggregate(KERNELS, pairs=4)
    with pytest.raises(ValueError, match="5 matched rows can be swapped in only 16 different ways"):
        two_sample_test(x, y, strategy=strategy, rng=0)
    assert two_sample_test(x, y, strategy=strategy, level=0.1, rng=0).reject


def test_sums_that_are_0_but_for_rounding_are_ties():
    """One row differs: swapping matched rows changes nothing, whatever (1 + a) − 1 − a comes to."""
    x, y = np.zeros((8, 3)), np.zeros((8, 3))
    y[3] = 0.3, 0.0, 0.7
    found = [
        two_sample_test(x, y, strategy=Aggregate(pairs=5), permutations=39, rng=s).pvalue
        for s in range(5)
    ]
    assert found == [1.0] * 5
