"""Columns as coordinates inside a database: what `FrozenTable.encode` does, as expressions.

Numbers become normal scores by straight lines between a few quantiles, categories indicators,
missing values an indicator and the middle. Rows are then sums of bounded numbers, whatever NULL,
infinity or new word they hold.
"""

from collections.abc import Iterator

import numpy as np

from samelaw.comparison.references.reference import compact_column
from samelaw.extras.sql.dialects import Dialect
from samelaw.tables.categories import MOST_CODES
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.raw_column import Floats
from samelaw.tables.frozen import FrozenColumn, FrozenTable

KNOTS = 33
"""Quantiles of a column that a statement holds."""

NUMBERS = (Kind.NUMERIC, Kind.INTEGER)


def short_rules(rules: FrozenTable) -> FrozenTable:
    """Rules with few enough quantiles to be written out."""
    return FrozenTable(
        tuple(compact_column(column, KNOTS + 2, MOST_CODES) for column in rules.columns)
    )


def stored_columns(rules: FrozenTable, dialect: Dialect) -> list[str]:
    """Each column as a number or a word, named x0, x1, …: later parts know no other names."""
    named = (f"{_stored(c, dialect)} AS x{i}" for i, c in enumerate(rules.columns))
    return list(named)


def _stored(column: FrozenColumn, dialect: Dialect) -> str:
    name = dialect.identifier(column.name)
    if column.kind in NUMBERS:
        return dialect.finite.format(value=f"CAST({name} AS {dialect.double})")
    if column.kind is Kind.BOOLEAN:
        yes, no = dialect.number(1.0), dialect.number(0.0)
        return f"CASE WHEN {name} THEN {yes} WHEN NOT {name} THEN {no} END"
    if column.kind is Kind.CATEGORICAL:
        return f"CAST({name} AS {dialect.text})"
    return f"CASE WHEN {name} IS NULL THEN NULL ELSE {dialect.number(1.0)} END"


def coordinates_of(rules: FrozenTable, dialect: Dialect) -> list[str]:
    """The expressions of all coordinates, in the order of `FrozenTable.coordinates`."""
    found = [e for i, c in enumerate(rules.columns) for e in _coordinates(c, f"x{i}", dialect)]
    return [f"CAST({expression} AS {dialect.double})" for expression in found]


def _coordinates(column: FrozenColumn, stored: str, dialect: Dialect) -> Iterator[str]:
    yes, no = dialect.number(1.0), dialect.number(0.0)
    for coordinate in column.coordinates:
        if coordinate.missing:
            yield f"CASE WHEN {stored} IS NULL THEN {yes} ELSE {no} END"
        elif coordinate.category is not None:
            word = dialect.word(coordinate.category)
            yield f"CASE WHEN {stored} = {word} THEN {yes} ELSE {no} END"
        elif column.kind is Kind.BOOLEAN:
            yield f"COALESCE({stored}, {dialect.number(0.5)})"
        else:
            yield _lines(stored, column.knots, column.scores, dialect)


def _lines(stored: str, knots: Floats, scores: Floats, dialect: Dialect) -> str:
    """Straight lines between knots, level beyond them; 0, the median, where nothing is known."""
    number = dialect.number
    parts = [f"WHEN {stored} IS NULL THEN {number(0.0)}"]
    parts.append(f"WHEN {stored} <= {number(knots[0])} THEN {number(scores[0])}")
    for i in np.flatnonzero(np.diff(knots) > 0):  # beside 1e300 nothing is one farther
        slope = (scores[i + 1] - scores[i]) / (knots[i + 1] - knots[i])
        line = f"{number(scores[i])} + ({stored} - {number(knots[i])}) * {number(slope)}"
        parts.append(f"WHEN {stored} <= {number(knots[i + 1])} THEN {line}")
    return f"CASE {' '.join(parts)} ELSE {number(scores[-1])} END"
