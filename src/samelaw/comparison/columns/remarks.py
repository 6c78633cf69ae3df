"""What no test can call significant and everybody must see: one 10⁹, infinity, a still column."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from samelaw.comparison.columns.column_numbers import Writing
from samelaw.comparison.columns.shown import shown_value
from samelaw.comparison.constants import (
    FAR_OUT,
    FEW_OUT,
    FEWEST_ROWS,
    LEAST_OUT,
    MOST_OUT,
    NEARLY_CONSTANT,
    OTHER_SIGN,
    STEPS_OUT,
)
from samelaw.core.types import Matrix
from samelaw.results.words import moment, quoted
from samelaw.tables.columns.column import DRAWN_IN, Column, Kind
from samelaw.tables.columns.scales import median

_TAIL = 10  # values, or a tenth of them, whose logarithms tell how a tail falls
_ORDERED = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME)


def remarks(columns: Sequence[Column], n: int) -> list[str]:
    """What stands out at the ends of columns in one of two tables, A being the first n rows."""
    compared = (column for column in columns if column.compared)
    return [f"{c.name} {said}" for c in compared for said in _remarks(c, n)]


def _remarks(column: Column, n: int) -> Iterator[str]:
    known = np.flatnonzero(~column.missing)
    sides = np.split(known, [int(np.searchsorted(known, n))])
    if min(map(len, sides)) == 0:
        return
    yield from _constant(column, sides)
    if column.kind in _ORDERED:
        values = [column.values[rows] for rows in sides]
        yield from _infinite(values)
        if column.kind is Kind.DATETIME:
            yield from _far(values, _moments, another_sign=1.0)  # before 1970 is nothing special
        else:
            yield from _far(values, _writing(column, values).each, OTHER_SIGN)


def _moments(*seconds: float) -> list[str]:
    return [*map(moment, seconds)]


def _writing(column: Column, values: Sequence[Matrix]) -> Writing:
    """Of what few values far out would hide: how most are written."""
    return replace(Writing.for_column(column, np.concatenate(values)), digits=Writing.digits)


def _constant(column: Column, sides: Sequence[Matrix]) -> Iterator[str]:
    """Where one table has one value and the other has not nearly."""
    if DRAWN_IN in column.notes:
        return
    found = [np.unique(column.values[rows], return_counts=True) for rows in sides]
    for own, other in ((0, 1), (1, 0)):
        alone = len(found[own][0]) == 1 and len(sides[own]) >= FEWEST_ROWS
        counts = found[other][1]
        if alone and counts.max() <= NEARLY_CONSTANT * counts.sum():
            said = shown_value(column, int(sides[own][0])) or ""
            word = quoted(said) if column.kind is Kind.CATEGORICAL else said
            yield f"is always {word} in {'AB'[own]}, not in {'AB'[other]}"


def _infinite(values: Sequence[Matrix]) -> Iterator[str]:
    for sign, name in ((np.inf, "infinite"), (-np.inf, "minus infinity")):
        a, b = (int(np.count_nonzero(side == sign)) for side in values)
        if a or b:
            counts = ((a, "A"), (b, "B"))
            said = " and ".join(f"{_rows(rows)} of {side}" for rows, side in counts if rows)
            yield f"is {name} in {said}"


def _rows(count: int) -> str:
    return f"{count:,} row{'s' if count != 1 else ''}"


def _far(
    values: Sequence[Matrix], show: Callable[..., Sequence[str]], another_sign: float
) -> Iterator[str]:
    """Where few values of a table lie farther out than the other table lets one expect."""
    finite = [side[np.isfinite(side)] for side in values]
    if min(map(len, finite)) == 0:
        return
    for own, other in ((0, 1), (1, 0)):
        for word, sign in (("reaches", 1.0), ("goes down to", -1.0)):
            outer, inner = sign * finite[own], sign * finite[other]
            count = _unexpected(outer, inner, another_sign)
            if count:
                end, last = show(sign * float(outer.max()), sign * float(inner.max()))
                yield f"{word} {end} in {'AB'[own]} ({_rows(count)}), {last} in {'AB'[other]}"


@np.errstate(over="ignore", invalid="ignore")  # 1e308 less −1e308 is as far as can be
def _unexpected(outer: Matrix, inner: Matrix, another_sign: float) -> int:
    """How many values of a table lie too far beyond the largest of the other.

    Distances are in ranges of the other table; a value of a sign that it has not counts as so many
    times as far.
    The farther out, the fewer steps of its tail it takes; some values together take fewer each.
    """
    edge, reach = float(inner.max()), float(np.ptp(inner))
    if not reach > 0.0:
        return 0
    out = (outer - edge) / reach * np.where((edge <= 0.0) & (outer > 0.0), another_sign, 1.0)
    some = out > LEAST_OUT
    beyond, far = np.sort(out[some])[::-1], np.sort(outer[some])[::-1]
    if not 0 < len(far) <= max(MOST_OUT, FEW_OUT * len(outer)):
        return 0
    steps = _steps_out(far, inner) - math.log(max(1.0, len(outer) / len(inner)))
    if np.isnan(steps).any():
        return int(np.count_nonzero(beyond > FAR_OUT))
    asked = STEPS_OUT * (1.0 - 0.5 * np.log(beyond) / math.log(FAR_OUT))
    return len(far) if bool((np.arange(1, len(far) + 1) * steps >= asked).any()) else 0


def _steps_out(far: Matrix, inner: Matrix) -> Matrix:
    """How far values lie beyond the first of others, in steps of their tail; NaN if it has none.

    A tail as of a power law: logarithms of distances from the median are exponential with Hill's
    step. Of two tables of one law one exceeds the other by t steps with a chance below exp(−t); of
    laws with thinner tails it is far smaller.
    """
    inner, middle = np.sort(inner)[::-1], median(inner)
    tail = min(max(_TAIL, len(inner) // _TAIL), int(np.count_nonzero(inner > middle)) - 1)
    if tail < _TAIL // 2:
        return np.full(len(far), np.nan)
    step = float(np.log((inner[:tail] - middle) / (inner[tail] - middle)).mean())
    if step == 0.0:
        return np.full(len(far), np.nan)
    return np.asarray(np.log((far - middle) / (inner[0] - middle)) / step)
