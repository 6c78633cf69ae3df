import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from samelaw.tables.columns.scales import TAME, median, monotone, ranks

RNG = np.random.default_rng(0)


def test_the_coordinate_is_the_mean_of_rank_and_tamed_value():
    values = RNG.normal(3.0, 2.0, 999)
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="midpoint")
    scaled = (values - middle) / ((high - low) / 1.349)
    places = (2 * rankdata(values) - 1) / len(values) - 1
    expected = (places + TAME * np.arcsinh(scaled)) / 2
    np.testing.assert_allclose(monotone(values), expected, atol=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=4000),
        RNG.uniform(size=4000),
        RNG.lognormal(0, 0.5, size=4000),
        RNG.poisson(4.0, 4000).astype(float),
    ],
    ids=["normal", "uniform", "lognormal", "poisson"],
)
def test_numeric_columns_count_about_equally(values):
    z = monotone(values)
    assert np.mean(np.abs(z - RNG.permutation(z))) == pytest.approx(2 / 3, abs=0.1)


@pytest.mark.parametrize(
    "values",
    [
        [0.0] * 98 + [1.0, 2.0],  # IQR = 0
        [1e308, -1e308, 0.0, 1.0],
        [np.inf, -np.inf, 0.0, 1.0],
        [np.inf, np.inf, -np.inf],
        [5e-324, 0.0, 1.0],
        [1e-300, 2e-300, 3e-300],
        [2.5],
        [2.5, np.nan],
        [-np.inf, np.inf],
    ],
)
def test_awkward_numbers_stay_finite_and_in_order(values):
    values = np.array(values)
    z = monotone(values)
    assert np.isfinite(z).all()
    known = ~np.isnan(values)
    assert (z[~known] == 0).all()
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(z[known][order]) >= 0).all()
    assert len(np.unique(z[known])) == len(np.unique(values[known]))


@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=40))
def test_any_numbers_give_finite_ordered_coordinates(values):
    values = np.array(values)
    if np.isnan(values).all():
        return
    z = monotone(values)
    assert np.isfinite(z).all()
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    assert (np.diff(z[known][order]) >= 0).all()


@given(st.lists(st.one_of(st.just(np.nan), st.integers(-3, 3).map(float)), max_size=30))
def test_ranks_are_mid_ranks_of_the_known_values(values):
    values = np.array([*values, 0.0])  # a column without any value is never compared
    known = ~np.isnan(values)
    found = ranks(values)
    np.testing.assert_array_equal(np.isnan(found), ~known)
    expected = (rankdata(values[known]) - 0.5) / known.sum()
    np.testing.assert_allclose(found[known], expected, atol=1e-12)


def test_the_median_of_huge_values_stays_in_range():
    assert median(np.array([1.7e308, 1.7e308])) == 1.7e308
    assert median(np.array([1.0, 2.0, 4.0, 8.0])) == 3.0
