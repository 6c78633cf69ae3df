import numpy as np
import pytest
from scipy.special import eval_hermitenorm

from samelaw.divergence.witness import (
    SLAB,
    change_factors,
    hermite,
    sparse_witness,
    whitened_witness,
)


def test_hermite_functions_are_those_of_scipy_with_variance_one():
    z = np.linspace(-3, 3, 13)
    for order, found in zip((2, 3, 4), hermite(z), strict=True):
        factorial = float(np.prod(np.arange(1, order + 1)))
        assert np.allclose(found, eval_hermitenorm(order, z) / factorial**0.5)


@pytest.mark.parametrize("rows", [5.0, 60.0])
@pytest.mark.parametrize("difference", [0.02, 0.3, 1.0])
def test_the_sparse_witness_is_a_posterior_mean(rows, difference):
    """Spike at 0, slab N(0, SLAB), mean of n rows N(θ, 1/n): by integration on a grid."""
    share = 0.05
    grid = np.linspace(-4, 4, 40_001)
    slab = np.exp(-(grid**2) / (2 * SLAB)) / (2 * np.pi * SLAB) ** 0.5
    seen = np.exp(-rows * (difference - grid) ** 2 / 2)
    step = grid[1] - grid[0]
    spike = (1 - share) * np.exp(-rows * difference**2 / 2)
    mass = share * (slab * seen).sum() * step
    expected = share * (grid * slab * seen).sum() * step / (mass + spike)
    found = sparse_witness(np.array([difference]), np.array(rows), share)
    assert found[0] == pytest.approx(expected, rel=1e-6)


def test_the_whitened_witness_is_the_log_ratio_of_shifted_normals():
    """With all rows in the world θ = Σ⁻¹ Δ: the weights of log q/p of two such normals."""
    eigenvalues, difference = np.array([2.0, 0.5]), np.array([0.3, -0.2])
    found = whitened_witness(difference, eigenvalues, np.array(1e12))
    assert np.allclose(found, difference / eigenvalues)


def test_without_rows_there_is_no_witness():
    zero = np.array([[0.0], [10.0]])
    for found in (
        sparse_witness(np.ones((2, 3)), zero, 0.1),
        whitened_witness(np.ones((2, 3)), np.ones(3), zero),
    ):
        assert np.all(found[0] == 0)
        assert np.all(found[1] > 0)


@pytest.mark.parametrize("rows", [0.0, 30.0, 120.0])
def test_the_mean_of_a_bayes_factor_is_one_while_nothing_changes(rows):
    """Over means of n rows, N(0, 1/n): by integration on a grid."""
    z = np.linspace(-30, 30, 60_001)
    density = np.exp(-z * z / 2) / (2 * np.pi) ** 0.5
    factors = change_factors(z / max(rows, 1.0) ** 0.5, np.array(rows))
    assert (density * factors).sum() * (z[1] - z[0]) == pytest.approx(1.0, rel=0.01)


def test_a_change_beyond_doubt_overflows_nothing():
    for kind in (np.float32, np.float64):
        found = sparse_witness(np.array([50.0, 0.0], dtype=kind), np.array(480.0, dtype=kind), 0.01)
        assert found.tolist() == pytest.approx([50.0 * 48 / 49, 0.0])
