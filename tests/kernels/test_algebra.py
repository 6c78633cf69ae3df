"""Kernels made of others: products, mixtures, of some columns, of a matrix."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import samelaw
from samelaw import Gaussian, Laplace, rjsd
from samelaw.kernels import Columns, Matern, Mixture, Precomputed, Product

X = np.random.default_rng(0).standard_normal((6, 3))
Y = np.random.default_rng(1).standard_normal((4, 3))


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


@pytest.mark.parametrize("columns", [[3], [-1], [1e30]])
def test_columns_that_are_not_there_are_refused(columns):
    with pytest.raises(ValueError, match=r"columns \[.*\] of a sample that has 3"):
        Columns(Gaussian(1.0), columns)(X, Y)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int8"])
def test_columns_are_whole_numbers_of_any_library(dtype, to_xp):
    kernel = Columns(Gaussian(1.0), to_xp(np.array([0, 2]), dtype))
    np.testing.assert_array_equal(kernel(X, Y), Columns(Gaussian(1.0), [0, 2])(X, Y))
    with pytest.raises(ValueError, match=r"columns \[0, 2\] of a sample that has 2"):
        kernel(X[:, :2], Y[:, :2])


def test_product_over_layers_is_the_hadamard_product(to_xp, to_numpy):
    """DA1: the i-th factor sees the i-th layer."""
    x, y = (tuple(to_xp(part) for part in (z[:, :1], z[:, 1:])) for z in (X, Y))
    kernel = Gaussian(1.0) * Laplace(2.0)
    expected = Gaussian(1.0)(X[:, :1], Y[:, :1]) * Laplace(2.0)(X[:, 1:], Y[:, 1:])
    np.testing.assert_allclose(to_numpy(kernel(x, y)), expected, atol=1e-14)
    split = rjsd(x, y, kernel=Gaussian(1.0) * Gaussian(1.0))
    assert float(split) == pytest.approx(float(rjsd(X, Y, kernel=Gaussian(1.0))), abs=1e-12)


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
