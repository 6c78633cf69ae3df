"""What no test can call significant and everybody must see: one 10⁹, infinity, a still column."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from samelaw.columns.column import DRAWN_IN, Column, Kind
from samelaw.comparison.column_numbers import Writing
from samelaw.comparison.summarize import shown_value
from samelaw.core.types import Matrix
from samelaw.show.words import moment, quoted
from samelaw.twotables.design import FAR_OUT, FEW_OUT, FEWEST_ROWS, NEARLY_CONSTANT

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
        yield from _far(
            values, moment if column.kind is Kind.DATETIME else _writing(column, values)
        )


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


def _far(values: Sequence[Matrix], show: Callable[[float], str]) -> Iterator[str]:
    """Where few values of a table lie far beyond all of the other, by the range of the other."""
    finite = [side[np.isfinite(side)] for side in values]
    if min(map(len, finite)) == 0:
        return
    for own, other in ((0, 1), (1, 0)):
        reach = FAR_OUT * float(np.ptp(finite[other]))
        for word, sign in (("reaches", 1.0), ("goes down to", -1.0)):
            edge = float((sign * finite[other]).max())
            beyond = sign * finite[own] - edge
            count = int(np.count_nonzero(beyond > reach))
            if reach > 0.0 and 0 < count <= max(FEWEST_ROWS, FEW_OUT * len(beyond)):
                end, last = show(sign * (float(beyond.max()) + edge)), show(sign * edge)
                yield f"{word} {end} in {'AB'[own]} ({_rows(count)}), {last} in {'AB'[other]}"
