"""What is computed for one kernel and entropy."""

import numpy as np
import pytest

from samelaw import Exact, Fuse, Gaussian, Laplace, PowerSeries, rjsd, two_sample_test
from samelaw.strategies import KernelGroup, MeanDiscrepancy
from samelaw.twosample.standardize import (
    Unscaled,
)


def samples(n=20, m=16, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal((m, 2)) + shift


def statistic(strategy, x, y, **options):
    return two_sample_test(x, y, strategy=strategy, permutations=19, rng=0, **options).statistic


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


def test_the_mean_discrepancy_has_one_component_per_kernel():
    strategy = Fuse(
        [KernelGroup([Gaussian(1.0), Laplace(1.0)], (1, 30))], statistic=MeanDiscrepancy()
    )
    result = two_sample_test(*samples(), strategy=strategy, permutations=19, rng=0)
    assert len(result.components) == 2
