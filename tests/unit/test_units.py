"""Units: whatever is relabelled together, means over A and B are those of the rows."""

import numpy as np
import pytest

from samelaw.decide.units import Units


def brute_force(units, values, member):
    """Mean over the rows of units in A less mean over the rows of the others."""
    taking_part = units.unit >= 0
    in_a = np.zeros(len(units.unit), dtype=bool)
    in_a[taking_part] = member[units.unit[taking_part]]
    return values[in_a].mean(axis=0) - values[taking_part & ~in_a].mean(axis=0)


def rows(rng):
    return Units.of_rows((7, 5))


def blocks(rng):
    return Units.of_blocks((rng.permutation(12)[:10], 12 + rng.permutation(9)[:8]), 2, 21)


def groups(rng):
    return Units.of_groups(np.repeat(np.arange(9), [1, 4, 2, 3, 2, 5, 1, 3, 2]), (10, 13))


@pytest.mark.parametrize("make", [rows, blocks, groups])
def test_contrasts_of_sums_are_differences_of_row_means(make):
    rng = np.random.default_rng(0)
    units = make(rng)
    values = rng.normal(size=(len(units.unit), 3))
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 5)])
    found = units.contrasts(members) @ units.sums(values)
    expected = [brute_force(units, values, member) for member in members]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_observed_labels_are_those_of_the_tables():
    units = blocks(np.random.default_rng(1))
    first = units.unit[:12]
    assert units.labels.observed[first[first >= 0]].all()
    assert not units.labels.observed[units.unit[12:][units.unit[12:] >= 0]].any()


def test_a_group_in_both_tables_is_only_swapped():
    units = Units.of_groups(np.tile(np.arange(8), 2), (8, 8))
    members = units.labels.draw(np.random.default_rng(2), 50)
    groups_of_unit = np.tile(np.arange(8), 2)
    for member in members:
        assert sorted(groups_of_unit[member]) == list(range(8))
    assert len(np.unique(members, axis=0)) > 20


def test_groups_keep_their_rows_together():
    codes = np.array([3, 3, 1, 1, 7, 7, 7, 9, 9, 8, 8, 8, 4, 4])
    units = Units.of_groups(codes, (7, 7))
    assert units.labels.sizes == (3, 3)
    for code in np.unique(codes):
        assert len(set(units.unit[codes == code])) == 1
    np.testing.assert_array_equal(np.sort(units.sizes), [2, 2, 2, 2, 3, 3])


def test_some_units_keep_their_rows_and_tables():
    rng = np.random.default_rng(3)
    units = groups(rng)
    fewer, chosen = units.some(4, rng)
    assert fewer.count == len(chosen) == 4
    for new, old in enumerate(chosen):
        np.testing.assert_array_equal(fewer.unit == new, units.unit == old)
        assert fewer.labels.observed[new] == units.labels.observed[old]
