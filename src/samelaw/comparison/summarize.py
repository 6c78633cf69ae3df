"""Columns of two tables in numbers to draw, their groups in words."""

import numpy as np

from samelaw.columns.column import AS_WRITTEN, Column, Kind
from samelaw.columns.column_views import ColumnView
from samelaw.columns.spelling import spell
from samelaw.comparison.column_words import Sides, category_words, known_values
from samelaw.comparison.findings import Panel
from samelaw.core.types import Matrix
from samelaw.show.words import clock, moment
from samelaw.tables.frozen import LARGEST

BINS = 24
BARS = 12
_OUTER = 0.005  # share of the pool beyond the first and the last edge, drawn in the outer bins


def describe_groups(column: Column, n: int) -> list[str]:
    """The mix of groups in A and in B, which is told and not tested."""
    size, sides = len(column.categories), known_values(column, n)
    first, second = (np.bincount(side, minlength=size) for side in sides)
    told = []
    for name, own, other in (("A", first, second), ("B", second, first)):
        lone = (own > 0) & (other == 0)
        if lone.any():
            rows = int(own[lone].sum())
            told.append(f"{int(lone.sum()):,} only in {name} ({rows:,} row{'s' * (rows != 1)})")
    shared = int(((first > 0) & (second > 0)).sum())
    groups = "; ".join([f"{shared:,} of its groups are in both tables", *told])
    notes = [f"{column.name}: {groups}."]
    if shared:
        moved = category_words(column, sides)
        notes.append(f"{column.name}: the mix of groups is not tested; {moved}.")
    return notes


def panel(view: ColumnView, n: int) -> Panel:
    """Shares of the known values of A and B in bins or categories."""
    column, name = view.column, view.name
    sides = known_values(column, n)
    if column.kind is Kind.CATEGORICAL:
        return _bars(column, name, sides)
    if column.kind is Kind.BOOLEAN:
        a, b = (_shares(side.astype(np.int64), 2) for side in sides)
        return Panel(name, column.kind.value, a, b, categories=("false", "true"))
    edges = _edges(np.concatenate(sides), whole=column.kind is Kind.INTEGER)
    inner = [np.clip(np.searchsorted(edges, s, "right") - 1, 0, len(edges) - 2) for s in sides]
    a, b = (_shares(places, len(edges) - 1) for places in inner)
    kind = "time of day" if column.of_day else column.kind.value
    return Panel(name, kind, a, b, edges=tuple(float(e) for e in edges))


def _edges(values: Matrix, *, whole: bool) -> Matrix:
    finite = values[np.isfinite(values)]
    if np.abs(finite).max(initial=0.0) > LARGEST:  # 1e308 less −1e308 is none
        return 2.0**40 * _edges(finite / 2.0**40, whole=whole)
    low, high = np.quantile(finite, [_OUTER, 1.0 - _OUTER]) if len(finite) else (0.0, 1.0)
    least = 2 * BINS * float(np.spacing(max(abs(low), abs(high))))  # bins that floats can tell
    if whole and high - low < BINS and least < 1:
        return np.arange(np.floor(low), np.ceil(high) + 2) - 0.5
    if not high - low > least:
        low, high = low - max(0.5, least), high + max(0.5, least)
    return np.linspace(low, high, BINS + 1)


def _bars(column: Column, name: str, sides: Sides) -> Panel:
    size = len(column.categories)
    counts = np.bincount(np.concatenate(sides), minlength=size)
    order = np.argsort(-counts, kind="stable")
    place = np.empty(size, dtype=np.int64)
    shown = min(size, BARS)
    place[order] = np.minimum(np.arange(size), shown - 1)
    names = [column.categories[i] for i in order[:shown]]
    if size > BARS:
        names[-1] = f"{size - BARS + 1} others"
    a, b = (_shares(place[side], shown) for side in sides)
    return Panel(name, column.kind.value, a, b, categories=tuple(names))


def _shares(codes: Matrix, size: int) -> tuple[float, ...]:
    counts = np.bincount(codes, minlength=size)
    return tuple(float(c) for c in counts / max(len(codes), 1))


def shown_value(column: Column, row: int) -> str | None:
    """The value of a row as people write it; None if it is missing."""
    if column.absent[row]:
        return None
    if column.missing[row]:  # a word in the place of a number
        written = column.parts[AS_WRITTEN]
        return written.categories[int(written.values[row])]
    value = column.values[row]
    if column.of_day:
        return clock(float(value))
    match column.kind:
        case Kind.CATEGORICAL:
            return column.categories[int(value)]
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.INTEGER:
            return f"{value:.0f}"
        case Kind.DATETIME:
            return moment(float(value))
        case Kind.NUMERIC:
            return spell(value)
    return "…"  # text and identifiers: only whether they are there is kept
