"""What every estimator promises: one number, many memberships, any library."""

import numpy as np
import pytest

import samelaw
from oracles import binary_entropy
from samelaw import (
    FourierEstimator,
    Gaussian,
    GramEstimator,
    Laplace,
    NystromEstimator,
    PowerSeries,
    Renyi,
    VonNeumann,
)
from samelaw.core.registry import members
from samelaw.kernels import Tsallis

for _name in ("GramEstimator", "FourierEstimator", "NystromEstimator"):
    getattr(samelaw, _name)  # loading the modules fills the registry

WEIGHTS = ["proportional", "balanced", 0.3]
ENTROPIES = [VonNeumann(), PowerSeries(1), PowerSeries(3), PowerSeries(10), Tsallis(2), Renyi(2)]
FEW = np.random.default_rng(5).standard_normal((5, 2))
FIXED = {  # nothing depends on the order of the rows, so any split may be compared
    "Gram": lambda **options: GramEstimator(Gaussian(0.8), **options),
    "Fourier": lambda **options: FourierEstimator(Laplace(2.0), 6, **options),
    "Nystrom": lambda **options: NystromEstimator(Gaussian(0.8), FEW, **options),
}


def pool(n=14, seed=0):
    x = np.random.default_rng(seed).standard_normal((n, 2))
    x[n // 2 :] += 1.0
    return x


POOL = pool()


@pytest.fixture(params=members("estimator"))
def cls(request):
    return members("estimator")[request.param]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n", [1, 5, 7, 13])
def test_a_split_of_the_pool_gives_the_number_of_the_two_samples(cls, n, weights):
    estimator = cls(weights=weights)
    (value,) = estimator.evaluate(estimator.prepare(POOL), np.arange(14) < n)
    assert value == pytest.approx(estimator(POOL[:n], POOL[n:]), abs=1e-9)


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("name", FIXED)
def test_batch_of_memberships_is_the_estimate_of_each(name, entropy):
    rng = np.random.default_rng(0)
    memberships = np.array([rng.permutation(14) < k for k in (1, 4, 7, 7, 12)])
    for weights in WEIGHTS:
        estimator = FIXED[name](entropy=entropy, weights=weights)
        values = estimator.evaluate(estimator.prepare(POOL), memberships)
        single = [estimator(POOL[split], POOL[~split]) for split in memberships]
        np.testing.assert_allclose(values, single, atol=1e-9)


@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(1)], ids=repr)
def test_every_library_gives_the_numbers_of_numpy(cls, entropy, to_xp, to_numpy):
    estimator = cls(entropy=entropy, weights="balanced")
    memberships = np.random.default_rng(0).permuted(np.tile(np.arange(14) < 7, (3, 1)), axis=1)
    here = estimator.evaluate(estimator.prepare(POOL), memberships)
    there = estimator.evaluate(estimator.prepare(to_xp(POOL)), memberships)
    np.testing.assert_allclose(to_numpy(there), here, atol=1e-9)
    # halves of one size: JAX compiles every shape anew
    value = estimator(to_xp(POOL[:7]), to_xp(POOL[7:]))
    assert type(value) is type(there[0])
    assert float(value) == pytest.approx(float(estimator(POOL[:7], POOL[7:])), abs=1e-9)


def test_single_precision_is_close(cls, xp, to_xp):
    estimator = cls()
    value = estimator(to_xp(POOL[:6], "float32"), to_xp(POOL[6:], "float32"))
    assert value.dtype == xp.float32
    assert float(value) == pytest.approx(float(estimator(POOL[:6], POOL[6:])), abs=1e-3)


def test_estimate_lies_between_zero_and_the_entropy_of_the_weights(cls):
    for n, m in ((1, 1), (3, 11), (40, 10)):
        value = cls()(pool(n, 1), pool(m, 2))
        assert -1e-9 <= value <= binary_entropy(n / (n + m)) + 1e-9


def test_equal_samples_are_at_distance_zero(cls):
    assert cls()(POOL, POOL) == pytest.approx(0.0, abs=1e-9)


def test_the_same_estimator_repeats_itself(cls):
    estimator = cls()
    assert estimator(POOL[:6], POOL[6:]) == estimator(POOL[:6], POOL[6:])


@pytest.mark.parametrize(
    ("memberships", "message"),
    [
        (np.arange(13) < 5, "memberships have 13 columns, the pool has 14 rows"),
        (np.zeros((1, 14), dtype=bool), "at least one row on each side"),
        (np.ones((1, 14), dtype=bool), "at least one row on each side"),
    ],
)
def test_memberships_that_make_no_sense_are_refused(cls, memberships, message):
    estimator = cls()
    with pytest.raises(ValueError, match=message):
        estimator.evaluate(estimator.prepare(POOL), memberships)
