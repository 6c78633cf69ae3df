"""Choices that decide about level and power: each test fails when one of them is made otherwise."""

import re

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import pdist

from levels import check, runs_to_see
from samelaw import Exact, Fuse, Gaussian, Laplace, compare, two_sample_test
from samelaw.kernels import (
    GeometricGrid,
    KernelCollection,
    Matern,
    RationalQuadratic,
    draw_frequencies,
)
from samelaw.testing import KernelGroup


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


@pytest.mark.long
def test_many_statistics_and_few_relabellings_keep_the_level():
    """Scaled by the permuted values alone, the observed one would stick out: .45, not .2."""
    strategy = Fuse([KernelGroup(KernelCollection(grid=GeometricGrid(5)), (1, 4))])
    rng, level, alarms = np.random.default_rng(0), 0.2, 0
    runs = runs_to_see(0.45, level, power=0.99)
    for _ in range(runs):
        x, y = rng.standard_normal((2, 12, 2))
        found = two_sample_test(x, y, strategy=strategy, permutations=4, level=level, rng=rng)
        alarms += found.reject
    check(alarms, runs, level)


def value(sections, x, y):
    return two_sample_test(x, y, strategy=Fuse(sections), permutations=19, rng=0).statistic


def test_a_penalty_is_taken_off_the_standardised_statistic():
    x, y = samples()
    wide, narrow = (
        lambda penalty=0.0: KernelGroup([Gaussian(4.0)], (10,), penalty),
        lambda penalty=0.0: KernelGroup([Gaussian(0.5)], (1,), penalty),
    )
    first, second = value([wide()], x, y), value([narrow()], x, y)
    assert value([wide(0.3)], x, y) == pytest.approx(first - 0.3)
    assert value([wide(), narrow()], x, y) == pytest.approx(max(first, second))
    behind = abs(first - second) + 0.1  # enough for the louder one to lose
    louder, other = (wide, narrow) if first > second else (narrow, wide)
    assert value([louder(behind), other()], x, y) == pytest.approx(min(first, second))


def test_the_default_looks_at_the_distance_of_near_neighbours():
    x, y = samples(40, 30)
    pool = np.concatenate([x, y])
    near = np.quantile(pdist(pool), 0.05)
    components = two_sample_test(x, y, permutations=19, rng=0).components
    found = [re.match(r"Gaussian\((.*)\), order 1$", c["name"]) for c in components]
    widths = sorted(float(match[1]) for match in found if match)
    assert widths == pytest.approx([0.7 * near, 1.4 * near], rel=1e-3)


def teeth(rng, count, depth):
    """Uniform but for twelve waves: a change between near neighbours only."""
    drawn = rng.random((4 * count, 1))
    keep = rng.random(4 * count) < (1 + depth * np.cos(24 * np.pi * drawn[:, 0])) / 2
    return drawn[keep][:count]


@pytest.mark.parametrize("seed", range(2))
def test_the_default_finds_what_changed_between_near_neighbours(seed):
    rng = np.random.default_rng(seed)
    x, y = teeth(rng, 300, 0.0), teeth(rng, 300, 0.95)
    assert two_sample_test(x, y, permutations=99, rng=0).pvalue == 0.01
    wide = Fuse(
        [KernelGroup(KernelCollection((Gaussian, Laplace), lambda apart: [np.median(apart)]), (1,))]
    )
    assert two_sample_test(x, y, strategy=wide, permutations=99, rng=0).pvalue > 0.05


@pytest.mark.parametrize("order", [4, 10, 30])
def test_the_exact_statistic_finds_a_few_rows_among_many(order):
    """Beyond an eigenvalue of 2 the series runs away: the largest change would look smallest."""
    rng = np.random.default_rng(1)
    x, y = 1 + 0.01 * rng.standard_normal((4, 1)), rng.standard_normal((120, 1))
    strategy = Fuse([KernelGroup([Gaussian(0.1)], (order,))], statistic=Exact())
    for first, second in ((x, y), (y, x)):
        found = two_sample_test(first, second, strategy=strategy, permutations=99, rng=0)
        assert found.pvalue == 0.01


@pytest.mark.parametrize(
    "count", [3, 12, *(pytest.param(count, marks=pytest.mark.long) for count in (1, 7))]
)
@pytest.mark.parametrize("family", [Gaussian, Laplace, Matern, RationalQuadratic])
def test_orthogonal_frequencies_follow_the_law_of_independent_ones(family, count):
    """Every norm and every entry, with fewer frequencies than columns and with more."""
    dimension, draws = 7, 300
    many = {
        orthogonal: np.stack(
            [
                draw_frequencies(family(2.0), dimension, count, rng=seed, orthogonal=orthogonal)
                for seed in range(draws)
            ]
        )
        for orthogonal in (True, False)
    }
    for summary in (lambda w: np.linalg.norm(w, axis=1), lambda w: w[:, 0], lambda w: w[:, -1]):
        found, expected = (summary(many[kind])[:, -1] for kind in (True, False))
        assert stats.ks_2samp(found, expected).pvalue > 1e-4
    last = many[True][:, :, -1]
    assert abs(np.mean(last > 0) - 0.5) < 0.05  # no side is preferred


@pytest.mark.parametrize("count", [2, 3, 7])
def test_orthogonal_frequencies_are_orthogonal_and_as_long_as_normal_vectors(count):
    drawn = np.stack([draw_frequencies(Gaussian(1.0), 7, count, rng=seed) for seed in range(400)])
    products = np.einsum("bik,bil->bkl", drawn, drawn)
    lengths = np.einsum("bkk->bk", products).copy()
    products[:, range(count), range(count)] = 0.0
    np.testing.assert_allclose(products, 0.0, atol=1e-10)
    assert stats.kstest(lengths.ravel(), stats.chi2(7).cdf).pvalue > 1e-4


def test_sorted_tables_keep_their_power_in_blocks():
    """Blocks of neighbouring rows would spread so far apart that a shift is lost among them."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((1500, 1)), rng.standard_normal((1500, 1)) + 0.25
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (1, 10))], sketches=True)
    for first, second in ((x, y), (np.sort(x, axis=0), np.sort(y, axis=0))):
        found = two_sample_test(first, second, strategy=strategy, permutations=99, rng=0)
        assert "blocks of 3 rows" in found.method
        assert found.pvalue == 0.01


@pytest.mark.long
def test_many_categories_raise_no_false_alarms():
    """Counted on one table alone, its most frequent categories are the other's rarer ones."""
    rng, runs, alarms = np.random.default_rng(0), 6, 0
    words = np.array([f"w{i}" for i in range(90)])
    for run in range(runs):
        a, b = ({"word": rng.choice(words, 120)} for _ in range(2))
        alarms += compare(a, b, level=0.1, permutations=39, rng=run).reject
    check(alarms, runs, 0.1, exact=False)
