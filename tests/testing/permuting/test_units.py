"""Units: whatever is permuted together, means over A and B are those of the rows."""

import numpy as np
import pytest

from samelaw.testing.permuting.group_units import Groups, units_of_groups
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units

RNG = np.random.default_rng


def of_groups(codes, sizes, **options):
    return units_of_groups(Groups(np.asarray(codes), **options), sizes, RNG(0))


def rows(rng):
    return Units.of_rows((7, 5))


def blocks(rng):
    dealt = np.r_[rng.permutation(12)[:10], 12 + rng.permutation(9)[:8]]
    return Units.of_blocks(Labels.of_sizes((5, 4)), dealt, 2, 21)


def lone_groups(rng):
    return of_groups(np.repeat(np.arange(9), [1, 4, 2, 3, 2, 5, 1, 3, 2]), (10, 13))


def in_a(units, member):
    """Rows of A, rows of B."""
    taking_part = units.unit >= 0
    chosen = np.zeros(len(units.unit), dtype=bool)
    chosen[taking_part] = member[units.unit[taking_part]]
    return chosen, taking_part & ~chosen


def members_of(units, count=5):
    return np.concatenate([units.labels.observed[None], units.labels.draw(RNG(1), count)])


@pytest.mark.parametrize("make", [rows, blocks, lone_groups])
def test_shares_of_sums_are_means_of_rows(make):
    units = make(RNG(0))
    values = RNG(2).normal(size=(len(units.unit), 3))
    members = members_of(units)
    first, second = (share @ units.sums(values) for share in units.shares(members))
    for member, one, other in zip(members, first, second, strict=True):
        a, b = in_a(units, member)
        np.testing.assert_allclose(one, values[a].mean(axis=0))
        np.testing.assert_allclose(other, values[b].mean(axis=0))


@pytest.mark.parametrize("swap", [False, True])
def test_shared_groups_have_the_same_mix_on_both_sides(swap):
    codes = np.r_[np.repeat(np.arange(6), [9, 1, 4, 2, 7, 3]), np.repeat(np.arange(6), 2)]
    units = of_groups(codes, (26, 12), swap=swap)
    members = members_of(units)
    for group in range(6):
        inside = units.sums((codes == group)[:, None].astype(float))
        first, second = (share @ inside for share in units.shares(members))
        np.testing.assert_allclose(first, second)


def test_observed_labels_are_those_of_the_tables():
    units = blocks(RNG(1))
    first = units.unit[:12]
    assert units.labels.observed[first[first >= 0]].all()
    assert not units.labels.observed[units.unit[12:][units.unit[12:] >= 0]].any()


def test_some_units_keep_their_rows_and_tables():
    units = lone_groups(RNG(3))
    fewer, chosen = units.some(4, RNG(3))
    assert fewer.count == len(chosen) == fewer.whole == 4
    for new, old in enumerate(chosen):
        np.testing.assert_array_equal(fewer.unit == new, units.unit == old)
        assert fewer.labels.observed[new] == units.labels.observed[old]


@pytest.mark.parametrize("swap", [False, True])
def test_shuffled_units_keep_their_rows_and_strata(swap):
    codes = np.r_[np.repeat(np.arange(5), 3), [50, 50, 51], np.repeat(np.arange(5), 2), 52, 53, 54]
    units = of_groups(codes, (18, 13), swap=swap)
    moved, of_units = units.shuffled(RNG(4))
    assert np.all(np.diff(moved.unit[moved.rows]) >= 0)
    known = units.unit >= 0
    np.testing.assert_array_equal(of_units[moved.unit[known]], units.unit[known])
    assert np.all(moved.unit[~known] == -1)
    np.testing.assert_array_equal(moved.labels.observed, units.labels.observed[of_units])
    assert np.all(np.diff(moved.labels.strata) >= 0)
