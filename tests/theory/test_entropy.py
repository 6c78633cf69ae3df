"""D6, D7, P1, P1b, P2b, E5–E7, F3: the entropy of an operator and of a sample."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import logm

import samelaw
from oracles import series, von_neumann
from samelaw import Gaussian, PowerSeries, Renyi, VonNeumann
from samelaw.kernels.spectra import spectral_sum
from strategies import SEEDS, densities, finite_problems

ORDERS = st.sampled_from([1, 2, 3, 4, 5, 6, 10, 20, 50])


def mixed(density, share=0.1):
    """The operator with a little of the identity, so that its logarithm exists."""
    return (1 - share) * density + share * np.eye(len(density)) / len(density)


@given(densities(1))
def test_d6_entropy_is_minus_trace_c_log_c(drawn):
    c = mixed(drawn[0])
    expected = -np.trace(c @ logm(c)).real
    assert spectral_sum(c, VonNeumann()) == pytest.approx(expected, abs=1e-10)


@given(densities(1))
def test_d7_renyi_tends_to_von_neumann_at_order_one(drawn):
    c = mixed(drawn[0])
    below, above = (spectral_sum(c, Renyi(alpha)) for alpha in (1 - 1e-4, 1 + 1e-4))
    exact = spectral_sum(c, Renyi(1))
    assert exact == pytest.approx(von_neumann(c), abs=1e-12)
    assert above - 1e-12 <= exact <= below + 1e-12
    assert below - above < 1e-3


@given(densities(1))
def test_d7_renyi_at_two_infinity_and_zero(drawn):
    c = mixed(drawn[0])
    assert spectral_sum(c, Renyi(2)) == pytest.approx(-math.log(np.sum(c * c)), abs=1e-12)
    top = np.linalg.eigvalsh(c)[-1]
    assert spectral_sum(c, Renyi(math.inf)) == pytest.approx(-math.log(top), abs=1e-12)
    assert spectral_sum(c, Renyi(500)) == pytest.approx(-math.log(top), rel=0.01, abs=1e-3)
    assert spectral_sum(c, Renyi(1e-6)) == pytest.approx(math.log(len(c)), abs=1e-4)


@given(finite_problems(), st.integers(1, 9), SEEDS)
def test_p1_sample_entropy_is_the_entropy_of_the_covariance(problem, n, seed):
    x, _ = problem.draw(n, rng=seed)
    features = problem.features[x[:, 0].astype(int)]
    expected = von_neumann(samelaw.kernels.Covariance.of(features).density)
    assert samelaw.entropy(x, kernel=problem.kernel()) == pytest.approx(expected, abs=1e-12)


def test_p1b_cost_grows_no_faster_than_the_cube_of_the_rows():
    """CPU time of the best of three; a power of 3.5 leaves room for caches, a fourth power none."""
    x = np.random.default_rng(0).standard_normal((900, 2))

    def seconds(n):
        times = []
        for _ in range(3):
            start = time.process_time()
            samelaw.entropy(x[:n], kernel=Gaussian(1.0))
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(900) < 3**3.5 * seconds(300)


@given(SEEDS, st.integers(1, 9), st.floats(0.01, 10))
def test_p2b_entropy_lies_between_zero_and_log_n(seed, n, bandwidth):
    x = np.random.default_rng(seed).standard_normal((n, 2))
    value = samelaw.entropy(x, kernel=Gaussian(bandwidth))
    assert -1e-12 <= value <= math.log(n) + 1e-12


@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_p2b_bounds_are_reached_by_strangers_and_by_copies(n):
    apart, copies = np.arange(n) * 1e3, np.zeros(n)
    assert samelaw.entropy(apart, kernel=Gaussian(1.0)) == pytest.approx(math.log(n), abs=1e-12)
    assert samelaw.entropy(copies, kernel=Gaussian(1.0)) == pytest.approx(0.0, abs=1e-12)


@given(densities(1), ORDERS)
def test_e5_cut_logarithm_misses_the_rest_of_the_series_and_no_more(drawn, order):
    """log A = −Σ (I − A)^j/j: what PowerSeries lacks of −Tr A log A is the terms j > p."""
    c = mixed(drawn[0], share=0.5)
    rest = np.eye(len(c)) - c
    power, missing = np.linalg.matrix_power(rest, order), 0.0
    for j in range(order + 1, 800):
        power = power @ rest
        missing += np.trace(c @ power) / j
    whole = -np.trace(c @ logm(c)).real
    assert spectral_sum(c, PowerSeries(order)) == pytest.approx(whole - missing, abs=1e-9)


@given(densities(1), ORDERS)
def test_e6_power_series_is_the_sum_over_eigenvalues_of_f_p(drawn, order):
    expected = series(drawn[0], order)
    assert spectral_sum(drawn[0], PowerSeries(order)) == pytest.approx(expected, abs=1e-11)


@given(densities(1))
def test_e6_power_series_increases_to_von_neumann(drawn):
    c = mixed(drawn[0], share=0.5)
    values = [spectral_sum(c, PowerSeries(order)) for order in (1, 2, 5, 10, 100, 1000)]
    assert np.all(np.diff(values) >= -1e-13)
    assert values[-1] == pytest.approx(von_neumann(c), abs=1e-9)


@given(densities(1), ORDERS)
def test_e7_power_series_is_largest_for_the_uniform_spectrum(drawn, order):
    n = len(drawn[0])
    ceiling = sum((1 - 1 / n) ** j / j for j in range(1, order + 1))
    assert spectral_sum(drawn[0], PowerSeries(order)) <= ceiling + 1e-12
    uniform = spectral_sum(np.eye(n) / n, PowerSeries(order))
    assert uniform == pytest.approx(ceiling, abs=1e-12)


@given(SEEDS, st.integers(1, 12), st.integers(1, 4))
def test_f3_fourier_entropy_is_at_most_log_of_features_or_rows(seed, n, count):
    rng = np.random.default_rng(seed)
    feature_map = samelaw.kernels.FourierFeatures(100 * rng.standard_normal((2, count)))
    density = samelaw.kernels.Covariance.of(feature_map(rng.standard_normal((n, 2)))).density
    assert spectral_sum(density, VonNeumann()) <= math.log(min(n, feature_map.size)) + 1e-12
