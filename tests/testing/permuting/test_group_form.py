"""Values of groups that stay whole or swap their sides."""

import numpy as np
import pytest

from samelaw.comparison.view_tests import contrasts_of
from samelaw.testing.permuting.group_form import GroupForm, weights_of
from samelaw.testing.permuting.group_units import Groups, units_of_groups
from samelaw.testing.permuting.quadratic import QuadraticForm

RNG = np.random.default_rng


def of_groups(codes, sizes, **options):
    return units_of_groups(Groups(np.asarray(codes), **options), sizes, RNG(0))


def members_of(units, count=5):
    return np.concatenate([units.labels.observed[None], units.labels.draw(RNG(1), count)])


def part_of(units):
    (part,) = units.parts()
    return part


def kernel_of(count, seed=0):
    points = RNG(seed).normal(size=(count, 2))
    return np.exp(-np.sum((points[:, None] - points[None]) ** 2, axis=2))


def test_swapped_sides_are_a_quadratic_form_of_weighted_differences():
    sizes = [4, 1, 3, 4, 1, 3], [2, 5, 3, 2, 5, 3]
    codes = np.concatenate([np.repeat(np.arange(6), s) for s in sizes])
    units, matrix = of_groups(codes, (16, 20), swap=True), kernel_of(36)
    moved, _ = units.shuffled(RNG(5))
    order = moved.rows
    part = part_of(moved)
    form = QuadraticForm.of_signs(part.over_units(matrix[np.ix_(order, order)]), part.labels)
    members = members_of(moved, 6)
    first, second = moved.shares(members)
    signs = (first - second)[:, moved.unit[order]]
    expected = np.einsum("bi,ij,bj->b", signs, matrix[np.ix_(order, order)], signs)
    found = form.evaluate(members * 1.0)
    np.testing.assert_allclose(found / found[0], expected / expected[0])


def direct_groups(matrix, code, sizes, member, likeness):
    """The statistic of whole groups as one writes it on paper, over centred rows."""
    of_group = sizes / (1 + (sizes - 1) * likeness)
    each = (of_group / sizes)[code]
    holder = np.eye(len(code)) - each[None] / each.sum()
    weighted = each[:, None] * (holder @ matrix @ holder.T) * each[None]
    apart = (code[:, None] != code[None]) * np.outer(each, each)
    inside = member[code]
    total = 0.0
    for side in (inside, ~inside):
        pairs = np.ix_(side, side)
        total += (weighted * (apart > 0))[pairs].sum() / apart[pairs].sum()
    across = np.ix_(inside, ~inside)
    total -= 2 * weighted[across].sum() / apart[across].sum()
    return total / sum(1 / of_group[side].sum() for side in (member, ~member))


@pytest.mark.parametrize("alike", [0.0, 5.0])
def test_whole_groups_have_the_value_of_pairs_of_different_groups(alike):
    sizes = np.array([1, 4, 2, 3, 2, 5, 1, 3])
    code = np.repeat(np.arange(8), sizes)
    units = of_groups(code, (10, 11))
    points = alike * RNG(2).normal(size=(8, 2))[code] + RNG(0).normal(size=(21, 2))
    matrix = np.exp(-0.02 * np.sum((points[:, None] - points[None]) ** 2, axis=2))
    form = GroupForm.of(matrix.copy(), part_of(units))
    assert form.likeness > 0.5 if alike else form.likeness < 0.5
    members = members_of(units)
    expected = [direct_groups(matrix, code, sizes, m, form.likeness) for m in members]
    np.testing.assert_allclose(form.evaluate(members), expected)


def test_rows_that_are_nearly_one_weigh_little_more_than_one():
    sizes = np.array([1.0, 2.0, 30.0])
    np.testing.assert_allclose(weights_of(sizes, 0.0), sizes)
    np.testing.assert_allclose(weights_of(sizes, 1.0), 1.0)
    np.testing.assert_allclose(weights_of(sizes, np.array([0.0, 1.0])), np.c_[sizes, np.ones(3)])


def test_functions_of_whole_groups_go_the_way_of_kernels():
    sizes = np.array([1, 4, 2, 3, 2, 5, 1, 3])
    units = of_groups(np.repeat(np.arange(8), sizes), (10, 11))
    function = RNG(1).normal(size=21) + np.repeat(RNG(2).normal(size=8), sizes)
    function = (function - function.mean()) / function.std()
    members = members_of(units)
    (contrast,) = contrasts_of(units, members)
    found = contrast.squares(units.sums(function[:, None])).values[:, 0]
    form = GroupForm.of(np.outer(function, function), part_of(units))
    np.testing.assert_allclose(found, form.evaluate(members))
