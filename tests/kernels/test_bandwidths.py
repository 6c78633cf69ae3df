"""Bandwidth rules: symmetric, equivariant, positive."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from samelaw import Gaussian, rjsd
from samelaw.kernels import mean_bandwidth, median_bandwidth, quantile_bandwidths
from samelaw.kernels.bandwidths import PAPER_QUANTILES
from strategies import SEEDS

RULES = {
    "median": median_bandwidth,
    "mean": mean_bandwidth,
    "quantiles": quantile_bandwidths,
}
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
metrics = pytest.mark.parametrize("metric", ["euclidean", "cityblock"])


def points(n, d=2, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@metrics
def test_rules_are_what_their_names_say(metric, to_xp):
    apart = pdist(points(20), metric)
    pool = to_xp(points(20))
    assert median_bandwidth(pool, metric=metric) == pytest.approx(np.median(apart))
    assert mean_bandwidth(pool, metric=metric) == pytest.approx(apart.mean())
    grid = quantile_bandwidths(pool, metric=metric)
    np.testing.assert_allclose(grid, np.quantile(apart, PAPER_QUANTILES))
    assert isinstance(grid, np.ndarray)


def test_grid_of_the_paper_has_ten_quantiles():
    np.testing.assert_allclose(PAPER_QUANTILES, np.arange(5, 100, 10) / 100)


@rules
@metrics
@given(scale=st.floats(1e-6, 1e6), seed=SEEDS)
def test_rule_scales_with_the_data(rule, metric, scale, seed):
    pool = points(9, seed=seed)
    scaled = rule(pool * scale, metric=metric)
    np.testing.assert_allclose(scaled, np.multiply(scale, rule(pool, metric=metric)), rtol=1e-9)


@rules
@metrics
def test_rule_ignores_where_the_data_are(rule, metric):
    pool = points(30)
    np.testing.assert_allclose(
        rule(pool + 1e6, metric=metric), rule(pool, metric=metric), rtol=1e-7
    )


@rules
@pytest.mark.parametrize("n", [30, 2500])
def test_rule_ignores_the_order_of_the_rows(rule, n):
    pool = points(n)
    shuffled = pool[np.random.default_rng(1).permutation(n)]
    np.testing.assert_allclose(rule(shuffled), rule(pool), rtol=1e-12)


@rules
@pytest.mark.parametrize(
    "pool",
    [np.ones((5, 3)), np.zeros((1, 2)), np.full((4, 1), 1e6)],
    ids=["constant", "one row", "constant and far"],
)
def test_constant_data_get_a_bandwidth_of_one(rule, pool):
    np.testing.assert_array_equal(rule(pool), np.ones_like(rule(pool)))


@rules
def test_duplicated_points_get_a_positive_bandwidth(rule):
    pool = np.repeat([0.0, 3.0], [50, 2])[:, None]
    assert np.all(np.asarray(rule(pool)) > 0)
    assert median_bandwidth(pool) == 3.0


def test_constant_column_changes_nothing():
    pool = points(12)
    padded = np.concatenate([pool, np.full((12, 1), 1e5)], axis=1)
    assert median_bandwidth(padded) == pytest.approx(median_bandwidth(pool), rel=1e-9)


def test_large_pools_are_thinned_without_much_change():
    pool = points(4000)
    assert median_bandwidth(pool) == pytest.approx(np.median(pdist(pool)), rel=0.03)


def test_pool_is_checked_like_any_sample():
    with pytest.raises(ValueError, match="pool holds 1 value"):
        median_bandwidth(np.array([[0.0], [np.nan], [1.0]]))
    assert median_bandwidth([0.0, 1.0, 3.0]) == 2.0


def test_default_kernel_is_gaussian_at_the_median_of_the_pool(to_xp):
    x, y = points(9), points(9, seed=1) + 1  # of one size: JAX compiles every shape anew
    kernel = Gaussian(median_bandwidth(np.concatenate([x, y])))
    value = rjsd(to_xp(x), to_xp(y))
    assert float(value) == pytest.approx(float(rjsd(x, y, kernel=kernel)), abs=1e-12)


def test_default_kernel_in_single_precision_stays_single():
    x = points(12).astype(np.float32)
    assert rjsd(x, x + np.float32(1)).dtype == np.float32
