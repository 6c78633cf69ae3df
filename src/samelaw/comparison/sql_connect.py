"""Databases by address: duckdb:///file.db and postgresql://host/name."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from samelaw.comparison.sql_prepare import Connection


@contextmanager
def opened(address: str) -> Iterator[tuple[Connection, str]]:
    """A connection that changes nothing but its own temporary tables, and its dialect."""
    scheme = urlsplit(address).scheme
    if scheme == "duckdb":
        database: Any = _duckdb(address)
        try:
            yield database, "duckdb"
        finally:
            database.close()
    elif scheme in ("postgres", "postgresql"):
        with _postgres(address) as database:
            database.execute("SET LOCAL jit = off")  # compiling a thousand sums takes minutes
            try:
                yield database, "postgres"
            finally:
                database.rollback()
    else:
        raise ValueError(
            f"{address!r} is no address of a database that can be run here; expected "
            "duckdb:///file.db or postgresql://host/name (write other dialects with --dialect)."
        )


def _duckdb(address: str) -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ImportError("DuckDB is not installed; run: pip install 'samelaw[sql]'") from error
    parts = urlsplit(address)
    place = Path(unquote(parts.netloc + parts.path).removeprefix("/"))
    if not place.is_file():
        raise FileNotFoundError(f"{place} does not exist; duckdb:/// takes a path, //// from /.")
    try:
        return duckdb.connect(str(place), read_only=True)
    except duckdb.Error as error:
        raise ValueError(f"{place} cannot be opened as a database of DuckDB: {error}") from error


def _postgres(address: str) -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise ImportError("psycopg is not installed; run: pip install 'samelaw[sql]'") from error
    try:
        return psycopg.connect(address)
    except psycopg.Error as error:
        first = str(error).strip().splitlines()[0]  # never the address: it may hold a password
        raise ValueError(f"no connection to Postgres: {first}") from error
