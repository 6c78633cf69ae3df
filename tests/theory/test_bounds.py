"""L1, L1+, L2, Th2, Pr4, E8, E11, A1, A2 and errata 4, 5, 14, 15: what bounds what."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from oracles import binary_entropy, law, nuclear, quantum_jsd, series
from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd
from samelaw.kernels.grams import kernel_mean
from samelaw.kernels.spectra import spectral_sum
from samelaw.problems.closed_forms import DiscretePair, FiniteFeatures
from strategies import SHARES, densities, finite_problems

NOISE = 1e-12


def divergence(first, second, share=0.5, entropy=VonNeumann()):  # noqa: B008
    return quantum_jsd(first, second, share, lambda c: float(spectral_sum(c, entropy)))


@given(densities(2))
def test_l1_divergence_exceeds_an_eighth_of_the_squared_nuclear_norm(pair):
    """A1 as well: the chain of the appendix, nuclear norm ≥ Hilbert–Schmidt norm."""
    gap = pair[0] - pair[1]
    assert divergence(*pair) >= nuclear(gap) ** 2 / 8 - NOISE
    assert nuclear(gap) ** 2 >= np.sum(gap * gap) - NOISE


@given(densities(2))
def test_l1_plus_divergence_exceeds_a_quarter_of_the_squared_distance(pair):
    gap = pair[0] - pair[1]
    assert divergence(*pair) >= np.sum(gap * gap) / 4 - NOISE
    assert nuclear(gap) ** 2 >= 2 * np.sum(gap * gap) - NOISE  # traceless


@given(densities(2), SHARES)
def test_l1_plus_weighted_chain(pair, share):
    gap = pair[0] - pair[1]
    factor = share * (1 - share)
    middle = factor * nuclear(gap) ** 2 / 2
    assert divergence(*pair, share) >= middle - NOISE
    assert middle >= factor * np.sum(gap * gap) - NOISE


def test_erratum_5_lemma_with_its_constant_fails_for_the_weighted_estimator():
    pair = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    assert divergence(*pair, share=0.02) < nuclear(pair[0] - pair[1]) ** 2 / 8


@given(finite_problems())
def test_l2_distance_of_operators_is_mmd_with_the_squared_kernel(problem):
    first, second = problem.operators()
    kernel = problem.kernel()
    squared = kernel * kernel
    codes = np.arange(len(problem.first))[:, None]
    means = [
        kernel_mean(squared, codes, codes, pair)
        for pair in (
            (problem.first, problem.first),
            (problem.second, problem.second),
            (problem.first, problem.second),
        )
    ]
    expected = np.sum((first - second) ** 2)
    assert means[0] + means[1] - 2 * means[2] == pytest.approx(expected, abs=1e-12)


@given(finite_problems())
def test_a1_trace_of_two_rank_one_operators_is_the_squared_kernel(problem):
    phi, psi = problem.features[0], problem.features[-1]
    trace = np.trace(np.outer(phi, phi) @ np.outer(psi, psi))
    codes = np.array([[0], [len(problem.features) - 1]])
    assert problem.kernel()(codes[:1], codes[1:])[0, 0] ** 2 == pytest.approx(trace, abs=1e-12)


@given(finite_problems(), SHARES)
def test_th2_rjsd_is_at_most_the_classical_jsd(problem, share):
    """A2 as well: mapping points to features loses information, whatever the kernel."""
    classical = DiscretePair(problem.first, problem.second).jsd(share)
    assert law(rjsd, problem, weights=share) <= classical + NOISE


@given(finite_problems(), SHARES)
def test_th2_orthonormal_features_reach_the_classical_jsd(problem, share):
    atoms = len(problem.first)
    rotation = np.linalg.qr(np.random.default_rng(atoms).standard_normal((atoms, atoms)))[0]
    sharp = FiniteFeatures(rotation, problem.first, problem.second)
    classical = DiscretePair(problem.first, problem.second).jsd(share)
    assert law(rjsd, sharp, weights=share) == pytest.approx(classical, abs=1e-12)


@given(finite_problems(), SHARES)
def test_pr4_divergence_is_at_most_the_entropy_of_the_weights(problem, share):
    assert law(rjsd, problem, weights=share) <= binary_entropy(share) + NOISE
    assert law(rjsd, problem, weights="balanced") <= math.log(2) + NOISE


@pytest.mark.parametrize(
    ("n", "m", "expected"), [(30, 90, 0.56234), (10, 200, 0.19144), (40, 40, math.log(2))]
)
def test_pr4_strangers_reach_the_entropy_of_the_weights(n, m, expected):
    pool = np.arange(n + m) * 1e3
    value = rjsd(pool[:n], pool[n:], kernel=Gaussian(1.0))
    assert value == pytest.approx(expected, abs=1e-5)
    balanced = rjsd(pool[:n], pool[n:], kernel=Gaussian(1.0), weights="balanced")
    assert balanced == pytest.approx(math.log(2), abs=1e-12)


@given(st.integers(1, 60), st.floats(0, 1), st.floats(0, 1), SHARES)
def test_e8_f_p_is_concave_on_the_unit_interval(order, a, b, share):
    phi = PowerSeries(order).phi
    middle = phi(np.array(share * a + (1 - share) * b))
    assert middle >= share * phi(np.array(a)) + (1 - share) * phi(np.array(b)) - NOISE


@given(finite_problems(), st.sampled_from([1, 2, 3, 6, 10, 40]), SHARES)
def test_e8_power_series_divergence_is_not_negative(problem, order, share):
    assert law(rjsd, problem, entropy=PowerSeries(order), weights=share) >= -NOISE


@given(densities(2, most_size=8), st.integers(1, 6), SHARES)
def test_e11_power_series_is_below_when_all_eigenvalues_are_small(pair, order, share):
    ceiling = 1 / (order + 1)
    size = max(len(pair[0]), order + 1)

    def tempered(c):
        flat = np.eye(size) / size
        own = np.zeros((size, size))
        own[: len(c), : len(c)] = c
        top = np.linalg.eigvalsh(own)[-1]
        keep = (ceiling - 1 / size) / (top - 1 / size) if top > ceiling else 1.0
        return keep * own + (1 - keep) * flat

    operators = [tempered(c) for c in pair]
    assert max(np.linalg.eigvalsh(c)[-1] for c in operators) <= ceiling + 1e-12
    short = divergence(*operators, share, PowerSeries(order))
    assert short <= divergence(*operators, share) + NOISE


@pytest.mark.parametrize(("order", "value"), [(2, 0.0250), (10, 0.02035)])
def test_erratum_14_power_series_is_no_lower_bound_of_the_jsd(order, value):
    problem = DiscretePair([0.6, 0.4], [0.4, 0.6])
    codes = np.arange(2)
    estimate = rjsd(
        codes,
        codes,
        kernel=samelaw.kernels.Categorical(),
        entropy=PowerSeries(order),
        sample_weights=(problem.first, problem.second),
        weights="balanced",
    )
    assert problem.jsd() == pytest.approx(0.02014, abs=5e-6)
    assert estimate == pytest.approx(value, abs=5e-6)
    assert estimate > problem.jsd()
    assert estimate == pytest.approx(
        quantum_jsd(np.diag([0.6, 0.4]), np.diag([0.4, 0.6]), 0.5, lambda c: series(c, order))
    )


@given(finite_problems(), st.integers(1, 9), st.integers(1, 9), st.integers(0, 999))
def test_erratum_15_divergence_exceeds_its_first_order_for_any_sizes(problem, n, m, seed):
    x, y = problem.draw(n, m, rng=seed)
    kernel = problem.kernel()
    share = n / (n + m)
    floor = share * (1 - share) * samelaw.mmd(x, y, kernel=kernel * kernel)
    assert rjsd(x, y, kernel=kernel) >= floor - NOISE
