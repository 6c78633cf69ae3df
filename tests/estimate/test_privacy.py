"""Noise for sums over rows: enough of it, from nowhere that can be found again."""

import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import kstest, norm

from samelaw.estimate.privacy import Budget, Noise, nearest_density, spent_delta, system_normals


def delta_by_definition(scale, epsilon):
    """∫ max(p − e^ε q, 0) for the two neighbours N(0, σ²) and N(1, σ²)."""

    def excess(x):
        return norm.pdf(x, 1, scale) - math.exp(epsilon) * norm.pdf(x, 0, scale)

    start = epsilon * scale**2 + 0.5  # where the first becomes likelier than e^ε times the other
    return quad(excess, start, start + 12 * scale, epsabs=1e-14, limit=200)[0]


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_the_noise_is_just_enough_by_the_definition(epsilon, delta):
    scale = Budget(epsilon, delta).scale
    assert spent_delta(scale, epsilon) <= delta
    assert spent_delta(scale * 0.999, epsilon) > delta
    assert delta_by_definition(scale, epsilon) == pytest.approx(delta, rel=1e-3, abs=1e-13)


def test_it_is_less_than_the_usual_formula_asks_for():
    usual = math.sqrt(2 * math.log(1.25 / 1e-6))  # for ε = 1, where it holds just so
    assert 0.75 < Budget(1.0, 1e-6).scale / usual < 0.85


@pytest.mark.parametrize("budget", [(0, 1e-6), (-1, 0.1), (1, 0), (1, 1), (math.nan, 0.1)])
def test_a_budget_that_is_none_is_refused(budget):
    with pytest.raises(ValueError, match="expected ε > 0 and δ between 0 and 1"):
        Budget(*budget)


def test_normal_numbers_are_normal_and_never_the_same(monkeypatch):
    drawn = system_normals(20_000)
    assert kstest(drawn, "norm").pvalue > 1e-4
    assert len(np.unique(drawn)) == 20_000
    assert not np.isin(drawn, system_normals(20_000)).any()
    monkeypatch.setattr(os, "urandom", lambda count: b"\0" * count)
    assert np.ptp(system_normals(3)) == 0.0  # nothing but the system's entropy is in them


@given(
    st.integers(1, 6), st.integers(1, 5), st.floats(0.1, 5.0), st.booleans(), st.integers(0, 2**32)
)
def test_one_row_moves_what_is_shown_by_no_more_than_the_noise_covers(d, k, epsilon, far, seed):
    """Whitened by the noise, replacing a row moves all sums together by at most 1 / scale."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, 2 * d))
    if far:
        second -= first * (first @ second) / (first @ first)  # orthogonal features: the worst
    first, second = first / np.linalg.norm(first), second / (np.linalg.norm(second) or 1.0)
    ranges = rng.uniform(0.1, 9.0, k)
    low, high = np.zeros(k), ranges
    coordinates = high - low if far else rng.uniform(low, high) - rng.uniform(low, high)
    budget = Budget(epsilon, 1e-6)
    noise = Noise.of(budget, ranges)
    change = np.outer(first, first) - np.outer(second, second)
    assert np.linalg.norm(change) <= math.sqrt(2.0) + 1e-12
    diagonal = np.diag(change) / noise.matrix
    beside = change[np.triu_indices(2 * d, 1)] / (noise.matrix / math.sqrt(2.0))
    moved = np.linalg.norm(np.concatenate([diagonal, beside, coordinates / noise.columns]))
    assert moved <= (1.0 + 1e-9) / budget.scale
    if far and d > 1:
        assert moved >= 0.99 / budget.scale  # and no noise is wasted


def test_noise_is_symmetric_and_of_the_law_it_says():
    noise = Noise.of(Budget(1.0, 1e-5), np.array([1.0, 4.0]))
    rng = np.random.default_rng(0)
    drawn = noise.matrices(rng.standard_normal((4_000, 10)), 4)
    assert np.array_equal(drawn, drawn.swapaxes(1, 2))
    assert drawn[:, 0, 0].std() == pytest.approx(noise.matrix, rel=0.05)
    assert drawn[:, 0, 1].std() == pytest.approx(noise.matrix / math.sqrt(2), rel=0.05)
    assert (drawn**2).sum((1, 2)).mean() / 50**2 == pytest.approx(noise.error(4, 50), rel=0.05)
    both = noise + noise
    assert both.matrix == pytest.approx(math.sqrt(2) * noise.matrix)
    assert both.columns == pytest.approx(math.sqrt(2) * noise.columns)
    assert both.budgets == noise.budgets * 2


def test_noise_and_chance_are_equal_where_the_documents_say():
    noise = Noise.of(Budget(1.0, 1e-6), np.ones(3))
    assert noise.error(32, 38_000) == pytest.approx(1 / 38_000, rel=0.02)


def test_what_is_shown_has_noise_and_no_digits_beyond_it():
    noise = Noise.of(Budget(1.0, 1e-5), np.ones(3))
    shown = [noise.added(np.full((4, 4), 1 / 3), np.full(3, 1 / 3)) for _ in range(2)]
    assert not np.isin(shown[0][0], shown[1][0]).any()
    assert not np.isin(shown[0][1], shown[1][1]).any()
    for total, sums in shown:
        assert np.array_equal(total * 2.0**20, np.round(total * 2.0**20))
        assert np.array_equal(sums * 2.0**20, np.round(sums * 2.0**20))


@given(st.integers(1, 6), st.floats(0.0, 3.0), st.integers(0, 2**32))
def test_the_nearest_density_is_one_and_none_is_nearer(size, apart, seed):
    rng = np.random.default_rng(seed)
    density = nearest_density(np.zeros((1, size, size)))[0]
    assert density == pytest.approx(np.eye(size) / size)
    matrix = rng.normal(size=(1, size, size)) * apart
    matrix = matrix + matrix.swapaxes(1, 2)
    (found,) = nearest_density(matrix)
    assert np.trace(found) == pytest.approx(1.0)
    assert np.linalg.eigvalsh(found).min() >= -1e-12
    assert nearest_density(found[None])[0] == pytest.approx(found, abs=1e-9)
    root = rng.normal(size=(size, size))
    other = root @ root.T / np.trace(root @ root.T)
    assert np.linalg.norm(matrix[0] - found) <= np.linalg.norm(matrix[0] - other) + 1e-9
