"""Kernels, estimators and strategies are equal if they say the same."""

from dataclasses import replace

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Fuse, Gaussian, GramEstimator, Laplace, Permutation, PowerSeries
from samelaw.core.registry import members
from samelaw.kernels import Columns, Kernel, Mixture, Precomputed
from samelaw.testing import KernelGroup

samelaw.FourierEstimator, samelaw.NystromEstimator, samelaw.Aggregate, samelaw.Split  # noqa: B018 - registered when loaded

MAKERS = {
    "a number": lambda: Gaussian(2.0),
    "numbers": lambda: Gaussian(np.array([1.0, 2.0])),
    "a matrix": lambda: Precomputed(np.eye(2)),
    "a product": lambda: Gaussian(1.0) * Laplace(2.0),
    "a mixture": lambda: Mixture([Gaussian(1.0), Laplace(1.0)], np.array([1.0, 2.0])),
    "columns": lambda: Columns(Gaussian(1.0), [0, 2]),
    "an estimator": lambda: GramEstimator(Gaussian(np.array([1.0])), PowerSeries(3)),
    "a permutation test": lambda: Permutation(GramEstimator(Gaussian(1.0))),
    "groups in a list": lambda: Fuse([KernelGroup([Gaussian(1.0)], (1, 4))], weights=[1.0]),
    **{
        name: cls
        for family in ("kernel", "estimator", "strategy")
        for name, cls in members(family).items()
    },
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_made_twice_it_is_equal_and_one_key(make):
    assert make() == make()
    assert {make(): "first"}[make()] == "first"


DIFFERENT = [
    (Gaussian(1.0), Gaussian(2.0)),
    (Gaussian(1.0), Laplace(1.0)),
    (Gaussian(np.array([1.0, 2.0])), Gaussian(np.array([1.0, 3.0]))),
    (Gaussian(np.array([1.0, 1.0])), Gaussian(1.0)),
    (Gaussian(np.array([1.0, 1.0])), Gaussian(np.array([1.0, 1.0, 1.0]))),
    (Mixture([Gaussian(1.0)]), Mixture([Gaussian(1.0), Gaussian(1.0)])),
    (GramEstimator(Gaussian(1.0)), GramEstimator(Gaussian(2.0))),
    (Fuse(), Fuse.mmd()),
    (Fuse(), Fuse(sketches=True)),
    (Fuse(), Fuse(Fuse().components[1:])),
    (Gaussian(1.0), 1.0),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=str)
def test_what_says_something_else_is_not_equal(one, other):
    assert one != other
    assert other != one


def test_a_number_is_the_same_of_whatever_type():
    assert Gaussian(1) == Gaussian(np.float64(1.0))
    assert hash(Gaussian(1)) == hash(Gaussian(np.float64(1.0)))


def test_a_sequence_is_the_same_as_a_list_or_a_tuple():
    assert Mixture([Gaussian(1.0)]) == Mixture((Gaussian(1.0),))


def test_series_of_numbers_are_compared_by_their_numbers():
    series = need("pandas").Series
    one, same, other = (Mixture([Gaussian(1.0)] * 2, series([1, n])) for n in (2, 2, 3))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other


def test_what_is_changed_back_is_equal_again():
    plan = Fuse()
    changed = replace(plan, components=plan.components[:2])
    assert changed != plan
    assert replace(changed, components=plan.components) == plan


def test_tensors_are_compared_by_their_numbers():
    torch = need("torch")
    one, other = (Gaussian(torch.tensor([1.0, 2.0], requires_grad=True)) for _ in range(2))
    assert one == other
    assert one != Gaussian(np.array([1.0, 2.0]))


def test_a_learnt_tensor_stays_under_its_key():
    torch = need("torch")
    kernel = Gaussian(torch.ones(2))
    kept = {kernel: "kept"}
    kernel.bandwidth.mul_(2.0)
    assert kept[kernel] == "kept"


def test_abstract_values_are_themselves_alone():
    torch = need("torch")
    one, other = (Gaussian(torch.ones(2, device="meta")) for _ in range(2))
    assert one == one
    assert one != other


def test_what_is_no_dataclass_equals_itself_alone():
    class Own(Kernel):
        def similarities(self, x, y):
            return np.ones((len(x), len(y)))

    kernel = Own()
    assert kernel == kernel
    assert kernel != Own()
    assert len({kernel, kernel, Own()}) == 2
