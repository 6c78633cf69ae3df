"""What tells the rows of a pattern from others, in words: "high price", "region = 'north'"."""

import numpy as np

from samelaw.core.types import Matrix
from samelaw.results.words import quoted, shorten
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.views import ColumnView


def pattern_words(view: ColumnView, weight: float, rows: Matrix, pattern: Matrix) -> str:
    """How a column view goes with a pattern.

    Parameters
    ----------
    view : ColumnView
    weight : float
        Positive when high values belong to the pattern.
    rows, pattern : arrays (r,)
        Numbers of rows in the pool, and how much of the pattern each of them has.
    """
    column, name = view.column, shorten(view.column.name, 40)
    if view.missing:
        return f"{name} {'missing' if weight > 0 else 'known'}"
    if column.kind is Kind.CATEGORICAL:
        return f"{name} = {quoted(_category(view, rows, pattern), 30)}"
    if column.kind is Kind.BOOLEAN:
        return f"{name} {'true' if weight > 0 else 'false'}"
    return f"{'high' if weight > 0 else 'low'} {name}"


def _category(view: ColumnView, rows: Matrix, pattern: Matrix) -> str:
    """The category that holds most of the pattern beyond its share of the rows."""
    known = ~view.column.missing[rows]
    codes = view.column.values[rows][known].astype(np.int64)
    beyond = pattern[known] - pattern.mean()
    sums = np.bincount(codes, weights=beyond, minlength=len(view.column.categories))
    return view.column.categories[int(np.argmax(sums))]
