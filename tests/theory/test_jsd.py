"""J1, J2, C1, E1, E2, A3b: the classical divergence, its quantum form and its closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samelaw
from oracles import law, quantum_jsd
from samelaw import rjsd
from samelaw.kernels import Covariance
from samelaw.problems.closed_forms import (
    CauchyPair,
    DiscretePair,
    jsd_by_quadrature,
    shannon_entropy,
)
from strategies import SEEDS, SHARES, finite_problems, law_pairs

SIZES = st.integers(1, 9)


@given(law_pairs(), SHARES)
def test_j1_jsd_is_the_information_of_the_label(laws, share):
    joint = np.array([share * laws[0], (1 - share) * laws[1]])
    labels, values = joint.sum(axis=1), joint.sum(axis=0)
    information = shannon_entropy(labels) + shannon_entropy(values) - shannon_entropy(joint)
    assert DiscretePair(*laws).jsd(share) == pytest.approx(information, abs=1e-12)


@given(law_pairs(), SHARES)
def test_j1_rjsd_with_the_categorical_kernel_is_the_classical_jsd(laws, share):
    codes = np.arange(len(laws[0]))
    value = rjsd(
        codes, codes, kernel=samelaw.kernels.Categorical(), weights=share, sample_weights=laws
    )
    assert value == pytest.approx(DiscretePair(*laws).jsd(share), abs=1e-12)


@given(finite_problems(), SHARES)
def test_j2_rjsd_of_two_laws_is_the_quantum_jsd_of_their_operators(problem, share):
    expected = quantum_jsd(*problem.operators(), share)
    assert law(rjsd, problem, weights=share) == pytest.approx(expected, abs=1e-11)
    assert problem.rjsd(share=share) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("level", [0.05, 0.2, 0.4, 0.6, 0.8, 0.95])
def test_c1_cauchy_jsd_agrees_with_quadrature(level):
    problem = CauchyPair.with_jsd(level * math.log(2))
    assert problem.jsd() == pytest.approx(level * math.log(2), abs=1e-12)

    def density(centre):  # of t = arctan x, where the line becomes an interval
        return lambda t: (1 + math.tan(t) ** 2) / (math.pi * (1 + (math.tan(t) - centre) ** 2))

    edge = math.pi / 2
    value = jsd_by_quadrature(density(0.0), density(problem.location), -edge, edge)
    assert problem.jsd() == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize(("location", "scales"), [(0.0, (1.0, 3.0)), (2.5, (0.5, 2.0))])
def test_c1_cauchy_jsd_agrees_with_quadrature_for_unequal_scales(location, scales):
    def density(centre, scale):
        return lambda t: (
            scale * (1 + math.tan(t) ** 2) / (math.pi * (scale**2 + (math.tan(t) - centre) ** 2))
        )

    edge = math.pi / 2
    pair = density(0.0, scales[0]), density(location, scales[1])
    value = jsd_by_quadrature(*pair, -edge, edge)
    assert CauchyPair(location, scales).jsd() == pytest.approx(value, abs=1e-8)


def test_a3b_what_a_kernel_hides_of_the_jsd_falls_with_the_square_of_its_bandwidth():
    """Of the laws themselves, on a grid: without samples there is nothing but this error."""
    location, hidden = CauchyPair.with_jsd(0.5 * math.log(2)).location, []
    for bandwidth in (2.0, 1.4, 1.0):
        at = np.arange(-100, 100, 0.5 * bandwidth)
        laws = [1 / (1 + (at - centre) ** 2) for centre in (0.0, location)]
        laws = [one / one.sum() for one in laws]
        kernel = samelaw.Gaussian(bandwidth)
        seen = rjsd(at[:, None], at[:, None], kernel=kernel, weights=0.5, sample_weights=laws)
        hidden.append(DiscretePair(*laws).jsd(0.5) - float(seen))
    assert min(hidden) > 0
    np.testing.assert_allclose(np.divide(hidden[1:], hidden[:-1]), [0.49, 0.5102], rtol=0.05)


@given(finite_problems(), SIZES, SIZES, SEEDS)
def test_e1_covariance_of_the_pool_is_the_mixture(problem, n, m, seed):
    x, y = (problem.features[z[:, 0].astype(int)] for z in problem.draw(n, m, rng=seed))
    first, second = Covariance.of(x), Covariance.of(y)
    share = n / (n + m)
    mixture = share * first.density + (1 - share) * second.density
    pooled = Covariance.of(np.concatenate([x, y])).density
    np.testing.assert_allclose(mixture, pooled, atol=1e-14)
    np.testing.assert_allclose((first + second).density, pooled, atol=1e-14)


@given(finite_problems(), SIZES, SIZES, SEEDS, st.sampled_from(["proportional", "balanced", 0.3]))
def test_e2_estimator_is_the_quantum_jsd_of_the_sample_covariances(problem, n, m, seed, weights):
    x, y = problem.draw(n, m, rng=seed)
    operators = [Covariance.of(problem.features[z[:, 0].astype(int)]).density for z in (x, y)]
    share = {"proportional": n / (n + m), "balanced": 0.5}.get(weights, weights)
    value = rjsd(x, y, kernel=problem.kernel(), weights=weights)
    assert value == pytest.approx(quantum_jsd(*operators, share), abs=1e-11)
