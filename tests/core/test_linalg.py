"""Routes to the same number: moments and eigenvalues; distances."""

import numpy as np
import pytest

from samelaw import Gaussian, PowerSeries, Renyi, rjsd
from samelaw.core import linalg
from samelaw.kernels import Matern, RationalQuadratic, Tsallis, spectra


def points(n, d=2, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def density(n, seed=0):
    x = points(n, seed=seed)
    return Gaussian(1.0)(x, x) / n


@pytest.mark.parametrize("degree", range(1, 13))
def test_trace_moments_are_power_sums_of_the_eigenvalues(degree, to_xp):
    matrix = density(9)
    values = np.linalg.eigvalsh(matrix)
    moments = [float(m) for m in linalg.trace_moments(to_xp(matrix), degree)]
    expected = [np.sum(values**k) for k in range(1, degree + 1)]
    np.testing.assert_allclose(moments, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "entropy",
    [
        *map(PowerSeries, range(1, 13)),
        *map(Renyi, range(2, 7)),
        *map(Tsallis, range(2, 7)),
    ],
    ids=repr,
)
def test_cheapest_route_gives_the_value_of_the_eigenvalues(entropy, to_xp):
    matrix = density(9)
    expected = float(entropy(np.linalg.eigvalsh(matrix)))
    assert float(spectra.spectral_sum(to_xp(matrix), entropy)) == pytest.approx(expected, abs=1e-12)


def test_squared_distances_keep_their_digits_far_from_the_origin(to_xp, to_numpy):
    x, y = points(7), points(5, seed=1)
    expected = np.sum((x[:, None] - y[None]) ** 2, axis=2)
    moved = linalg.squared_distances(to_xp(x + 1e6), to_xp(y + 1e6))
    np.testing.assert_allclose(to_numpy(moved), expected, rtol=1e-7)


@pytest.mark.parametrize(("dtype", "far"), [("float64", 1e12), ("float32", 1e6)])
def test_one_row_far_out_takes_no_digits_of_the_others(dtype, far, to_xp, to_numpy):
    x = points(40).astype(dtype)
    x[7] *= far
    own = to_numpy(linalg.squared_distances(to_xp(x, dtype), to_xp(x, dtype)))
    others = np.arange(40) != 7
    expected = np.sum((x[:, None] - x[None]).astype(float) ** 2, axis=2)
    np.testing.assert_allclose(
        own[np.ix_(others, others)], expected[np.ix_(others, others)], atol=1e-5
    )
    np.testing.assert_allclose(own[7, others], expected[7, others], rtol=1e-5)


def test_squared_distance_of_a_point_to_itself_is_exactly_zero(to_xp, to_numpy):
    x = to_xp(points(50, d=7) + 100)
    assert np.all(np.diagonal(to_numpy(linalg.squared_distances(x, x))) == 0.0)


def test_city_block_distances(to_xp, to_numpy):
    x, y = points(7, d=3), points(5, d=3, seed=1)
    expected = np.abs(x[:, None] - y[None]).sum(axis=2)
    value = linalg.city_block_distances(to_xp(x), to_xp(y))
    np.testing.assert_allclose(to_numpy(value), expected, atol=1e-14)


@pytest.mark.parametrize("kept", [0, 3], ids=["indicators", "numbers too"])
def test_city_block_distances_of_indicators(to_xp, to_numpy, kept):
    """Columns of two values, of which most are as far apart; a row is at zero from itself."""
    rng = np.random.default_rng(0)
    gaps = np.array([0.1, 0.1, 0.7, 0.1, 0.1, 0.1])
    rows = np.concatenate([gaps * rng.integers(0, 2, (40, 6)) - 3.0, points(40, d=3)[:, :kept]], 1)
    expected = np.abs(rows[:, None] - rows[None, :25]).sum(axis=2)
    value = to_numpy(linalg.city_block_distances(to_xp(rows), to_xp(rows[:25])))
    np.testing.assert_allclose(value, expected, atol=1e-14)
    assert not value[np.arange(25), np.arange(25)].any()


def test_mismatches_count_columns(to_xp, to_numpy):
    x, y = (np.random.default_rng(s).integers(0, 2, (6, 4)).astype(float) for s in (0, 1))
    expected = (x[:, None] != y[None]).sum(axis=2)
    np.testing.assert_array_equal(to_numpy(linalg.mismatches(to_xp(x), to_xp(y))), expected)


def test_only_entropies_of_degree_two_are_quadratic():
    assert spectra.is_quadratic(PowerSeries(1))
    assert spectra.is_quadratic(Tsallis(2))
    assert not spectra.is_quadratic(PowerSeries(2))
    assert not spectra.is_quadratic(Renyi(1.5))


def test_eigensystem_is_clipped_and_rebuilds_the_matrix(to_xp, to_numpy):
    rank_one = np.ones((5, 5)) / 5
    values, vectors = (to_numpy(part) for part in linalg.eigensystem(to_xp(rank_one)))
    assert values.min() >= 0.0
    np.testing.assert_allclose((vectors * values) @ vectors.T, rank_one, atol=1e-14)


def test_kernel_values_whose_squares_are_subnormal_are_zero():
    exponents = -np.linspace(0.0, 1500.0, 4_001, dtype=np.float32)
    found = linalg.exp_of_fresh(exponents.copy())
    squares, least = found * found, np.finfo(np.float32).tiny
    assert not np.any((squares > 0) & (squares < least))
    np.testing.assert_allclose(found, np.exp(exponents), atol=float(least) ** 0.5)


@pytest.mark.parametrize("size", [1e17, 1e20, 1e38])
def test_rows_far_beyond_their_precision_are_far_apart_and_no_nan(size, to_xp, to_numpy):
    rows = np.array([[1.0, 0.0], [-1.0, 0.5], [1.0, 0.0]]) * size
    x = to_xp(rows, "float32")
    apart = to_numpy(linalg.squared_distances(x, x)).astype(float)
    most = float(np.finfo(np.float32).max)
    expected = np.minimum([4.25 * float(size) ** 2, 0.0], most / 32)
    np.testing.assert_allclose(apart[0], [0.0, *expected], rtol=1e-6)
    for kernel in (Gaussian(1.0), Matern(1.0, 2.5), RationalQuadratic(1.0)):
        np.testing.assert_array_equal(
            to_numpy(kernel.similarities(x, x))[0] > 0.5, [True, False, True]
        )


@pytest.mark.filterwarnings("error")
def test_a_narrow_kernel_of_large_numbers_gives_a_number(to_xp):
    x, y = (to_xp(np.random.default_rng(i).normal(size=(9, 2)) * 1e10, "float32") for i in (0, 1))
    assert 0.6 < float(rjsd(x, y, kernel=Gaussian(1e-12))) <= np.log(2) + 1e-6
