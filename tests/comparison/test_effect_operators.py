"""Rows as operators: traces that count rows, classes that depend on the pool only."""

import numpy as np

from mixed_tables import pooled, table
from samelaw.comparison.design import FREQUENCIES
from samelaw.comparison.effect_operators import class_operators, joint_operators
from samelaw.data.column_views import ColumnView, column_views
from samelaw.twosample.units import Groups, Units

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
    groups = Units.of_groups(Groups(labels), SIZES, np.random.default_rng(0))
    rows = joint_operators(points, Units.of_rows(SIZES), np.random.default_rng(2))
    whole = joint_operators(points, groups, np.random.default_rng(2))
    assert rows.shape[1:] == (2 * FREQUENCIES, 2 * FREQUENCIES)
    np.testing.assert_allclose(np.trace(rows, axis1=1, axis2=2), 1.0)
    np.testing.assert_allclose(rows.sum(axis=0), whole.sum(axis=0), atol=1e-10)
    for unit in (0, 7):
        mine = groups.unit == unit
        np.testing.assert_allclose(whole[unit], rows[mine].sum(axis=0), atol=1e-10)
