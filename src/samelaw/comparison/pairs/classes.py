"""Column views as a few classes: what pairs of them are counted in.

The classes depend on the pool alone, so they are the same for every permutation.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samelaw.comparison.constants import (
    BALANCED,
    LEAST_SHARE,
    MANY_ROWS,
    MOST_NOMINAL,
    PAIR_ENDS,
    TAIL_ENDS,
)
from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.scales import ranks
from samelaw.tables.columns.views import ColumnView


@dataclass(frozen=True, eq=False)
class Classes:
    """A column view as classes.

    Parameters
    ----------
    view : ColumnView
    codes : array (N,)
        Class of each row, −1 for rows that take no part.
    count : int
        How many classes; 0 if the view cannot be looked at together with others.
    ordered : bool
        Whether the order of the classes means something.
    """

    view: ColumnView
    codes: Matrix = field(repr=False)
    count: int
    ordered: bool

    @cached_property
    def whole(self) -> bool:
        """Whether every row takes part."""
        return bool(self.codes.min() >= 0)


def kind_of(one: Classes, other: Classes) -> tuple[int, int]:
    """Pairs of one kind have changes of nearly one law: numbers, or so many categories, of each."""
    low, high = sorted(0 if classes.ordered else classes.count for classes in (one, other))
    return low, high


def classes_of(view: ColumnView, sizes: tuple[int, int], weights: Matrix | None = None) -> Classes:
    """The classes of a column view in two tables of the given sizes.

    ``weights`` (N,) says how many rows each row stands for.
    """
    column = view.column
    if view.alone:
        return Classes(view, np.full(len(column.missing), -1, dtype=np.int8), 0, False)
    if view.missing:
        return _nominal(view, column.missing.astype(np.int64), 2, weights)
    if column.kind is Kind.CATEGORICAL:
        return _nominal(view, column.values.astype(np.int64), len(column.categories), weights)
    if column.kind is Kind.BOOLEAN:
        codes = np.where(column.missing, -1, np.nan_to_num(column.values)).astype(np.int64)
        return _nominal(view, codes, 2, weights)
    places = np.searchsorted(_ends(sizes), np.nan_to_num(ranks(column.values, weights)))
    values, codes = np.unique(places[~column.missing], return_inverse=True)
    codes = _spread(codes, column.missing)
    if len(values) < 3:  # two values have no order that matters
        return _nominal(view, codes.astype(np.int64), len(values), weights)
    return Classes(view, codes, len(values), True)


def _spread(codes: Matrix, missing: Matrix) -> Matrix:
    result = np.full(len(missing), -1, dtype=np.int8)
    result[~missing] = codes
    return result


def _ends(sizes: tuple[int, int]) -> Matrix:
    """Ranks of the pool at which classes end.

    A table much smaller than the other would fall into one or two classes if its values lay beyond
    those of the other: either end then has classes by the size of that table.
    """
    share = min(sizes) / sum(sizes)
    ends = np.array(PAIR_ENDS)
    if share < BALANCED:
        outer = share * np.array(TAIL_ENDS)
        inner = np.linspace(share, 1.0 - share, 5)[1:-1]
        ends = np.concatenate([outer, inner, 1.0 - outer[::-1]])
    if sum(sizes) <= MANY_ROWS:
        return ends
    whole = np.concatenate([[0.0], ends, [1.0]])
    return np.sort(np.concatenate([ends, 0.5 * (whole[1:] + whole[:-1])]))


def _nominal(view: ColumnView, codes: Matrix, size: int, weights: Matrix | None) -> Classes:
    """The commonest classes; the rest is one of them only if there would be a single one."""
    known = codes >= 0
    rows = len(codes) if weights is None else float(weights.sum())
    often = None if weights is None else weights[known]
    shares = np.bincount(codes[known], often, minlength=size) / rows
    common = np.argsort(-shares, kind="stable")[:MOST_NOMINAL]
    common = common[shares[common] >= LEAST_SHARE]
    place = np.full(size + 1, -1, dtype=np.int8)  # the last: missing values
    if len(common) == 1 and shares.sum() - shares[common[0]] >= LEAST_SHARE:
        place[:size], count = 1, 2
    else:
        count = len(common) if len(common) > 1 else 0
    place[common] = np.arange(len(common))
    return Classes(view, place[codes], count, False)
