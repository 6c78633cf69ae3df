"""Pair evidence has mean 1 on any finite law; the recursion is a martingale under both promises."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.monitor.martingale import BLOCK, grow, pair_evidence
from samelaw.monitor.promises import Ever, RunLength

SCORES = st.lists(st.floats(-800, 800), min_size=2, max_size=4)


@given(SCORES, st.integers(1, 3), st.integers(0, 2**31))
def test_the_mean_over_a_finite_law_is_one(scores, pairs, seed):
    """Every y and x_1 … x_k of a law on few points, weighted by its probability."""
    law = np.random.default_rng(seed).dirichlet(np.ones(len(scores)))
    mean = 0.0
    for y, *x in product(range(len(scores)), repeat=1 + pairs):
        contrasts = np.array([[scores[j] - scores[y]] for j in x])
        mean += law[y] * np.prod(law[x]) * pair_evidence(contrasts)[0]
    assert mean == pytest.approx(1.0, rel=1e-9)


def test_one_pair_is_a_hyperbolic_tangent():
    apart = np.linspace(-5, 5, 11)
    assert np.allclose(pair_evidence(-apart[None]), 1 + np.tanh(apart / 2))


def test_a_score_on_other_rows_than_those_that_pair_would_not_do():
    """The identity is not trivial: it fails if y and x follow different laws."""
    law, other, scores = (0.5, 0.5), (0.9, 0.1), (0.0, 2.0)
    mean = sum(
        law[y] * other[x] * pair_evidence(np.array([[scores[x] - scores[y]]]))[0]
        for y, x in product(range(2), repeat=2)
    )
    assert mean > 1.2


def by_hand(wealth, factors, deposits):
    found = []
    for factor, deposit in zip(factors.reshape(-1, len(wealth)), deposits.ravel(), strict=True):
        wealth = (wealth + deposit / len(wealth)) * factor
        found.append(wealth)
    return np.reshape(found, factors.shape)


def test_blocks_grow_as_single_rows_do():
    rng = np.random.default_rng(0)
    factors = rng.uniform(0, 2, (7, BLOCK, 4))
    deposits = rng.uniform(0, 1, (7, BLOCK))
    wealth = rng.uniform(0, 3, 4)
    assert np.allclose(
        grow(wealth, factors, deposits), by_hand(wealth, factors, deposits), rtol=1e-12
    )


def test_lost_wealth_and_a_factor_of_zero_do_no_harm():
    factors = np.ones((2, BLOCK, 2))
    factors[0, 3, 0] = 0.0
    found = grow(np.full(2, 5.0), factors, np.ones((2, BLOCK)))
    assert np.all(np.isfinite(found))
    assert found[0, 3, 0] == 0.0
    assert found[1, -1, 0] == pytest.approx(0.5 * (2 * BLOCK - 4))


@pytest.mark.parametrize("promise", [Ever(0.05), RunLength(100)])
def test_evidence_less_deposits_is_a_martingale(promise):
    """All paths of three rows with factors ½ and 3/2: E R_t = Σ_{s≤t} c_s."""
    deposits = np.zeros((1, BLOCK))
    deposits[0, :3] = promise.deposits(0, 3)
    ends = []
    for path in product((0.5, 1.5), repeat=3):
        factors = np.ones((1, BLOCK, 1))
        factors[0, :3, 0] = path
        ends.append(grow(np.zeros(1), factors, deposits)[0, :3, 0])
    assert np.allclose(np.mean(ends, axis=0), np.cumsum(deposits[0, :3]), rtol=1e-12)
