"""Addresses of databases, such as ``duckdb:///shop.db?table=orders``: what they name.

An address names a file or a server and, behind the question mark, a table or a query. What else
stands there goes to PostgreSQL, as ``sslmode=require`` does.
"""

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from samelaw.tables.reading.passwords import FILES, SCHEME, refuse_password

SCHEMES = ("duckdb", "sqlite", "postgresql", "postgres")

_NAME = re.compile(r'"(?:[^"]|"")+"|[^".]+')
_NAMES = re.compile(rf"(?:{_NAME.pattern})(?:\.(?:{_NAME.pattern}))*")


def is_address(source: object) -> bool:
    """Whether a source names a table of a database.

    Examples
    --------
    >>> is_address("sqlite:///shop.db?table=orders"), is_address("orders.csv")
    (True, False)
    """
    found = SCHEME.match(source) if isinstance(source, str) else None
    return found is not None and found["scheme"].lower() in SCHEMES


@dataclass(frozen=True)
class Database:
    """One database.

    Parameters
    ----------
    scheme : {"duckdb", "sqlite", "postgresql"}
    place : str
        The file, or what PostgreSQL connects by.
    said : str
        The address as it may be shown.
    """

    scheme: str
    place: str = field(repr=False)
    said: str = field(compare=False)

    @classmethod
    def of(cls, text: str) -> "Database":
        """The database that an address names; no table and no query."""
        found, asked = _parts(text)
        if rows := {"table", "query"}.intersection(asked):
            raise ValueError(
                f"{text} names rows (?{rows.pop()}=); expected the address of a database alone."
            )
        return found


@dataclass(frozen=True)
class Address:
    """A table or query of a database.

    Parameters
    ----------
    database : Database
    table, query : str
        One of them is empty.
    said : str
        The address as it may be shown.
    """

    database: Database
    table: str
    query: str
    said: str

    @classmethod
    def of(cls, text: str) -> "Address":
        database, asked = _parts(text)
        table, query = asked.get("table", ""), asked.get("query", "")
        if bool(table) == bool(query):
            raise ValueError(
                f"{text} names no rows; expected ?table=NAME or ?query=SELECT … after the database."
            )
        return cls(database, table, query.strip().rstrip(";"), text)

    @property
    def rows(self) -> str:
        """What is selected from: a quoted table, or a query in brackets.

        A query may end in a comment, which a new line ends.
        """
        if self.table:
            return ".".join(map(quoted_name, name_parts(self.table)))
        return f"({self.query}\n) AS rows_asked_for"


def _parts(text: str) -> tuple[Database, dict[str, str]]:
    """The database of an address, and what is asked of it."""
    refuse_password(text)
    before, _, behind = text.partition("?")
    scheme, _, place = before.partition("://")
    scheme = "postgresql" if scheme.lower() == "postgres" else scheme.lower()
    asked = _asked(text, behind)
    further = {name: asked.pop(name) for name in [*asked] if name not in ("table", "query")}
    if scheme in FILES:
        if further:
            raise ValueError(_UNKNOWN.format(text=text, name=next(iter(further))))
        return Database(scheme, unquote(place.removeprefix("/")), before), asked
    written = "&".join(f"{quote(n)}={quote(value)}" for n, value in further.items())
    end = f"?{written}" if written else ""
    return Database(scheme, f"{scheme}://{place}{end}", f"{before}{end}"), asked


_UNKNOWN = (
    "{text} asks for {name!r}; expected ?table=NAME or ?query=SELECT …, where the signs & and % "
    "are written %26 and %25."
)


def _asked(text: str, behind: str) -> dict[str, str]:
    """What stands behind the question mark, by name; a plus is a plus, as SQL has it."""
    found: dict[str, str] = {}
    for part in filter(None, behind.split("&")):
        name, sign, value = part.partition("=")
        try:
            name, value = unquote(name, errors="strict"), unquote(value, errors="strict")
        except UnicodeDecodeError as error:
            raise ValueError(f"{text}: write the sign % as %25 in an address.") from error
        if not sign or name in found or not re.fullmatch(r"\w+", name):
            raise ValueError(_UNKNOWN.format(text=text, name=name))
        found[name] = value
    return found


def name_parts(name: str) -> list[str]:
    """The parts of ``schema.table``; a dot inside a part needs "double quotes".

    Examples
    --------
    >>> name_parts("shop.orders"), name_parts('shop."a.b"')
    (['shop', 'orders'], ['shop', 'a.b'])
    """
    if not _NAMES.fullmatch(name):
        refuse_password(name)
        raise ValueError(
            f"{name!r} is no name of a table; expected table or schema.table, and "
            '"double quotes" around a part with a dot or a quote in it.'
        )
    return [
        part[1:-1].replace('""', '"') if part.startswith('"') else part
        for part in _NAME.findall(name)
    ]


def quoted_name(name: str) -> str:
    """A name as SQL takes it, whatever signs it has."""
    return '"' + name.replace('"', '""') + '"'
