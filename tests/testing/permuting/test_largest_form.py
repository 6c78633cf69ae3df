"""The largest of many contrasts: its values, its moments, and what it is blind to."""

import numpy as np
import pytest

from samelaw import Fuse, Groups, k_sample_test, two_sample_test
from samelaw.testing import LargestGroup, MomentGroup
from samelaw.testing.permuting.components import largest_of
from samelaw.testing.permuting.group_units import units_of_groups
from samelaw.testing.permuting.units import Units

RNG = np.random.default_rng


def only(units, columns):
    (component,) = largest_of("largest", columns, units)
    return component


@pytest.mark.parametrize("sizes", [(3, 6), (5, 5)])
def test_value_is_the_largest_squared_contrast_over_its_variance(sizes):
    columns = RNG(0).normal(size=(sum(sizes), 3)) * [1.0, 1e3, 1e-3]
    units = Units.of_rows(sizes)
    every = units.labels.every()
    contrasts = np.array([columns[s].mean(0) - columns[~s].mean(0) for s in every])
    expected = ((contrasts / contrasts.std(axis=0)) ** 2).max(axis=1)
    component = only(units, columns)
    np.testing.assert_allclose(component.evaluate(every), expected, rtol=1e-4)
    moments = component.moments()  # of 400 permutations
    assert moments.mean == pytest.approx(expected.mean(), rel=0.15)
    assert moments.deviation == pytest.approx(expected.std(), rel=0.25)


def test_moments_do_not_depend_on_the_labels():
    columns = RNG(1).normal(size=(20, 4))
    units = Units.of_rows((8, 12))
    other, _ = units.shuffled(RNG(2))
    assert only(units, columns).moments() == only(other, columns).moments()
    assert not np.array_equal(units.labels.observed, other.labels.observed)


def test_contrasts_within_strata_know_nothing_of_the_mix():
    codes = np.r_[np.repeat([0, 1, 2], 8), np.repeat([0, 1, 2], [2, 4, 10])]
    units = units_of_groups(Groups(codes), (24, 16), RNG(0))
    columns = RNG(1).normal(size=(40, 2)) + 100.0 * codes[:, None]
    found = only(units, columns[units.rows]).evaluate(units.labels.draw(RNG(2), 4_000))
    assert found.mean() == pytest.approx(1.5, abs=0.3)  # of two squares of normal numbers
    assert found.max() < 30.0


def test_what_every_permutation_gives_says_nothing():
    """One row with a 1 in each column: some row of the smaller sample is always there."""
    assert two_sample_test(np.eye(40)[:15], np.eye(40)[15:], rng=0).pvalue == 1.0
    component = only(Units.of_rows((15, 25)), np.eye(40))
    assert component.moments().deviation == 0.0
    assert only(Units.of_rows((4, 4)), np.ones((8, 2))).moments().deviation == 0.0


@pytest.mark.parametrize("sketches", [False, True])
def test_one_column_in_sixty_is_found_where_a_sum_is_blind(sketches):
    rng = RNG(3)
    x, y = rng.normal(size=(2, 150, 60))
    y[:, 7] += 0.6
    groups = {"largest": LargestGroup(1), "sum": MomentGroup(1)}
    found = {
        name: two_sample_test(x, y, strategy=Fuse([group], sketches=sketches), rng=0)
        for name, group in groups.items()
    }
    assert found["largest"].pvalue <= 0.01 < 0.05 < found["sum"].pvalue


def test_one_pair_of_twenty_columns_is_found():
    rng = RNG(4)
    x, y = rng.normal(size=(2, 200, 20))
    y[:, 3] = 0.5 * y[:, 11] + np.sqrt(0.75) * y[:, 3]
    result = two_sample_test(x, y, strategy=Fuse([LargestGroup(2)]), rng=0)
    assert result.pvalue <= 0.01
    assert two_sample_test(x, y, strategy=Fuse([LargestGroup(1)]), rng=0).pvalue > 0.05


@pytest.mark.parametrize("sketches", [False, True])
def test_rounded_values_are_found_by_their_ties(sketches):
    rng = RNG(6)
    x, y = np.round(rng.normal(10.0, 1.0, size=(2, 250, 3)), 1)
    y = np.where(rng.random(y.shape) < 0.6, np.round(2 * y) / 2, y)
    strategy = Fuse([LargestGroup(1)], sketches=sketches)
    assert two_sample_test(x, y, strategy=strategy, rng=0).pvalue <= 0.01


def test_columns_or_pairs_and_nothing_else():
    with pytest.raises(ValueError, match="degree must be 1 or 2"):
        LargestGroup(3)


def test_several_samples_have_it_and_whole_groups_do_not():
    rng = RNG(5)
    x, y = rng.normal(size=(100, 6)), rng.normal(size=(100, 6))
    y[:, 2] += 1.0
    strategy = Fuse([LargestGroup(1), LargestGroup(2)])
    assert k_sample_test([x[:50], x[50:], y], strategy=strategy, rng=0).pvalue <= 0.01
    who = np.repeat(np.arange(40), 5)
    names = [one["name"] for one in two_sample_test(x, y, groups=who, rng=0).components]
    assert names
    assert not any("largest" in name for name in names)
