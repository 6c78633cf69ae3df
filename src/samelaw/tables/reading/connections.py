"""Open databases that are only read: DuckDB, SQLite and PostgreSQL through their drivers.

All statements of a connection see one state of the database, in one transaction. DuckDB and SQLite
open files for reading only, DuckDB neither loads extensions nor opens other files beside one;
PostgreSQL is told that the transaction writes nothing, and how long to wait.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from samelaw.tables.reading.addresses import Database
from samelaw.tables.reading.opening import arrow

if TYPE_CHECKING:
    import pyarrow as pa

_NEEDED = {"duckdb": "sql", "psycopg": "postgres"}  # the extra that brings a driver

LOCKED = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "lock_configuration": True,
}
"""DuckDB would fetch extensions when the name of a table looks like a file of theirs."""

CONNECT_SECONDS = 10
_PATIENCE = {  # of a server, where nobody set them
    "statement_timeout": "1h",
    "client_connection_check_interval": "1s",  # a statement ends with the process that asked
}


class Connected(Protocol):
    """An open database."""

    def check(self, statement: str) -> None:
        """Raise unless a text is one SELECT, as the database itself reads it; nothing is run."""

    def batches(self, statement: str, rows: int) -> Iterator["pa.Table"]:
        """What a SELECT gives, so many rows at a time, and at least once its columns."""

    def close(self) -> None:
        """Leave nothing open."""


def connected(database: Database) -> Connected:
    """A database, opened to be read."""
    return _SCHEMES[database.scheme](database.place)


def driver(name: str) -> ModuleType:
    """A driver, or what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(f"this needs {name}; run: pip install samelaw[{_NEEDED[name]}]") from error


def existing(place: str) -> str:
    """The path of a file that is there."""
    if not Path(place).is_file():
        raise FileNotFoundError(
            f"{place} does not exist; check the path (after the scheme, :/// begins one from here, "
            "://// one from the root)."
        )
    return place


class DuckDB:
    """A file of DuckDB, and no other file; without a place, tables are files."""

    def __init__(self, place: str) -> None:
        self.connection = open_duckdb(place, files=not place)

    def check(self, statement: str) -> None:
        check_one_select(statement)

    def batches(self, statement: str, rows: int) -> Iterator["pa.Table"]:
        with self.connection.cursor() as cursor:  # several are read in turn
            yield from arrow_batches(cursor, statement, rows)

    def close(self) -> None:
        self.connection.close()


def open_duckdb(place: str, *, files: bool) -> Any:
    """A connection of DuckDB to a file or to nothing, and whether it may open (other) files."""
    config = {**LOCKED, "enable_external_access": files}
    name = existing(place) if place else ":memory:"
    return driver("duckdb").connect(name, read_only=bool(place), config=config)


def check_one_select(statement: str) -> None:
    """Raise unless a text is one SELECT, as DuckDB reads it."""
    found = [one.type.name for one in driver("duckdb").extract_statements(statement)]
    if found != ["SELECT"]:
        raise ValueError(
            f"expected one SELECT, got {' and '.join(found) or 'nothing'} in {statement[:160]!r}."
        )


def arrow_batches(connection: Any, statement: str, rows: int) -> Iterator["pa.Table"]:
    """What a statement of DuckDB gives, in the order of the rows."""
    result = connection.sql(statement)
    reader = getattr(result, "to_arrow_reader", None) or result.fetch_record_batch  # before 1.4
    found = reader(rows)
    yield found.schema.empty_table()
    for batch in found:
        yield arrow().Table.from_batches([batch])


class SQLite:
    """A file of SQLite, which runs one statement at a time and has no way to read other files."""

    def __init__(self, place: str) -> None:
        address = f"{Path(existing(place)).absolute().as_uri()}?mode=ro"
        self.connection = sqlite3.connect(address, uri=True, isolation_level=None)
        self.connection.execute("BEGIN")

    def check(self, statement: str) -> None:
        self.connection.execute(f"EXPLAIN {statement}").close()

    def batches(self, statement: str, rows: int) -> Iterator["pa.Table"]:
        yield from _fetched(self.connection.execute(statement), rows)

    def close(self) -> None:
        self.connection.close()


class Postgres:
    """A server of PostgreSQL: one transaction that only reads, and sees one state of all tables."""

    def __init__(self, place: str) -> None:
        self.connection = open_postgres(place, read_only=True)
        self._numbers = count()

    def check(self, statement: str) -> None:
        self._cursor(statement).close()

    def batches(self, statement: str, rows: int) -> Iterator["pa.Table"]:
        with self._cursor(statement) as cursor:
            cursor.itersize = rows
            yield from _fetched(cursor, rows)

    def _cursor(self, statement: str) -> Any:
        """A cursor of the server, which is made of one SELECT only; rows stay there until asked."""
        cursor = self.connection.cursor(name=f"samelaw_{next(self._numbers)}")
        try:
            return cursor.execute(statement)
        except BaseException:
            cursor.close()
            raise

    def close(self) -> None:
        self.connection.close()  # and with it goes the transaction


def open_postgres(place: str, *, read_only: bool) -> Any:
    """A connection of psycopg in one transaction, all of which sees one state of the tables."""
    psycopg = driver("psycopg")
    given = psycopg.conninfo.conninfo_to_dict(place)
    waits = "connect_timeout" in given or "PGCONNECT_TIMEOUT" in os.environ
    wait = {} if waits else {"connect_timeout": CONNECT_SECONDS}
    connection = psycopg.connect(place, **wait)
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = read_only
    for name, value in _PATIENCE.items():
        connection.execute(
            "SELECT set_config(name, %s, false) FROM pg_catalog.pg_settings "
            "WHERE name = %s AND source = 'default'",
            (value, name),
        )
    return connection


_SCHEMES: dict[str, Callable[[str], Connected]] = {
    "duckdb": DuckDB,
    "sqlite": SQLite,
    "postgresql": Postgres,
}


def _fetched(cursor: Any, rows: int) -> Iterator["pa.Table"]:
    """Rows of a cursor as Arrow, whose columns have the types of their values."""
    some = cursor.fetchmany(rows)
    names = [column[0] for column in cursor.description]
    yield arrow().table({name: arrow().nulls(0) for name in names})
    while some:
        columns = zip(*some, strict=True)
        yield arrow().table({n: arrow_array(c) for n, c in zip(names, columns, strict=True)})
        some = cursor.fetchmany(rows)


def arrow_array(values: Sequence[object]) -> "pa.Array":
    """Values of one column; decimals as floats, what has several types as words."""
    pa = arrow()
    try:
        found = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if v is None else str(v) for v in values], pa.string())
    if not pa.types.is_decimal(found.type):
        return found
    return found.cast(pa.string()).cast(pa.float64())  # by their digits: `columns.arrow_columns`
