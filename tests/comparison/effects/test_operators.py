"""Rows as operators: traces that count rows, classes that depend on the pool only."""

import numpy as np

from mixed_tables import pooled, table
from samelaw import compare
from samelaw.comparison.constants import CELL_ENDS, FREQUENCIES
from samelaw.comparison.effects.effect import effect_size
from samelaw.comparison.effects.operators import (
    class_operators,
    coarse_codes,
    dependence_part,
    joint_operators,
    pair_divergences,
    pair_operators,
)
from samelaw.tables.columns.views import ColumnView, column_views
from samelaw.testing.permuting.group_units import Groups, units_of_groups
from samelaw.testing.permuting.units import Units

SIZES = (70, 50)


def pair():
    rng = np.random.default_rng(0)
    return pooled(*(table(rng, size) for size in SIZES))


def test_every_row_counts_once_whatever_the_kind():
    units = Units.of_rows(SIZES)
    for view in column_views(pair().columns):
        np.testing.assert_allclose(class_operators(view, units).sum(axis=1), 1.0)


def test_rows_without_a_value_are_shared_out_as_the_pool_is():
    column = next(c for c in pair().columns if c.name == "holes")
    counts = class_operators(ColumnView(column), Units.of_rows(SIZES))
    known = counts[~column.missing].mean(axis=0)
    np.testing.assert_allclose(counts[column.missing], np.tile(known, (column.missing.sum(), 1)))


def test_operators_of_a_group_are_the_sum_over_its_rows():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(120, 3))
    labels = np.arange(120) // 5
    groups = units_of_groups(Groups(labels), SIZES, np.random.default_rng(0))
    rows = joint_operators(points, Units.of_rows(SIZES), np.random.default_rng(2))
    whole = joint_operators(points, groups, np.random.default_rng(2))
    assert rows.shape[1:] == (2 * FREQUENCIES, 2 * FREQUENCIES)
    np.testing.assert_allclose(np.trace(rows, axis1=1, axis2=2), 1.0)
    np.testing.assert_allclose(rows.sum(axis=0), whole.sum(axis=0), atol=1e-10)
    for unit in (0, 7):
        mine = groups.unit == unit
        np.testing.assert_allclose(whole[unit], rows[mine].sum(axis=0), atol=1e-10)


def test_cells_of_two_columns_count_every_row_once():
    units = Units.of_rows(SIZES)
    views = column_views(pair().columns)
    codes = [coarse_codes(view) for view in views]
    for view, code in zip(views, codes, strict=True):
        assert code.max() <= len(CELL_ENDS)
        assert view.missing or np.array_equal(code < 0, view.column.missing)
    for one in codes:
        for other in codes:
            np.testing.assert_allclose(pair_operators(one, other, units).sum(axis=1), 1.0)


def xor(rng, size, flipped):
    """Two fair coins; of a share of the rows the second is the first."""
    first, second = rng.integers(0, 2, (2, size))
    return first, np.where(rng.random(size) < flipped, first, second)


def test_the_effect_of_a_pair_is_that_of_its_cells_though_no_margin_moved():
    rng, sizes = np.random.default_rng(3), (900, 700)
    sides = [xor(rng, size, share) for size, share in zip(sizes, (1.0, 0.0), strict=True)]
    one, other = np.concatenate(sides, axis=1)
    units = Units.of_rows(sizes)
    memberships = np.concatenate(
        [units.labels.observed[None], units.labels.draw(np.random.default_rng(0), 99)]
    )
    found = effect_size(pair_operators(one, other, units), units, memberships, rng)
    # (½, 0, 0, ½) v (¼, ¼, ¼, ¼)
    middle, log2 = np.array([0.375, 0.125, 0.125, 0.375]), np.log2
    expected = -(middle * log2(middle)).sum() - 0.5 * (1.0 + 2.0)
    assert abs(found.value - expected) < 0.03
    low, high = found.interval(3.0)
    assert low < expected < high


def test_a_screen_puts_the_pair_that_changed_first():
    rng, sizes = np.random.default_rng(4), (900, 700)
    sides = [xor(rng, size, share) for size, share in zip(sizes, (1.0, 0.0), strict=True)]
    codes = dict(enumerate(np.concatenate(sides, axis=1)))
    codes[2] = rng.integers(-1, 5, sum(sizes))
    found = pair_divergences(codes, [(0, 2), (0, 1), (1, 2)], sizes)
    assert found.argmax() == 1
    assert found[1] > 0.2
    assert max(found[0], found[2]) < 0.01


def test_a_letter_more_in_every_value_is_an_effect_though_all_hold_the_same_classes():
    """Text decoded wrongly has two signs for one in every row, and no other class of characters."""
    rng = np.random.default_rng(0)
    names = [f"{rng.choice(['Jo', 'Anna'])} M\u00fcller {'x' * i}" for i in rng.integers(1, 9, 300)]
    wrong = [name.encode().decode("latin-1") for name in names]
    found = compare(
        {"name": names}, {"name": wrong}, rng=0, permutations=39, kinds={"name": "text"}
    )
    (characters,) = [m for m in found.marginals if m.part == "characters"]
    assert characters.changed
    assert "beyond ASCII" in characters.sentence
    assert characters.effect > 0.1


def cells(shares, rows=20_000):
    return np.rint(np.array(shares) / np.sum(shares, axis=(1, 2), keepdims=True) * rows)


def test_the_part_of_a_dependence_is_none_where_only_columns_changed():
    one, other = np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.2, 0.7])
    flat = np.full(3, 1 / 3)
    apart = cells([np.outer(one, flat), np.outer(other, one)])
    for ordered in ((False, False), (True, False), (False, True), (True, True)):
        assert dependence_part(apart, ordered) == 0.0
    shifted = cells([np.pad(np.eye(3), ((0, 3), (0, 0))), np.pad(np.eye(3), ((3, 0), (0, 0)))])
    assert dependence_part(shifted, (True, True)) == 0.0
    turned = cells([np.pad(np.eye(3), ((0, 3), (0, 0))), np.pad(np.eye(3)[::-1], ((3, 0), (0, 0)))])
    assert dependence_part(turned, (True, True)) > 0.3


def test_the_part_of_a_dependence_is_all_where_no_column_changed():
    found = dependence_part(cells([np.eye(2), np.eye(2)[::-1]]), (False, False))
    np.testing.assert_allclose(found, 1.0, atol=1e-3)
    assert dependence_part(np.zeros((2, 2, 2)), (False, False)) == 0.0


def test_a_pair_is_not_told_with_the_effect_of_its_columns():
    """Days of another year, of which a delay depends a little otherwise, were told as .8."""
    rng = np.random.default_rng(0)
    day, later = rng.uniform(0, 400, 400), rng.uniform(380, 780, 400)
    a = {"d": day, "y": rng.normal(size=400) + 0.002 * day}
    b = {"d": later, "y": rng.normal(size=400) - 0.002 * (later - 380)}
    found = compare(a, b, rng=0, permutations=99)
    (pair,) = found.pairs
    assert pair.changed
    assert 0.0 < pair.effect < 0.15
    assert pair.effect_interval[0] <= pair.effect <= pair.effect_interval[1] < 0.3
    assert found.effect_of == "d"
