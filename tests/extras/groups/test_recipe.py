"""What groups are seen through: learnt from rows of all of them, the same for the same seed."""

import numpy as np
import pytest

from samelaw.extras.groups.recipe import PREPARED, GroupPlan

ROWS = np.random.default_rng(0).normal(size=(3_000, 2)) + 40.0


def test_the_same_seed_gives_the_same_plan_of_some_centred_rows():
    one, other = (GroupPlan.of(ROWS, rng=3) for _ in range(2))
    assert np.array_equal(one.pool, other.pool)
    assert np.array_equal(one.feature_map.frequencies, other.feature_map.frequencies)
    assert one.pool.shape == (PREPARED, 2)
    assert np.abs(one.pool.mean(axis=0)).max() < 0.1


def test_the_control_may_keep_more_rows():
    plan = GroupPlan.of(ROWS, control="c", keep=10, keep_control=70, rng=0)
    assert (plan.kept("c"), plan.kept("other")) == (70, 10)


def test_the_plan_of_two_rows_is_the_smallest():
    with pytest.raises(ValueError, match="at least two rows"):
        GroupPlan.of(np.ones((1, 2)))


def test_rows_whose_squares_vanish_in_single_precision_are_refused():
    with pytest.raises(ValueError, match="squares of such numbers vanish: rescale the rows"):
        GroupPlan.of((ROWS - 40.0) * 1e-20)
