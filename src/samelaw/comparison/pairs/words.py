"""How the dependence of two columns changed from A to B, in words.

Of numbers it is the correlation of their ranks, of two sets of categories how much oftener than by
chance two of them meet, of both kinds where a category lies among the numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from samelaw.comparison.columns.column_numbers import Writing
from samelaw.comparison.pairs.scores import TINY
from samelaw.core.types import Matrix
from samelaw.results.words import decimal, moment, quoted
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.scales import median, ranks
from samelaw.tables.columns.views import ColumnView

MOST_RANKED = 50_000
"""Rows of each table that are looked at; larger ones are thinned evenly."""

OTHERWISE = "depend on each other in another way"
"""Of a pair that changed, where no number says how."""

UNCHANGED = "no clear change"
"""Of one that did not, where no number is worth telling."""

_LEAST_CORRELATION = 0.05  # of a rank correlation, before its change is worth a number
_LEAST_RATIO = 1.1  # by which meetings got oftener or rarer, before it is worth a number
_CATEGORIES = 8  # the commonest
_FEWEST = 20  # rows of a table that a statement rests on
_FEWEST_MET = 5.0  # rows in which two categories would meet if unrelated
_CLEAR = 2.0  # standard errors, from which on a group has moved


@dataclass(frozen=True, eq=False)
class _Words:
    """A column view as categories: a code for each row, −1 where it is none of the labels."""

    codes: Matrix
    labels: Sequence[str]


def describe_pair(one: ColumnView, other: ColumnView, n: int) -> str:
    """How the dependence of two column views changed; empty if no number says it.

    A is the first n rows.
    """
    chosen, n = _thinned(len(one.column.missing), n)
    views = [replace(view, column=_part(view.column, chosen)) for view in (one, other)]
    words = [_words(view) for view in views]
    if words[0] and words[1]:
        return _meetings(words[0], words[1], n)
    for own, numbers in ((0, 1), (1, 0)):
        categories = words[own]
        if categories:
            return _places(categories, views[numbers].column, n)
    return _correlations(views[0].column, views[1].column, n)


def _thinned(size: int, n: int) -> tuple[Matrix | slice, int]:
    """Rows of both tables, and how many of them are of the first."""
    if max(n, size - n) <= MOST_RANKED:
        return slice(None), n
    ends = ((0, n), (n, size))
    parts = [np.linspace(a, b - 1, min(b - a, MOST_RANKED)).astype(np.int64) for a, b in ends]
    return np.concatenate(parts), len(parts[0])


def _part(column: Column, rows: Matrix | slice) -> Column:
    return replace(column, values=column.values[rows], missing=column.missing[rows])


def _words(view: ColumnView) -> _Words | None:
    """The view as categories, the commonest; None if it is of numbers or dates."""
    column = view.column
    if view.missing:
        return _Words(column.missing.astype(np.int64), (f"{column.name} known", view.name))
    if column.kind is Kind.BOOLEAN:
        codes = np.where(column.missing, -1, column.values).astype(np.int64)
        return _Words(codes, [f"{column.name} = {word}" for word in ("false", "true")])
    if column.kind is not Kind.CATEGORICAL:
        return None
    codes = np.where(column.missing, -1, column.values).astype(np.int64)
    counts = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    common = np.argsort(-counts, kind="stable")[:_CATEGORIES]
    place = np.full(len(column.categories) + 1, -1)
    place[common] = np.arange(len(common))
    labels = [f"{column.name} = {quoted(column.categories[i], 24)}" for i in common]
    return _Words(place[codes], labels)


def _meetings(one: _Words, other: _Words, n: int) -> str:
    """The two categories that meet so much oftener, or rarer, than if unrelated."""
    shape = len(one.labels), len(other.labels)
    tables = [_table(one.codes[rows], other.codes[rows], shape) for rows in _sides(n)]
    if min(table.sum() for table in tables) < _FEWEST:
        return ""
    expected = [np.outer(t.sum(axis=1), t.sum(axis=0)) / t.sum() for t in tables]
    excess = [(t - e) / t.sum() for t, e in zip(tables, expected, strict=True)]
    chance = sum(e / t.sum() ** 2 for t, e in zip(tables, expected, strict=True))
    clear = np.abs(excess[1] - excess[0]) / np.sqrt(np.maximum(chance, TINY))
    clear = np.where(np.minimum(*expected) >= _FEWEST_MET, clear, 0.0)
    i, j = np.unravel_index(int(np.argmax(clear)), shape)
    if clear[i, j] < _CLEAR:
        return ""
    a, b = (float(t[i, j] / e[i, j]) for t, e in zip(tables, expected, strict=True))
    if max(a, b) < _LEAST_RATIO * min(a, b):
        return ""
    meet = f"{one.labels[int(i)]} with {other.labels[int(j)]}"
    return f"{meet} {decimal(a)} → {decimal(b)} times as often as if unrelated"


def _sides(n: int) -> tuple[slice, slice]:
    return slice(n), slice(n, None)


def _table(one: Matrix, other: Matrix, shape: tuple[int, int]) -> Matrix:
    known = (one >= 0) & (other >= 0)
    cells = one[known] * shape[1] + other[known]
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def _places(words: _Words, column: Column, n: int) -> str:
    """Where the category that moved most among the ranks of its table lies.

    A category may move among them only because others did: its own values must have moved too.
    """
    values = np.where(column.missing, np.nan, column.values)
    codes = [words.codes[side] for side in _sides(n)]
    placed = [ranks(values[side]) for side in _sides(n)]
    pooled = ranks(values)
    count = len(words.labels)
    a, b = (_mean_ranks(*side, count)[0] for side in zip(codes, placed, strict=True))
    places = [_mean_ranks(words.codes[side], pooled[side], count) for side in _sides(n)]
    error = np.sqrt(sum(1.0 / np.maximum(rows, 1) for _, rows in places) / 12.0)
    clear = np.abs(places[1][0] - places[0][0]) / error
    moved = np.where(clear >= _CLEAR, np.nan_to_num(np.abs(b - a)), 0.0)
    most = int(np.argmax(moved))
    if moved[most] == 0.0:
        return ""
    show = moment if column.kind is Kind.DATETIME else Writing.for_column(column, values)
    sides = zip(codes, (values[side] for side in _sides(n)), strict=True)
    said = [show(median(own[(code == most) & ~np.isnan(own)])) for code, own in sides]
    if said[0] == said[1]:
        return ""
    return f"median of {column.name} where {words.labels[most]} {said[0]} → {said[1]}"


def _mean_ranks(codes: Matrix, placed: Matrix, count: int) -> tuple[Matrix, Matrix]:
    """Mean rank of each category, NaN for those with hardly any rows; the rows."""
    known = (codes >= 0) & ~np.isnan(placed)
    rows = np.bincount(codes[known], minlength=count)
    sums = np.bincount(codes[known], weights=placed[known], minlength=count)
    return np.where(rows >= _FEWEST, sums / np.maximum(rows, 1), np.nan), rows


def _correlations(one: Column, other: Column, n: int) -> str:
    places = [ranks(np.where(c.missing, np.nan, c.values)) for c in (one, other)]
    found = [_correlation(*(place[rows] for place in places)) for rows in _sides(n)]
    if found[0] is None or found[1] is None or abs(found[1] - found[0]) < _LEAST_CORRELATION:
        return ""
    return "rank correlation " + " → ".join(f"{value:+.2f}".replace("-", "−") for value in found)


def _correlation(x: Matrix, y: Matrix) -> float | None:
    """Correlation of the values known in both; None where one of them does not vary."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 3 or x.min() == x.max() or y.min() == y.max():
        return None
    return float(np.corrcoef(x, y)[0, 1])
