"""Th1, Pr1–Pr3, Pr5, Pr6 and erratum 17: what makes it a divergence."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import samelaw
from oracles import law, quantum_jsd
from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd
from samelaw.kernels import Cosine, Tsallis
from samelaw.kernels.spectra import spectral_sum
from strategies import SEEDS, SHARES, densities, finite_problems, law_pairs

ENTROPIES = [VonNeumann(), PowerSeries(1), PowerSeries(4), PowerSeries(10), Tsallis(2)]
entropies = st.sampled_from(ENTROPIES)
SIZES = st.integers(1, 8)


def two_samples(seed, n, m, shift=0.5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


@given(law_pairs())
def test_th1_characteristic_kernel_tells_different_laws_apart(laws):
    points = np.arange(len(laws[0])) * 1.5
    distance = np.abs(laws[0] - laws[1]).sum()
    value = rjsd(points, points, kernel=Gaussian(1.0), sample_weights=laws, weights="balanced")
    if distance == 0:
        assert abs(value) < 1e-12
    assume(distance > 1e-3)
    assert value > 1e-9


def test_th1_kernel_of_second_moments_cannot_tell_laws_with_equal_ones_apart():
    both_ways, one_way = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])
    assert rjsd(both_ways, one_way, kernel=Cosine()) == pytest.approx(0.0, abs=1e-14)
    assert rjsd(both_ways, one_way, kernel=Gaussian(1.0)) > 0.1


@given(SEEDS, SIZES, SIZES, entropies, SHARES, st.floats(0.05, 20))
def test_pr1_divergence_is_not_negative(seed, n, m, entropy, share, bandwidth):
    x, y = two_samples(seed, n, m)
    value = rjsd(x, y, kernel=Gaussian(bandwidth), entropy=entropy, weights=share)
    assert value >= -1e-12


@given(SEEDS, SIZES, entropies, SHARES)
def test_pr2_divergence_of_a_sample_to_itself_is_zero(seed, n, entropy, share):
    x, _ = two_samples(seed, n, 1)
    value = rjsd(x, x[::-1], kernel=Gaussian(1.0), entropy=entropy, weights=share)
    assert abs(value) < 1e-12


@given(SEEDS, SIZES, SIZES, entropies, SHARES)
def test_pr3_divergence_is_symmetric(seed, n, m, entropy, share):
    x, y = two_samples(seed, n, m)
    options = {"kernel": Gaussian(1.0), "entropy": entropy}
    assert rjsd(x, y, **options) == pytest.approx(rjsd(y, x, **options), abs=1e-12)
    swapped = rjsd(y, x, weights=1 - share, **options)
    assert rjsd(x, y, weights=share, **options) == pytest.approx(swapped, abs=1e-12)


@given(densities(3))
def test_pr5_root_of_the_divergence_obeys_the_triangle_inequality(triple):
    def distance(a, b):
        gap = quantum_jsd(a, b, 0.5, lambda c: float(spectral_sum(c, VonNeumann())))
        return math.sqrt(max(gap, 0.0))

    a, b, c = triple
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-7


def discrete_distance(order, first, second):
    codes = np.arange(len(first))
    options = {"kernel": samelaw.kernels.Categorical(), "entropy": PowerSeries(order)}
    gap = rjsd(codes, codes, weights="balanced", sample_weights=(first, second), **options)
    return math.sqrt(gap)


def through_the_middle(order, atoms):
    """√D_p from one atom to the uniform law on others, and the same by way of their mixture."""
    single = np.eye(atoms + 1)[0]
    others = np.append(0.0, np.full(atoms, 1 / atoms))
    middle = (single + others) / 2
    detour = discrete_distance(order, single, middle) + discrete_distance(order, middle, others)
    return discrete_distance(order, single, others), detour


def test_erratum_17_order_two_is_no_metric_after_taking_the_root():
    direct, detour = through_the_middle(order=2, atoms=4)
    assert direct == pytest.approx(0.6525, abs=5e-5)
    assert detour == pytest.approx(0.6490, abs=5e-5)


@pytest.mark.parametrize(
    ("order", "few", "start", "middle"),
    [
        (2, 1, 1.0, 0.6),
        (3, 1, 1.0, 1 / 3),
        (4, 2, 1.0, 0.36),
        (5, 3, 0.95, 0.27),
        (6, 5, 0.65, 0.18),
    ],
)
def test_erratum_17_small_orders_break_the_triangle_inequality(order, few, start, middle):
    """Three laws that differ in how much they put on a few atoms; the rest is on 1,000 others."""
    entropy = PowerSeries(order)

    def law_with(share):
        return np.concatenate([np.full(few, share / few), np.full(1000, (1 - share) / 1000)])

    def distance(a, b):
        first, second = law_with(a), law_with(b)
        return math.sqrt(entropy((first + second) / 2) - entropy(first) / 2 - entropy(second) / 2)

    assert distance(start, 0.0) > distance(start, middle) + distance(middle, 0.0) + 1e-6


@given(densities(4), SHARES, SHARES)
def test_pr6_divergence_is_jointly_convex(operators, share, blend):
    a, b, c, d = operators

    def gap(first, second):
        return quantum_jsd(first, second, share, lambda c: float(spectral_sum(c, VonNeumann())))

    mixed = gap(blend * a + (1 - blend) * b, blend * c + (1 - blend) * d)
    assert mixed <= blend * gap(a, c) + (1 - blend) * gap(b, d) + 1e-12


@given(SEEDS, SIZES, SIZES)
def test_pr6_looking_at_part_of_the_columns_lowers_the_divergence(seed, n, m):
    """Dropping a factor of the product kernel is a partial trace, so data processing applies."""
    x, y = two_samples(seed, n, m)
    joint = rjsd((x[:, :1], x[:, 1:]), (y[:, :1], y[:, 1:]), kernel=Gaussian(0.7) * Gaussian(0.7))
    assert rjsd(x[:, :1], y[:, :1], kernel=Gaussian(0.7)) <= joint + 1e-12


@given(finite_problems())
def test_pr6_coarser_features_lower_the_divergence(problem):
    """Multiplying the kernel by another one is a finer look at the same points."""
    finer = problem.kernel() * Gaussian(1.0)
    codes = np.arange(len(problem.first))
    value = rjsd(codes, codes, kernel=finer, sample_weights=(problem.first, problem.second))
    assert law(rjsd, problem) <= value + 1e-12
