"""Differences of means under permutations: moments by enumeration, and values that are missing."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from mixed_tables import pooled
from samelaw.comparison.contrasts import contrasts_of, keeping_known
from samelaw.comparison.view_tests import ColumnTests
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.units import Units

FORMS = np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 1.0]])


def every(n, m):
    """All memberships of n + m units, the first n of them first."""
    found = np.zeros((0, n + m), dtype=bool)
    for chosen in combinations(range(n + m), n):
        found = np.concatenate([found, np.isin(np.arange(n + m), chosen)[None]])
    return found


@pytest.mark.parametrize("sizes", [(4, 5), (3, 6), (2, 7)])
def test_moments_are_those_over_all_permutations(sizes):
    units, memberships = Units.of_rows(sizes), every(*sizes)
    sums = np.random.default_rng(0).normal(size=(9, 3))
    (contrast,) = contrasts_of(units, memberships)
    values = contrast.squares(sums).values @ FORMS.T
    found = contrast.moments(sums, FORMS)
    np.testing.assert_allclose(found.mean, values.mean(axis=0))
    np.testing.assert_allclose(found.deviation, values.std(axis=0))


def test_moments_where_values_are_missing_are_nearly_those_over_permutations():
    rng = np.random.default_rng(1)
    units, known = Units.of_rows((60, 40)), (rng.random(100) < 0.6) * 1.0
    memberships = units.labels.draw(rng, 4_000)
    sums = rng.normal(size=(100, 3)) * known[:, None]
    (contrast,) = contrasts_of(units, memberships)
    values = contrast.squares(sums, known).values @ FORMS.T
    found = contrast.moments(sums, FORMS, known)
    np.testing.assert_allclose(found.mean, values.mean(axis=0), rtol=0.1)
    np.testing.assert_allclose(found.deviation, values.std(axis=0), rtol=0.15)


def test_a_level_of_each_group_is_no_difference_where_a_side_lost_values():
    """Within groups only: equal values in every group, of which one side lost most."""
    strata = np.repeat(np.arange(6), 10)
    member = np.tile(np.arange(10) < 5, 6)
    known = np.where(member, 1.0, np.arange(60) % 5 == 0) * 1.0
    units = Units(Labels(member, strata), np.arange(60))
    memberships = np.concatenate([member[None], units.labels.draw(np.random.default_rng(2), 50)])
    (contrast,) = contrasts_of(units, memberships)
    level = (strata - 2.5)[:, None] * known[:, None]
    np.testing.assert_allclose(contrast.squares(level, known).values, 0.0, atol=1e-20)


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1, 2], 10)])
def test_every_table_keeps_its_known_values_and_every_choice_is_as_likely(strata):
    labels = Labels(np.arange(30) % 3 == 0, strata)
    known = np.arange(30) % 4 != 0
    drawn = np.concatenate([labels.observed[None], labels.draw(np.random.default_rng(0), 3_000)])
    found = keeping_known(drawn, known, labels, np.random.default_rng(1))
    place = np.zeros(30, dtype=int) if strata is None else strata
    for code in np.unique(place):
        own = found[:, known & (place == code)]
        assert np.unique(own.sum(axis=1)).tolist() == [own[0].sum()]
        share = own[0].mean()
        assert np.abs(own[1:].mean(axis=0) - share).max() < 5 * np.sqrt(share / 3_000)
    np.testing.assert_array_equal(found[:, ~known], drawn[:, ~known])


def pvalue_of_values(rng, sizes, lost):
    """Of the values of a column of one law, of which tables lost unequal shares."""
    tables = []
    for rows, share in zip(sizes, lost, strict=True):
        values = rng.normal(size=rows)
        tables.append({"x": np.where(rng.random(rows) < share, np.nan, values)})
    pair = pooled(*tables)
    units = Units.of_rows(pair.sizes)
    members = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 39)])
    tests = ColumnTests(pair.columns, units, members, pair.sizes)
    place = [view.name for view in tests.views].index("x")
    values = tests.given_known([place], rng)[place]
    return np.mean(values >= values[0])


@pytest.mark.parametrize(
    ("sizes", "lost"), [((50, 500), (0.0, 0.85)), ((40, 600), (0.5, 0.95)), ((300, 50), (0.0, 0.9))]
)
def test_another_share_of_missing_values_is_no_change_of_the_values(sizes, lost):
    """Small p-values in 73 and 92 of 100 runs when all rows counted in the spread."""
    rng, runs, level = np.random.default_rng(3), 25, 0.1
    hits = sum(pvalue_of_values(rng, sizes, lost) <= level for _ in range(runs))
    assert hits <= binom.ppf(0.9995, runs, level)


@pytest.mark.parametrize("groups", [False, True])
def test_tables_without_a_known_value_differ_in_nothing(groups):
    units = Units.of_rows((6, 6))
    if groups:
        units = Units(Labels(np.arange(6) < 3), np.repeat(np.arange(6), 2), whole=6)
    members = np.concatenate(
        [units.labels.observed[None], units.labels.draw(np.random.default_rng(0), 20)]
    )
    (contrast,) = contrasts_of(units, members)
    for known in (np.zeros(units.count), (np.arange(units.count) == 0) * 1.0):
        sums = np.random.default_rng(1).normal(size=(units.count, 2)) * known[:, None]
        np.testing.assert_allclose(contrast.squares(sums, known).values, 0.0, atol=1e-12)
