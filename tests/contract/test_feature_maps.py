"""What every feature map promises, and that Fourier features approach their kernel."""

import math

import numpy as np
import pytest

import samelaw
from samelaw import Gaussian, Laplace
from samelaw.core.registry import members
from samelaw.kernels import FourierFeatures, Matern, RationalQuadratic
from samelaw.kernels.features import draw_frequencies

samelaw.kernels.FourierFeatures  # noqa: B018 - loading the module fills the registry

VECTOR = np.array([0.5, 1.0, 2.0])
MATRIX = np.array([[1.0, 0.2, 0.0], [0.0, 0.8, 0.1], [0.3, 0.0, 1.5]])
SPECTRAL = {
    "Gaussian": Gaussian(1.5),
    "Gaussian vector": Gaussian(VECTOR),
    "Gaussian matrix": Gaussian(MATRIX),
    "Laplace": Laplace(2.0),
    "Laplace vector": Laplace(4 * VECTOR),
    "Matern 1/2": Matern(2.0, 0.5),
    "Matern 3/2": Matern(2.0, 1.5),
    "Matern 5/2 vector": Matern(VECTOR, 2.5),
    "RationalQuadratic": RationalQuadratic(1.0, 0.7),
    "RationalQuadratic vector": RationalQuadratic(VECTOR, 2.0),
}
LINE = np.linspace(-3, 3, 11)[:, None]


@pytest.fixture(params=members("feature map"))
def feature_map(request):
    return members("feature map")[request.param]()


def test_rows_have_norm_one(feature_map, to_xp, to_numpy):
    features = to_numpy(feature_map(to_xp(LINE)))
    assert features.shape == (len(LINE), feature_map.size)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), 1.0, atol=1e-14)


def test_every_library_gives_the_numbers_of_numpy(feature_map, to_xp, to_numpy):
    np.testing.assert_allclose(to_numpy(feature_map(to_xp(LINE))), feature_map(LINE), atol=1e-9)


def test_single_precision_stays_single_and_close(feature_map, xp, to_xp, to_numpy):
    single = feature_map(to_xp(LINE, "float32"))
    assert single.dtype == xp.float32
    np.testing.assert_allclose(to_numpy(single), feature_map(LINE), atol=1e-4)


def test_rows_do_not_see_each_other(feature_map):
    np.testing.assert_allclose(feature_map(LINE[3:5]), feature_map(LINE)[3:5], atol=1e-12)


def fourier_gram(kernel, x, count, seed, orthogonal):
    drawn = draw_frequencies(kernel, x.shape[1], count, rng=seed, orthogonal=orthogonal)
    features = FourierFeatures(drawn)(x)
    return features @ features.T


@pytest.mark.parametrize("name", SPECTRAL)
def test_frequencies_follow_the_law_of_the_kernel(name):
    """Bochner: the mean of cos⟨w, x − y⟩ is κ(x, y), here within 5 standard errors of 200,000."""
    kernel = SPECTRAL[name]
    x = np.random.default_rng(1).standard_normal((6, 3))
    drawn = draw_frequencies(kernel, 3, 200_000, rng=0, orthogonal=False)
    waves = np.cos((x[1:] - x[0]) @ drawn)
    error = waves.std(axis=1) / math.sqrt(drawn.shape[1])
    assert error.max() < 0.002  # so that a bandwidth wrong by 3 % would be seen
    assert np.all(np.abs(waves.mean(axis=1) - kernel(x[1:], x[:1])[:, 0]) < 5 * error)


@pytest.mark.long
@pytest.mark.parametrize("name", SPECTRAL)
def test_orthogonal_frequencies_follow_it_too(name):
    kernel = SPECTRAL[name]
    x = np.random.default_rng(1).standard_normal((6, 3))
    draws = np.array([fourier_gram(kernel, x, 9, seed, orthogonal=True) for seed in range(400)])
    error = draws.std(axis=0) / math.sqrt(len(draws))
    assert error.max() < 0.02
    assert np.all(np.abs(draws.mean(axis=0) - kernel(x, x)) <= 5 * error + 1e-12)


@pytest.mark.parametrize("orthogonal", [False, True], ids=["plain", "orthogonal"])
@pytest.mark.parametrize("name", SPECTRAL)
def test_error_falls_with_the_root_of_the_number_of_frequencies(name, orthogonal):
    """Each cosine has variance at most 1, so the error is at most 1/√D."""
    kernel = SPECTRAL[name]
    x = np.random.default_rng(2).standard_normal((12, 3))
    exact = kernel(x, x)
    for count in (30, 1000):
        gaps = [fourier_gram(kernel, x, count, seed, orthogonal) - exact for seed in range(6)]
        assert np.sqrt(np.mean(np.square(gaps))) < 1 / math.sqrt(count)


def test_orthogonal_frequencies_err_less_than_plain_ones():
    x = np.random.default_rng(3).standard_normal((20, 8))
    kernel = Gaussian(3.0)
    errors = {
        flag: np.mean(
            [(fourier_gram(kernel, x, 16, seed, flag) - kernel(x, x)) ** 2 for seed in range(40)]
        )
        for flag in (False, True)
    }
    assert errors[True] < 0.9 * errors[False]


def test_orthogonal_frequencies_are_orthogonal_in_blocks():
    drawn = draw_frequencies(Gaussian(1.0), 4, 8, rng=0)
    for block in (drawn[:, :4], drawn[:, 4:]):
        product = block.T @ block
        np.testing.assert_allclose(product - np.diag(np.diagonal(product)), 0.0, atol=1e-12)
