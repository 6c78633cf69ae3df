from contextlib import ExitStack

import duckdb
import numpy as np
import pyarrow
import pytest

from optional import need
from postgres import postgres_server
from samelaw.extras.sql.api import compare_in_database
from samelaw.extras.sql.blocks import sides_of
from samelaw.extras.sql.connect import opened
from samelaw.extras.sql.dialects import DIALECTS
from samelaw.extras.sql.expressions import short_rules
from samelaw.extras.sql.statement import Side, Waves, block_sums
from samelaw.tables.frozen import freeze
from samelaw.tables.reading.read import read_table


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


EVERY_TYPE = """
CREATE EXTENSION IF NOT EXISTS citext;
DROP TYPE IF EXISTS mood CASCADE;
CREATE TYPE mood AS ENUM ('calm', 'glad', 'sad');
DROP DOMAIN IF EXISTS positive CASCADE;
CREATE DOMAIN positive AS float8 CHECK (VALUE > 0);
CREATE TABLE {name} AS SELECT
  CASE WHEN i % 9 > 0 THEN {mood} END AS feels,
  CASE WHEN i % 7 > 0 THEN (ARRAY['a', 'b'])[1 + {word}]::citext END AS word,
  (random() + {shift})::positive AS x,
  CASE WHEN i % 5 > 0 THEN date '2025-01-01' + (i % 300) END AS day,
  timestamptz '2025-01-01' + i * interval '1 minute' AS at,
  CASE WHEN i % 4 > 0 THEN (random() * 100)::numeric::money END AS price,
  int4range(i % 9, 10) AS span, i::oid AS number,
  jsonb_build_object('i', i) AS blob, '{{1}}'::int[] AS list
FROM generate_series(1, 600) AS i
"""
SILENT = (
    "not compared: day (but where it is missing), at, price (but where it is missing), span, "
    "number, blob, list"
)


def typed(server, name, mood="(ARRAY['calm', 'glad', 'sad'])[1 + i % 3]::mood", **changed):
    filled = {"mood": mood, "word": "i % 2", "shift": "1", **changed}
    made = EVERY_TYPE.format(name=name, **filled)
    # the types of the first table serve the others
    server.execute(made if name == "alike" else made[made.index("CREATE TABLE") :])


@pytest.mark.long
def test_every_column_of_postgres_is_compared_or_named(postgres):
    psycopg = need("psycopg")
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("SELECT setseed(0.5)")
        typed(server, "alike")
        typed(server, "alike2")
        typed(server, "glad", mood="'glad'::mood")
        typed(server, "worded", word="(i % 8 = 0)::int")
        typed(server, "moved", shift="1.4")
        for other, differs in (("alike2", 0), ("glad", 1), ("worded", 1), ("moved", 1)):
            found = compare_in_database(server, "alike", other, dialect="postgres", rng=0)
            assert found.reject == differs, other
            assert found.method.endswith(SILENT)
    with opened(postgres) as (database, dialect):
        found = compare_in_database(database, "alike", "alike2", dialect=dialect, rng=0)
    assert found.method.endswith(SILENT)


@pytest.mark.long
def test_keys_with_a_gap_are_keys(postgres):
    """As `compare` has it: by their name."""
    psycopg = need("psycopg")
    with psycopg.connect(postgres, autocommit=True) as server:
        for name, first in (("before", 1), ("after", 90_000)):
            server.execute(
                f"CREATE TABLE {name} AS SELECT i AS order_id, i AS amount, sin(i::float8) AS x "
                f"FROM generate_series({first}, {first} + 499) AS i"
            )
        asked = {"dialect": "postgres", "rng": 0, "permutations": 99}
        found = compare_in_database(server, "before", "after", columns=["order_id", "x"], **asked)
        assert not found.reject
        assert "not compared: order_id" in found.method
        assert compare_in_database(server, "before", "after", columns=["amount"], **asked).reject


@pytest.fixture
def two_views(postgres):
    """Views that are one at every instant, and a connection that writes."""
    psycopg = need("psycopg")
    with psycopg.connect(postgres, autocommit=True) as server:
        server.execute("DROP TABLE IF EXISTS stock CASCADE; DROP SEQUENCE IF EXISTS counted")
        server.execute("CREATE TABLE stock AS SELECT sin(i) AS x FROM generate_series(1, 999) AS i")
        for name in ("one", "two"):
            server.execute(f"CREATE VIEW {name} AS SELECT x FROM stock")
        yield server


class Interrupted:
    """A connection; another one writes before each of its statements."""

    def __init__(self, connection, writer):
        self.connection, self.writer, self.asked = connection, writer, []
        self.info, self.transaction = connection.info, connection.transaction

    def execute(self, query):
        self.writer.execute("UPDATE stock SET x = x + 1")
        self.asked.append(query)
        return self.connection.execute(query)


@pytest.mark.long
@pytest.mark.parametrize("autocommit", [True, False, None])
def test_both_tables_are_read_at_one_instant(postgres, two_views, autocommit):
    """Without a row in common otherwise: the two are apart by several standard deviations."""
    psycopg = need("psycopg")
    with ExitStack() as stack:
        if autocommit is None:
            connection, _ = stack.enter_context(opened(postgres))
        else:
            server = psycopg.connect(postgres, autocommit=autocommit)
            connection = stack.enter_context(server)
        watched = Interrupted(connection, two_views)
        found = compare_in_database(watched, "one", "two", dialect="postgres", rng=0)
        assert len(watched.asked) > 9
        assert not found.reject
        left = "SELECT count(*) FROM pg_class WHERE relname LIKE 'samelaw%'"
        assert list(connection.execute(left).fetchall()) == [(0,)]
        if autocommit is not None:
            connection.execute("CREATE TEMPORARY TABLE mine (x int)")  # it writes again


@pytest.mark.long
def test_a_table_that_writes_is_refused(postgres, two_views):
    two_views.execute("CREATE SEQUENCE counted")
    two_views.execute(
        "CREATE OR REPLACE VIEW two AS SELECT x + 0 * nextval('counted') AS x FROM stock"
    )
    message = "cannot execute nextval.. in a read-only transaction; samelaw sql makes temporary"
    with pytest.raises(ValueError, match=message), opened(postgres) as (database, dialect):
        compare_in_database(database, "one", "two", dialect=dialect)
    with pytest.raises(Exception, match="cannot execute nextval"):
        compare_in_database(two_views, "one", "two", dialect="postgres")
    assert two_views.execute("SELECT is_called FROM counted").fetchone() == (False,)


@pytest.mark.long
def test_what_a_user_needs_is_said(postgres, two_views):
    """A role that only reads by default is enough; one without temporary tables is told."""
    two_views.execute("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN")
    two_views.execute("GRANT SELECT ON one, two TO reader")
    two_views.execute("ALTER ROLE reader SET default_transaction_read_only = on")
    address = postgres.replace("samelaw@", "reader@")
    with opened(address) as (database, dialect):
        assert not compare_in_database(database, "one", "two", dialect=dialect, rng=0).reject
    two_views.execute("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    message = "permission denied to create temporary tables .*GRANT TEMPORARY ON DATABASE"
    try:
        with pytest.raises(ValueError, match=message), opened(address) as (database, dialect):
            compare_in_database(database, "one", "two", dialect=dialect)
    finally:
        two_views.execute("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")
