import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

from samelaw.problems.closed_forms import CauchyPair, GaussianPair
from samelaw.problems.density_ratios import (
    CrossedMixture,
    SplitGaussian,
    StudentPair,
    oracle_jsd,
    sampled_jsd,
)

PROBLEMS = [
    CauchyPair(3.0, (1.0, 2.0)),
    GaussianPair.mean_shift(3, 1.5),
    GaussianPair.scale_shift(3, 1.5),
    SplitGaussian(4, 2.5),
    CrossedMixture(3, 1.2),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)
def test_ratio_and_draws_agree_with_the_answer(problem):
    truth = problem.jsd()
    value, error = sampled_jsd(problem, 1 << 17, rng=1)
    assert abs(value - truth) < 4 * error
    assert error < 2e-3


@pytest.mark.parametrize(
    "problem", [*PROBLEMS, StudentPair(3, 1.5)], ids=lambda p: type(p).__name__
)
def test_ratio_integrates_to_one(problem):
    """E_Q p/q = 1, checked in the bounded form E_M [2p/(p+q)] = 1."""
    x, y = problem.draw(1 << 17, rng=2)
    shares = [2.0 / (1.0 + np.exp(-problem.log_ratio(z))) for z in (x, y)]
    assert 0.5 * shares[0].mean() + 0.5 * shares[1].mean() == pytest.approx(1.0, abs=5e-3)


def test_student_with_one_degree_is_cauchy():
    student, cauchy = StudentPair(1, 3.0, degrees=1.0), CauchyPair(3.0)
    z = np.linspace(-9, 9, 7)[:, None]
    np.testing.assert_allclose(student.log_ratio(z), cauchy.log_ratio(z), atol=1e-12)
    value, error = sampled_jsd(student, 1 << 17)
    assert abs(value - cauchy.jsd()) < 4 * error


def test_split_gaussian_matches_two_moments():
    x, y = SplitGaussian(3, 2.0).draw(200_000, rng=0)
    np.testing.assert_allclose(x.mean(axis=0), y.mean(axis=0), atol=0.02)
    np.testing.assert_allclose(np.cov(x.T), np.cov(y.T), atol=0.05)


def test_crossed_mixture_has_equal_marginals():
    x, y = CrossedMixture(2, 2.0).draw(100_000, rng=0)
    for column in range(2):
        assert ks_2samp(x[:, column], y[:, column]).pvalue > 1e-3
    assert CrossedMixture(2, 9.0).jsd() == pytest.approx(math.log(2), abs=1e-6)


def test_oracle_is_unbiased_with_the_error_of_its_terms():
    problem = CauchyPair.with_jsd(0.5 * math.log(2))
    values = [oracle_jsd(problem, *problem.draw(200, rng=seed)) for seed in range(400)]
    assert abs(np.mean(values) - problem.jsd()) < 4 * np.std(values) / 20
