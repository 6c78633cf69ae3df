"""Databases by address: duckdb:///file.db, duckdb:// for files, postgresql://host/name."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from samelaw.extras.sql.prepare import Connection
from samelaw.tables.reading.addresses import Database
from samelaw.tables.reading.connections import open_duckdb, open_postgres
from samelaw.tables.reading.databases import from_database, told

DIALECTS = {"duckdb": "duckdb", "postgresql": "postgres"}
_UNABLE = ("42501", "25006")  # insufficient_privilege, read_only_sql_transaction


@contextmanager
def opened(address: str) -> Iterator[tuple[Connection, str]]:
    """A connection that changes nothing but its own temporary tables, and its dialect."""
    database = Database.of(address)
    if database.scheme not in DIALECTS:
        raise ValueError(
            f"{address!r} is no address of a database that can be run here; expected "
            "duckdb:///file.db or postgresql://host/name (write other dialects with --dialect)."
        )
    with told(database.said):
        connection = _connected(database)
    with closing(connection):  # and with it goes what was not committed: all
        try:
            yield connection, DIALECTS[database.scheme]
        except Exception as error:
            if not from_database(error):
                raise
            raise ValueError(f"the database refused: {_first_line(error)}{_hint(error)}") from error


def _connected(database: Database) -> Any:
    if database.scheme == "duckdb":
        return open_duckdb(database.place, files=not database.place)
    return open_postgres(database.place, read_only=False)  # until its temporary tables are made


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _hint(error: Exception) -> str:
    if getattr(error, "sqlstate", None) not in _UNABLE:
        return ""
    return (
        "; samelaw sql makes temporary tables of its session (GRANT TEMPORARY ON DATABASE), then "
        "reads in a transaction that writes nothing. Where it may not, samelaw compare reads rows."
    )
