"""The command for tables that stay in their database."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samelaw.cli import options
from samelaw.cli.exit_codes import NO_DIFFERENCE
from samelaw.cli.in_database import Chosen, again_with, answered, run_there
from samelaw.cli.outputs import STDOUT, check_outputs
from samelaw.cli.request import LEVEL, kinds_of, names_of
from samelaw.cli.terminal_streams import show
from samelaw.core.files import write_text

if TYPE_CHECKING:
    from samelaw.testing.result import TestResult

_FORMS = (
    "give one of: A B --on duckdb:///file.db (runs), A B --dialect NAME --like SAMPLE (writes), "
    "--blocks RESULT (tests)"
)
_NOTE = (
    "-- samelaw sql, seed {seed}: one line per block of rows. Save the result as CSV or Parquet,\n"
    "-- then: samelaw sql --blocks RESULT\n"
)


def sql(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="A B", help="Tables: name or schema.name.")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Run there: duckdb:///file.db, postgresql://host/db."),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(help="Only write it: duckdb, postgres, bigquery, snowflake, clickhouse."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(metavar="SAMPLE", help="File of rows like theirs, in neither; for --dialect."),
    ] = None,
    block: Annotated[
        int | None,
        typer.Option(min=1, metavar="ROWS", help="Of a block; for one table alone."),
    ] = None,
    blocks: Annotated[
        list[str] | None,
        typer.Option(metavar="RESULT", help="Test what the statement returned; repeatable."),
    ] = None,
    columns: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Only these: one,two; repeatable.")
    ] = None,
    ignore: options.Ignore = None,
    kind: options.Kinds = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT.sql", help="Write it there.")
    ] = None,
    level: options.Level = LEVEL,
    json: options.Json = None,
    seed: options.Seed = None,
    permutations: options.Permutations = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Compare two tables inside a database: only sums over blocks of rows leave it.

    --on runs it there; --dialect writes the statement, --blocks tests what it returned. Exit
    codes: 0 no difference found (or written), 1 different, 2 any error.
    """
    from samelaw.core.checks import as_seed

    printed = None if json == STDOUT else json
    inputs = [*(blocks or []), *([like] if like else [])]
    check_outputs({"--output": output, "--json": printed}, inputs)
    if sum(given is not None for given in (on, dialect, blocks)) != 1:
        raise ValueError(f"samelaw sql does one of three things; {_FORMS}.")
    names, number = list(tables or ()), as_seed(seed)[1]
    chosen = Chosen(
        columns=names_of(columns) or None, ignore=names_of(ignore), kinds=kinds_of(kind)
    )
    assert number is not None
    if dialect is not None:
        return _write(names, dialect, like, block, chosen, number, output)
    if blocks is not None:
        found = _of_results(blocks, level, permutations, number)
        again = [word for one in blocks for word in ("--blocks", one)]
    else:
        assert on is not None
        found = run_there(names, on, chosen, level, permutations, number)
        again = [*names, "--on", on, *again_with(chosen)]
    again += ["--level", str(level)] * (level != LEVEL)
    again += [] if permutations is None else ["--permutations", str(permutations)]
    again = ["samelaw", "sql", *again, "--seed", str(number)]
    return answered(found, again, printed, json == STDOUT, quiet)


def _write(
    tables: Sequence[str],
    dialect: str,
    like: str | None,
    block: int | None,
    chosen: Chosen,
    seed: int,
    output: Path | None,
) -> int:
    from samelaw.extras.sql.api import LARGEST_SEED, sql_statement

    if like is None:
        raise ValueError(
            "--dialect needs --like SAMPLE: a file of some hundred rows like those of the tables "
            "says which columns there are, their quantiles and categories."
        )
    if not 1 <= len(tables) <= 2:
        raise ValueError(f"{len(tables)} tables were named; --dialect takes one or two.")
    seed %= LARGEST_SEED
    statement = sql_statement(
        tables,
        like,
        dialect=dialect,
        block=block,
        rng=seed,
        **chosen,
    )
    written = f"{_NOTE.format(seed=seed)}{statement}\n"
    if output is None:
        show(written.rstrip())
    else:
        write_text(output, written)
    return NO_DIFFERENCE


def _of_results(
    files: Sequence[str], level: float, permutations: int | None, seed: int
) -> "TestResult":
    from samelaw.extras.sql.blocks import blocks_test, read_blocks

    sides = [side for file in files for side in read_blocks(file)]
    if len(sides) != 2:
        raise ValueError(
            f"{', '.join(files)}: blocks of {len(sides)} tables; expected those of two, in one "
            "file or one each."
        )
    return blocks_test(*sides, level=level, permutations=permutations, rng=seed)
