"""Tables of databases, named by addresses such as ``duckdb:///shop.db?table=orders``.

An address names a file or a server and, behind the question mark, a table or a query. DuckDB and
SQLite open files for reading only; PostgreSQL is asked through psycopg, its password comes from
where PostgreSQL keeps passwords. Rows come some at a time, and a condition goes to the database.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from samelaw.reading.opening import arrow

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMES = ("duckdb", "sqlite", "postgresql", "postgres")
_NEEDED = {"duckdb": "sql", "psycopg": "postgres"}  # the extra that brings a driver


def is_address(source: object) -> bool:
    """Whether a source names a table of a database.

    Examples
    --------
    >>> is_address("sqlite:///shop.db?table=orders"), is_address("orders.csv")
    (True, False)
    """
    return isinstance(source, str) and source.partition("://")[0] in SCHEMES and "://" in source


@dataclass(frozen=True)
class Address:
    """A table or query of a database.

    Parameters
    ----------
    scheme : {"duckdb", "sqlite", "postgresql"}
    place : str
        The file, or what PostgreSQL connects by.
    query : str
        What is selected from: a quoted table, or a query in brackets.
    said : str
        The address as it may be shown.
    """

    scheme: str
    place: str = field(repr=False)
    query: str
    said: str

    @classmethod
    def of(cls, text: str) -> "Address":
        parts = urlsplit(text)
        scheme = "postgresql" if parts.scheme == "postgres" else parts.scheme
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        check_no_password(text)
        if scheme == "postgresql":
            place = text.partition("?")[0].replace("postgres://", "postgresql://", 1)
        else:
            place = parts.netloc + parts.path.removeprefix("/")
        return cls(scheme, place, _selected(text, asked), text)

    def select(self, columns: Sequence[str] | None, where: str | None, rows: bool = True) -> str:
        """The statement that reads these columns of the rows that fulfil a condition."""
        names = "*" if columns is None else ", ".join(map(quoted_name, columns))
        condition = f" WHERE ({where})" if where else ""
        return f"SELECT {names} FROM {self.query}{condition}{'' if rows else ' LIMIT 0'}"

    def batches(self, statement: str, rows: int) -> Iterator["pa.Table"]:
        """What a statement gives, so many rows at a time, and at least once its columns."""
        read = {"duckdb": _duckdb, "sqlite": _sqlite, "postgresql": _postgresql}[self.scheme]
        with _told(self.said, statement):
            yield from read(self.place, statement, rows)

    def number(self, statement: str) -> int:
        """The one number that a statement gives."""
        some = [piece for piece in self.batches(statement, 1) if piece.num_rows]
        return int(some[0][0][0].as_py())

    @property
    def typed(self) -> bool:
        """Whether columns have declared types; those of SQLite are what their values are."""
        return self.scheme != "sqlite"


def check_no_password(text: str) -> None:
    """Raise if an address would show a password wherever it is shown."""
    parts = urlsplit(text)
    if parts.password:
        raise ValueError(
            f"the address of {parts.hostname}{parts.path} holds a password, which reports and "
            "commands would show; put it into PGPASSWORD or ~/.pgpass and leave it out."
        )


def _selected(text: str, asked: Mapping[str, str]) -> str:
    if len({"table", "query"}.intersection(asked)) != 1 or len(asked) != 1:
        raise ValueError(
            f"{text} names no rows; expected ?table=NAME or ?query=SELECT … after the database."
        )
    if "table" in asked:
        return ".".join(map(quoted_name, asked["table"].split(".")))
    return f"({asked['query'].strip().rstrip(';')}) AS rows_asked_for"


def quoted_name(name: str) -> str:
    """A name as SQL takes it, whatever signs it has."""
    return '"' + name.replace('"', '""') + '"'


def driver(name: str) -> ModuleType:
    """A driver, or what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(f"this needs {name}; run: pip install samelaw[{_NEEDED[name]}]") from error


@contextmanager
def _told(said: str, statement: str) -> Iterator[None]:
    """What a database says went wrong, as one line with its address."""
    try:
        yield
    except Exception as error:
        if not _from_database(error):
            raise
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:160].rstrip(".")
        quotes = '; names with blanks or signs go into double quotes: "unit price" > 5'
        hint = quotes if "syntax error" in why.lower() else ""
        raise ValueError(f"{said}: {why}; the statement was {statement[:160]!r}{hint}.") from error


def _from_database(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] in ("duckdb", "_duckdb", "sqlite3", "psycopg")


def _existing(place: str) -> str:
    if place and not Path(place).exists():
        raise FileNotFoundError(f"{place} does not exist; check the path.")
    return place


def _duckdb(place: str, statement: str, rows: int) -> Iterator["pa.Table"]:
    duckdb = driver("duckdb")
    with duckdb.connect(_existing(place) or ":memory:", read_only=bool(place)) as connection:
        yield from arrow_batches(connection, statement, rows)


def arrow_batches(connection: Any, statement: str, rows: int) -> Iterator["pa.Table"]:
    """What a statement of DuckDB gives, in the order of the rows."""
    result = connection.sql(statement)
    reader = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch  # before 1.4
    found = reader(rows)
    yield found.schema.empty_table()
    for batch in found:
        yield arrow().Table.from_batches([batch])


def _sqlite(place: str, statement: str, rows: int) -> Iterator["pa.Table"]:
    address = f"{Path(_existing(place)).absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        yield from _fetched(connection.execute(statement), rows)


def _postgresql(place: str, statement: str, rows: int) -> Iterator["pa.Table"]:
    psycopg = driver("psycopg")
    with psycopg.connect(place) as connection:
        connection.read_only = True
        with connection.cursor(name="samelaw") as cursor:  # rows stay on the server until asked for
            cursor.itersize = rows
            cursor.execute(statement)
            yield from _fetched(cursor, rows)


def _fetched(cursor: Any, rows: int) -> Iterator["pa.Table"]:
    """Rows of a cursor as Arrow, whose columns have the types of their values."""
    some = cursor.fetchmany(rows)
    names = [column[0] for column in cursor.description]
    yield arrow().table({name: arrow().nulls(0) for name in names})
    while some:
        columns = zip(*some, strict=True)
        yield arrow().table({n: _array(c) for n, c in zip(names, columns, strict=True)})
        some = cursor.fetchmany(rows)


def _array(values: Sequence[object]) -> "pa.Array":
    """Values of one column; decimals as floats, what has several types as words."""
    pa = arrow()
    try:
        found = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if v is None else str(v) for v in values], pa.string())
    if not pa.types.is_decimal(found.type):
        return found
    return found.cast(pa.string()).cast(pa.float64())  # by their digits: `columns.arrow_columns`


def filtered(
    pieces: Callable[[], Iterator["pa.Table"]], where: str, numbers: Sequence[str], source: str
) -> Callable[[], Iterator["pa.Table"]]:
    """Pieces with the rows that fulfil a condition in SQL, by DuckDB, which sees no other files.

    ``numbers`` are columns of words that are read as numbers for it.
    """
    duckdb = driver("duckdb")
    casts = ", ".join(f"TRY_CAST({quoted_name(n)} AS DOUBLE) AS {quoted_name(n)}" for n in numbers)
    chosen = f"* REPLACE ({casts})" if casts else "*"
    statement = f"SELECT coalesce(({where}), false) AS kept FROM (SELECT {chosen} FROM piece)"

    def some() -> Iterator["pa.Table"]:
        with duckdb.connect(config={"enable_external_access": False}) as connection:
            for piece in pieces():
                connection.register("piece", piece)
                with _told(source, f"… WHERE {where}"):
                    parts = list(arrow_batches(connection, statement, piece.num_rows))
                kept = arrow().concat_tables(parts)["kept"]
                yield piece.filter(kept.cast(arrow().bool_()))

    return some
