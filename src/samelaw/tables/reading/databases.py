"""Tables of databases and conditions in SQL: what they ask, in one state of each database.

Rows come some at a time, and a condition goes to the database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from samelaw.tables.reading.addresses import Address, Database, is_address, quoted_name
from samelaw.tables.reading.connections import (
    Connected,
    arrow_batches,
    check_one_select,
    connected,
    open_duckdb,
)
from samelaw.tables.reading.opening import arrow
from samelaw.tables.reading.passwords import refuse_password, refuse_password_in

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 160  # characters of a statement and of what a database says


@dataclass(frozen=True, eq=False)
class DatabaseRows:
    """A table or query of an open database.

    Parameters
    ----------
    address : Address
    opened : Connected
    """

    address: Address
    opened: Connected = field(repr=False)

    def select(self, what: str, where: str | None) -> str:
        """The statement that asks something of the rows that fulfil a condition."""
        condition = f" WHERE ({where}\n)" if where else ""
        return f"SELECT {what} FROM {self.address.rows}{condition}"

    def check(self, where: str | None) -> None:
        """Raise unless query and condition are one SELECT each, which nothing breaks out of.

        Both are read by themselves: what then stands in brackets ends there.
        """
        refuse_password_in(where or "")
        for text in (self.address.query, where and f"{self.select('*', None)} WHERE {where}"):
            if text:
                with told(self.address.said, text):
                    self.opened.check(text)

    def batches(self, statement: str, rows: int) -> Iterator["pa.Table"]:
        """What a statement gives, so many rows at a time, and at least once its columns."""
        with told(self.address.said, statement):
            yield from self.opened.batches(statement, rows)

    def number(self, statement: str) -> int:
        """The one number that a statement gives."""
        some = [piece for piece in self.batches(statement, 1) if piece.num_rows]
        return int(some[0][0][0].as_py())

    @property
    def typed(self) -> bool:
        """Whether columns have declared types; those of SQLite are what their values are."""
        return self.address.database.scheme != "sqlite"

    @property
    def of_files(self) -> bool:
        """Whether the tables are files, which a condition must not open."""
        return not self.address.database.place


@contextmanager
def one_snapshot(*sources: object) -> Iterator[tuple[object, ...]]:
    """Sources with their addresses opened: tables of one database are read in one transaction."""
    with ExitStack() as stack:
        known: dict[Database, Connected] = {}
        yield tuple(_opened(source, known, stack) for source in sources)


def _opened(source: object, known: dict[Database, Connected], stack: ExitStack) -> object:
    if isinstance(source, str):
        refuse_password(source)
    if not isinstance(source, str) or not is_address(source):
        return source
    address = Address.of(source)
    if address.database not in known:
        with told(address.database.said):
            known[address.database] = stack.enter_context(closing(connected(address.database)))
    return DatabaseRows(address, known[address.database])


@contextmanager
def told(said: str, statement: str = "") -> Iterator[None]:
    """What a database says went wrong, as one line with its address."""
    try:
        yield
    except Exception as error:
        if not from_database(error):
            raise
        why = (str(error).strip().splitlines() or [type(error).__name__])[0][:SHOWN].rstrip(".")
        quotes = '; names with blanks or signs go into double quotes: "unit price" > 5'
        hint = quotes if "syntax error" in why.lower() else _patience(error)
        asked = f"; the statement was {statement[:SHOWN]!r}" if statement else ""
        raise ValueError(f"{said}: {why}{asked}{hint}.") from error


def _patience(error: Exception) -> str:
    cancelled = getattr(error, "sqlstate", None) == "57014"  # query_canceled
    return "; PGOPTIONS='-c statement_timeout=0' waits for ever" if cancelled else ""


def from_database(error: Exception) -> bool:
    """Whether an error is what a driver raised."""
    return type(error).__module__.partition(".")[0] in ("duckdb", "_duckdb", "sqlite3", "psycopg")


def filtered(
    pieces: Callable[[], Iterator["pa.Table"]], where: str, numbers: Sequence[str], source: str
) -> Callable[[], Iterator["pa.Table"]]:
    """Pieces with the rows that fulfil a condition in SQL, by DuckDB, which sees no other files.

    ``numbers`` are columns of words that are read as numbers for it.
    """
    casts = ", ".join(f"TRY_CAST({quoted_name(n)} AS DOUBLE) AS {quoted_name(n)}" for n in numbers)
    chosen = f"* REPLACE ({casts})" if casts else "*"
    statement = f"SELECT coalesce(({where}\n), false) AS kept FROM (SELECT {chosen} FROM piece)"

    def some() -> Iterator["pa.Table"]:
        with open_duckdb("", files=False) as connection:
            with told(source, f"… WHERE {where}"):
                check_one_select(f"SELECT * FROM piece WHERE {where}")
            for piece in pieces():
                connection.register("piece", piece)
                with told(source, f"… WHERE {where}"):
                    parts = list(arrow_batches(connection, statement, piece.num_rows))
                kept = arrow().concat_tables(parts)["kept"]
                yield piece.filter(kept.cast(arrow().bool_()))

    return some
