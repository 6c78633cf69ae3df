"""Sums over one control: the moments of every group are those over all permutations."""

import numpy as np
import pytest

from many_groups import components, control_sums
from samelaw.extras.groups.control_sums import groups_at_once
from samelaw.extras.groups.row_backend import row_features
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.row_form import RowForm

RNG = np.random.default_rng(0)
POOL = RNG.normal(size=(100, 2))
CONTROL = RNG.normal(size=(40, 2))
SIZES = np.array([2, 7, 60])
GROUPS = RNG.normal(size=(69, 2)) + 0.5


def test_moments_are_exact_for_every_group():
    control = control_sums(POOL, CONTROL)
    mean, deviation = control.moments(control.features(GROUPS), SIZES)
    maps = row_features(components(POOL))
    for g, stop in enumerate(np.cumsum(SIZES)):
        both = maps(np.concatenate([GROUPS[stop - SIZES[g] : stop], CONTROL]))
        for k, place in enumerate(maps.slices):
            form = RowForm(
                both[:, place], Labels.of_sizes((int(SIZES[g]), 40)), maps.looks[k], maps.parts[0]
            )
            expected = form.moments()
            assert mean[g, k] == pytest.approx(expected[0], rel=1e-3)
            assert deviation[g, k] ** 2 == pytest.approx(expected[1], rel=1e-2)


def test_the_mean_of_the_control_is_taken_off():
    control = control_sums(POOL, CONTROL)
    assert np.allclose(control.rows.mean(axis=0), 0.0, atol=1e-5)
    assert np.allclose(control.features(CONTROL), control.rows, atol=1e-5)


def test_rows_that_are_all_alike_have_no_deviation():
    control = control_sums(np.ones((30, 2)), np.ones((20, 2)))
    _, deviation = control.moments(control.features(np.ones((9, 2))), np.array([4, 5]))
    assert np.array_equal(deviation, np.zeros_like(deviation))


def test_groups_are_worked_on_some_at_a_time():
    assert groups_at_once([3, 3, 3, 9, 1], 6) == [
        slice(0, 2),
        slice(2, 3),
        slice(3, 4),
        slice(4, 5),
    ]
    assert groups_at_once([99], 6) == [slice(0, 1)]
