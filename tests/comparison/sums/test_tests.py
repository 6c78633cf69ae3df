"""Tests on sums over blocks: the numbers of the same blocks with their rows."""

import numpy as np
import pytest

from samelaw.comparison.effects.operators import RowOperators
from samelaw.comparison.sums.joint import joint_values
from samelaw.comparison.view_tests import ColumnTests
from streaming_tables import mixed, summed


@pytest.fixture(scope="module")
def both():
    pair, units, tests = summed(mixed(900, 0), mixed(700, 1, shift=0.2), 20)
    labels = units.labels
    memberships = np.concatenate([labels.observed[None], labels.draw(np.random.default_rng(0), 60)])
    rows = ColumnTests(pair.columns, units, memberships, pair.sizes)
    return pair, units, tests, memberships, rows


def names(tests):
    return [tests.sums.scheme.looks[place].name for place in tests.kept]


def test_the_same_views_are_compared(both):
    _, _, tests, _, rows = both
    assert set(names(tests)) == {view.name for view in rows.views}


def test_views_of_few_values_have_the_same_statistics_as_with_their_rows(both):
    _, _, tests, memberships, rows = both
    alone, place = tests.alone(memberships), {n: k for k, n in enumerate(names(tests))}
    for view, expected in zip(rows.views, rows.alone, strict=True):
        own = alone[place[view.name]]
        if view.name in ("x", "y", "when", "when (hour of day)"):  # a bin is one value
            assert np.corrcoef(own, expected)[0, 1] > 0.98
        else:
            np.testing.assert_allclose(own, expected, rtol=1e-3, atol=1e-3)


def test_pairs_have_the_same_statistics_as_with_their_rows(both):
    _, _, tests, memberships, rows = both
    found = tests.paired(memberships, 2.0**26, None)
    expected = rows.of_pairs()
    own = names(tests)
    place = {frozenset((own[i], own[j])): k for k, (i, j) in enumerate(tests.pairs)}
    for (i, j), values in zip(rows.pairs, expected, strict=True):
        k = place[frozenset((rows.views[i].name, rows.views[j].name))]
        assert np.corrcoef(found[k], values)[0, 1] > 0.97


def test_effects_are_computed_from_the_same_counts(both):
    pair, units, tests, _, rows = both
    operators = RowOperators(rows.views, rows.pairs, units, np.zeros((2, 1)), pair.sizes)
    place = {name: k for k, name in enumerate(names(tests))}
    for i, view in enumerate(rows.views):
        if view.name in ("count", "word", "flag", "gaps", "gaps (missing)"):
            np.testing.assert_allclose(tests.of_view(place[view.name]), operators.of_view(i))
    assert len(tests.apart()) == len(tests.pairs)
    place = {frozenset((rows.views[i].name, rows.views[j].name)): k
             for k, (i, j) in enumerate(rows.pairs)}  # fmt: skip
    own = names(tests)
    i, j = tests.pairs[0]
    found, whole = tests.cells(0), operators.cells(place[frozenset((own[i], own[j]))])
    np.testing.assert_allclose(found.sum(axis=(1, 2)), whole.sum(axis=(1, 2)), rtol=0.05)
    cells = tests.of_pair(0)
    np.testing.assert_allclose(cells.sum(axis=1), 20.0)


def test_all_columns_together_see_a_shift_and_no_more_than_chance_without_one(both):
    memberships = both[3]
    for shift in (0.0, 0.7):
        _, _, tests = summed(mixed(900, 3), mixed(700, 4, shift=shift), 20)
        values = joint_values(tests.sums, tests.units, memberships, np.random.default_rng(0))
        assert (np.mean(values[1:] >= values[0]) > 0.02) == (shift == 0.0)
