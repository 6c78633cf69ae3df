"""RJSD-Deep as one call: exact, repeatable, and it finds what only a network finds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import samelaw
from optional import need
from samelaw import PowerSeries, two_sample_test

torch = need("torch")

from samelaw.learn import Deep, DivergenceGain, TestPower  # noqa: E402


def signs_agree(rows, seed):
    """Two columns that agree in sign in the second sample: no column by itself differs."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, rows, 4))
    b[:, 1] = np.abs(b[:, 1]) * np.sign(b[:, 0])
    return a, b


@pytest.mark.parametrize(
    "strategy",
    [Deep(steps=40), pytest.param(replace(Deep.mmd(), steps=40), marks=pytest.mark.long)],
    ids=["RJSD", "MMD"],
)
def test_finds_what_no_column_shows_and_repeats_itself(strategy):
    a, b = signs_agree(300, 0)
    state = torch.get_rng_state()
    found = two_sample_test(a, b, strategy=strategy, permutations=199, rng=0)
    assert found.reject
    assert found.method.startswith("Deep: network learnt on 150 v 150 rows")
    assert found.sizes == (300, 300)
    assert torch.equal(torch.get_rng_state(), state)
    again = two_sample_test(a, b, strategy=strategy, permutations=199, rng=0)
    assert again.pvalue == found.pvalue
    assert again.statistic == pytest.approx(found.statistic, rel=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("runs", [40, pytest.param(400, marks=pytest.mark.heavy)])
def test_equal_laws_are_rejected_as_often_as_the_level_says(runs):
    rng = np.random.default_rng(0)
    options = {"strategy": Deep(steps=3), "permutations": 19}
    pairs = (rng.normal(size=(2, 24, 2)) for _ in range(runs))
    hits = sum(two_sample_test(*pair, **options, rng=s).reject for s, pair in enumerate(pairs))
    assert hits <= binom.ppf(0.999, runs, 0.05)


def test_published_is_the_plain_divergence_of_order_ten():
    published = Deep.published()
    assert published.criterion == DivergenceGain(PowerSeries(10), permutations=0)
    assert published.entropy == 10
    assert isinstance(Deep.mmd().criterion, TestPower)
    kernel = Deep(steps=2, network=lambda columns: torch.nn.Linear(columns, 3)).learn(
        *signs_agree(40, 1)
    )
    assert kernel.network.out_features == 3


def test_it_is_a_strategy_wherever_one_is_taken():
    a, b = signs_agree(60, 2)
    samples = {"a": a, "b": b}
    found = samelaw.group_tests(samples, strategy=Deep(steps=2), permutations=19, rng=0)
    assert len(found.records()) == 1
    with pytest.raises(TypeError, match=r"strategy must be an object such as Fuse\(\)"):
        two_sample_test(a, b, strategy=Deep)


def test_too_few_rows_are_an_error():
    with pytest.raises(ValueError, match="Deep: network needs at least four rows"):
        two_sample_test(np.zeros((3, 1)), np.ones((9, 1)), strategy=Deep(), rng=0)


def test_a_network_in_place_of_what_makes_one():
    with pytest.raises(TypeError, match="lambda columns: network; got the network Linear itself"):
        Deep(network=torch.nn.Linear(3, 2))
