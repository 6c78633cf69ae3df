"""Nyström estimator: the three ways of choosing landmarks."""

import numpy as np
import pytest

from samelaw import Gaussian, NystromEstimator, rjsd
from samelaw.kernels import Categorical, leverage_landmarks, spread_landmarks, uniform_landmarks

CHOOSERS = [uniform_landmarks, spread_landmarks, leverage_landmarks]
choosers = pytest.mark.parametrize("choose", CHOOSERS, ids=lambda f: f.__name__)


def points(n, d=2, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@choosers
@pytest.mark.parametrize("n", [12, 5200])
def test_landmarks_are_different_rows_of_the_pool(choose, n):
    picked = choose(Gaussian(1.0), points(n), 9, np.random.default_rng(0))
    assert len(set(picked.tolist())) == 9
    assert np.all((picked >= 0) & (picked < n))


@choosers
def test_landmarks_of_constant_data_are_different_rows_too(choose):
    picked = choose(Gaussian(1.0), np.ones((20, 2)), 6, np.random.default_rng(0))
    assert len(set(picked.tolist())) == 6


def test_spread_landmarks_visit_every_group():
    groups = np.repeat(np.arange(10.0) * 100, [200, *[2] * 9])[:, None]
    picked = spread_landmarks(Gaussian(1.0), groups, 10, np.random.default_rng(0))
    assert set(groups[picked, 0]) == set(groups[:, 0])


@choosers
def test_estimate_comes_close_to_the_kernel_estimate(choose):
    x, y = points(120), points(80, seed=1) + 1
    exact = rjsd(x, y, kernel=Gaussian(2.0))
    value = NystromEstimator(Gaussian(2.0), 40, choose)(x, y)
    assert value == pytest.approx(float(exact), abs=0.01)


def test_kernel_without_a_spectral_law_has_nystrom_features():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 4, (60, 1)), rng.integers(1, 5, (50, 1))
    landmarks = np.arange(5.0)[:, None]
    value = NystromEstimator(Categorical(), landmarks)(x, y)
    assert value == pytest.approx(float(rjsd(x, y, kernel=Categorical())), abs=1e-5)


def test_more_landmarks_than_rows_are_all_the_rows():
    x, y = points(7), points(5, seed=1)
    value = NystromEstimator(Gaussian(0.5), 64)(x, y)
    assert value == pytest.approx(float(rjsd(x, y, kernel=Gaussian(0.5))), abs=1e-4)


def test_refusals_say_what_to_do():
    x, y = points(5), points(4)
    with pytest.raises(TypeError, match="one array per sample, not a tuple of layers"):
        NystromEstimator()((x, x), (y, y))
    with pytest.raises(ValueError, match="number of landmarks must be at least 1, got 0"):
        NystromEstimator(landmarks=0)(x, y)


def test_rows_of_any_scale_have_features():
    """The square of 1 over a bandwidth of 1e-155 is beyond floats."""
    z = points(12)
    small, one = (NystromEstimator(landmarks=3).prepare(scale * z) for scale in (1e-155, 1.0))
    np.testing.assert_allclose(small.features, one.features, atol=1e-6)
