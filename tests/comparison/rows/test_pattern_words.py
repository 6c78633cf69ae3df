"""A pattern says which category, and on which side of a column of numbers it lies."""

import numpy as np

from samelaw.comparison.rows.witness import pattern_words
from samelaw.tables.columns.views import ColumnView
from samelaw.tables.reading.read import read_table

ROWS = np.arange(6)
PATTERN = np.array([0.0, 0.0, 0.1, 0.9, 0.8, 0.9])


def column(values):
    return read_table({"x": values}).column("x")


def test_the_category_that_holds_the_pattern_is_named():
    words = ["south", "south", "south", "north", "north", "west"]
    assert pattern_words(ColumnView(column(words)), -0.4, ROWS, PATTERN) == "x = 'north'"


def test_numbers_are_high_or_low_and_absences_are_said():
    numbers = ColumnView(column([1.5, 2.5, 3.0, 9.25, 8.5, 9.0]))
    assert pattern_words(numbers, 0.9, ROWS, PATTERN) == "high x"
    assert pattern_words(numbers, -0.9, ROWS, PATTERN) == "low x"
    flags = ColumnView(column([True, True, True, False, False, False]))
    assert pattern_words(flags, -0.9, ROWS, PATTERN) == "x false"
    holes = ColumnView(column([1.0, 2.5, 3.0, None, None, None]), missing=True)
    assert pattern_words(holes, 0.9, ROWS, PATTERN) == "x missing"
    assert pattern_words(holes, -0.9, ROWS, PATTERN) == "x known"
