"""Both tables in one column, as a picture shows them."""

from dataclasses import dataclass

import numpy as np

from samelaw.core.tolerances import LARGEST
from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.views import ColumnView


@dataclass(frozen=True)
class Panel:
    """How the values of one column are spread in both tables.

    Attributes
    ----------
    column : str
        Its name, or that of a part: "price (as written)".
    edges : sequence of float
        Bin edges of a numeric column, of times of day in hours (kind "time of day") or of dates in
        seconds since 1970; empty for categories.
    categories : sequence of str
        The categories shown; the last may gather the rest.
    shares_a, shares_b : sequences of float
        Share of the known values per bin or category.
    """

    column: str
    kind: str
    shares_a: tuple[float, ...]
    shares_b: tuple[float, ...]
    edges: tuple[float, ...] = ()
    categories: tuple[str, ...] = ()


Sides = tuple[Matrix, Matrix]


def known_values(column: Column, n: int) -> Sides:
    """The values of A and those of B that are not missing."""
    first, second = (
        column.values[rows][~column.missing[rows]] for rows in (slice(n), slice(n, None))
    )
    return first, second


BINS = 24


BARS = 12


_OUTER = 0.005  # share of the pool beyond the first and the last edge, drawn in the outer bins


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
