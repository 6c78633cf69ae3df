"""Kernels one by one: formulas, composition, refusals."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import samelaw
from samelaw import Gaussian, Laplace, rjsd
from samelaw.kernels import (
    Categorical,
    Cosine,
    Hamming,
    Matern,
    Mixture,
    Polynomial,
    Product,
    RationalQuadratic,
)
from samelaw.kernels.formulas import from_distances

X = np.random.default_rng(0).standard_normal((6, 3))
Y = np.random.default_rng(1).standard_normal((4, 3))
SQUARED, ROOT, CITY = (cdist(X, Y, name) for name in ("sqeuclidean", "euclidean", "cityblock"))
MATRIX = np.array([[1.0, 0.2, 0.0], [0.0, 0.8, 0.1], [0.3, 0.0, 1.5]])
VECTOR = np.array([1.0, 2.0, 3.0])
TURNED = cdist(X, Y, "mahalanobis", VI=np.linalg.inv(MATRIX @ MATRIX.T))
THREE, FIVE = math.sqrt(3) * ROOT, math.sqrt(5) * ROOT


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Gaussian(2.0), np.exp(-SQUARED / 8)),
        (Gaussian(VECTOR), np.exp(-cdist(X / VECTOR, Y / VECTOR, "sqeuclidean") / 2)),
        (Gaussian(MATRIX), np.exp(-(TURNED**2) / 2)),
        (Laplace(2.0), np.exp(-CITY / 2)),
        (Matern(2.0, 0.5), np.exp(-ROOT / 2)),
        (Matern(1.0, 1.5), (1 + THREE) * np.exp(-THREE)),
        (Matern(1.0, 2.5), (1 + FIVE + FIVE**2 / 3) * np.exp(-FIVE)),
        (RationalQuadratic(2.0, 3.0), (1 + SQUARED / 24) ** -3.0),
        (Cosine(), 1 - cdist(X, Y, "cosine")),
        (Polynomial(1, 1e-12), 1 - cdist(X, Y, "cosine")),
        (Hamming(2.0), np.exp(-3 / 2) * np.ones((6, 4))),
        (Categorical(), np.zeros((6, 4))),
        (Gaussian(1.0) * Laplace(2.0), np.exp(-SQUARED / 2 - CITY / 2)),
        (
            Mixture([Gaussian(1.0), Laplace(2.0)], [3, 1]),
            0.75 * np.exp(-SQUARED / 2) + 0.25 * np.exp(-CITY / 2),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_formula(kernel, expected):
    np.testing.assert_allclose(kernel(X, Y), expected, atol=1e-10)


def test_rational_quadratic_tends_to_the_gaussian():
    np.testing.assert_allclose(RationalQuadratic(1.0, 1e7)(X, Y), Gaussian(1.0)(X, Y), atol=1e-6)


def test_hamming_counts_columns_that_differ():
    codes = (
        np.array([[1.0, 2.0, 3.0]]),
        np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [0.0, 0.0, 0.0]]),
    )
    np.testing.assert_allclose(Hamming(2.0)(*codes), np.exp([[0.0, -0.5, -1.5]]))
    np.testing.assert_array_equal(Categorical()(*codes), [[1.0, 0.0, 0.0]])


def test_default_kernel_of_layers_has_one_factor_per_layer():
    pool = np.concatenate([X, Y])
    factors = [
        Gaussian(samelaw.kernels.median_bandwidth(part)) for part in (pool[:, :1], pool[:, 1:])
    ]
    layers = [(z[:, :1], z[:, 1:]) for z in (X, Y)]
    assert rjsd(*layers) == rjsd(*layers, kernel=Product(tuple(factors)))


def test_a_row_of_zeros_is_like_rows_of_zeros_only(to_xp, to_numpy):
    x = to_xp(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 0.0], [-6.0, -8.0]]))
    expected = [[1, 0, 1, 0], [0, 1, 0, -1], [1, 0, 1, 0], [0, -1, 0, 1]]
    np.testing.assert_allclose(to_numpy(Cosine()(x, x)), expected, atol=1e-15)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", [Gaussian, Laplace, Matern, RationalQuadratic])
@pytest.mark.parametrize("bandwidth", [1e-25, 1e-160, 1e-200, 1e-300])
def test_a_bandwidth_far_below_the_distances_tells_equal_rows_from_others(kernel, bandwidth, dtype):
    apart = np.array([[0.0, 1.0], [1e8, 0.0]], dtype)
    found = from_distances(kernel(bandwidth), apart, unit=1e10)
    np.testing.assert_allclose(found, np.eye(2), atol=1e-15)
    assert found.dtype == dtype
