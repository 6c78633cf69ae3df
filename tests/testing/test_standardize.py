"""How values of different kernels are made comparable."""

import numpy as np
import pytest

from samelaw import Exact, Fuse, Gaussian, PowerSeries, SecondOrder, rjsd, two_sample_test
from samelaw.divergence.quadratic_form import PooledGram
from samelaw.testing import KernelGroup
from samelaw.testing.standardize import (
    DivideKernel,
    NormalScores,
    from_normal,
    from_normal_each,
    kernel_norm,
    normal_scores,
    to_normal,
    to_normal_each,
)


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


def statistic(strategy, x, y, **options):
    return two_sample_test(x, y, strategy=strategy, permutations=19, rng=0, **options).statistic


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


@pytest.mark.parametrize("skewness", [0.0, 0.3, 1.0, 2.8])
def test_normal_scores_and_back(skewness):
    scores = np.array([-0.5, 0.0, 1.0, 3.0])
    there = np.array([from_normal(score, skewness) for score in scores])
    back = to_normal(there, mean=0.0, deviation=1.0, skewness=skewness)
    np.testing.assert_allclose(back, scores, atol=1e-9)


def test_standardising_does_not_know_which_labels_were_observed():
    """The values of a relabelling are the same whichever labels came first."""
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
    from samelaw.testing.fuse import Fused
    from samelaw.testing.problem import as_problem

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


def test_one_value_far_out_does_not_hide_itself():
    values = np.random.default_rng(0).gamma(2.0, size=1_000)
    far = np.append(values, 60.0)
    assert normal_scores(far, 0.0)[-1] > 8.0
    np.testing.assert_allclose(normal_scores(far, 0.0)[:-1], normal_scores(values, 0.0), atol=0.3)


def test_many_components_at_once_are_those_one_by_one():
    values = np.random.default_rng(0).gamma(2.0, size=(50, 4))
    moments = {
        "mean": np.array([1.0, 2.0, 2.0, 0.5]),
        "deviation": np.array([1.5, 0.7, 0.0, 1.0]),
        "skewness": np.array([1.4, 0.01, 1.0, 2.8]),
    }
    found = to_normal_each(values, **moments)
    for k in range(4):
        own = {name: float(numbers[k]) for name, numbers in moments.items()}
        assert np.allclose(found[:, k], to_normal(values[:, k], **own))
    back = from_normal_each(found, moments["skewness"])
    known = (values - moments["mean"]) / np.where(moments["deviation"] > 0, moments["deviation"], 1)
    inside = known[:, [0, 1, 3]] > -1.0  # far below, scores are cut off
    assert np.allclose(back[:, [0, 1, 3]][inside], known[:, [0, 1, 3]][inside])
