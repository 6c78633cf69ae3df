"""Components: what they look at, and their moments against full enumeration."""

import numpy as np
import pytest

from samelaw import Groups
from samelaw.testing.permuting.components import Moments, components_of, contrasts_of
from samelaw.testing.permuting.group_units import units_of_groups
from samelaw.testing.permuting.units import Units

RNG = np.random.default_rng
SIZES = (4, 5)


def symmetric(count):
    root = RNG(1).normal(size=(count, 3))
    return root @ root.T


@pytest.mark.parametrize("unbiased", [False, True])
def test_moments_are_those_of_all_permutations(unbiased):
    units = Units.of_rows(SIZES)
    start = RNG(2).normal(size=(9, 600))
    (component,) = components_of("q", symmetric(9), units, start, unbiased=unbiased)
    values = component.evaluate(units.labels.every().astype(float))
    moments = component.moments()
    assert moments.mean == pytest.approx(values.mean(), abs=1e-12)
    assert moments.deviation == pytest.approx(values.std())
    assert np.sign(moments.skewness) == np.sign(np.mean((values - values.mean()) ** 3))
    assert not component.two_sided


def test_a_statistic_without_spread_has_no_skewness_to_estimate():
    (component,) = components_of("q", np.eye(9), Units.of_rows(SIZES), np.ones((9, 1)))
    moments = component.moments()
    assert moments == Moments(moments.mean, 0.0, 0.0)


def of_both_kinds():
    """Three groups of both samples, and four of the first and three of the second alone."""
    first = np.r_[np.repeat([0, 1, 2], 2), np.repeat([3, 4, 5, 6], 2)]
    second = np.r_[np.repeat([0, 1, 2], 3), np.repeat([7, 8, 9], 2)]
    return units_of_groups(Groups((first, second)), (len(first), len(second)), RNG(0))


def test_groups_of_both_samples_and_of_one_are_components_of_their_own():
    units = of_both_kinds()
    count = len(units.rows)
    found = list(components_of("q", symmetric(count), units, RNG(2).normal(size=(count, 4))))
    assert [c.name for c in found] == ["q", "q"]
    assert [c.units for c in found] == [slice(0, 15), slice(15, 22)]
    contrasts = list(contrasts_of("s", RNG(3).normal(size=count), units))
    assert [c.units for c in contrasts] == [c.units for c in found]
    assert all(c.two_sided for c in contrasts)


def test_a_component_looks_at_its_own_units_only():
    units = of_both_kinds()
    count = len(units.rows)
    members = units.labels.draw(RNG(4), 6).astype(float)
    for component in components_of("q", symmetric(count), units, RNG(2).normal(size=(count, 4))):
        others = np.ones(units.count, dtype=bool)
        others[component.units] = False
        changed = members.copy()
        changed[:, others] = 1.0 - changed[:, others]
        np.testing.assert_array_equal(component.evaluate(changed), component.evaluate(members))
