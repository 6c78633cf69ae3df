"""Strategies print as one would type them, and what is printed makes them again."""

import inspect

import pytest

import samelaw
from samelaw import kernels
from samelaw import kernels as bandwidths
from samelaw import testing as strategies
from samelaw.core.registry import members

NAMES = {
    name: getattr(home, name)
    for home in (samelaw, kernels, bandwidths, strategies)
    for name in dir(home)
    if not name.startswith("_")
}


@pytest.mark.parametrize("function", ["two_sample_test", "group_tests", "k_sample_test"])
def test_the_default_of_a_test_is_told_in_a_word(function):
    signature = inspect.signature(getattr(samelaw, function))
    assert repr(signature.parameters["strategy"].default) == "Fuse()"


PLANS = [
    samelaw.Fuse(),
    samelaw.Fuse.mmd(),
    samelaw.Fuse.rjsd(exact=True),
    samelaw.Fuse(samelaw.Fuse().components[3:], sketches=True),
    samelaw.Aggregate(),
    samelaw.Aggregate.mmd(pairs=200),
    samelaw.Split.mmd(),
    samelaw.Fuse([strategies.KernelGroup([samelaw.Gaussian(2.0)], (1, 4))]),
]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_what_is_printed_makes_it_again(plan):
    again = eval(repr(plan), {"__builtins__": {}}, NAMES)
    assert repr(again) == repr(plan)
    assert again == plan


def test_every_component_of_the_default_is_printed_so():
    for group in samelaw.Fuse().components:
        assert eval(repr(group), {"__builtins__": {}}, NAMES) == group


@pytest.mark.parametrize("name", members("strategy"))
def test_no_strategy_prints_its_defaults(name):
    assert repr(members("strategy")[name]()).count("=") == 0


def test_a_result_keeps_what_the_default_was():
    x = [[1.0], [2.0], [3.0]]
    found = samelaw.two_sample_test(x, x, level=0.1, permutations=9, rng=0)
    assert found.settings["strategy"] == "Fuse()"
    assert found.settings["components"] == [repr(one) for one in samelaw.Fuse().components]
