"""Power: the default finds every kind of change; power tools against closed forms."""

import json

import numpy as np
import pytest
from scipy import stats

from samelaw import (
    Aggregate,
    Exact,
    Fuse,
    Gaussian,
    KernelGroup,
    Permutation,
    Sequential,
    Split,
    detectable_change,
    power_curve,
    sample_size,
    two_sample_test,
)


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


def shifted(rng, shift, n=40):
    return rng.standard_normal((n, 1)), rng.standard_normal((n, 1)) + shift


def z_power(shift, n, level=0.05):
    """The most powerful unbiased test of a shift of a normal with known deviation."""
    point, bound = shift * np.sqrt(n / 2), stats.norm.ppf(1 - level / 2)
    return stats.norm.sf(bound - point) + stats.norm.cdf(-bound - point)


MMD = Fuse([KernelGroup([Gaussian(2.0)], (1,))])


def test_power_curve_stays_below_the_best_test_and_close_to_it():
    shifts = [0.0, 0.4, 0.8, 1.5]
    curve = power_curve(shifted, shifts, strategy=MMD, repetitions=150, permutations=99, rng=0)
    for shift, power, (low, high) in zip(shifts, curve.power, curve.intervals, strict=True):
        best = z_power(shift, 40)
        slack = stats.binom.ppf(0.9995, 150, best) / 150
        assert power <= slack
        assert power >= stats.binom.ppf(0.0005, 150, 0.75 * best) / 150
        assert low <= power <= high
    assert list(curve.power) == sorted(curve.power)


def test_power_curve_does_not_depend_on_the_number_of_jobs():
    options = {"strategy": MMD, "repetitions": 10, "permutations": 39, "rng": 3}
    one = power_curve(shifted, [0.5, 1.0], **options)
    two = power_curve(shifted, [0.5, 1.0], jobs=2, **options)
    np.testing.assert_array_equal(one.power, two.power)


def test_power_curve_shows_itself():
    seen = []
    curve = power_curve(
        shifted,
        np.array([0.0, 2.0]),
        strategy=MMD,
        repetitions=5,
        permutations=Sequential(3, 39),
        rng=0,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(k, 10) for k in range(1, 11)]
    assert json.loads(json.dumps(curve.to_dict()))["values"] == [0.0, 2.0]
    assert len(str(curve).splitlines()) == 4
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots()
    assert curve.plot(ax) is ax
    plt.close(figure)


OPTIONS = {"strategy": MMD, "repetitions": 60, "permutations": 39, "rng": 0}


def test_sample_size_is_near_that_of_the_best_test():
    found = sample_size(lambda rng, n: shifted(rng, 0.8, n), power=0.8, largest=200, **OPTIONS)
    best = next(n for n in range(2, 500) if z_power(0.8, n) >= 0.8)  # 25
    assert 0.8 * best <= found <= 1.8 * best


def test_detectable_change_is_near_that_of_the_best_test():
    found = detectable_change(shifted, largest=3.0, power=0.8, **OPTIONS)
    best = next(s for s in np.arange(0, 3, 0.01) if z_power(s, 40) >= 0.8)  # 0.63
    assert 0.85 * best <= found <= 1.5 * best


def test_targets_out_of_reach_are_an_error():
    with pytest.raises(ValueError, match="not reached with 12 rows; raise largest="):
        sample_size(lambda rng, n: shifted(rng, 0.0, n), largest=12, **OPTIONS)
    with pytest.raises(ValueError, match=r"a change of 0\.1 is not found with power 0\.8"):
        detectable_change(shifted, largest=0.1, **OPTIONS)


@pytest.mark.heavy
def test_sketches_have_nearly_the_power_of_all_rows():
    def weak(rng):
        return normal(rng, n=500), normal(rng, n=500) * 1.16

    full, sketched = (hits(weak, 100, **options) for options in ({}, {"memory": 1.0}))
    assert full >= 30
    assert sketched >= full - 20
