"""Rules for columns from queries: types, quantiles and the most frequent words, never rows."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from samelaw.core.digits import digits_matter, told_apart
from samelaw.core.types import Matrix
from samelaw.extras.sql.dialects import Dialect
from samelaw.extras.sql.expressions import KNOTS, NUMBERS
from samelaw.tables.categories import MOST_CODES
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import ID_NAME, IDENTIFIER_SHARE, as_kinds
from samelaw.tables.columns.names import as_names, check_names
from samelaw.tables.frozen import FrozenColumn, FrozenTable, normal_scores

SHARES = tuple((i + 0.5) / KNOTS for i in range(KNOTS))
_TYPES = {  # what a declared type is called; others are compared by their missing values alone
    r"bool(ean)?": Kind.BOOLEAN,
    r"u?(tiny|small|big|huge)?int(eger)?[248]?|float[48]?|double( precision)?|real": Kind.NUMERIC,
    r"(decimal|numeric)(\(.*\))?": Kind.NUMERIC,
    r"(var|bp)?char(\(.*\))?|text|string|enum.*": Kind.CATEGORICAL,
    r"uuid": Kind.IDENTIFIER,
    r".*\]": Kind.TEXT,  # a list, of whatever
}
_CATEGORIES = {"E": Kind.CATEGORICAL, "S": Kind.CATEGORICAL, "A": Kind.TEXT}  # of Postgres
_NONE: Matrix = np.empty(0)


class Answer(Protocol):
    """What a database answers to a statement."""

    @property
    def description(self) -> Sequence[Sequence[Any]] | None:
        """The columns, each with its name first and its type second."""

    def fetchall(self) -> list[Any]:
        """All lines."""


class Connection(Protocol):
    """An open database: a connection of duckdb or psycopg."""

    def execute(self, query: str, /) -> Answer:
        """Run one statement."""


def kinds_in(connection: Connection, table: str, dialect: Dialect) -> dict[str, Kind]:
    """The kind of every column, by its declared type."""
    answer = connection.execute(f"SELECT * FROM {dialect.table(table)} LIMIT 0")
    types = {str(one[0]): one[1] for one in answer.description or ()}
    if not dialect.declared or not types:
        return {name: _kind(str(declared)) for name, declared in types.items()}
    numbers = ", ".join(str(int(number)) for number in sorted(set(types.values())))
    known = connection.execute(dialect.declared.format(numbers=numbers)).fetchall()
    kinds = {number: _CATEGORIES.get(category) or _kind(name) for number, name, category in known}
    return {name: kinds[number] for name, number in types.items()}


def _kind(declared: str) -> Kind:
    found = (kind for form, kind in _TYPES.items() if re.fullmatch(form, declared.lower()))
    return next(found, Kind.DATETIME)


def shared_kinds(
    connection: Connection,
    tables: Sequence[str],
    dialect: Dialect,
    columns: Sequence[str] | None,
    ignore: Iterable[str],
    kinds: Mapping[str, Kind | str] | None,
) -> dict[str, Kind]:
    """The columns that are compared and their kinds, which both tables must have."""
    ignored, chosen = as_names("ignore", ignore), as_kinds(kinds)
    first, second = ({**kinds_in(connection, one, dialect)} for one in tables)
    either = tuple(dict.fromkeys([*first, *second]))
    check_names((*ignored, *chosen), either, f"{tables[0]} or {tables[1]}")
    asked = either if columns is None else as_names("columns", columns)
    wanted = [name for name in asked if name not in ignored]
    for name in wanted:
        for own, table in zip((first, second), tables, strict=True):
            if name not in own:
                raise ValueError(
                    f"{table} has no column {name!r}; leave it out (--ignore), or name the columns "
                    "to compare (--columns)."
                )
        if name not in chosen and first[name] is not second[name]:
            raise ValueError(
                f"column {name!r} is {first[name]} in {tables[0]} and {second[name]} in "
                f"{tables[1]}; say what it is (--kind {name}=categorical)."
            )
    return {name: chosen.get(name, first[name]) for name in wanted}


def row_numbers(
    connection: Connection, stored: Sequence[str], kinds: Mapping[str, Kind]
) -> list[str]:
    """Columns of whole numbers that only number the rows, from columns x0, x1, … after these FROMs.

    They lie within as many values as there are rows, and none repeats in a table; or they are
    named like an id, and hardly one repeats. Repeats are only looked for where the rest fits, as
    that takes a sort of the column. Other numbers must be such that floats tell them apart.
    """
    places = [i for i, kind in enumerate(kinds.values()) if kind in NUMBERS]
    if not places:
        return []
    asked = ", ".join(
        f"COUNT(x{i}), MIN(x{i}), MAX(x{i}), COUNT(CASE WHEN x{i} <> FLOOR(x{i}) THEN 1 END)"
        for i in places
    )
    sides = [connection.execute(f"SELECT {asked} FROM {one}").fetchall()[0] for one in stored]
    names, found = list(kinds), []
    for k, place in enumerate(places):
        ends = [side[4 * k : 4 * k + 4] for side in sides]
        share = _share_of_keys(names[place], ends)
        if share is not None and all(
            _distinct(connection, one, place) >= share * side[0]
            for one, side in zip(stored, ends, strict=True)
        ):
            found.append(names[place])
        else:
            _check_digits(names[place], ends)
    return found


def _check_digits(name: str, sides: Sequence[Sequence[Any]]) -> None:
    """Raise for a column that was cast to floats, in which its numbers become equal."""
    ends = np.array([end for side in sides if side[0] for end in side[1:3]], dtype=np.float64)
    if len(ends) and digits_matter(ends):
        raise ValueError(
            f"{told_apart(f'column {name!r}', ends)}, choose 'categorical' "
            f"(--kind {name}=categorical, kinds= in Python), or leave it out (--ignore {name})."
        )


def _share_of_keys(name: str, sides: Sequence[Sequence[Any]]) -> float | None:
    """The share of values of each table that must be distinct in keys; None for what is none.

    Whole numbers, by count, ends and fractions of each table, that fit their rows; or are named
    like an id, which may have gaps.
    """
    if any(not known or fractions for known, _, _, fractions in sides):
        return None
    span = float(max(side[2] for side in sides)) - float(min(side[1] for side in sides)) + 1.0
    if span <= sum(side[0] for side in sides) / IDENTIFIER_SHARE:
        return 1.0
    return IDENTIFIER_SHARE if ID_NAME.search(name) else None


def _distinct(connection: Connection, stored: str, place: int) -> int:
    answer = connection.execute(f"SELECT COUNT(DISTINCT x{place}) FROM {stored}")
    return int(answer.fetchall()[0][0])


def prepared_rules(
    connection: Connection, stored: Sequence[str], kinds: Mapping[str, Kind], dialect: Dialect
) -> tuple[FrozenTable, Matrix]:
    """Rules and the variances of their coordinates, from columns x0, x1, … after these FROMs."""
    rows = f"({' UNION ALL '.join(f'SELECT * FROM {one}' for one in stored)}) AS pool"
    asked = ", ".join(_statistics(i, kind, dialect) for i, kind in enumerate(kinds.values()))
    found = iter(connection.execute(f"SELECT COUNT(*), {asked} FROM {rows}").fetchall()[0])
    total, columns, variances = int(next(found)), [], []
    for i, (name, kind) in enumerate(kinds.items()):
        known, detail = int(next(found)), next(found)
        words: list[tuple[str, int]] = []
        if kind is Kind.CATEGORICAL and _repeats(int(detail), known):
            words = connection.execute(_frequent(i, rows)).fetchall()
        column = _column(name, kind, detail, words, known < total)
        columns.append(column)
        variances += _variances(column, known / total, dict(words), total)
    return FrozenTable(tuple(columns)), np.array(variances)


def _statistics(place: int, kind: Kind, dialect: Dialect) -> str:
    column = f"x{place}"
    detail = "COUNT(*)"
    if kind in NUMBERS:
        detail = dialect.quantiles_of(column, SHARES)
    elif kind is Kind.CATEGORICAL:
        detail = f"COUNT(DISTINCT {column})"
    return f"COUNT({column}), {detail}"


def _repeats(distinct: int, known: int) -> bool:
    """Whether words come again, so that they can be counted."""
    return 0 < distinct <= max(MOST_CODES, known // 2)


def _frequent(place: int, rows: str) -> str:
    return (
        f"SELECT x{place}, COUNT(*) AS often FROM {rows} WHERE x{place} IS NOT NULL "
        f"GROUP BY x{place} ORDER BY often DESC, x{place} LIMIT {MOST_CODES}"
    )


def _column(
    name: str, kind: Kind, detail: Any, words: Sequence[tuple[str, int]], gaps: bool
) -> FrozenColumn:
    if kind in NUMBERS:
        if detail is None or not len(detail):
            return FrozenColumn(name, Kind.EMPTY, _NONE, _NONE, gaps=gaps)
        knots, scores = normal_scores(np.asarray(detail, dtype=np.float64))
        return FrozenColumn(name, kind, knots, scores, gaps=gaps)
    if kind is Kind.CATEGORICAL:
        kind = kind if words else Kind.IDENTIFIER
        return FrozenColumn(name, kind, _NONE, _NONE, tuple(word for word, _ in words), gaps)
    ends = np.array([0.0, 1.0]) if kind is Kind.BOOLEAN else _NONE
    return FrozenColumn(name, kind, ends, ends, gaps=gaps)


def _variances(
    column: FrozenColumn, known: float, often: Mapping[str, int], total: int
) -> list[float]:
    found = []
    for coordinate in column.coordinates:
        if coordinate.missing:
            found.append(known * (1.0 - known))
        elif coordinate.category is not None:
            share = often[coordinate.category] / total
            found.append(share * (1.0 - share))
        else:
            found.append(known * (0.25 if column.kind is Kind.BOOLEAN else 1.0))
    return found
