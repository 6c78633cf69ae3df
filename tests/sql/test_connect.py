import duckdb
import numpy as np
import pyarrow
import pytest

from optional import need
from postgres import postgres_server
from samelaw.reading.read import read_table
from samelaw.sql.api import compare_in_database
from samelaw.sql.blocks import sides_of
from samelaw.sql.connect import opened
from samelaw.sql.dialects import DIALECTS
from samelaw.sql.rules import short_rules
from samelaw.sql.sketch import Side, Waves, block_sums
from samelaw.tables.frozen import freeze


def rows_of(rng, count, shift=0.0):
    return {
        "x": (rng.standard_cauchy(count) + shift).tolist(),
        "words": rng.choice(["it's", "b", 'c"'], count).tolist(),
        "flag": [[True, False, None][i] for i in rng.integers(0, 3, count)],
        "part": [None if i % 5 == 0 else float(i) for i in rng.integers(0, 50, count)],
    }


def stored(database, name, columns, spelled=("DOUBLE PRECISION", "TEXT", "BOOLEAN", "REAL")):
    types = ", ".join(f'"{n}" {kind}' for n, kind in zip(columns, spelled, strict=True))
    database.execute(f'CREATE TABLE "{name}" ({types})')
    if isinstance(database, duckdb.DuckDBPyConnection):
        database.register("arrived", pyarrow.table(columns))
        database.execute(f'INSERT INTO "{name}" SELECT * FROM arrived')
        database.unregister("arrived")
    else:
        lines = list(zip(*columns.values(), strict=True))
        insert = f'INSERT INTO "{name}" VALUES (%s, %s, %s, %s)'
        database.cursor().executemany(insert, lines)


@pytest.fixture
def shop(tmp_path):
    rng = np.random.default_rng(0)
    with duckdb.connect(str(tmp_path / "shop 1.db")) as database:
        for name, shift in (("may", 0.0), ("june", 0.0), ("july", 1.0)):
            stored(database, name, rows_of(rng, 300, shift))
    return f"duckdb:///{tmp_path}/shop%201.db"


def test_a_database_is_only_read(shop):
    with opened(shop) as (database, dialect):
        assert compare_in_database(database, "may", "july", dialect=dialect, rng=0).reject
        with pytest.raises(duckdb.Error, match="read-only"):
            database.execute("CREATE TABLE new (x INTEGER)")
        assert database.execute("SELECT COUNT(*) FROM duckdb_tables()").fetchall() == [(3,)]


def test_what_the_database_says_is_one_line(shop):
    message = "the database refused: Catalog Error: Table with name nope does not exist!"
    with pytest.raises(ValueError, match=message), opened(shop) as (database, dialect):
        compare_in_database(database, "may", "nope", dialect=dialect)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("mysql://host/db", "expected duckdb:///file.db or postgresql://host/name"),
        ("shop.db", "is no address of a database"),
        ("postgresql://me@127.0.0.1:1/db", "connection to server at .* failed: "),
        ("postgresql://me:secret@127.0.0.1:1/db", "holds a password"),
    ],
)
def test_other_addresses_are_refused(address, words):
    with pytest.raises(ValueError, match=words) as caught, opened(address):
        pass
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"), opened("duckdb:///absent.db"):
        pass
    (tmp_path / "x.db").write_text("x,y\n1,2\n" * 1000)
    message = "is not a valid DuckDB database file"
    with pytest.raises(ValueError, match=message), opened(f"duckdb:///{tmp_path}/x.db"):
        pass


@pytest.fixture(scope="module")
def postgres():
    with postgres_server() as address:
        yield address


@pytest.mark.long
def test_postgres_adds_up_what_duckdb_does(postgres):
    psycopg = need("psycopg")
    rng = np.random.default_rng(1)
    tables = {"may": rows_of(rng, 310), "a \"b'": rows_of(rng, 450)}
    rules = short_rules(freeze(read_table(rows_of(rng, 200))))
    waves = Waves.drawn(rules, np.ones(len(rules.coordinates)), seed=1)
    found = []
    quoted = ["may", '"a ""b\'"']
    with psycopg.connect(postgres, autocommit=True) as server, duckdb.connect() as here:
        for database, name in ((server, "postgres"), (here, "duckdb")):
            for table, columns in tables.items():
                stored(database, table.replace('"', '""'), columns)
            # places by number, which both can do: what is compared are sums of the same rows
            dialect = DIALECTS[name]
            sides = [Side.of_table(table, rules, 1, dialect) for table in quoted]
            chance = dialect.random.format(seed=1)
            sides = [
                Side(side.dealt.replace(chance, "ROW_NUMBER() OVER ()"), side.counted)
                for side in sides
            ]
            answer = database.execute(block_sums(waves, sides, dialect))
            names = [one[0] for one in answer.description]
            lines = zip(names, zip(*answer.fetchall(), strict=True), strict=True)
            found.append(sides_of(dict(lines)))
    for one, other in zip(*found, strict=True):
        assert np.abs(one.sketch.totals - other.sketch.totals).max() < 1e-12
        for means, others in zip(one.means, other.means, strict=True):
            assert np.abs(means.means - others.means).max() < 1e-12


@pytest.mark.long
def test_tables_of_postgres_are_compared_where_they_are(postgres):
    psycopg = need("psycopg")
    rng = np.random.default_rng(0)
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("CREATE SCHEMA shop")
        for name, shift in (("first", 0.0), ("second", 0.0), ("other", 1.0)):
            stored(server, name, rows_of(rng, 400, shift))
            server.execute(f"ALTER TABLE {name} SET SCHEMA shop")
    decided = []
    for name in ("shop.second", "shop.other"):
        with opened(postgres) as (database, dialect):
            found = compare_in_database(database, "shop.first", name, dialect=dialect, rng=0)
            decided.append(found.reject)
    assert decided == [False, True]
    with psycopg.connect(postgres) as server:
        left = server.execute("SELECT COUNT(*) FROM pg_class WHERE relname LIKE 'samelaw%'")
        assert left.fetchall() == [(0,)]
    message = 'the database refused: relation "nope" does not exist'
    with pytest.raises(ValueError, match=message), opened(postgres) as (database, dialect):
        compare_in_database(database, "shop.first", "nope", dialect=dialect)


@pytest.mark.long
def test_rows_of_sorted_tables_in_postgres_are_dealt_at_random(postgres):
    psycopg = need("psycopg")
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("CREATE TABLE sorted AS SELECT i AS x FROM GENERATE_SERIES(1, 20000) AS i")
        rules = freeze(read_table({"x": np.random.default_rng(0).normal(size=99)}))
        side = Side.of_table("sorted", rules, 3, DIALECTS["postgres"])
        lines = server.execute(f"SELECT x0 FROM ({side.dealt}) AS t ORDER BY place").fetchall()
    values = np.array(lines, dtype=np.float64)[:, 0]
    assert sorted(values) == list(range(1, 20_001))
    between = values.reshape(200, 100).mean(axis=1).var(ddof=1) * 100 / values.var()
    assert 0.65 < between < 1.45  # χ² of 199 degrees, 999 in 1,000: blocks of stripes give 0
