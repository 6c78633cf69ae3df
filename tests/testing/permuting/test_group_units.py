"""How rows of groups become units: within their group, by sides, or as wholes."""

from math import comb

import numpy as np
import pandas as pd
import pytest

from samelaw import Exact, Fuse, Permutation, two_sample_test
from samelaw.testing.permuting.group_units import Groups, units_of_groups

RNG = np.random.default_rng


def of_groups(codes, sizes, **options):
    return units_of_groups(Groups(np.asarray(codes), **options), sizes, RNG(0))


def in_a(units, member):
    """Rows of A, rows of B."""
    taking_part = units.unit >= 0
    chosen = np.zeros(len(units.unit), dtype=bool)
    chosen[taking_part] = member[units.unit[taking_part]]
    return chosen, taking_part & ~chosen


def members_of(units, count=5):
    return np.concatenate([units.labels.observed[None], units.labels.draw(RNG(1), count)])


def test_rows_of_a_shared_group_change_places_within_it():
    codes = np.r_[np.repeat(np.arange(4), 5), np.repeat(np.arange(4), 2)]
    units = of_groups(codes, (20, 8))
    assert units.labels.count == comb(7, 5) ** 4
    for member in members_of(units, 50):
        a, _ = in_a(units, member)
        np.testing.assert_array_equal(np.bincount(codes[a]), [5] * 4)
    assert "28 rows of 4 groups in both samples permuted within their group" in units.exactness


def test_sides_of_a_shared_group_are_swapped_as_wholes():
    codes = np.r_[np.repeat(np.arange(6), 5), np.repeat(np.arange(6), 2)]
    units = of_groups(codes, (30, 12), swap=True)
    assert units.labels.count == 2**6
    for member in members_of(units, 50):
        a, _ = in_a(units, member)
        assert set(np.bincount(codes[a])) <= {2, 5}
    assert "sides swapped" in units.exactness


def test_groups_of_one_table_keep_their_rows_together():
    codes = np.array([3, 3, 1, 1, 7, 7, 7, 9, 9, 8, 8, 8, 4, 4])
    units = of_groups(codes, (7, 7))
    assert units.labels.sizes == (3, 3)
    assert units.whole == 6
    for code in np.unique(codes):
        assert len(set(units.unit[codes == code])) == 1
    np.testing.assert_array_equal(np.sort(units.sizes), [2, 2, 2, 2, 3, 3])
    assert "approximate, as their sizes differ" in units.exactness


def test_both_kinds_go_their_own_way_and_the_result_says_how_many():
    codes = np.r_[np.repeat(np.arange(9), 3), np.repeat(np.r_[0:3, 20:26], 2)]
    units = of_groups(codes, (27, 18))
    assert units.whole == 12
    assert units.labels.count == comb(5, 3) ** 3 * comb(12, 6)
    assert "15 rows of 3 groups in both samples" in units.exactness
    assert "30 rows of 12 groups in one sample" in units.exactness


def test_thinned_groups_have_one_size():
    codes = np.repeat(np.arange(30), RNG(0).integers(3, 9, 30))
    units = of_groups(codes, (int(np.sum(codes < 15)), int(np.sum(codes >= 15))), thin=3)
    assert set(units.sizes) == {3.0}
    assert units.count == 30
    assert "exact for groups of one size" in units.exactness
    larger = of_groups(codes, (int(np.sum(codes < 15)), int(np.sum(codes >= 15))), thin=5)
    assert larger.count == int(np.sum(np.bincount(codes) >= 5))


def test_a_kind_with_next_to_no_relabellings_takes_no_part():
    codes = np.r_[np.repeat(np.arange(8), 4), [99] * 5, np.repeat(np.arange(8), 3)]
    units = of_groups(codes, (37, 24))
    assert units.whole == 0
    assert "5 rows took no part" in units.exactness


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.arange(7), "groups has 7 labels for 12 pooled rows"),
        (np.r_[np.zeros(6), np.ones(6)], "fewer than 20 permutations"),
    ],
)
def test_groups_that_cannot_serve_are_refused(codes, message):
    with pytest.raises(ValueError, match=message):
        of_groups(codes, (6, 6))


def test_labels_may_be_text_and_come_in_two_parts():
    names = np.array(["b", "a", "d", "c"]).repeat(2)
    groups = Groups((names, np.char.add(names, "2")))
    assert units_of_groups(groups, (8, 8), RNG(0)).labels.count == comb(8, 4)


@pytest.mark.parametrize("strategy", [Permutation(), Fuse(statistic=Exact())], ids=["one", "exact"])
def test_statistics_that_depend_on_the_sizes_refuse_groups_of_unequal_size(strategy):
    x, y = RNG(0).normal(size=(30, 1)), RNG(1).normal(size=(30, 1))
    groups = np.repeat(np.arange(30), np.tile([1, 3], 15))
    with pytest.raises(ValueError, match=r"thin=True"):
        two_sample_test(x, y, strategy=strategy, groups=groups, permutations=19)
    thinned = Groups(groups, thin=1)
    result = two_sample_test(x, y, strategy=strategy, groups=thinned, permutations=19, rng=0)
    assert "exact for groups of one size" in result.calibration


def test_a_negative_size_makes_no_sense():
    with pytest.raises(ValueError, match="thin must be"):
        Groups(np.arange(3), thin=-1)


def test_whole_numbers_of_two_types_keep_their_digits():
    ids = 2**53 + np.arange(20)
    whole = Groups((ids, ids)).codes((20, 20))
    np.testing.assert_array_equal(Groups((ids, ids.astype(np.uint64))).codes((20, 20)), whole)
    assert len(set(whole)) == 20


def test_a_pair_may_be_a_list():
    pair = np.arange(6) // 2, np.arange(8) // 2
    np.testing.assert_array_equal(Groups([*pair]).codes((6, 8)), Groups(pair).codes((6, 8)))


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA, pd.NaT])
def test_a_row_without_a_label_is_a_group_of_its_own(nothing):
    numbers = isinstance(nothing, float)
    labels = np.array([1.0, 1.0, nothing, nothing, 2.0], dtype=float if numbers else object)
    codes = Groups(labels).codes((3, 2))
    assert len(set(codes)) == 4
    assert codes[0] == codes[1]
