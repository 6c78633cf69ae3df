"""Databases by address: duckdb:///file.db, duckdb:// for files, postgresql://host/name."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from samelaw.reading.databases import check_no_password, driver
from samelaw.sql.prepare import Connection


@contextmanager
def opened(address: str) -> Iterator[tuple[Connection, str]]:
    """A connection that changes nothing but its own temporary tables, and its dialect."""
    open_it, dialect = _ways(address)
    database, refusal = open_it(address)
    try:
        yield database, dialect
    except refusal as error:
        raise ValueError(f"the database refused: {_first_line(error)}") from error
    finally:
        database.close()  # and with it goes what was not committed: all


def _ways(address: str) -> tuple[Callable[[str], tuple[Any, type[Exception]]], str]:
    match address.partition("://")[0]:
        case "duckdb":
            return _duckdb, "duckdb"
        case "postgres" | "postgresql":
            return _postgres, "postgres"
    raise ValueError(
        f"{address!r} is no address of a database that can be run here; expected "
        "duckdb:///file.db or postgresql://host/name (write other dialects with --dialect)."
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _duckdb(address: str) -> tuple[Any, type[Exception]]:
    duckdb = driver("duckdb")
    if address == "duckdb://":  # in memory, for files as tables
        return duckdb.connect(), duckdb.Error
    place = Path(unquote(address.removeprefix("duckdb://").removeprefix("/")))
    if not place.is_file():
        raise FileNotFoundError(f"{place} does not exist; duckdb:/// takes a path, //// from /.")
    try:
        return duckdb.connect(str(place), read_only=True), duckdb.Error
    except duckdb.Error as error:
        raise ValueError(f"{place} is no database of DuckDB: {_first_line(error)}") from error


def _postgres(address: str) -> tuple[Any, type[Exception]]:
    psycopg = driver("psycopg")
    check_no_password(address)
    try:
        return psycopg.connect(address), psycopg.Error
    except psycopg.Error as error:
        raise ValueError(f"no connection to Postgres: {_first_line(error)}") from error
