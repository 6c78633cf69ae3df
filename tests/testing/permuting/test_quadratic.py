"""Quadratic forms in the labels: values, and moments against full enumeration."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.quadratic import QuadraticForm, centre_all, symmetric_forms
from strategies import SEEDS


def of_signs(matrix, sizes):
    return QuadraticForm.of_signs(matrix, Labels.of_sizes(sizes))


def of_pairs(matrix, sizes):
    return QuadraticForm.of_pairs(matrix, Labels.of_sizes(sizes))


FORMS = {"V": of_signs, "U": of_pairs}
forms = pytest.mark.parametrize("form", FORMS)


def symmetric(size, seed=0, heavy=False):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_t(1.5, (size, size)) if heavy else rng.standard_normal((size, size))
    return matrix + matrix.T + rng.standard_normal()


def every_split(n, m):
    members = [np.isin(np.arange(n + m), chosen) for chosen in combinations(range(n + m), n)]
    return np.array(members, dtype=float)


def direct(matrix, member, form):
    """The statistic as one writes it on paper."""
    x, y = np.flatnonzero(member > 0), np.flatnonzero(member == 0)
    n, m = len(x), len(y)
    within_x, within_y = matrix[np.ix_(x, x)], matrix[np.ix_(y, y)]
    across = matrix[np.ix_(x, y)].mean()
    if form == "V":
        return within_x.mean() + within_y.mean() - 2 * across
    pairs_x = (within_x.sum() - np.trace(within_x)) / (n * (n - 1))
    pairs_y = (within_y.sum() - np.trace(within_y)) / (m * (m - 1))
    return pairs_x + pairs_y - 2 * across


@forms
@given(n=st.integers(2, 9), m=st.integers(2, 9), seed=SEEDS)
def test_values_are_those_of_the_direct_formula(form, n, m, seed):
    matrix = symmetric(n + m, seed)
    rng = np.random.default_rng(seed)
    members = rng.permuted(np.tile(np.arange(n + m) < n, (5, 1)), axis=1).astype(float)
    values = FORMS[form](matrix.copy(), (n, m)).evaluate(members)
    np.testing.assert_allclose(values, [direct(matrix, s, form) for s in members], atol=1e-9)


@forms
@given(
    sizes=st.sampled_from([(2, 2), (2, 3), (3, 2), (4, 4), (2, 9), (9, 2), (3, 7), (2, 14)]),
    seed=SEEDS,
    heavy=st.booleans(),
)
def test_mean_and_variance_are_those_of_all_relabellings(form, sizes, seed, heavy):
    quadratic = FORMS[form](symmetric(sum(sizes), seed, heavy), sizes)
    values = quadratic.evaluate(every_split(*sizes))
    mean, variance = quadratic.moments()
    size = np.abs(values).max()
    assert mean == pytest.approx(values.mean(), abs=1e-9 * size)
    assert variance == pytest.approx(values.var(), rel=1e-7, abs=1e-9 * size**2)


@pytest.mark.parametrize("sizes", [(2, 30), (5, 40), (12, 12)])
def test_the_unbiased_form_has_mean_zero_over_relabellings(sizes):
    mean, variance = of_pairs(symmetric(sum(sizes)), sizes).moments()
    assert mean == pytest.approx(0.0, abs=1e-12)
    assert variance > 0


@pytest.mark.parametrize(
    "bandwidth", [1.0, *(pytest.param(width, marks=pytest.mark.long) for width in (0.3, 4.0))]
)
def test_skewness_is_near_that_of_all_relabellings(bandwidth):
    points = np.random.default_rng(0).standard_normal((16, 2))
    gaps = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    quadratic = of_signs(np.exp(-gaps / (2 * bandwidth**2)), (8, 8))
    values = quadratic.evaluate(every_split(8, 8))
    enumerated = np.mean((values - values.mean()) ** 3) / values.std() ** 3
    found = quadratic.skewness(np.random.default_rng(1).standard_normal((16, 16)))
    assert found > 0
    # that of the same form in normal variables: larger, since labels have no tails
    assert 0.45 * found < enumerated < 1.15 * found


def test_skewness_of_a_rank_one_form_is_that_of_chi_squared():
    direction = np.random.default_rng(0).standard_normal(400)
    quadratic = of_signs(np.outer(direction, direction), (200, 200))
    start = np.random.default_rng(1).standard_normal((400, 4))
    assert quadratic.skewness(start) == pytest.approx(np.sqrt(8.0), rel=1e-6)


@forms
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_constant_matrix_gives_zeros(form, dtype):
    quadratic = FORMS[form](np.full((60, 60), 0.7, dtype=dtype), (20, 40))
    members = np.random.default_rng(0).permuted(np.tile(np.arange(60) < 20, (9, 1)), axis=1)
    np.testing.assert_allclose(quadratic.evaluate(members.astype(dtype)), 0.0, atol=1e-6)
    assert quadratic.moments()[1] == 0.0


@forms
def test_single_precision_is_close_to_double(form):
    points = np.random.default_rng(0).standard_normal((90, 2))
    gram = np.exp(-np.sum((points[:, None] - points[None]) ** 2, axis=2))
    members = np.random.default_rng(1).permuted(np.tile(np.arange(90) < 30, (50, 1)), axis=1)
    exact = FORMS[form](gram.copy(), (30, 60))
    single = FORMS[form](gram.astype(np.float32), (30, 60))
    deviation = np.sqrt(exact.moments()[1])
    gaps = exact.evaluate(members.astype(float)) - single.evaluate(members.astype(np.float32))
    assert np.abs(gaps).max() < 1e-4 * deviation
    np.testing.assert_allclose(single.moments(), exact.moments(), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_half_a_product_gives_the_whole_form(dtype):
    matrix = symmetric(70).astype(dtype)
    members = (np.random.default_rng(1).random((33, 70)) < 0.4).astype(dtype)
    plain = np.einsum("bi,ij,bj->b", *(a.astype(float) for a in (members, matrix, members)))
    accuracy = 1e-10 if dtype == "float64" else 1e-3
    np.testing.assert_allclose(symmetric_forms(matrix, members), plain, atol=accuracy)


def test_centring_takes_out_all_that_no_relabelling_changes():
    matrix = symmetric(20)
    holder = np.eye(20) - 1 / 20
    rest, own = centre_all(matrix.copy())
    np.testing.assert_allclose(rest + own * holder, holder @ matrix @ holder, atol=1e-12)
    assert np.trace(rest) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(150, 150), (200, 60), (3, 500)])
def test_rows_that_are_all_equally_far_apart_have_no_spread(sizes, dtype):
    """One-hot rows: what is left of their differences is rounding, and says nothing."""
    count = sum(sizes)
    last_digit = np.finfo(dtype).eps * np.random.default_rng(0).integers(-2, 3, (count, count))
    matrix = (0.135 * (1.0 + (last_digit + last_digit.T) / 2)).astype(dtype)
    np.fill_diagonal(matrix, 1.0)
    assert of_signs(matrix, sizes).moments()[1] == 0.0


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_small_spread_that_is_no_rounding_counts(size):
    points = np.random.default_rng(0).standard_normal((300, 1))
    matrix = (size * (1.0 + 1e-3 * points * points.T)).astype(np.float32)
    assert of_signs(matrix, (150, 150)).moments()[1] > 0.0


STRATA = {
    "two": np.repeat([0, 1], [5, 4]),
    "pairs": np.repeat(np.arange(4), 2),
    "mixed": np.repeat(np.arange(3), [2, 3, 4]),
    "one-sided": np.repeat(np.arange(3), [4, 1, 3]),
}


def every_within(labels):
    """All memberships with as many ones in every stratum."""
    total = len(labels.observed)
    members = every_split(int(labels.observed.sum()), total - int(labels.observed.sum()))
    own = np.array([labels.strata == code for code in range(labels.strata.max() + 1)], int)
    wanted = own @ labels.observed
    return members[(members @ own.T == wanted).all(axis=1)]


@pytest.mark.parametrize("strata", STRATA)
@given(seed=SEEDS)
def test_strata_have_the_mean_and_variance_of_all_their_relabellings(strata, seed):
    codes = STRATA[strata]
    observed = np.random.default_rng(seed).random(len(codes)) < 0.5
    observed[:2] = True, False
    labels = Labels(observed, codes)
    quadratic = QuadraticForm.of_signs(symmetric(len(codes), seed), labels)
    values = quadratic.evaluate(every_within(labels))
    mean, variance = quadratic.moments()
    size = np.abs(values).max()
    assert mean == pytest.approx(values.mean(), abs=1e-9 * size)
    assert variance == pytest.approx(values.var(), rel=1e-7, abs=1e-9 * size**2)


def test_strata_are_weighted_by_how_much_they_tell():
    """Σ_g w_g (mean over X − mean over Y), w_g = n_g m_g/(n_g + m_g), seen through the kernel."""
    codes = np.repeat(np.arange(3), [6, 5, 4])
    labels = Labels(np.array([1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0], dtype=bool), codes)
    matrix = symmetric(15)
    signs, total = np.zeros(15), 0.0
    for code in range(3):
        first = (codes == code) & labels.observed
        second = (codes == code) & ~labels.observed
        weight = first.sum() * second.sum() / (first.sum() + second.sum())
        signs += weight * (first / first.sum() - second / second.sum())
        total += weight
    expected = signs @ matrix @ signs / total**2
    found = QuadraticForm.of_signs(matrix.copy(), labels).evaluate(labels.observed[None] * 1.0)
    assert found[0] == pytest.approx(expected)


def test_the_unbiased_form_needs_two_rows_on_each_side():
    with pytest.raises(ValueError, match="at least two rows in each sample"):
        of_pairs(symmetric(5), (1, 4))
