"""E3, E4, F3: the bias of the plain estimator, and what the corrections leave of it.

The population value is known: laws on twelve atoms seen through five features.
"""

import math

import numpy as np
import pytest

from samelaw import (
    FourierEstimator,
    Gaussian,
    PowerSeries,
    VonNeumann,
    rjsd,
)
from samelaw.problems.closed_forms import CauchyPair, FiniteFeatures

PROBLEM = FiniteFeatures.random(12, 5, rng=3)
KERNEL = PROBLEM.kernel()
REPETITIONS = 300
BOUND = 4.0  # standard errors of the mean: a right estimator fails once in 16,000 checks


def means(estimates, n, m, repetitions=REPETITIONS, problem=PROBLEM):
    """Mean and standard error of several estimates on the same samples."""
    draws = (problem.draw(n, m, rng=seed) for seed in range(repetitions))
    values = np.array([[float(estimate(x, y)) for estimate in estimates] for x, y in draws])
    return values.mean(axis=0), values.std(axis=0, ddof=1) / math.sqrt(repetitions)


def three(order):
    series = {"kernel": KERNEL, "entropy": PowerSeries(order)}
    return (
        lambda x, y: rjsd(x, y, **series),
        lambda x, y: rjsd(x, y, **series, corrected=True),
        lambda x, y: rjsd(x, y, **series, corrected="unbiased"),
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "m", "order"),
    [
        (40, 15, 2),
        (20, 35, 10),
        *(pytest.param(*case, marks=pytest.mark.heavy) for case in ((20, 35, 1), (40, 15, 4))),
    ],
)
def test_corrections_remove_the_bias_of_the_plain_estimate(n, m, order):
    truth = PROBLEM.rjsd(PowerSeries(order), n / (n + m))
    mean, error = means(three(order), n, m)
    plain, corrected, unbiased = mean - truth
    assert plain > 2 * BOUND * error[0]  # so that nothing passes for lack of a bias to remove
    assert abs(unbiased) < BOUND * error[2]
    assert abs(corrected) < 0.1 * plain + BOUND * error[1]


@pytest.mark.long
def test_correction_removes_at_least_half_of_the_von_neumann_bias():
    options = {"kernel": KERNEL, "entropy": VonNeumann()}
    estimates = (
        lambda x, y: rjsd(x, y, **options),
        lambda x, y: rjsd(x, y, **options, corrected=True),
    )
    mean, error = means(estimates, 25, 25)
    plain, corrected = mean - PROBLEM.rjsd()
    assert plain > 2 * BOUND * error[0]
    assert abs(corrected) < 0.5 * plain + BOUND * error[1]


@pytest.mark.long
def test_e3_bias_under_equal_laws_falls_like_one_over_n():
    same = FiniteFeatures(PROBLEM.features, PROBLEM.first, PROBLEM.first)
    scaled = []
    for n in (30, 120):
        (mean,), (error,) = means([lambda x, y: rjsd(x, y, kernel=KERNEL)], n, n, 200, same)
        scaled.append((n * mean, n * error))
    gap = abs(scaled[0][0] - scaled[1][0])
    assert gap < 0.1 * scaled[0][0] + BOUND * math.hypot(scaled[0][1], scaled[1][1])


def test_f3_few_features_keep_a_vanishing_bandwidth_from_saturating():
    x, y = CauchyPair.with_jsd(0.5 * math.log(2)).draw(256, rng=0)
    narrow = Gaussian(0.001)
    assert rjsd(x, y, kernel=narrow) > 0.6
    few, many = (FourierEstimator(narrow, count)(x, y) for count in (16, 1024))
    assert few < 0.1 < 0.5 < many


@pytest.mark.heavy
@pytest.mark.parametrize("order", [1, 2, 4, 10])
@pytest.mark.parametrize("n", [20, 50, 100, 500])
def test_bias_and_variance_of_the_three_estimates(n, order):
    """The table behind the advice in the docs: the corrected estimate is as steady as the plain."""
    repetitions = {20: 2000, 50: 1000, 100: 600, 500: 40}[n]
    truth = PROBLEM.rjsd(PowerSeries(order))
    mean, error = means(three(order), n, n, repetitions)
    plain, corrected, unbiased = mean - truth
    spread = error * math.sqrt(repetitions)
    print(f"\norder {order} n {n}: bias {mean - truth} standard deviation {spread}")
    assert abs(unbiased) < BOUND * error[2]
    assert abs(corrected) < 0.1 * abs(plain) + BOUND * error[1]
    assert spread[1] < 1.1 * spread[0]
    assert spread[2] < 1.15 * spread[0]
