"""Columns of two tables in words and in numbers to draw."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from samelaw.comparison.cycle_views import mean_hour
from samelaw.comparison.findings import Panel
from samelaw.comparison.spikes import spikes
from samelaw.core.types import Matrix
from samelaw.data.column_views import ColumnView
from samelaw.data.kinds import AS_WRITTEN, Column, Kind
from samelaw.data.scales import ranks
from samelaw.data.spelling import spell
from samelaw.show.words import clock, moment, number, percent, quoted

Sides = tuple[Matrix, Matrix]

BINS = 24
BARS = 12
MOST_RANKED = 50_000
_OUTER = 0.005  # share of the pool beyond the first and the last edge, drawn in the outer bins
_NAMED = 3
_LEAST_CORRELATION = 0.05  # of a rank correlation, before its change is worth a number
_LEAST_SHIFT = 0.005  # of a share, before it is worth a word


def describe(view: ColumnView, n: int) -> str:
    """What a column view does in A → in B."""
    column = view.column
    if view.missing:
        shares = [float(part.mean()) for part in (column.missing[:n], column.missing[n:])]
        return f"missing {percent(shares[0])} → {percent(shares[1])}"
    sides = _known(column, n)
    if min(len(side) for side in sides) == 0:
        return "no values in " + ("A" if len(sides[0]) == 0 else "B")
    if column.kind is Kind.CATEGORICAL:
        return ", ".join(filter(None, (_clock(view, n), _words(column, sides))))
    if column.kind is Kind.BOOLEAN:
        return " → ".join(percent(float(side.mean())) for side in sides) + " true"
    show = moment if column.kind is Kind.DATETIME else number
    finite = (sides[0][np.isfinite(sides[0])], sides[1][np.isfinite(sides[1])])
    infinite = [len(side) - len(part) for side, part in zip(sides, finite, strict=True)]
    said = f"infinite {infinite[0]} → {infinite[1]} times" if any(infinite) else ""
    if min(len(part) for part in finite) == 0:
        return said
    text = _numbers(finite, show, column.kind is not Kind.DATETIME)
    return ", ".join(filter(None, (text, _spike(column, sides, show), said)))


def _spike(column: Column, sides: Sides, show: Callable[[float], str]) -> str:
    """The value that many rows have and whose share moved most, if that is worth a word."""
    often = [value for value in spikes(column) if np.isfinite(value)]
    shares = [tuple(float(np.mean(side == value)) for side in sides) for value in often]
    moved = [abs(b - a) for a, b in shares]
    if max(moved, default=0.0) < _LEAST_SHIFT:
        return ""
    most = int(np.argmax(moved))
    return f"{show(often[most])} in {' → '.join(map(percent, shares[most]))}"


def _clock(view: ColumnView, n: int) -> str:
    """The hours around which the times of day lie in A → in B."""
    if view.phase is None or view.part != "hour of day":
        return ""
    sides = [part[~np.isnan(part)] for part in (view.phase[:n], view.phase[n:])]
    a, b = (mean_hour(side) for side in sides)
    return "" if a is None or b is None else f"around {clock(a)} → {clock(b)}"


def _known(column: Column, n: int) -> Sides:
    first, second = (
        part[~absent]
        for part, absent in (
            (column.values[:n], column.missing[:n]),
            (column.values[n:], column.missing[n:]),
        )
    )
    return first, second


@np.errstate(over="ignore")  # 1e308 less −1e308 is infinite, and as wide as can be
def _numbers(sides: Sides, show: Callable[[float], str], with_spread: bool) -> str:
    low, middle, high = (np.array([np.quantile(s, q) for s in sides]) for q in (0.25, 0.5, 0.75))
    text = f"median {show(middle[0])} → {show(middle[1])}"
    if not with_spread:
        return text
    width = high - low
    text += f", middle half {show(width[0])} → {show(width[1])} wide"
    tails = np.array([np.quantile(s, [0.01, 0.99]) for s in sides])
    if np.all(width > 0) and _far(tails[1] - tails[0], width.mean()):
        text += f", 1–99 % {show(tails[0, 0])}…{show(tails[0, 1])} → "
        text += f"{show(tails[1, 0])}…{show(tails[1, 1])}"
    return text


def _far(shift: Matrix, width: float) -> bool:
    return bool(np.any(np.abs(shift) > 0.5 * width))


def _words(column: Column, sides: Sides) -> str:
    shares = [np.bincount(s, minlength=len(column.categories)) / len(s) for s in sides]
    moved = np.argsort(-np.abs(shares[1] - shares[0]), kind="stable")[:_NAMED]
    named = [
        f"{quoted(column.categories[i])} {percent(shares[0][i])} → {percent(shares[1][i])}"
        for i in moved
        if abs(shares[1][i] - shares[0][i]) >= _LEAST_SHIFT
    ]
    return ", ".join(named) or "shares of the categories nearly the same"


def describe_groups(column: Column, n: int) -> list[str]:
    """The mix of groups in A and in B, which is told and not tested."""
    first, second = (np.bincount(s, minlength=len(column.categories)) for s in _known(column, n))
    told = []
    for name, own, other in (("A", first, second), ("B", second, first)):
        lone = (own > 0) & (other == 0)
        if lone.any():
            rows = int(own[lone].sum())
            told.append(f"{int(lone.sum()):,} only in {name} ({rows:,} rows)")
    shared = int(((first > 0) & (second > 0)).sum())
    groups = "; ".join([f"{shared:,} of its groups are in both tables", *told])
    notes = [f"{column.name}: {groups}."]
    if shared:
        moved = _words(column, _known(column, n))
        notes.append(f"{column.name}: the mix of groups is not tested; {moved}.")
    return notes


def describe_pair(one: ColumnView, other: ColumnView, n: int) -> str:
    """How the dependence of two column views changed: correlation of their ranks, A → B.

    Large tables are thinned evenly to MOST_RANKED rows each.
    """
    chosen, n = _thinned(len(one.column.missing), n)
    places = [_places(_part(view.column, chosen), view.missing) for view in (one, other)]
    sides = (_correlation(*(p[rows] for p in places)) for rows in (slice(n), slice(n, None)))
    known = [value for value in sides if value is not None]
    ordered = Kind.CATEGORICAL not in (one.column.kind, other.column.kind)
    if ordered and len(known) == 2 and abs(known[1] - known[0]) >= _LEAST_CORRELATION:
        return f"rank correlation {known[0]:+.2f} → {known[1]:+.2f}"
    return "depend on each other in another way"


def _correlation(x: Matrix, y: Matrix) -> float | None:
    """Correlation of the values known in both; None where one of them does not vary."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 3 or x.min() == x.max() or y.min() == y.max():
        return None
    return float(np.corrcoef(x, y)[0, 1])


def _thinned(size: int, n: int) -> tuple[Matrix | slice, int]:
    """Rows of both tables, and how many of them are of the first."""
    if max(n, size - n) <= MOST_RANKED:
        return slice(None), n
    ends = ((0, n), (n, size))
    parts = [np.linspace(a, b - 1, min(b - a, MOST_RANKED)).astype(np.int64) for a, b in ends]
    return np.concatenate(parts), len(parts[0])


def _part(column: Column, rows: Matrix | slice) -> Column:
    return replace(column, values=column.values[rows], missing=column.missing[rows])


def _places(column: Column, missing: bool) -> Matrix:
    if missing:
        return column.missing.astype(np.float64)
    if column.kind is Kind.CATEGORICAL:
        return np.where(column.missing, np.nan, column.values.astype(np.float64))
    return ranks(column.values)


def panel(view: ColumnView, n: int) -> Panel:
    """Shares of the known values of A and B in bins or categories."""
    column, name = view.column, view.name
    sides = _known(column, n)
    if column.kind is Kind.CATEGORICAL:
        return _bars(column, name, sides)
    if column.kind is Kind.BOOLEAN:
        a, b = (_shares(side.astype(np.int64), 2) for side in sides)
        return Panel(name, column.kind.value, a, b, categories=("false", "true"))
    edges = _edges(np.concatenate(sides), whole=column.kind is Kind.INTEGER)
    inner = [np.clip(np.searchsorted(edges, s, "right") - 1, 0, len(edges) - 2) for s in sides]
    a, b = (_shares(places, len(edges) - 1) for places in inner)
    return Panel(name, column.kind.value, a, b, edges=tuple(float(e) for e in edges))


def _edges(values: Matrix, *, whole: bool) -> Matrix:
    finite = values[np.isfinite(values)]
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
