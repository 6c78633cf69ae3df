"""Problems draw from the laws whose answers they give."""

import math

import numpy as np
import pytest
from scipy.stats import cauchy, kstest, norm

from samelaw import PowerSeries
from samelaw.problems.closed_forms import (
    CauchyPair,
    DiscretePair,
    FiniteFeatures,
    FourGaussians,
    GaussianPair,
    PointMasses,
)

PROBLEMS = [
    CauchyPair(3.0, (1.0, 2.0)),
    PointMasses(2.0, dimension=3),
    DiscretePair([0.2, 0.8], [0.5, 0.5]),
    FiniteFeatures.random(4, 3, rng=0),
    FourGaussians(deviation=3.0),
    GaussianPair.correlation_shift(4, 0.3),
]
LOCATIONS = {0.05: 0.778616, 0.2: 1.811881, 0.5: 4.394736, 0.8: 13.300518, 0.99: 287.533208}


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)
def test_samples_have_the_sizes_asked_for_and_repeat_for_a_seed(problem):
    x, y = problem.draw(5, 3, rng=7)
    assert x.shape[0] == 5
    assert y.shape == (3, x.shape[1])
    assert len(problem.draw(5, rng=7)[1]) == 5
    again = problem.draw(5, 3, rng=np.random.default_rng(7))
    np.testing.assert_array_equal(x, again[0])
    np.testing.assert_array_equal(y, again[1])


@pytest.mark.parametrize(("level", "location"), LOCATIONS.items())
def test_location_of_a_wanted_cauchy_divergence(level, location):
    problem = CauchyPair.with_jsd(level * math.log(2))
    assert problem.location == pytest.approx(location, abs=1e-6)


def test_cauchy_samples_follow_their_laws():
    x, y = CauchyPair(3.0, (1.0, 2.0)).draw(2000, 2000, rng=0)
    assert kstest(x[:, 0], cauchy(0, 1).cdf).pvalue > 0.01
    assert kstest(y[:, 0], cauchy(3, 2).cdf).pvalue > 0.01


def test_discrete_samples_follow_their_laws():
    problem = DiscretePair([0.2, 0.8, 0.0], [0.5, 0.25, 0.25])
    for sample, law in zip(
        problem.draw(4000, 4000, rng=0), (problem.first, problem.second), strict=True
    ):
        share = np.bincount(sample[:, 0].astype(int), minlength=3) / 4000
        assert np.all(np.abs(share - law) <= 4 * np.sqrt(law * (1 - law) / 4000))


def test_four_gaussians_differ_in_one_component_only():
    x, y = FourGaussians(mean=20.0, deviation=3.0).draw(8000, 8000, rng=0)
    for signs in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        for sample, wide in ((x, 1.0), (y, 3.0 if signs == (1, 1) else 1.0)):
            part = sample[np.all(np.sign(sample) == signs, axis=1)]
            assert len(part) == pytest.approx(2000, abs=200)
            np.testing.assert_allclose(part.mean(axis=0), 20.0 * np.array(signs), atol=0.3)
            np.testing.assert_allclose(part.std(axis=0), wide, rtol=0.1)


def test_gaussian_samples_have_the_moments_asked_for():
    problem = GaussianPair(np.array([1.0, -1.0]), np.array([[1.0, 0.6], [0.6, 2.0]]))
    x, y = problem.draw(20_000, rng=0)
    assert kstest(x[:, 0], norm.cdf).pvalue > 0.01
    np.testing.assert_allclose(y.mean(axis=0), problem.mean, atol=0.05)
    np.testing.assert_allclose(np.cov(y.T), problem.covariance, atol=0.08)


@pytest.mark.parametrize("dimension", [1, 4, 50])
def test_gaussian_mean_shift_of_length_two_is_the_same_in_every_dimension(dimension):
    assert GaussianPair.mean_shift(dimension, 2.0).jsd() == pytest.approx(0.33683, abs=1e-5)


@pytest.mark.parametrize(
    "problem", [GaussianPair.mean_shift(3, 1.5), GaussianPair.scale_shift(4, 1.7)]
)
def test_gaussian_divergence_agrees_with_simulation(problem):
    """JSD = log 2 − ½E_P log(1 + q/p) − ½E_Q log(1 + p/q), within 4 standard errors."""
    precision = np.linalg.inv(problem.covariance)
    constant = 0.5 * np.linalg.slogdet(problem.covariance)[1]

    def log_ratio(z):  # log p − log q
        gap = z - problem.mean
        return (
            0.5 * np.einsum("ni,ij,nj->n", gap, precision, gap)
            + constant
            - 0.5 * np.sum(z * z, axis=1)
        )

    x, y = problem.draw(40_000, rng=0)
    terms = np.logaddexp(0, -log_ratio(x)), np.logaddexp(0, log_ratio(y))
    value = math.log(2) - np.mean(terms)
    error = math.sqrt(sum(np.var(t) for t in terms) / 4 / 40_000)
    assert abs(problem.jsd() - value) < 4 * error


def test_equal_laws_are_at_distance_zero():
    assert GaussianPair.mean_shift(3, 0.0).jsd() == pytest.approx(0.0, abs=1e-12)
    assert GaussianPair.scale_shift(3, 1.0).jsd() == pytest.approx(0.0, abs=1e-12)
    assert CauchyPair(0.0).jsd() == 0.0


def test_finite_features_have_unit_norm_and_operators_of_trace_one():
    problem = FiniteFeatures([[3.0, 4.0], [0.0, 2.0]], [1, 1], [1, 3])
    np.testing.assert_allclose(np.linalg.norm(problem.features, axis=1), 1.0)
    for operator in problem.operators():
        assert np.trace(operator) == pytest.approx(1.0)
    assert problem.rjsd(PowerSeries(1)) == pytest.approx(
        0.25 * np.sum((problem.operators()[0] - problem.operators()[1]) ** 2)
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CauchyPair(scales=(0.0, 1.0)), "scales must be positive"),
        (lambda: CauchyPair.with_jsd(1.0), r"value must lie in \[0, log 2\)"),
        (lambda: DiscretePair([1, -1], [1, 1]), "first must be a list of non-negative numbers"),
        (lambda: DiscretePair([1, 1], [1, 1, 1]), "first has 2 atoms, second 3"),
        (lambda: FiniteFeatures(np.ones((3, 2)), [1, 1], [1, 1]), r"one row per atom, \(2, D\)"),
        (lambda: FiniteFeatures(np.zeros((2, 2)), [1, 1], [1, 1]), "norms of the features must be"),
        (lambda: FourGaussians(deviation=-1.0), "deviation must be positive"),
        (lambda: GaussianPair(np.zeros(2), np.eye(3)), r"expected \(d,\) and \(d, d\)"),
        (lambda: GaussianPair(np.zeros(2), -np.eye(2)), "eigenvalues of the covariance"),
        (lambda: GaussianPair.correlation_shift(2, 0.5).jsd(), "only a shift of the mean or"),
        (lambda: PointMasses().jsd(0.0), "share must lie strictly between 0 and 1"),
    ],
)
def test_refusals_name_the_argument(make, message):
    with pytest.raises(ValueError, match=message):
        make()
