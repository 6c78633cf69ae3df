"""Objectives of training: one formula, its slope written out and as torch finds it."""

import numpy as np
import pytest

from optional import need
from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd
from samelaw.divergence.objectives import divergence_gain, gain_and_slope, power, power_and_slope

SIZES = [(7, 7), (5, 9)]
ENTROPIES = [PowerSeries(1), PowerSeries(10), VonNeumann()]


def gram_of(sizes, seed=0):
    rng = np.random.default_rng(seed)
    pool = np.concatenate([rng.normal(size=(n, 2)) * s for n, s in zip(sizes, (1, 2), strict=True)])
    return Gaussian(1.3)(pool, pool), pool


def orders_of(sizes, count):
    rng = np.random.default_rng(1)
    return [rng.permutation(sum(sizes)) for _ in range(count)]


def torch_slope(function, gram):
    """The derivative along symmetric matrices."""
    torch = need("torch")
    leaf = torch.tensor(gram, requires_grad=True)
    value = function(leaf)
    (found,) = torch.autograd.grad(value, leaf)
    return value.item(), 0.5 * (found + found.T).numpy()


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_gain_and_its_slope_are_those_of_torch(entropy, sizes, count):
    gram, _ = gram_of(sizes)
    orders = orders_of(sizes, count)
    value, slope = gain_and_slope(gram, sizes, entropy, orders)
    theirs = torch_slope(lambda g: divergence_gain(g, sizes, entropy, orders), gram)
    assert value == pytest.approx(float(divergence_gain(gram, sizes, entropy, orders)), abs=1e-12)
    assert value == pytest.approx(theirs[0], abs=1e-12)
    np.testing.assert_allclose(slope, theirs[1], atol=1e-9)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_power_and_its_slope_are_those_of_torch(sizes):
    gram, _ = gram_of(sizes)
    value, slope = power_and_slope(gram, sizes, 1e-8)
    theirs = torch_slope(lambda g: power(g, sizes, 1e-8), gram)
    assert value == pytest.approx(float(power(gram, sizes, 1e-8)), rel=1e-12)
    assert value == pytest.approx(theirs[0], rel=1e-12)
    np.testing.assert_allclose(slope, theirs[1], atol=1e-12 * np.abs(slope).max())


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_without_permutations_the_gain_is_rjsd(sizes):
    gram, pool = gram_of(sizes)
    expected = rjsd(*np.split(pool, [sizes[0]]), kernel=Gaussian(1.3), entropy=PowerSeries(4))
    assert float(divergence_gain(gram, sizes, PowerSeries(4), [])) == pytest.approx(float(expected))


def test_the_gain_has_no_bias_of_small_bandwidths():
    """Rows that are all strangers to each other look different however they are dealt."""
    strangers = np.eye(12)
    plain = float(divergence_gain(strangers, (6, 6), PowerSeries(10), []))
    orders = orders_of((6, 6), 2)
    assert plain > 0.1
    assert float(divergence_gain(strangers, (6, 6), PowerSeries(10), orders)) == pytest.approx(0.0)
