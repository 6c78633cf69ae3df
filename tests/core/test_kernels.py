"""Kernels one by one: formulas, composition, refusals."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import samelaw
from samelaw import Gaussian, Laplace, rjsd
from samelaw.kernels import (
    Categorical,
    Columns,
    Cosine,
    Hamming,
    Matern,
    Mixture,
    Polynomial,
    Precomputed,
    Product,
    RationalQuadratic,
)

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


def test_numpy_number_as_bandwidth_keeps_single_precision():
    """Quantiles come out as numpy doubles, which would widen everything they touch."""
    single = X.astype(np.float32)
    for cls in (Gaussian, Laplace, Matern, RationalQuadratic):
        assert cls(np.float64(2.0))(single, single).dtype == np.float32


@pytest.mark.parametrize("cls", [Gaussian, Laplace, Matern, RationalQuadratic])
@pytest.mark.parametrize("bandwidth", [0.0, -1.0, math.nan, math.inf, "wide", None, 1j, [1.0, 0.0]])
def test_bandwidth_must_be_positive_and_finite(cls, bandwidth):
    with pytest.raises(ValueError, match="bandwidth must be positive and finite"):
        cls(bandwidth)


@pytest.mark.parametrize(
    ("bandwidth", "message"),
    [
        (np.ones((2, 3)), r"must be square, got \(2, 3\)"),
        (np.ones((2, 2)), "must be finite and invertible"),
        (np.full((2, 2), np.nan), "bandwidth must be finite"),
        (np.ones((2, 2, 2)), "bandwidth has 3 dimensions"),
    ],
)
def test_bandwidth_matrix_must_be_square_and_invertible(bandwidth, message):
    with pytest.raises(ValueError, match=message):
        Gaussian(bandwidth)


def test_bandwidth_matrix_is_for_the_gaussian_only():
    with pytest.raises(ValueError, match="bandwidth has 2 dimensions, at most 1"):
        Laplace(np.eye(3))


@pytest.mark.parametrize("kernel", [Gaussian(np.ones(2)), Laplace(np.ones(2)), Gaussian(np.eye(2))])
def test_bandwidth_for_other_columns_is_refused(kernel):
    with pytest.raises(ValueError, match="the bandwidth is for 2 columns, the sample has 3"):
        kernel(X, Y)


def test_other_parameters_are_checked():
    with pytest.raises(ValueError, match=r"smoothness must be 0.5, 1.5 or 2.5, got 2"):
        Matern(1.0, 2)
    with pytest.raises(ValueError, match="shape must be positive"):
        RationalQuadratic(1.0, 0.0)
    with pytest.raises(ValueError, match="degree must be a whole number"):
        Polynomial(1.5)
    with pytest.raises(ValueError, match="offset must be positive"):
        Polynomial(2, -1.0)


def test_direction_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"y holds a row of zeros.*drop such rows"):
        Cosine()(X, np.zeros((2, 3)))


def test_hamming_counts_columns_that_differ():
    codes = (
        np.array([[1.0, 2.0, 3.0]]),
        np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 4.0], [0.0, 0.0, 0.0]]),
    )
    np.testing.assert_allclose(Hamming(2.0)(*codes), np.exp([[0.0, -0.5, -1.5]]))
    np.testing.assert_array_equal(Categorical()(*codes), [[1.0, 0.0, 0.0]])


def test_precomputed_matrix_gives_what_the_kernel_gives(to_xp):
    pool = np.concatenate([X, Y])
    matrix = 3.0 * Gaussian(1.0)(pool, pool)  # scaled back to ones on the diagonal
    kernel = Precomputed(to_xp(matrix))
    codes = to_xp(np.arange(6)), to_xp(np.arange(6, 10))
    for entropy in (samelaw.VonNeumann(), samelaw.PowerSeries(1)):
        expected = rjsd(X, Y, kernel=Gaussian(1.0), entropy=entropy)
        value = rjsd(*codes, kernel=kernel, entropy=entropy)
        assert float(value) == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("rows", [[0, 3], [-1, 0], [0.5, 1]])
def test_row_numbers_outside_the_gram_matrix_are_refused(rows):
    with pytest.raises(ValueError, match="row numbers, whole numbers from 0 to 2"):
        rjsd(rows, [1], kernel=Precomputed(np.eye(3)))


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        ([[1.0]], TypeError, "a Gram matrix is an array, got list"),
        (np.ones((2, 3)), ValueError, r"a Gram matrix is square, got shape \(2, 3\)"),
        (np.zeros((2, 2)), ValueError, "diagonal of a Gram matrix must be positive"),
        (np.array([[1.0, 0.5], [0.0, 1.0]]), ValueError, "must be symmetric"),
    ],
)
def test_matrix_that_is_no_gram_matrix_is_refused(matrix, error, message):
    with pytest.raises(error, match=message):
        Precomputed(matrix)


def test_columns_of_a_table_multiply_to_the_kernel_of_the_table():
    kernel = Columns(Gaussian(1.0), [0, 1]) * Columns(Gaussian(1.0), [2])
    np.testing.assert_allclose(kernel(X, Y), Gaussian(1.0)(X, Y), atol=1e-14)


@pytest.mark.parametrize("columns", [[3], [-1]])
def test_columns_that_are_not_there_are_refused(columns):
    with pytest.raises(ValueError, match=r"columns \[.*\] of a sample that has 3"):
        Columns(Gaussian(1.0), columns)(X, Y)


def test_product_over_layers_is_the_hadamard_product(to_xp, to_numpy):
    """DA1: the i-th factor sees the i-th layer."""
    x, y = (tuple(to_xp(part) for part in (z[:, :1], z[:, 1:])) for z in (X, Y))
    kernel = Gaussian(1.0) * Laplace(2.0)
    expected = Gaussian(1.0)(X[:, :1], Y[:, :1]) * Laplace(2.0)(X[:, 1:], Y[:, 1:])
    np.testing.assert_allclose(to_numpy(kernel(x, y)), expected, atol=1e-14)
    split = rjsd(x, y, kernel=Gaussian(1.0) * Gaussian(1.0))
    assert float(split) == pytest.approx(float(rjsd(X, Y, kernel=Gaussian(1.0))), abs=1e-12)


def test_default_kernel_of_layers_has_one_factor_per_layer():
    pool = np.concatenate([X, Y])
    factors = [
        Gaussian(samelaw.bandwidths.median_bandwidth(part)) for part in (pool[:, :1], pool[:, 1:])
    ]
    layers = [(z[:, :1], z[:, 1:]) for z in (X, Y)]
    assert rjsd(*layers) == rjsd(*layers, kernel=Product(tuple(factors)))


def test_products_flatten():
    assert len((Gaussian(1.0) * Laplace(1.0) * Matern(1.0)).kernels) == 3


def test_empty_and_crooked_compositions_are_refused():
    with pytest.raises(ValueError, match="a product needs at least one kernel"):
        Product(())
    with pytest.raises(ValueError, match="a mixture needs at least one kernel"):
        Mixture([])
    for weights in ([1.0], [1.0, -1.0], [0.0, 0.0]):
        with pytest.raises(ValueError, match="expected 2 non-negative weights"):
            Mixture([Gaussian(1.0), Gaussian(2.0)], weights)


def test_any_callable_may_be_a_kernel():
    value = rjsd(X, Y, kernel=lambda a, b: np.exp(-cdist(a, b, "sqeuclidean") / 2))
    assert value == pytest.approx(float(rjsd(X, Y, kernel=Gaussian(1.0))), abs=1e-12)
