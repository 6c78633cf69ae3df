"""Parameters of kernels: what is refused, and what stays in its precision."""

import math

import numpy as np
import pytest

from samelaw import Gaussian, Laplace
from samelaw.kernels import Matern, Polynomial, RationalQuadratic

X = np.random.default_rng(0).standard_normal((6, 3))


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
        kernel(X, X[:4])


def test_other_parameters_are_checked():
    with pytest.raises(ValueError, match=r"smoothness must be 0.5, 1.5 or 2.5, got 2"):
        Matern(1.0, 2)
    with pytest.raises(ValueError, match="shape must be positive"):
        RationalQuadratic(1.0, 0.0)
    with pytest.raises(ValueError, match="degree must be a whole number"):
        Polynomial(1.5)
    with pytest.raises(ValueError, match="offset must be positive"):
        Polynomial(2, -1.0)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64", "int64"])
def test_whole_numbers_of_any_library_are_parameters(dtype, to_xp, to_numpy):
    """The power of minus a shape without a sign was a huge one."""
    two, scale, x = to_xp(2, dtype), to_xp([[2, 1, 0], [0, 1, 0], [0, 0, 3]], dtype), to_xp(X)
    expected = RationalQuadratic(1.0, 2.0)(X, X), Gaussian(to_numpy(scale).astype(float))(X, X)
    found = RationalQuadratic(1.0, two)(x, x), Gaussian(scale)(x, x)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(to_numpy(one), other, atol=1e-12)
