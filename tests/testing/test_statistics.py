"""What is computed for one kernel and entropy."""

from dataclasses import dataclass

import numpy as np
import pytest

from samelaw import Exact, Fuse, Gaussian, Laplace, PowerSeries, SecondOrder, rjsd, two_sample_test
from samelaw.testing import KernelGroup, MeanDiscrepancy
from samelaw.testing.standardize import Unscaled


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


@dataclass(frozen=True)
class Times(Unscaled):
    """The kernel so many times, the values as they are."""

    factor: float

    def kernel_factor(self, *_):
        return self.factor


@pytest.mark.parametrize("order", [1, 2])  # where the two are one statistic for n = m
@pytest.mark.parametrize("factor", [0.1, 1.0, 30.0])
def test_a_kernel_that_was_multiplied_has_no_bounds(order, factor):
    """Operators of any trace: the largest divergence of unit-trace ones would cut them all."""
    x, y = samples(20, 20)
    group = [KernelGroup([Gaussian(0.3)], (order,))]
    second, exact = (
        two_sample_test(x, y, permutations=19, rng=0, strategy=Fuse(
            group, statistic=rule, scaling=Times(factor)
        ))
        for rule in (SecondOrder(), Exact())
    )  # fmt: skip
    assert exact.statistic == pytest.approx(second.statistic)
    np.testing.assert_allclose(exact.null_distribution, second.null_distribution)


def test_the_mean_discrepancy_has_one_component_per_kernel():
    strategy = Fuse(
        [KernelGroup([Gaussian(1.0), Laplace(1.0)], (1, 30))], statistic=MeanDiscrepancy()
    )
    result = two_sample_test(*samples(), strategy=strategy, permutations=19, rng=0)
    assert len(result.components) == 2
