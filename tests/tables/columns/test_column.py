"""A column by itself: some of its rows, and where it has nothing at all."""

from dataclasses import replace

import numpy as np

from samelaw.tables.columns.column import AS_WRITTEN, Column, Features, Kind
from samelaw.tables.columns.parse import OF_DAY


def test_some_rows_take_parts_and_features_with_them():
    part = Column("x", Kind.CATEGORICAL, np.array([0, 1, -1]), np.array([False, False, True]))
    whole = Column(
        "x",
        Kind.NUMERIC,
        np.array([1.0, 2.0, np.nan]),
        np.array([False, False, True]),
        parts={"as written": part},
        features=Features(np.arange(6.0).reshape(3, 2)),
    )
    taken = whole.taken(np.array([2, 0]))
    np.testing.assert_array_equal(taken.values, [np.nan, 1.0])
    np.testing.assert_array_equal(taken.parts["as written"].values, [-1, 0])
    np.testing.assert_array_equal(taken.features.values, [[4.0, 5.0], [0.0, 1.0]])


def test_a_word_among_numbers_is_no_number_but_something():
    """Row 1 holds a word, row 2 nothing."""
    written = Column("x", Kind.CATEGORICAL, np.array([0, 1, -1]), np.array([False, False, True]))
    missing = np.array([False, True, True])
    numbers = Column("x", Kind.NUMERIC, np.array([1.0, np.nan, np.nan]), missing)
    np.testing.assert_array_equal(numbers.absent, missing)
    mixed = replace(numbers, parts={AS_WRITTEN: written})
    np.testing.assert_array_equal(mixed.absent, written.missing)


def test_numbers_beside_times_of_day_are_no_times():
    """One table holds times, the other numbers: 25 is on no clock, nor is infinity."""
    hours = Column("x", Kind.NUMERIC, np.array([8.5, 24.0, np.nan]), np.array([False, False, True]))
    assert not hours.of_day
    times = replace(hours, notes=(OF_DAY,))
    assert times.of_day
    for other in (25.0, -1.0, np.inf, 1e300):
        assert not replace(times, values=np.array([8.5, other, np.nan])).of_day
