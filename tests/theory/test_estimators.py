"""Th3, E4, E9, E10: the kernel and the power-series estimator."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from samelaw import Gaussian, GramEstimator, Laplace, PowerSeries, rjsd
from strategies import SEEDS

SIZES = st.integers(1, 9)
kernels = st.sampled_from([Gaussian(0.7), Laplace(1.0), samelaw.kernels.Matern(1.0)])


def two_samples(seed, n, m):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + 0.5


def series_of_strangers(order, n):
    """D_p of n v n points that have nothing in common: K = I."""
    return sum(((1 - 1 / (2 * n)) ** j - (1 - 1 / n) ** j) / j for j in range(1, order + 1))


@given(SEEDS, SIZES, kernels)
def test_th3_first_order_is_a_quarter_of_mmd_with_the_squared_kernel(seed, n, kernel):
    x, y = two_samples(seed, n, n)
    expected = samelaw.mmd(x, y, kernel=kernel * kernel) / 4
    value = rjsd(x, y, kernel=kernel, entropy=PowerSeries(1))
    assert value == pytest.approx(expected, abs=1e-13)


@given(SEEDS, SIZES, SIZES, kernels, st.sampled_from(["proportional", "balanced", 0.2]))
def test_th3_general_factor_is_the_product_of_the_weights(seed, n, m, kernel, weights):
    """Erratum 4: nm/(n+m)² for unequal sizes."""
    x, y = two_samples(seed, n, m)
    share = {"proportional": n / (n + m), "balanced": 0.5}.get(weights, weights)
    expected = share * (1 - share) * samelaw.mmd(x, y, kernel=kernel * kernel)
    value = rjsd(x, y, kernel=kernel, entropy=PowerSeries(1), weights=weights)
    assert value == pytest.approx(expected, abs=1e-13)
    batched = GramEstimator(kernel, PowerSeries(1), weights)
    pool = np.concatenate([x, y])
    (split,) = batched.evaluate(batched.prepare(pool), np.arange(n + m) < n)
    assert split == pytest.approx(expected, abs=1e-13)


@given(SEEDS, SIZES)
def test_e4_a_vanishing_bandwidth_saturates_the_kernel_estimator(seed, n):
    x, y = two_samples(seed, n, n)
    assert rjsd(x, y, kernel=Gaussian(1e-9)) == pytest.approx(math.log(2), abs=1e-9)


def test_e4_estimate_falls_as_the_bandwidth_grows():
    x, y = two_samples(0, 40, 40)
    values = [rjsd(x, y, kernel=Gaussian(bandwidth)) for bandwidth in (0.01, 0.1, 0.5, 2.0, 10.0)]
    assert np.all(np.diff(values) < 0)


@pytest.mark.parametrize("order", [1, 2, 4, 10, 50])
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_e9_power_series_of_strangers(order, n):
    pool = np.arange(2 * n) * 1e3
    value = rjsd(pool[:n], pool[n:], kernel=Gaussian(1.0), entropy=PowerSeries(order))
    assert value == pytest.approx(series_of_strangers(order, n), abs=1e-12)


def test_e9_strangers_are_no_evidence_once_there_are_many_of_them():
    assert series_of_strangers(10, 1000) == pytest.approx(10 / 2000, rel=0.01)


@pytest.mark.parametrize("n", [2, 10, 100])
def test_e10_gap_of_the_maxima_grows_with_the_order_up_to_log_two(n):
    """The largest entropies of 2n and of n rows, by the library; E9 has what they must be."""
    orders = (1, 2, 4, 10, 20 * n, 200 * n)
    uniform = [np.full(k, 1 / k) for k in (2 * n, n)]
    gaps = [PowerSeries(p)(uniform[0]) - PowerSeries(p)(uniform[1]) for p in orders]
    assert gaps == pytest.approx([series_of_strangers(p, n) for p in orders], abs=1e-12)
    assert np.all(np.diff(gaps[:5]) > 1e-3 / n)
    assert gaps[-1] == pytest.approx(math.log(2), abs=1e-6)
