"""Power: the default finds every kind of change; power tools against closed forms."""

import numpy as np
import pytest

from samelaw import Aggregate, Exact, Fuse, Gaussian, Permutation, Split, two_sample_test
from samelaw.testing import KernelGroup


def normal(rng, width=2, n=80):
    return rng.standard_normal((n, width))


def mean(rng):
    return normal(rng), normal(rng) + 0.8


def scale(rng):
    return normal(rng), 2.0 * normal(rng)


def correlation(rng):
    rotate = np.linalg.cholesky(np.array([[1.0, 0.85], [0.85, 1.0]]))
    return normal(rng), normal(rng) @ rotate.T


def mixture_variance(rng):
    centres = [10.0 * rng.choice([-1, 1], (100, 2)) for _ in range(2)]
    return centres[0] + normal(rng, n=100), centres[1] + 0.4 * normal(rng, n=100)


def tails(rng):
    return normal(rng, n=150), rng.standard_t(1.0, (150, 2))


def subgroup(rng):
    y = normal(rng, n=120)
    y[:24] = 3.0 + 0.2 * y[:24]
    return normal(rng, n=120), y


CHANGES = [mean, scale, correlation, mixture_variance, tails, subgroup]
changes = pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)


def hits(change, repetitions=4, **options):
    rng = np.random.default_rng(0)
    settings = {"permutations": 99, **options}
    return sum(
        two_sample_test(*change(rng), rng=rng, **settings).reject for _ in range(repetitions)
    )


@changes
def test_the_default_finds_it(change):
    assert hits(change) == 4


@pytest.mark.parametrize("change", [mean, scale, subgroup], ids=lambda f: f.__name__)
def test_sketches_find_it_too(change):
    strategy = Fuse([KernelGroup([Gaussian(0.5), Gaussian(2.0)], (1, 10))], sketches=True)
    assert hits(change, 3, strategy=strategy) == 3


@pytest.mark.parametrize(
    "strategy",
    [
        Fuse.rjsd(),
        Fuse.mmd(),
        Fuse([KernelGroup([Gaussian(1.0)], (4,))], statistic=Exact()),
        Aggregate(),
        Aggregate.mmd(),
        Aggregate(pairs=40),
        Split(),
        Split.mmd(),
        Permutation(),
    ],
    ids=lambda s: repr(s)[:40],
)
def test_every_strategy_finds_a_clear_shift(strategy):
    def shift(rng):
        return normal(rng, n=50), normal(rng, n=50) + 2

    assert hits(shift, 3, strategy=strategy) == 3


def test_one_enormous_outlier_hides_nothing():
    def spoilt(rng):
        x, y = mean(rng)
        x[0] = 1e9
        return x, y

    assert hits(spoilt, 2) == 2


def test_a_wide_kernel_keeps_its_power():
    """Its values all lie below 1e-6: ties must be told by their spread, not by their size."""

    def shift(rng):
        return normal(rng, n=40), normal(rng, n=40) + 2

    for statistic in (Permutation(), Split(entropy=1, iterations=0)):
        assert hits(lambda rng: [1e3 * z for z in shift(rng)], 2, strategy=statistic) == 2
    strategy = Fuse([KernelGroup([Gaussian(3_000.0)], (1,))])
    assert hits(shift, 2, strategy=strategy) == 2


@pytest.mark.heavy
def test_sketches_have_nearly_the_power_of_all_rows():
    def weak(rng):
        return normal(rng, n=500), normal(rng, n=500) * 1.16

    strategies = (Fuse(), Fuse(sketches=True))
    full, sketched = (hits(weak, 100, strategy=strategy) for strategy in strategies)
    assert full >= 30
    assert sketched >= full - 20
