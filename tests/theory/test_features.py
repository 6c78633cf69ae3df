"""F1, F2, F4, F5, F6: explicit features in place of the kernel."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from oracles import quantum_jsd
from samelaw import FourierEstimator, Gaussian, rjsd
from samelaw.kernels import Covariance, FourierFeatures, draw_frequencies
from strategies import SEEDS


def two_samples(seed, n, m, d=2):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((m, d)) + 1.0


@given(SEEDS, st.floats(1e-3, 1e3), st.integers(1, 20))
def test_f1_fourier_features_have_norm_one_whatever_the_frequencies(seed, scale, count):
    rng = np.random.default_rng(seed)
    features = FourierFeatures(scale * rng.standard_normal((3, count)))
    norms = np.linalg.norm(features(rng.standard_normal((5, 3))), axis=1)
    np.testing.assert_allclose(norms, 1.0, atol=1e-14)


def test_f1_error_of_the_inner_products_falls_with_the_root_of_the_number():
    x = np.random.default_rng(0).standard_normal((30, 3))
    exact = Gaussian(2.0)(x, x)

    def error(count):
        gaps = []
        for seed in range(20):
            drawn = draw_frequencies(Gaussian(2.0), 3, count, rng=seed, orthogonal=False)
            phi = FourierFeatures(drawn)(x)
            gaps.append(np.mean((phi @ phi.T - exact) ** 2))
        return math.sqrt(np.mean(gaps))

    slope = math.log(error(2048) / error(32)) / math.log(2048 / 32)
    assert -0.6 < slope < -0.4


@given(SEEDS, st.integers(1, 9), st.integers(1, 9), st.sampled_from(["proportional", "balanced"]))
def test_f2_fourier_estimator_is_the_quantum_jsd_of_the_feature_covariances(seed, n, m, weights):
    x, y = two_samples(seed, n, m)
    frequencies = np.random.default_rng(seed).standard_normal((2, 4))
    covariances = [Covariance.of(FourierFeatures(frequencies)(z)).density for z in (x, y)]
    share = n / (n + m) if weights == "proportional" else 0.5
    value = FourierEstimator(frequencies=frequencies, weights=weights)(x, y)
    assert value == pytest.approx(quantum_jsd(*covariances, share), abs=1e-11)


def test_f4_many_frequencies_give_the_kernel_estimator():
    x, y = two_samples(0, 60, 50)
    exact = rjsd(x, y, kernel=Gaussian(1.0))
    gaps = [
        np.mean(
            [
                abs(FourierEstimator(Gaussian(1.0), count, rng=seed)(x, y) - exact)
                for seed in range(4)
            ]
        )
        for count in (16, 256, 4096)
    ]
    assert gaps[0] > 4 * gaps[1] > 16 * gaps[2]
    assert gaps[2] < 0.003


@given(SEEDS, st.integers(1, 9), st.integers(1, 9))
def test_f5_covariances_merge_and_unmerge_exactly(seed, n, m):
    x, y = (FourierFeatures(np.eye(2))(z) for z in two_samples(seed, n, m))
    whole = Covariance.of(np.concatenate([x, y]))
    merged = Covariance.of(x) + Covariance.of(y)
    np.testing.assert_allclose(merged.density, whole.density, atol=1e-14)
    assert merged.weight == whole.weight == n + m
    np.testing.assert_allclose(
        (whole - Covariance.of(y)).density, Covariance.of(x).density, atol=1e-13
    )


@given(SEEDS, st.floats(0.01, 0.99))
def test_f5_fading_is_an_exponential_moving_average(seed, rate):
    batches = FourierFeatures(np.eye(2))(np.random.default_rng(seed).standard_normal((12, 2)))
    running = Covariance.of(batches[:4])
    average, mass = running.density, 1.0
    for k in (4, 8):
        fresh = Covariance.of(batches[k : k + 4])
        running = running.faded(1 - rate) + fresh
        mass = (1 - rate) * mass + 1.0
        average = average + (fresh.density - average) / mass
    np.testing.assert_allclose(running.density, average, atol=1e-13)


def test_f6_fourier_estimator_is_differentiable_in_frequencies_data_and_a_network():
    torch = pytest.importorskip("torch")
    x, y = (torch.asarray(z) for z in two_samples(0, 7, 6))
    frequencies = torch.randn(3, 4, dtype=torch.float64, generator=torch.manual_seed(0))
    layer = torch.randn(2, 3, dtype=torch.float64, generator=torch.manual_seed(1))

    def value(frequencies, layer, x):
        estimator = FourierEstimator(frequencies=frequencies)
        return estimator(torch.tanh(x @ layer), torch.tanh(y @ layer))

    inputs = [t.clone().requires_grad_() for t in (frequencies, layer, x)]
    assert torch.autograd.gradcheck(value, inputs)


def test_f6_rjsd_is_differentiable_in_the_bandwidth():
    torch = pytest.importorskip("torch")
    x, y = (torch.asarray(z) for z in two_samples(0, 7, 6))
    for bandwidth in (
        torch.tensor(0.8),
        torch.tensor([0.8, 1.3]),
        torch.tensor([[1.0, 0.3], [0.1, 0.7]]),
    ):
        free = bandwidth.to(torch.float64).requires_grad_()
        assert torch.autograd.gradcheck(lambda b: rjsd(x, y, kernel=Gaussian(b)), [free])


def test_f2_nystrom_with_all_points_as_landmarks_is_the_kernel_estimator():
    x, y = two_samples(0, 12, 9)
    landmarks = np.concatenate([x, y])
    value = samelaw.NystromEstimator(Gaussian(0.5), landmarks)(x, y)
    assert value == pytest.approx(float(rjsd(x, y, kernel=Gaussian(0.5))), abs=1e-4)
