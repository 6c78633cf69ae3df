"""The functions of a row by which a column view is compared: their means in A and in B.

A view is a handful of functions of a row, fixed by the pool alone, whose means are compared.

- a column of numbers or dates: the first four Hermite polynomials of its normal scores (location,
  scale, skewness, tails), cosines of its ranks, which see what moves mass about locally, and
  indicators of either end, for a few rows far out, and of single values that many rows have
  (`twotables.spikes`).
- the hour of a day: one indicator each, as of categories, and two waves around the clock; the
  characters of text: as categories, and the share of each class in a value.
- categories: one indicator each, weighted as χ² weights them, unweighted, and each by itself, or a
  new category among old ones would drown. Of many, the rare ones share some (`data.categories`).
- missing values: the indicator.

A missing value counts as nothing in its column: its functions are 0, their mean.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from samelaw.comparison.columns.spikes import spikes
from samelaw.comparison.constants import COSINES, FEWEST_ROWS, HERMITE, MOST_CATEGORIES, OUTER
from samelaw.core.types import Matrix
from samelaw.tables.categories import few_classes
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.scales import ranks
from samelaw.tables.columns.views import ColumnView

_ROOM = 4e7  # numbers in the indicators of rare categories, which makes them 160 MB
_MOST_SHARED = 1_000


class RowFunctions(NamedTuple):
    """Functions of a row and what is made of the differences of their means."""

    values: Matrix
    """(N, r): mean 0 over the pool, variance about 1."""
    forms: Matrix
    """(f, r): squared weights; each row makes a statistic Σ_r w_r (difference of means)²."""


def functions_of(
    view: ColumnView, weights: Matrix | None = None, spiked: Matrix | None = None
) -> RowFunctions:
    """The functions of a column, or the indicator of its missing values.

    ``weights`` (N,) says how many rows of a larger table each row stands for, ``spiked`` which
    values are looked at by themselves where the rows cannot tell any more.
    """
    if view.missing:
        absent = view.column.missing.astype(np.int64)
        return RowFunctions(_indicators(absent, np.array([1]), weights), np.ones((1, 1)))
    functions = _FUNCTIONS[view.column.kind](view.column, weights, spiked)
    if view.column.features is None:
        return functions
    return _with_features(functions, view.column.features.values, view.column.missing, weights)


def known_rows(view: ColumnView) -> Matrix | None:
    """Which rows (N,) have a value in a view; None if all have."""
    if view.missing or not view.column.missing.any():
        return None
    return np.asarray(~view.column.missing)


def _of_numbers(
    column: Column, weights: Matrix | None = None, spiked: Matrix | None = None
) -> RowFunctions:
    places = ranks(column.values, weights)
    alone_at = spikes(column) if spiked is None else spiked
    known = ~column.missing  # an end of few known values is not one row
    rows = float(known.sum() if weights is None else weights[known].sum())
    single = [*_outer(places, rows), *(column.values == value for value in alone_at)]
    smooth, alone = HERMITE + COSINES, len(single)
    functions = _standard(chain(_smooth(places), single), smooth + alone, column.missing, weights)
    forms = np.zeros((3 + alone, smooth + alone))
    forms[0, :HERMITE] = 1.0 / np.arange(1, HERMITE + 1) ** 2
    forms[1, :HERMITE], forms[2, HERMITE:smooth] = 1.0, 1.0
    forms[3:, smooth:] = np.eye(alone)
    return RowFunctions(functions, forms)


def _smooth(places: Matrix) -> Iterator[Matrix]:
    """Hermite polynomials of the normal scores, then cosines of the ranks."""
    from scipy.special import ndtri

    scores = np.nan_to_num(ndtri(places))
    square = scores**2
    yield from (scores, square - 1, scores * (square - 3), square * (square - 6) + 3)
    angle = np.pi * np.nan_to_num(places)
    yield from (np.cos(k * angle) for k in range(1, COSINES + 1))


def _outer(places: Matrix, rows: float) -> list[Matrix]:
    """Indicators of the lowest and the highest values, unless ties leave none."""
    share = max(OUTER, min(FEWEST_ROWS / max(rows, 1.0), 0.25))
    return [end for end in (places < share, places > 1.0 - share) if end.any()]


def _with_features(
    own: RowFunctions, features: Matrix, missing: Matrix, weights: Matrix | None
) -> RowFunctions:
    """Functions and, as one further statistic, the features beside them."""
    count, width = own.forms.shape
    each = (np.nan_to_num(f * 1.0) for f in features.T)
    beside = _standard(each, features.shape[1], missing, weights)
    forms = np.zeros((count + 1, width + features.shape[1]))
    forms[:-1, :width], forms[-1, width:] = own.forms, 1.0
    return RowFunctions(np.concatenate([own.values, beside], axis=1), forms)


def _of_booleans(column: Column, weights: Matrix | None = None, *_: object) -> RowFunctions:
    codes = np.where(column.missing, -1, np.nan_to_num(column.values)).astype(np.int64)
    return RowFunctions(_indicators(codes, np.array([1]), weights), np.ones((1, 1)))


def _of_categories(column: Column, weights: Matrix | None = None, *_: object) -> RowFunctions:
    codes = few_classes(column.values, MOST_CATEGORIES, shared_classes(len(column.values)), weights)
    count = int(codes.max()) + 1
    functions = _indicators(codes, np.arange(count), weights)
    rows = len(codes) if weights is None else float(weights.sum())
    known = codes >= 0
    often = np.bincount(codes[known], None if weights is None else weights[known], count)
    shares = np.maximum(often / rows, 1e-12)
    together = np.stack([np.ones(count), shares * (1 - shares) * 4])
    alone = (shares * rows >= FEWEST_ROWS) & (np.arange(count) < MOST_CATEGORIES)
    return RowFunctions(functions, np.concatenate([together, np.eye(count)[alone]]))


def shared_classes(rows: int) -> int:
    """Classes that rare categories are dealt to: as many as there is room for."""
    return int(min(max(_ROOM / rows, MOST_CATEGORIES), _MOST_SHARED))


_FUNCTIONS: dict[Kind, Callable[..., RowFunctions]] = {
    Kind.NUMERIC: _of_numbers,
    Kind.INTEGER: _of_numbers,
    Kind.DATETIME: _of_numbers,
    Kind.BOOLEAN: _of_booleans,
    Kind.CATEGORICAL: _of_categories,
}


def _indicators(codes: Matrix, chosen: Matrix, weights: Matrix | None) -> Matrix:
    return _standard((codes == code for code in chosen), len(chosen), codes < 0, weights)


def _mean(values: Matrix, weights: Matrix | None) -> float:
    return float(np.mean(values) if weights is None else np.average(values, weights=weights))


def _standard(
    functions: Iterable[Matrix], count: int, missing: Matrix, weights: Matrix | None = None
) -> Matrix:
    """Mean 0 and variance 1 over the known rows, 0 where missing; in single precision.

    One function at a time, each contiguous: of millions of rows one is held in double precision.
    """
    some = bool(missing.any())
    own = None if weights is None else weights[~missing]
    result: Matrix = np.empty((len(missing), count), dtype=np.float32, order="F")
    for i, function in enumerate(functions):
        values = function.astype(np.float64)
        known = values[~missing] if some else values
        mean = _mean(known, own)
        deviation = known.std() if own is None else _mean((known - mean) ** 2, own) ** 0.5
        values -= mean
        result[:, i] = values / (deviation if deviation > 1e-9 else np.inf)
    result[missing] = 0.0
    return result
