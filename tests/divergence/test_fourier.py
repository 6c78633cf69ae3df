"""Fourier estimator: frequencies, chunks, refusals."""

import numpy as np
import pytest

from samelaw import FourierEstimator, Gaussian, Laplace, VonNeumann
from samelaw.divergence.fourier import accumulate
from samelaw.kernels import Cosine, FourierFeatures, draw_frequencies
from samelaw.kernels.operators import Covariance, density_divergence


def points(n, d=2, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def test_chunks_add_up_to_the_whole():
    features = FourierFeatures(draw_frequencies(Gaussian(1.0), 2, 256, rng=0))
    x = points(4000)
    assert (1 << 20) // features.size < len(x)  # more than one chunk
    np.testing.assert_allclose(
        accumulate(features, x).density, Covariance.of(features(x)).density, atol=1e-13
    )
    weights = np.random.default_rng(0).dirichlet(np.ones(4000))
    np.testing.assert_allclose(
        accumulate(features, x, weights).density,
        Covariance.of(features(x), weights).density,
        atol=1e-13,
    )


def test_fewer_rows_than_features_take_the_other_side():
    frequencies = np.random.default_rng(0).standard_normal((2, 8))
    estimator = FourierEstimator(frequencies=frequencies)
    few, many = (estimator(points(n), points(n, seed=1) + 1) for n in (8, 9))
    assert 0 < few < np.log(2)
    assert 0 < many < np.log(2)
    phi = FourierFeatures(frequencies)
    first, second = (Covariance.of(phi(z)).density for z in (points(8), points(8, seed=1) + 1))
    split = density_divergence([first, second], VonNeumann(), (0.5, 0.5))
    assert few == pytest.approx(float(split), abs=1e-11)


def test_same_seed_gives_the_same_frequencies_and_another_seed_others():
    drawn = [draw_frequencies(Gaussian(1.0), 3, 10, rng=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert np.all(drawn[0] != drawn[2])


def test_generator_moves_on():
    rng = np.random.default_rng(0)
    first, second = (draw_frequencies(Laplace(1.0), 2, 4, rng=rng) for _ in range(2))
    assert np.all(first != second)


def test_seed_of_the_estimator_matters():
    x, y = points(30), points(30, seed=1) + 1
    values = [FourierEstimator(frequencies=8, rng=seed)(x, y) for seed in (0, 0, 1)]
    assert values[0] == values[1] != values[2]


def test_numpy_number_of_frequencies():
    x, y = points(30), points(30, seed=1)
    expected = FourierEstimator(frequencies=8)(x, y)
    assert FourierEstimator(frequencies=np.int64(8))(x, y) == expected


def test_refusals_say_what_to_do():
    x, y = points(5), points(4)
    with pytest.raises(TypeError, match=r"Cosine\(\) has no Fourier features.*NystromEstimator"):
        FourierEstimator(Cosine())(x, y)
    with pytest.raises(TypeError, match="one array per sample, not a tuple of layers"):
        FourierEstimator()((x, x), (y, y))
    with pytest.raises(ValueError, match="frequencies must be a whole number of at least 1, got 0"):
        FourierEstimator(frequencies=0)(x, y)
