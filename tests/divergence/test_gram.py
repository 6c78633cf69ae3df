"""The Gram route: known values, and Tr C² without a Gram matrix."""

import math

import numpy as np
import pytest

from oracles import binary_entropy
from samelaw import Gaussian, GramEstimator, PowerSeries, VonNeumann
from samelaw.divergence.gram import sample_divergence
from samelaw.kernels import Categorical, Tsallis, grams

X, Y = np.split(np.random.default_rng(0).normal(size=(30, 2)), [12])


def test_the_default_takes_its_bandwidth_from_both_samples():
    """Points 0 and 100 of 4 rows each: the median distance is 100, κ = e^−½."""
    x, y = np.zeros((4, 1)), np.full((4, 1), 100.0)
    share = 0.5 * (1 + math.exp(-0.5))  # the larger eigenvalue of the pooled operator
    assert GramEstimator()(x, y) == pytest.approx(binary_entropy(share))


@pytest.mark.parametrize(
    ("weights", "share"), [("proportional", 0.25), ("balanced", 0.5), (0.1,) * 2]
)
def test_strangers_are_as_far_apart_as_their_shares_allow(weights, share):
    x, y = np.zeros((2, 1)), np.ones((6, 1))
    found = GramEstimator(Categorical(), weights=weights)(x, y)
    assert found == pytest.approx(binary_entropy(share))


@pytest.mark.parametrize("entropy", [PowerSeries(1), Tsallis(2)], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_purity_is_enough_for_quadratic_entropies(entropy, weighted, monkeypatch):
    """The route that never holds a Gram matrix gives the numbers of the one that does."""
    rng = np.random.default_rng(1)
    given = [w / w.sum() for w in (rng.random(12), rng.random(18))] if weighted else None
    arguments = ((X, Y), Gaussian(1.0), entropy, (0.3, 0.7), given)
    held = sample_divergence(*arguments)
    monkeypatch.setattr(grams, "ONE_CALL", 0)
    assert sample_divergence(*arguments) == pytest.approx(held, abs=1e-12)


def test_an_entropy_that_needs_the_spectrum_takes_it_at_any_size(monkeypatch):
    held = sample_divergence((X, Y), Gaussian(1.0), VonNeumann(), (0.4, 0.6))
    monkeypatch.setattr(grams, "ONE_CALL", 0)
    assert sample_divergence((X, Y), Gaussian(1.0), VonNeumann(), (0.4, 0.6)) == held


def test_the_pool_is_decomposed_once_for_all_memberships():
    estimator = GramEstimator(Gaussian(1.0))
    state = estimator.prepare(np.concatenate([X, Y]))
    before = state.pooled
    estimator.evaluate(state, np.arange(30) < np.array([[12], [20]]))
    assert state.pooled is before


def test_what_it_holds_grows_with_the_square_of_the_rows():
    estimator = GramEstimator()
    assert estimator.held(2_000) == 4 * estimator.held(1_000) >= 4 * 8.0 * 1_000**2
