"""Two tables of a database compared where they are: it adds up, and only sums over blocks leave."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np

from samelaw.core.checks import as_count, as_seed
from samelaw.core.types import Seed
from samelaw.extras.sql.blocks import BlockSums, blocks_test, sides_of
from samelaw.extras.sql.dialects import Dialect, dialect_named
from samelaw.extras.sql.expressions import short_rules
from samelaw.extras.sql.prepare import Connection, prepared_rules, row_numbers, shared_kinds
from samelaw.extras.sql.statement import Side, Waves, block_sums
from samelaw.results.escape_controls import legible
from samelaw.tables.columns.column import Kind
from samelaw.tables.columns.kinds import as_kinds
from samelaw.tables.columns.names import as_names, check_names
from samelaw.tables.frozen import FrozenColumn, FrozenTable, freeze
from samelaw.tables.reading.read import read_table
from samelaw.testing.result import TestResult

PREPARATION = (10, 5_000)  # a tenth of the smaller table, and the most
LEAST_ROWS = 100
LARGEST_SEED = 2**31  # what every database takes for a number of a hash


def sql_statement(
    tables: Sequence[str],
    sample: object,
    *,
    dialect: str,
    columns: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
    block: int | None = None,
    rng: int = 0,
) -> str:
    """The statement that returns the block sums of one table or two.

    Parameters
    ----------
    tables : names, as ``schema.table``.
    sample : path, frame or dict
        Rows like those of the tables, for kinds, quantiles and categories. The p-value is exact if
        they are in neither table, and hardly another one if they are a few of many.
    dialect : str
        duckdb, postgres, bigquery, snowflake or clickhouse.
    columns, ignore, kinds
        As `compare` takes them, of the sample.
    block : int, optional
        Rows of a block, for a table whose other half is in another database.
    rng : int
        A seed: frequencies, and where the database can, places of rows come from it.

    Examples
    --------
    >>> sample = {"x": [1.5, 2.5, 4.0, 3.5], "colour": ["red", "blue", "red", "blue"]}
    >>> statement = sql_statement(["may", "june"], sample, dialect="bigquery")
    >>> statement.count("SUM("), "`may`" in statement
    (1432, True)
    """
    spoken, left_out = dialect_named(dialect), as_names("ignore", ignore)
    table = read_table(sample)
    names = table.names if columns is None else as_names("columns", columns)
    check_names((*names, *left_out), table.names, table.source)
    some = replace(table, raw={n: table.raw[n] for n in names if n not in left_out})
    rules = short_rules(freeze(some, kinds))
    points, _ = checked(rules).encode(some)
    seed = _small(as_count("rng", rng, least=0))
    waves = Waves.drawn(rules, points.var(axis=0), seed)
    sides = [Side.of_table(t, rules, seed + i, spoken) for i, t in enumerate(tables)]
    if block is not None:
        as_count("block", block)
    written = block_sums(waves, sides, spoken, block=block)
    return f"-- {silent}\n{written}" if (silent := not_compared(rules)) else written


def compare_in_database(
    connection: Connection,
    a: str,
    b: str,
    *,
    dialect: str = "duckdb",
    columns: Sequence[str] | None = None,
    ignore: Iterable[str] = (),
    kinds: Mapping[str, Kind | str] | None = None,
    level: float = 0.05,
    permutations: int | None = None,
    rng: Seed = None,
) -> TestResult:
    """Test whether two tables of a database follow the same law, without fetching a row.

    Rows get random places in temporary tables; the first places give quantiles and categories,
    the others sums over blocks, whose labels are permuted.

    Parameters
    ----------
    connection : of duckdb or psycopg.
    a, b : str
        Tables or views: ``table`` or ``schema.table``.
    dialect : str
        duckdb or postgres.
    columns, ignore, kinds, level, permutations, rng
        As `compare` takes them.

    Examples
    --------
    >>> import duckdb
    >>> database = duckdb.connect()
    >>> for name, x in (("may", "RANDOM()"), ("june", "RANDOM() + 1")):
    ...     _ = database.execute(f"CREATE TABLE {name} AS SELECT {x} AS x FROM RANGE(999)")
    >>> compare_in_database(database, "may", "june", rng=0).reject
    True
    """
    spoken = dialect_named(dialect)
    if not spoken.temporary:
        raise ValueError(f"{dialect} is written, not run here; run duckdb or postgres.")
    generator, seed = as_seed(rng)
    places = _small(seed if seed is not None else int(generator.integers(LARGEST_SEED)))
    with one_state(connection):
        wanted = shared_kinds(connection, (a, b), spoken, columns, ignore, kinds)
        with _dealt(connection, (a, b), wanted, places, spoken) as sides:
            skip = _prepared_rows(connection, sides, (a, b))
            rules, x, y = _summed(connection, sides, wanted, as_kinds(kinds), places, skip, spoken)
    found = blocks_test(x, y, held_out=True, level=level, permutations=permutations, rng=generator)
    method = f"{found.method}, {skip} of each prepared it"
    method += f"; {silent}" if (silent := not_compared(rules)) else ""
    settings = {**found.settings, "seed": seed, "dialect": dialect, "columns": list(wanted)}
    return replace(found, method=method, settings=settings, seed=seed)


def _summed(
    connection: Connection,
    sides: Sequence[Side],
    wanted: Mapping[str, Kind],
    chosen: Mapping[str, Kind],
    seed: int,
    skip: int,
    dialect: Dialect,
) -> tuple[FrozenTable, BlockSums, BlockSums]:
    """Rules from the first rows of each side, and the sums over blocks of all others."""
    whole = [side.counted for side in sides]
    numbers = set(row_numbers(connection, whole, wanted)) - set(chosen)
    told = {n: Kind.IDENTIFIER if n in numbers else kind for n, kind in wanted.items()}
    stored = [f"{one} WHERE place < {skip}" for one in whole]
    rules, variances = prepared_rules(connection, stored, told, dialect)
    waves = Waves.drawn(checked(rules), variances, seed)
    answer = connection.execute(block_sums(waves, sides, dialect, skip=skip))
    names = [str(one[0]) for one in answer.description or ()]
    x, y = sides_of(dict(zip(names, zip(*answer.fetchall(), strict=True), strict=True)))
    return rules, x, y


@contextmanager
def one_state(connection: Any) -> Iterator[None]:
    """One transaction of Postgres that sees one state of both tables and leaves nothing behind.

    In a transaction that runs already, its owner chose what it sees.
    """
    if not hasattr(connection, "transaction"):  # duckdb
        yield
        return
    runs = connection.info.transaction_status
    with connection.transaction(force_rollback=True):
        if not runs:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def not_compared(rules: FrozenTable) -> str:
    """All columns whose values take no part, in words of one line."""
    silent = [
        legible(column.name) + " (but where it is missing)" * bool(column.coordinates)
        for column in rules.columns
        if all(coordinate.missing for coordinate in column.coordinates)
    ]
    return f"not compared: {', '.join(silent)}" if silent else ""


@contextmanager
def _dealt(
    connection: Connection,
    tables: Sequence[str],
    kinds: Mapping[str, Kind],
    seed: int,
    dialect: Dialect,
) -> Iterator[list[Side]]:
    """Both tables in random order: once, for those who prepare and those who are compared.

    They are made empty; what reads the tables may write nothing else.
    """
    none = np.empty(0)
    rules = FrozenTable(tuple(FrozenColumn(n, kind, none, none) for n, kind in kinds.items()))
    dealt = [Side.of_table(t, rules, seed + i, dialect).dealt for i, t in enumerate(tables)]
    names = [f"{dialect.temporary}samelaw_{i}" for i in range(len(tables))]
    made = []
    try:
        for i, rows in enumerate(dealt):
            connection.execute(f"CREATE TEMPORARY TABLE samelaw_{i} AS {rows}\nWITH NO DATA")
            made.append(names[i])
        if dialect.only_reads:
            connection.execute(dialect.only_reads)
        for name, rows in zip(names, dealt, strict=True):
            connection.execute(f"INSERT INTO {name} {rows}")
        yield [Side(f"SELECT * FROM {name}", name) for name in names]
    finally:
        with suppress(Exception):  # Postgres drops them with its transaction, and only so
            for name in made:
                connection.execute(f"DROP TABLE {name}")


def _prepared_rows(connection: Connection, sides: Sequence[Side], tables: Sequence[str]) -> int:
    counted = [
        int(connection.execute(f"SELECT COUNT(*) FROM {side.counted}").fetchall()[0][0])
        for side in sides
    ]
    fewest = min(counted)
    if fewest < LEAST_ROWS:
        raise ValueError(
            f"{tables[counted.index(fewest)]} has {fewest} rows; blocks take at least "
            f"{LEAST_ROWS}: fetch them and compare them as files."
        )
    return min(fewest // PREPARATION[0], PREPARATION[1])


def checked(rules: FrozenTable) -> FrozenTable:
    """Rules with something to compare."""
    if not rules.coordinates:
        raise ValueError(
            f"no column can be compared of {', '.join(map(repr, rules.names)) or 'none'}: expected "
            "numbers, truth values, words that come again or missing values."
        )
    return rules


def _small(seed: int) -> int:
    return seed % LARGEST_SEED
