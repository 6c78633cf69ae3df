"""Columns as a few classes: what pairs of columns are counted in.

The classes depend on the pool alone, so they are the same for every labelling.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samelaw.core.types import Matrix
from samelaw.data.kinds import Column, Kind
from samelaw.data.scales import ranks

LEAST_SHARE = 0.05
"""Share of the pool that a category needs, or what is missing, to be looked at in pairs."""
MOST_NOMINAL = 3
ENDS = (0.03, 0.09, 0.17, 0.27, 0.38, 0.5, 0.62, 0.73, 0.83, 0.91, 0.97)
"""Ranks at which the classes of numbers end, narrow where normal scores are steep."""
MANY_ROWS = 5_000
"""Rows above which classes are halved: errors of grouping would begin to be seen."""
BALANCED = 0.3
"""Share of the smaller table from which on it has classes enough wherever its values lie."""
TAIL_ENDS = (0.1, 0.35, 0.65, 1.0)


@dataclass(frozen=True, eq=False)
class View:
    """One column, or the absence of its values, as classes.

    Parameters
    ----------
    codes : array (N,)
        Class of each row, −1 for rows that take no part.
    count : int
        How many classes; 0 if the column cannot be looked at together with others.
    ordered : bool
        Whether the order of the classes means something.
    """

    column: Column
    missing: bool
    codes: Matrix = field(repr=False)
    count: int
    ordered: bool

    @cached_property
    def whole(self) -> bool:
        """Whether every row takes part."""
        return bool(self.codes.min() >= 0)


def view_of(column: Column, missing: bool, sizes: tuple[int, int]) -> View:
    """The classes of a column in two tables of the given sizes."""
    if missing:
        return _nominal(column, True, column.missing.astype(np.int64), 2)
    if column.kind is Kind.CATEGORICAL:
        return _nominal(column, False, column.values.astype(np.int64), len(column.categories))
    if column.kind is Kind.BOOLEAN:
        codes = np.where(column.missing, -1, np.nan_to_num(column.values)).astype(np.int64)
        return _nominal(column, False, codes, 2)
    places = np.searchsorted(_ends(sizes), np.nan_to_num(ranks(column.values)))
    values, codes = np.unique(places[~column.missing], return_inverse=True)
    if len(values) < 3:  # two values have no order that matters
        codes = _spread(codes, column.missing)
        return _nominal(column, False, codes.astype(np.int64), len(values))
    return View(column, False, _spread(codes, column.missing), len(values), True)


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
    ends = np.array(ENDS)
    if share < BALANCED:
        outer = share * np.array(TAIL_ENDS)
        inner = np.linspace(share, 1.0 - share, 5)[1:-1]
        ends = np.concatenate([outer, inner, 1.0 - outer[::-1]])
    if sum(sizes) <= MANY_ROWS:
        return ends
    whole = np.concatenate([[0.0], ends, [1.0]])
    return np.sort(np.concatenate([ends, 0.5 * (whole[1:] + whole[:-1])]))


def _nominal(column: Column, missing: bool, codes: Matrix, size: int) -> View:
    """The commonest classes; the rest is one of them only if there would be a single one."""
    shares = np.bincount(codes[codes >= 0], minlength=size) / len(codes)
    common = np.argsort(-shares, kind="stable")[:MOST_NOMINAL]
    common = common[shares[common] >= LEAST_SHARE]
    place = np.full(size + 1, -1, dtype=np.int8)  # the last: missing values
    if len(common) == 1 and shares.sum() - shares[common[0]] >= LEAST_SHARE:
        place[:size], count = 1, 2
    else:
        count = len(common) if len(common) > 1 else 0
    place[common] = np.arange(len(common))
    return View(column, missing, place[codes], count, False)
