"""Rows with weights: what they mean, and what is exact."""

import numpy as np
import pytest
from scipy.stats import binom

from samelaw import Aggregate, Fuse, Gaussian, GramEstimator, Permutation, Split, two_sample_test
from samelaw.testing import Exact, KernelGroup

RNG = np.random.default_rng
ONE = Fuse([KernelGroup([Gaussian(1.0)])])


def alarms(make, runs, **options):
    found = 0
    for run in range(runs):
        x, y, weights = make(RNG([3, run]))
        result = two_sample_test(x, y, sample_weights=weights, permutations=39, rng=run, **options)
        found += result.pvalue <= 0.05
    return found


def alike(rng):
    """Weights that follow the rows, in both samples alike."""
    x, y = rng.normal(size=(40, 2)), rng.normal(size=(20, 2))
    return x, y, (np.exp(x[:, 0]), np.exp(y[:, 0]))


def reweighted(rng):
    """Rows of N(0, 1) with the weights that make them N(½, 1), and rows of that law."""
    x, y = rng.normal(size=(80, 1)), rng.normal(size=(60, 1)) + 0.5
    return x, y, (np.exp(0.5 * x[:, 0]), None)


@pytest.mark.long
def test_weights_that_move_with_their_rows_keep_the_level():
    assert alarms(alike, 60) <= binom.ppf(0.9995, 60, 0.05)


def test_weights_make_one_law_of_another():
    """Approximate, and said to be; without the weights the difference is plain."""
    assert alarms(reweighted, 60, strategy=ONE) <= binom.ppf(0.9995, 60, 0.07)
    x, y, weights = reweighted(RNG(0))
    plain = two_sample_test(x, y, rng=0)
    weighted = two_sample_test(x, y, sample_weights=weights, rng=0)
    assert plain.pvalue < weighted.pvalue
    assert "approximate" in weighted.calibration


def test_weights_of_one_sample_say_how_many_rows_they_leave():
    """The fewer, the less the approximation holds: Kish's (Σw)²/Σw²."""
    rng = RNG(2)
    x, y = rng.normal(size=(40, 1)), rng.normal(size=(30, 1))
    weights = np.r_[np.full(10, 3.0), np.full(30, 1.0)]
    found = two_sample_test(x, y, sample_weights=(weights, None), permutations=99, rng=0)
    assert "40 of which count as 30" in found.calibration  # 60² / 120
    swapped = two_sample_test(y, x, sample_weights=(None, weights), permutations=99, rng=0)
    assert "40 of which count as 30" in swapped.calibration


def far_reweighted(rng):
    """The same to N(1, 1): the 80 rows count as some 30."""
    x, y = rng.normal(size=(80, 1)), rng.normal(size=(60, 1)) + 1.0
    return x, y, (np.exp(x[:, 0]), None)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("make", "most"), [(alike, 0.05), (reweighted, 0.07), (far_reweighted, 0.15)]
)
def test_level_over_many_runs(make, most):
    assert alarms(make, 1_000) <= binom.ppf(0.9995, 1_000, most)


@pytest.mark.parametrize(
    "weights", [(np.full(20, 0.1), np.full(15, 0.1)), (np.full(20, 7.0), None), (None, None)]
)
def test_equal_weights_are_none(weights):
    rng = RNG(1)
    x, y = rng.normal(size=(20, 2)), rng.normal(size=(15, 2)) + 0.4
    plain, weighted = (two_sample_test(x, y, sample_weights=w, rng=0) for w in (None, weights))
    assert weighted.to_dict() == plain.to_dict()


def test_a_row_of_weight_0_takes_no_part():
    """Sides without any weight were possible, and their NaN made p = 0."""
    rng = RNG(4)
    x, y = rng.normal(size=(9, 2)), rng.normal(size=(60, 2))
    weights = [1.0 + rng.random(len(rows)) for rows in (x, y)]
    few = [np.where(np.arange(len(own)) < 6, own, 0.0) for own in weights]
    found = two_sample_test(x, y, sample_weights=few, strategy=ONE, rng=0)
    own = [w[:6] for w in weights]
    alone = two_sample_test(x[:6], y[:6], sample_weights=own, strategy=ONE, rng=0)
    assert found.pvalue == alone.pvalue
    assert found.statistic == pytest.approx(alone.statistic)
    assert "57 rows of weight 0 took no part" in found.calibration


@pytest.mark.parametrize("strategy", [Fuse(), Aggregate()], ids=repr)
def test_very_unequal_weights_keep_the_level(strategy):
    def huge(rng):
        x, y = rng.normal(size=(10, 2)), rng.normal(size=(12, 2))
        return x, y, tuple(10.0 ** rng.uniform(-8, 0, len(rows)) for rows in (x, y))

    assert alarms(huge, 12, strategy=strategy) <= binom.ppf(0.9995, 12, 0.05)


def test_the_statistic_is_that_of_weighted_means():
    """For one column and order 1 with a wide kernel: the weighted means of X and of Y decide."""
    rng = RNG(2)
    x, y = rng.normal(size=(30, 1)), rng.normal(size=(30, 1))
    heavy = np.where(x[:, 0] > 0, 20.0, 0.01), np.ones(30)
    assert two_sample_test(x, y, sample_weights=heavy, rng=0).reject
    assert not two_sample_test(x, y, rng=0).reject


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        (np.ones(20), TypeError, "weights must be a pair"),
        ((np.ones(9), None), ValueError, "weights of x has shape"),
        ((-np.ones(10), None), ValueError, "weights of x must be finite, non-negative"),
        ((np.zeros(10), None), ValueError, "not all zero"),
        ((np.eye(10)[0], None), ValueError, "weights of x are 0, .* but for 1 rows"),
        ((np.ones(10), np.full(10, 1e300)), ValueError, "nothing beside the others, but for 0"),
        ((np.r_[1, 1, [0] * 8],) * 2, ValueError, "2 v 2 rows of x and y have only 6 permutations"),
        (("abc", None), TypeError, "weights of x must be numbers"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, error, message):
    with pytest.raises(error, match=message):
        two_sample_test(
            RNG(0).normal(size=(10, 2)), RNG(1).normal(size=(10, 2)), sample_weights=weights
        )


@pytest.mark.parametrize(
    "strategy", [Permutation(GramEstimator()), Split(), Fuse(statistic=Exact())], ids=repr
)
def test_strategies_without_weights_say_so(strategy):
    x, y = RNG(0).normal(size=(12, 2)), RNG(1).normal(size=(12, 2))
    with pytest.raises((TypeError, ValueError), match=r"no weights|, weights"):
        two_sample_test(x, y, sample_weights=(np.ones(12), np.arange(12)), strategy=strategy, rng=0)
    with pytest.raises(ValueError, match="weights and groups exclude"):
        two_sample_test(x, y, sample_weights=(None, np.ones(12)), groups=np.arange(24), rng=0)


def test_aggregate_takes_weights():
    x, y, weights = alike(RNG(0))
    assert (
        0 < two_sample_test(x, y, sample_weights=weights, strategy=Aggregate(), rng=0).pvalue <= 1
    )
