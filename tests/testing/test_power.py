"""Power curves, sample sizes and detectable changes against closed forms."""

import json

import numpy as np
import pytest
from scipy import stats

from samelaw import Fuse, Gaussian, Split, detectable_change, power_curve, sample_size
from samelaw.testing import KernelGroup, Sequential


def shifted(rng, shift, n=40):
    return rng.standard_normal((n, 1)), rng.standard_normal((n, 1)) + shift


def z_power(shift, n, level=0.05):
    """The most powerful unbiased test of a shift of a normal with known deviation."""
    point, bound = shift * np.sqrt(n / 2), stats.norm.ppf(1 - level / 2)
    return stats.norm.sf(bound - point) + stats.norm.cdf(-bound - point)


MMD = Fuse([KernelGroup([Gaussian(2.0)], (1,))])


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_sample_size_is_near_that_of_the_best_test():
    found = sample_size(lambda rng, n: shifted(rng, 0.8, n), power=0.8, largest=200, **OPTIONS)
    best = next(n for n in range(2, 500) if z_power(0.8, n) >= 0.8)  # 25
    assert 0.8 * best <= found <= 1.8 * best


@pytest.mark.long
def test_detectable_change_is_near_that_of_the_best_test():
    found = detectable_change(shifted, largest=3.0, power=0.8, **OPTIONS)
    best = next(s for s in np.arange(0, 3, 0.01) if z_power(s, 40) >= 0.8)  # 0.63
    assert 0.85 * best <= found <= 1.5 * best


def test_targets_out_of_reach_are_an_error():
    with pytest.raises(ValueError, match="not reached with 12 rows; raise largest="):
        sample_size(lambda rng, n: shifted(rng, 0.0, n), largest=12, **OPTIONS)
    with pytest.raises(ValueError, match=r"a change of 0\.1 is not found with power 0\.8"):
        detectable_change(shifted, largest=0.1, **OPTIONS)


def test_samples_much_larger_than_needed_are_not_drawn():
    tried = []

    def far(rng, n):
        tried.append(n)
        return shifted(rng, 2.0, n)

    found = sample_size(far, smallest=4, largest=100_000, **{**OPTIONS, "repetitions": 8})
    assert max(tried) <= 2.2 * found


@pytest.mark.parametrize("strategy", [MMD, Split.mmd()], ids=["all rows", "split"])
def test_numbers_of_rows_too_small_for_any_test_are_passed_over(strategy):
    options = {**OPTIONS, "strategy": strategy, "repetitions": 8}
    far = lambda rng, n: shifted(rng, 50.0, n)  # noqa: E731 - a line says it
    found = sample_size(far, smallest=1, largest=40, **options)
    assert power_curve(far, [found], **options).power[0] >= 0.8
    with pytest.raises(ValueError, match="rows"):
        power_curve(far, [2], **options)
    with pytest.raises(ValueError, match="2 v 2 rows of x and y have only 6 permutations"):
        sample_size(far, smallest=1, largest=2, **options)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"smallest": 100, "largest": 40}, "largest must be a whole number of at least 100, got"),
        ({"smallest": 0}, "smallest must be a whole number of at least 1"),
        ({"power": 80}, "power must lie strictly between 0 and 1, got 80"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused_before_a_draw(asked, said):
    with pytest.raises(ValueError, match=said):
        sample_size(None, **asked)


@pytest.mark.parametrize(("asked", "said"), [({"power": 80}, "power"), ({"largest": 0}, "largest")])
def test_a_change_that_makes_no_sense_is_refused_before_a_draw(asked, said):
    with pytest.raises(ValueError, match=f"{said} must"):
        detectable_change(None, **{"largest": 1.0, **asked})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"values": 1.0}, r"values must be a sequence, got 1\.0"),
        ({"values": []}, "values is empty"),
        ({"repetitions": 0}, "repetitions must be a whole number of at least 1, got 0"),
        ({"repetitions": -1}, "repetitions must be"),
        ({"sampler": lambda rng, _: rng.normal(size=(5, 1))}, "sampler must return two samples"),
    ],
)
def test_a_curve_that_makes_no_sense_is_refused(asked, said):
    given = {"sampler": shifted, "values": [0.5], **OPTIONS, **asked}
    with pytest.raises((TypeError, ValueError), match=said):
        power_curve(given.pop("sampler"), given.pop("values"), **given)


def test_a_precision_of_nothing_is_refused():
    with pytest.raises(ValueError, match="precision must"):
        detectable_change(shifted, largest=1.0, precision=0.0, **OPTIONS)
