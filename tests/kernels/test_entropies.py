"""Power series in the precisions and orders where the alternating sum would break down."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from samelaw import PowerSeries, VonNeumann, entropy
from samelaw.kernels.spectra import spectral_sum

SPECTRA = {
    "uniform": np.full(64, 1 / 64),
    "steep": np.exp2(-np.arange(1.0, 31)) / np.exp2(-np.arange(1.0, 31)).sum(),
    "one large": np.array([0.999, 0.0005, 0.0005]),
}


@cache
def exact(order, spectrum):
    """The series in whole fractions."""
    total = Fraction(0)
    for value in map(Fraction, spectrum):
        total += value * sum((1 - value) ** j / Fraction(j) for j in range(1, order + 1))
    return float(total)


@pytest.mark.parametrize("name", SPECTRA)
def test_order_ten_is_stable_in_single_precision(name, xp, to_xp):
    spectrum = SPECTRA[name].astype(np.float32)
    value = PowerSeries(10)(to_xp(spectrum))
    assert value.dtype == xp.float32
    assert float(value) == pytest.approx(exact(10, tuple(spectrum.tolist())), rel=2e-6)


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("order", [20, 21, 100])
def test_order_one_hundred_is_stable_in_double_precision(name, order, to_xp):
    value = PowerSeries(order)(to_xp(SPECTRA[name]))
    assert float(value) == pytest.approx(exact(order, tuple(SPECTRA[name].tolist())), rel=1e-13)


@pytest.mark.parametrize("order", range(1, 7))
def test_trace_route_is_stable_in_single_precision(order):
    x = np.random.default_rng(0).standard_normal((80, 2))
    double = entropy(x, entropy=PowerSeries(order))
    assert entropy(x.astype(np.float32), entropy=PowerSeries(order)) == pytest.approx(
        float(double), rel=2e-5
    )


def test_von_neumann_ignores_the_noise_of_a_rank_deficient_matrix():
    root = np.random.default_rng(0).standard_normal((200, 3))
    matrix = root @ root.T
    matrix /= np.trace(matrix)
    values = np.linalg.eigvalsh(root.T @ root / np.sum(root * root))
    expected = -np.sum(values * np.log(values))
    assert spectral_sum(matrix, VonNeumann()) == pytest.approx(expected, abs=1e-11)


def test_derivative_of_a_high_order_is_finite_and_tends_to_the_logarithm():
    values = np.array([0.05, 0.3, 0.9])
    np.testing.assert_allclose(
        PowerSeries(2000).derivative(values), VonNeumann().derivative(values), atol=1e-10
    )
    slope = PowerSeries(100).derivative(np.zeros(1))[0]
    assert slope == pytest.approx(math.fsum(1 / j for j in range(1, 101)))
