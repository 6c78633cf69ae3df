"""Fusing: scaling, combining, weights and the published special cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from samelaw import (
    Exact,
    Fuse,
    Gaussian,
    KernelGroup,
    Laplace,
    PowerSeries,
    Renyi,
    SecondOrder,
    rjsd,
    two_sample_test,
)
from samelaw.bandwidths import KernelCollection, LinearGrid, QuantileGrid
from samelaw.estimate.bandwidths import pairwise_distances
from samelaw.estimate.quadratic_form import PooledGram
from samelaw.strategies import Maximum, MeanDiscrepancy, SoftMaximum
from samelaw.twosample.combine import kernel_weights
from samelaw.twosample.standardize import (
    DivideKernel,
    NormalScores,
    Unscaled,
    from_normal,
    kernel_norm,
    normal_scores,
    to_normal,
)


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


def statistic(strategy, x, y, **options):
    return two_sample_test(x, y, strategy=strategy, permutations=19, rng=0, **options).statistic


def combine(rule, table, weights, n=9):
    total = None
    for values, weight in zip(table, weights, strict=True):
        total = rule.fuse(total, np.asarray(values), weight, n)
    return rule.finish(total, n)


tables = st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=6)


@given(table=tables, sharpness=st.floats(0.01, 50))
def test_soft_maximum_lies_between_mean_and_maximum(table, sharpness):
    equal = [1 / len(table)] * len(table)
    soft = combine(SoftMaximum(sharpness), table, equal)
    assert np.all(soft <= np.max(table, axis=0) + 1e-9)
    assert np.all(soft >= np.mean(table, axis=0) - 1e-9)


@given(table=tables)
def test_soft_maximum_has_the_mean_and_the_maximum_as_limits(table):
    equal = [1 / len(table)] * len(table)
    blunt, sharp = (combine(SoftMaximum(s), table, equal) for s in (1e-7, 1e7))
    np.testing.assert_allclose(blunt, np.mean(table, axis=0), atol=1e-5)
    np.testing.assert_allclose(sharp, np.max(table, axis=0), atol=1e-5)


def test_soft_maximum_is_sharp_by_default():
    """λ = n(n−1) as in the code of MMD-Fuse."""
    table, weights = [[0.1], [0.4]], [0.25, 0.75]
    soft = combine(SoftMaximum(), table, weights, n=9)
    assert soft == pytest.approx(logsumexp([7.2, 28.8], b=weights) / 72)


def test_weights_are_shares_for_a_soft_maximum_and_relative_for_a_maximum():
    assert kernel_weights([1, 3], 2, sum_to_one=True) == [0.25, 0.75]
    assert kernel_weights([1, 4], 2) == [0.25, 1.0]
    assert kernel_weights(None, 3) == [1.0] * 3
    assert combine(Maximum(), [[2.0], [1.0]], [0.25, 1.0]) == [1.0]


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, float("nan")]], ids=str)
def test_weights_that_make_no_sense_are_refused(weights):
    strategy = Fuse([KernelGroup([Gaussian(1.0), Laplace(1.0)], (1, 30))], weights=weights)
    with pytest.raises(ValueError, match=r"weights, one per kernel|weights must be finite"):
        statistic(strategy, *samples())


def test_a_kernel_without_weight_is_silent():
    x, y = samples()
    alone = statistic(Fuse([KernelGroup([Gaussian(1.0)], (1,))]), x, y)
    both = statistic(
        Fuse([KernelGroup([Gaussian(1.0), Gaussian(0.1)], (1,))], weights=(1, 0)), x, y
    )
    assert both == pytest.approx(alone)


def test_one_kernel_unscaled_is_the_second_order_statistic_itself():
    """At order 1 that is RJSD exactly."""
    x, y = samples()
    value = statistic(Fuse([KernelGroup([Gaussian(1.0)], (1,))], scaling=Unscaled()), x, y)
    assert value == pytest.approx(float(rjsd(x, y, kernel=Gaussian(1.0), entropy=PowerSeries(1))))


@pytest.mark.parametrize("order", [1, 3, 10])
def test_the_exact_statistic_is_rjsd(order):
    x, y = samples()
    strategy = Fuse([KernelGroup([Laplace(1.5)], (order,))], statistic=Exact(), scaling=Unscaled())
    expected = rjsd(x, y, kernel=Laplace(1.5), entropy=PowerSeries(order))
    assert statistic(strategy, x, y) == pytest.approx(float(expected))


def test_dividing_the_kernel_divides_the_statistic_at_order_one():
    """D_1(κ/√N) = D_1(κ)/N: RJSD-Fuse of order 1 is a fused MMD with the squared kernel (TS4)."""
    x, y = samples()
    kernel = Gaussian(0.8)
    pooled = PooledGram(kernel(np.r_[x, y], np.r_[x, y]), np.ones((36, 1)))
    norm = kernel_norm(pooled, (20, 16))
    plain = float(rjsd(x, y, kernel=kernel, entropy=PowerSeries(1)))
    for rule in (SecondOrder(), Exact()):
        strategy = Fuse([KernelGroup([kernel], (1,))], statistic=rule, scaling=DivideKernel())
        assert statistic(strategy, x, y) == pytest.approx(plain / norm)


def test_rjsd_fuse_of_order_one_is_the_soft_maximum_of_normalised_mmd():
    """(TS5) with weights m n/N² for the V-form of MMD² of κ²."""
    x, y = samples()
    pool = np.r_[x, y]
    values = []
    for family, metric in ((Gaussian, "euclidean"), (Laplace, "cityblock")):
        for bandwidth in QuantileGrid()(pairwise_distances(pool, metric=metric)):
            gram = family(float(bandwidth))(pool, pool)
            squared, signs = gram * gram, np.r_[np.full(20, 1 / 20), np.full(16, -1 / 16)]
            norm = math.sqrt((squared.sum() - 36) / (16 * 15))
            values.append(20 * 16 / 36**2 * (signs @ squared @ signs) / norm)
    expected = logsumexp(240 * np.array(values), b=1 / 20) / 240
    assert statistic(Fuse.rjsd(entropy=1), x, y) == pytest.approx(expected, rel=1e-6)


def test_mmd_fuse_is_as_published():
    """Unbiased MMD² over its own grid, divided by N, soft maximum with λ = n(n−1)."""
    x, y = samples()
    pool = np.r_[x, y]
    values = []
    for family, metric in ((Gaussian, "euclidean"), (Laplace, "cityblock")):
        for bandwidth in LinearGrid()(pairwise_distances(pool, metric=metric)):
            gram = family(float(bandwidth))(pool, pool)
            off = gram - np.eye(36)
            mmd = off[:20, :20].sum() / 380 + off[20:, 20:].sum() / 240
            mmd -= 2 * gram[:20, 20:].mean()
            values.append(mmd / math.sqrt(np.sum(off**2) / 240))
    expected = logsumexp(240 * np.array(values), b=1 / 20) / 240
    assert statistic(Fuse.mmd(), x, y) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("skewness", [0.0, 0.3, 1.0, 2.8])
def test_normal_scores_and_back(skewness):
    scores = np.array([-0.5, 0.0, 1.0, 3.0])
    there = np.array([from_normal(score, skewness) for score in scores])
    back = to_normal(there, mean=0.0, deviation=1.0, skewness=skewness)
    np.testing.assert_allclose(back, scores, atol=1e-9)


def test_default_is_the_maximum_of_all_components():
    x, y = samples()
    result = two_sample_test(x, y, permutations=19, rng=0)
    values = [voice["value"] for voice in result.components]
    assert len(values) == 3 + 1 + 6  # order 1: Gaussian, Laplace; order 30: wide Gaussian
    assert values == sorted(values, reverse=True)
    assert result.statistic == pytest.approx(values[0])
    assert "largest: " + result.components[0]["name"] in str(result)
    assert "4 kernels × order 1 and 6 kernels × order 30" in result.method


def test_standardising_does_not_know_which_labels_were_observed():
    """The values of a permutation are the same whichever labels came first."""
    x, y = samples(12, 8)
    pool = np.r_[x, y]
    swapped = np.r_[3, 1:3, 15, 4:12, 12:15, 0, 16:20]  # rows 0 and 15 change sides with 3
    for strategy in (Fuse([KernelGroup([Gaussian(1.0)], (4,))]), Fuse.mmd(), Fuse.rjsd(entropy=1)):
        here = statistic(strategy, pool[swapped][:12], pool[swapped][12:])
        members = np.zeros((1, 20), dtype=bool)
        members[0, swapped[:12]] = True
        there = fused_value(strategy, x, y, members)
        assert here == pytest.approx(there, rel=1e-3)


def fused_value(strategy, x, y, members):
    from samelaw.twosample.fuse import Fused
    from samelaw.twosample.problem import as_problem

    problem = as_problem(
        x, y, level=0.1, permutations=19, rng=0, groups=None, memory=None, progress=None
    )
    fused = Fused.of(strategy, problem)
    return fused.evaluate(members[:, fused.backend.taken]).values[0]


def test_normal_scores_look_normal_over_relabellings():
    x, y = samples(50, 50, shift=0.0)
    for kernel in (Gaussian(0.2), Gaussian(1.0), Gaussian(5.0)):
        for order in (1, 10):
            strategy = Fuse([KernelGroup([kernel], (order,))])
            scores = two_sample_test(x, y, strategy=strategy, rng=0).null_distribution
            assert abs(scores.mean()) < 0.15
            assert scores.std() == pytest.approx(1.0, abs=0.15)
            assert abs(np.mean(scores**3)) < 1.0


def test_normal_scores_make_a_gamma_law_normal():
    values = np.random.default_rng(0).gamma(1.5, size=20_000)
    scores = normal_scores(values, noise=0.0)
    assert abs(np.mean(scores**3)) < 0.15
    assert np.all(np.diff(scores[np.argsort(values)]) >= 0)
    assert np.all(normal_scores(0.3 + 1e-16 * np.arange(5), noise=1e-14) == 0)


TEN = [PowerSeries(10)]


def test_operators_are_scaled_where_the_series_converges():
    gram = Gaussian(1.0)(*[np.random.default_rng(0).standard_normal((20, 1))] * 2)
    pooled = PooledGram(gram, np.ones((20, 1)))
    factor = NormalScores().kernel_factor(pooled, TEN, (2, 18), Exact())
    within = np.linalg.eigvalsh(gram[:2, :2])[-1] / 2
    assert factor * within <= 2.0 + 1e-9
    second_order = NormalScores().kernel_factor(pooled, TEN, (2, 18), SecondOrder())
    assert second_order * pooled.largest == 1.0


def test_infinite_order_is_von_neumann_and_entropies_are_taken():
    x, y = samples()
    strategy = Fuse([KernelGroup([Gaussian(1.0)], (math.inf, Renyi(2)))])
    result = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    names = {component["name"] for component in result.components}
    assert names == {"Gaussian(1), VonNeumann()", "Gaussian(1), Renyi(alpha=2)"}


def test_the_mean_discrepancy_has_one_component_per_kernel():
    strategy = Fuse(
        [KernelGroup([Gaussian(1.0), Laplace(1.0)], (1, 30))], statistic=MeanDiscrepancy()
    )
    result = two_sample_test(*samples(), strategy=strategy, permutations=19, rng=0)
    assert len(result.components) == 2


@pytest.mark.parametrize(
    ("entropies", "message"),
    [((), "entropies is empty"), ((0,), "order must be a whole number")],
)
def test_entropies_that_make_no_sense_are_refused(entropies, message):
    with pytest.raises(ValueError, match=message):
        KernelGroup(entropies=entropies)


@pytest.mark.parametrize(
    "components", [Gaussian(1.0), [Gaussian(1.0)], KernelGroup([Gaussian(1.0)])], ids=str
)
def test_what_is_fused_is_a_list_of_groups(components):
    with pytest.raises(TypeError, match="components must be a sequence of groups"):
        Fuse([KernelGroup(components, (1, 30))])


def test_what_is_fused_can_be_printed_changed_and_passed_back():
    x, y = samples()
    default = Fuse().components
    assert statistic(Fuse(default), x, y) == statistic(Fuse(), x, y)
    assert "KernelGroup" in repr(Fuse())
    without = two_sample_test(x, y, strategy=Fuse(default[:-1]), permutations=19, rng=0)
    assert len(without.components) == 4


@pytest.mark.parametrize("strategy", [Fuse.rjsd(), Fuse.mmd()], ids=["rjsd", "mmd"])
def test_scalings_that_need_all_pairs_say_so_when_memory_is_short(strategy):
    x, y = samples(1_500, 1_500)
    with pytest.raises(MemoryError, match=r"all pairs of 3,000 rows .* Raise memory= to at least"):
        two_sample_test(x, y, strategy=strategy, memory=2**27)


def test_a_handful_of_rows_against_very_many_thins_the_many_and_says_so():
    x, y = samples(5, 20_000)
    result = two_sample_test(x, y, permutations=39, rng=0)
    assert "18005 rows left out at random" in result.method
    assert result.sizes == (5, 20_000)


def test_sequential_stopping_that_cannot_be_exact_is_refused():
    from samelaw import Sequential

    x, y = samples(20, 20)
    rule = Sequential(5, 99)
    with pytest.raises(ValueError, match="needs moments in closed form"):
        two_sample_test(x, y, permutations=rule, groups=np.arange(40) // 2)
    with pytest.raises(MemoryError, match="sequential stopping keeps"):
        two_sample_test(*samples(750, 650), permutations=rule, memory=2**27)


def test_a_collection_follows_the_pool():
    x, y = samples()
    narrow = Fuse([KernelGroup(KernelCollection(families=(Gaussian,), grid=LinearGrid(3)), (1,))])
    result = two_sample_test(x, y, strategy=narrow, permutations=19, rng=0)
    wide = two_sample_test(10 * x, 10 * y, strategy=narrow, permutations=19, rng=0)
    assert len(result.components) == 3
    assert result.statistic == pytest.approx(wide.statistic)
