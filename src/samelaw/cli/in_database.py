"""What `samelaw sql` and `samelaw compare --sql` share: the test inside a database."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from samelaw.cli.exit_codes import DIFFERENT, NO_DIFFERENCE
from samelaw.cli.terminal_streams import show, speaks_unicode, tell
from samelaw.core.files import write_text
from samelaw.results.shell import shell_line
from samelaw.tables.reading.addresses import Address, is_address
from samelaw.tables.reading.passwords import refuse_password

if TYPE_CHECKING:
    from samelaw.testing.result import TestResult


class Chosen(TypedDict):
    """Which columns are compared, and as what."""

    columns: Sequence[str] | None
    ignore: Sequence[str]
    kinds: Mapping[str, str]


def again_with(chosen: Chosen) -> list[str]:
    """The options that choose the same columns again."""
    words = [w for n in chosen["columns"] or () for w in ("--columns", n)]
    words += [w for n in chosen["ignore"] for w in ("--ignore", n)]
    return words + [w for n, one in chosen["kinds"].items() for w in ("--kind", f"{n}={one}")]


def refuse_beside_sql(options: Mapping[str, object]) -> None:
    """Raise if an option was given that sums over blocks cannot answer."""
    if given := [name for name, value in options.items() if value not in (None, False, 0.0)]:
        raise ValueError(
            f"--sql has no {', '.join(given)}: only sums over blocks of rows leave the database, "
            "which say whether two tables differ; leave --sql out to read the rows."
        )


def tables_of(a: str, b: str) -> tuple[str, list[str]]:
    """The database that two addresses share, and the table that each names."""
    addresses = [_named(text) for text in (a, b)]
    first, second = (one.database for one in addresses)
    if first != second:
        raise ValueError(
            f"--sql: {first.said} and {second.said} are two databases; tables of one are compared "
            "inside it, those of two by `samelaw sql --dialect` and --blocks."
        )
    return first.said, [one.table for one in addresses]


def _named(text: str) -> Address:
    refuse_password(text)
    found = Address.of(text) if is_address(text) and "?" in text else None
    if found is None or not found.table:
        raise ValueError(
            f"--sql: {text} names no table of a database; expected "
            "duckdb:///file.db?table=NAME or postgresql://host/name?table=NAME."
        )
    return found


def run_there(
    tables: Sequence[str],
    address: str,
    chosen: Chosen,
    level: float,
    permutations: int | None,
    seed: int,
) -> "TestResult":
    """Two tables tested in their database."""
    from samelaw.extras.sql.api import compare_in_database
    from samelaw.extras.sql.connect import opened

    if len(tables) != 2:
        raise ValueError(f"{len(tables)} tables were named; --on compares two.")
    with opened(address) as (connection, dialect):
        return compare_in_database(
            connection,
            *tables,
            dialect=dialect,
            level=level,
            permutations=permutations,
            rng=seed,
            **chosen,
        )


def answered(
    found: "TestResult", again: Sequence[str], json: Path | None, printed: bool, quiet: bool
) -> int:
    """Say it, or write it as JSON to a file or where it is printed; the exit code."""
    if printed:
        show(found.to_json(indent=1, ensure_ascii=not speaks_unicode()))
    else:
        if json is not None:
            write_text(json, found.to_json(indent=1) + "\n")
            again = [*again, "--json", str(json)]
        whole = str(found)
        tell(whole.splitlines()[0] if quiet else f"{whole}\n\nRun it again: {shell_line(again)}")
    return DIFFERENT if found.reject else NO_DIFFERENCE
