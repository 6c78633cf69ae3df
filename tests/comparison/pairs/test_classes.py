"""Classes of columns: a few, enough for either table, blind to which table a row is of."""

import numpy as np
import pytest

from samelaw.comparison.constants import BALANCED, MANY_ROWS
from samelaw.comparison.pairs.classes import classes_of
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.views import ColumnView


def numbers(values):
    return Column("x", Kind.NUMERIC, values, np.isnan(values))


def words(codes, count):
    names = tuple(f"w{i}" for i in range(count))
    return Column("x", Kind.CATEGORICAL, codes, codes < 0, names)


def test_numbers_are_ordered_and_missing_ones_take_no_part():
    values = np.random.default_rng(0).normal(size=400)
    values[:20] = np.nan
    view = classes_of(ColumnView(numbers(values)), (200, 200))
    assert view.ordered
    assert not view.whole
    np.testing.assert_array_equal(view.codes < 0, np.isnan(values))
    order = np.argsort(values[20:])
    assert (np.diff(view.codes[20:][order]) >= 0).all()
    assert set(view.codes) == {-1, *range(view.count)}


@pytest.mark.parametrize("sizes", [(900, 30), (30, 900), (500, 500), (40_000, 1_000)])
@pytest.mark.parametrize("place", [-9.0, 9.0])
def test_the_smaller_table_has_classes_of_its_own_wherever_it_lies(sizes, place):
    rng = np.random.default_rng(1)
    values = rng.normal(size=sum(sizes))
    small = slice(sizes[0], None) if sizes[1] <= sizes[0] else slice(None, sizes[0])
    values[small] += place
    codes = classes_of(ColumnView(numbers(values)), sizes).codes[small]
    assert len(np.unique(codes)) >= 4


def test_more_rows_have_more_classes_and_classes_do_not_depend_on_labels():
    values = np.random.default_rng(2).normal(size=2 * MANY_ROWS)
    few, many = (
        classes_of(ColumnView(numbers(v)), (len(v) // 2,) * 2) for v in (values[:900], values)
    )
    assert many.count == 2 * few.count
    uneven = int(len(values) * BALANCED / 2)
    swapped = classes_of(ColumnView(numbers(values[::-1])), (uneven, len(values) - uneven))
    there = classes_of(ColumnView(numbers(values)), (len(values) - uneven, uneven))
    np.testing.assert_array_equal(there.codes, swapped.codes[::-1])


def test_two_values_have_no_order_and_common_categories_are_kept():
    two = classes_of(ColumnView(numbers(np.repeat([3.0, 7.0], 50))), (50, 50))
    assert (two.ordered, two.count) == (False, 2)
    codes = np.repeat([0, 1, 2, 3, 4], [50, 30, 14, 4, 2])
    common = classes_of(ColumnView(words(codes, 5)), (50, 50))
    assert (common.ordered, common.count) == (False, 3)
    np.testing.assert_array_equal(common.codes, np.where(codes < 3, codes, -1))
    lone = classes_of(ColumnView(words(np.repeat(np.arange(6), [90, 2, 2, 2, 2, 2]), 6)), (50, 50))
    assert lone.count == 2
    assert lone.whole
    rare = classes_of(ColumnView(words(np.repeat([0, 1], [98, 2]), 2)), (50, 50))
    assert rare.count == 0
