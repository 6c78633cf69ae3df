"""Which generator is closer: the level where both are equally far, coverage, and power."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

import levels
from optional import need
from samelaw.extras.generators.paired import (
    DivergenceDistance,
    PolynomialDistance,
    compare_generators,
)

DISTANCES = {
    "von Neumann": DivergenceDistance(frequencies=24),
    "order 1": DivergenceDistance(entropy=1, frequencies=24),
    "KID": PolynomialDistance(),
}


def normal(rng, rows, shift=0.0, scale=1.0, columns=3):
    return scale * rng.normal(size=(rows, columns)) + shift


def alike(rng):
    return normal(rng, 200), normal(rng, 150, 0.4), normal(rng, 150, 0.4)


def opposite(rng):
    """Other laws, as far from the real one, and of unequal sizes."""
    return normal(rng, 150), normal(rng, 100, 0.3), normal(rng, 200, -0.3)


def both_real(rng):
    return normal(rng, 150), normal(rng, 100), normal(rng, 150)


QUICK = ("opposite", "order 1")
NULLS = {"alike": alike, "opposite": opposite, "both real": both_real}


def rejections(null, distance, runs, level=0.05):
    found = [
        compare_generators(*null(np.random.default_rng([7, seed])), distance=distance)
        for seed in range(runs)
    ]
    return sum(one.pvalue <= level for one in found)


def check_level(null, distance, runs):
    """At most the 99.9 % point of the binomial; not far too few either, but where all is real."""
    count = rejections(NULLS[null], DISTANCES[distance], runs)
    assert count <= binom.ppf(0.999, runs, 0.05)
    if null != "both real" and distance != "KID":
        assert count >= binom.ppf(0.001, runs, 0.05)


@pytest.mark.parametrize(
    ("null", "distance"),
    [
        pytest.param(null, distance, marks=[pytest.mark.long] * ((null, distance) != QUICK))
        for null in NULLS
        for distance in DISTANCES
    ],
)
def test_level_where_both_are_equally_far(null, distance):
    check_level(null, distance, 60)


@pytest.mark.heavy
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("null", NULLS)
def test_level_over_a_thousand_runs(null, distance):
    check_level(null, distance, 1000)


@pytest.mark.parametrize(
    "distance",
    [pytest.param(name, marks=[pytest.mark.long] * (name != QUICK[1])) for name in DISTANCES],
)
def test_interval_covers_the_difference_of_the_laws(distance):
    def draw(rng, rows):
        return normal(rng, rows), normal(rng, rows, 0.2), normal(rng, rows, scale=1.5)

    rng = np.random.default_rng(0)
    # the frequencies are fixed, and the median distance of the real rows nearly is
    truth = compare_generators(*draw(rng, 2500), distance=DISTANCES[distance]).difference
    covered = 0
    for seed in range(40):
        one = compare_generators(
            *draw(np.random.default_rng(seed), 200), distance=DISTANCES[distance]
        )
        covered += one.interval[0] < truth < one.interval[1]
    assert covered >= binom.ppf(0.001, 40, 0.95)


def dependent(rng, strength):
    x = normal(rng, 200)
    x[:, 1] = strength * x[:, 0] + math.sqrt(1 - strength**2) * x[:, 1]
    return x


@pytest.mark.long
def test_finds_the_closer_one_where_kid_does_not_yet():
    """Two columns that depend on each other a little, or a lot."""
    found = {name: 0 for name in DISTANCES}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        samples = normal(rng, 200), dependent(rng, 0.3), dependent(rng, 0.7)
        for name, distance in DISTANCES.items():
            found[name] += compare_generators(*samples, distance=distance).closer == "first"
    assert found["von Neumann"] >= 36
    assert found["von Neumann"] > found["KID"] + 5


def test_the_difference_changes_its_sign_with_the_order():
    x, a, b = opposite(np.random.default_rng(0))
    one, two = compare_generators(x, a, b + 1), compare_generators(x, b + 1, a)
    assert one.difference == pytest.approx(-two.difference)
    assert one.standard_error == pytest.approx(two.standard_error)
    assert one.pvalue == pytest.approx(two.pvalue)
    assert {one.closer, two.closer} == {"first", "second"}
    assert one.difference == pytest.approx(one.distances[0] - one.distances[1])


def test_the_same_sample_twice_differs_in_nothing():
    x, a, _ = opposite(np.random.default_rng(0))
    found = compare_generators(x, a, a)
    assert found.difference == 0
    assert found.pvalue == 1
    assert found.closer == "neither"


def test_rows_without_spread_are_no_evidence_by_rounding():
    zeros = np.zeros((30, 6)), np.zeros((20, 6)), np.zeros((25, 6))
    found = compare_generators(*zeros)
    assert (found.closer, found.pvalue, found.difference) == ("neither", 1.0, 0.0)
    near, far = np.full((20, 6), 0.1), np.full((20, 6), 9.0)
    found = compare_generators(zeros[0], near, far)
    assert found.closer == "first"
    assert found.pvalue < 1e-9


def test_common_real_rows_make_the_difference_surer():
    """With other real rows for either the error is larger."""
    rng = np.random.default_rng(1)
    x, a, b = normal(rng, 60), normal(rng, 3000, 0.5), normal(rng, 3000, 0.6)
    together = compare_generators(x, a, b).standard_error
    single = partial(compare_generators, x, second=x)
    apart = math.hypot(single(first=a).standard_error, single(first=b).standard_error)
    assert together < 0.6 * apart


@pytest.mark.parametrize("shift", [5.0, 1e6])
def test_a_pvalue_is_never_0(shift):
    x, a, _ = opposite(np.random.default_rng(0))
    assert 0 < compare_generators(x, a, a + shift).pvalue < 1e-10


def test_bad_input_is_named():
    x = np.zeros((5, 2))
    with pytest.raises(ValueError, match="second has 1 row"):
        compare_generators(x, x, x[:1])
    with pytest.raises(ValueError, match="confidence"):
        compare_generators(x, x, x, confidence=2)


def test_the_interval_that_is_drawn_is_that_of_its_confidence():
    ax = need("matplotlib.figure").Figure().add_subplot()
    found = compare_generators(*opposite(np.random.default_rng(0)), confidence=0.5)
    found.plot(ax)
    drawn = ax.collections[0].get_segments()[0][:, 0]
    assert tuple(drawn) == pytest.approx(found.interval)


def test_the_number_of_rows_makes_no_generator_closer():
    """What is left of the bias falls with the rows: the one with more was closer in every run."""
    alarms = 0
    for run in range(20):
        rng = np.random.default_rng([run, 4])
        rows = (rng.normal(size=(count, 64)) for count in (100, 110, 60))
        alarms += compare_generators(*rows).pvalue <= 0.05
    assert alarms <= levels.most(20, 0.05)


@pytest.mark.parametrize("more", [41, 80, 10_000])
def test_parts_of_the_larger_sample_have_the_error_of_their_mean(more):
    """One part and a row, two parts, and more rows than are taken."""
    rng = np.random.default_rng(1)
    real, first = rng.normal(size=(200, 2)), rng.normal(size=(40, 2)) + 0.5
    both = [first, rng.normal(size=(more, 2)) - 0.5]
    found, turned = (compare_generators(real, *pair) for pair in (both, both[::-1]))
    assert found.difference == pytest.approx(-turned.difference)
    assert found.pvalue == pytest.approx(turned.pvalue)
    equal = compare_generators(real, first, both[1][:40])
    assert 0.5 * equal.standard_error < found.standard_error < 1.1 * equal.standard_error
