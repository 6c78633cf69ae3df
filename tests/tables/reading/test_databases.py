"""Tables of databases, and conditions on rows: real files and a real server."""

import sqlite3
from contextlib import ExitStack, suppress

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from optional import need
from postgres import postgres_server
from samelaw import compare
from samelaw.tables.reading.addresses import quoted_name
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.batches import read_whole
from samelaw.tables.reading.databases import DatabaseRows, one_snapshot

duckdb = need("duckdb")
ROWS = 500
WORDS = 'the "w"'


def table():
    rng = np.random.default_rng(0)
    words = np.array(["north", "south"])[rng.integers(0, 2, ROWS)]
    return pa.table({"n": np.arange(ROWS), "x": rng.normal(size=ROWS), WORDS: words})


@pytest.fixture(params=["duckdb", "sqlite"])
def database(request, tmp_path):
    """A file with a table of 500 rows, as an address without the question."""
    path = tmp_path / "shop.db"
    if request.param == "duckdb":
        with duckdb.connect(str(path)) as connection:
            connection.register("given", table())
            connection.execute("CREATE TABLE orders AS SELECT * FROM given")
    else:
        with sqlite3.connect(path) as connection:
            connection.execute('CREATE TABLE orders (n INTEGER, x REAL, "the ""w""" TEXT)')
            rows = zip(*table().to_pydict().values(), strict=True)
            connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
        connection.close()
    return f"{request.param}:///{path}"


@pytest.fixture
def opened():
    """A source piece by piece; the database stays open until the test ends."""
    with ExitStack() as stack:

        def open_one(source, columns=None, **more):
            (found,) = stack.enter_context(one_snapshot(source))
            return open_batches(found, columns, **more)

        yield open_one


def test_a_table_comes_as_it_is(database, opened):
    found = opened(f"{database}?table=orders")
    assert found.rows == ROWS
    whole = read_whole(found)
    assert whole.names == ("n", "x", 'the "w"')
    np.testing.assert_array_equal(whole.column("x").values, table()["x"].to_numpy())


def test_columns_and_conditions_go_to_the_database(database, opened):
    condition = f"n < 100 and {quoted_name(WORDS)} = 'north'"
    found = opened(f"{database}?table=orders", ["x"], where=condition)
    first = table().slice(0, 100).to_pylist()
    expected = [row["x"] for row in first if row[WORDS] == "north"]
    assert found.rows == len(expected)
    assert found.names == ("x",)
    np.testing.assert_array_equal(read_whole(found).column("x").values, expected)


@pytest.mark.parametrize("end", ["", ";", " -- the last ones", " /* the last */ ;"])
def test_a_query_is_a_table(database, opened, end):
    query = f"SELECT n, 1+x AS more FROM orders WHERE n >= 490{end}"
    found = opened(f"{database}?query={query}", where="more > -9 -- all")
    assert found.names == ("n", "more")
    whole = read_whole(found)
    assert whole.rows == 10
    np.testing.assert_allclose(whole.column("more").values, 1 + table()["x"].to_numpy()[490:])


BREAKING_OUT = [
    ("true); {writes}; SELECT * FROM orders WHERE (true", "orders"),
    ("true; {writes}", "orders"),
    ("true) UNION ALL SELECT * FROM orders WHERE (true", "orders"),
    ("true", "(SELECT 1) AS a; {writes}; SELECT 1 --"),
    ("true", "SELECT 1) AS a; {writes}; SELECT * FROM (SELECT 1"),
    ("true", "{writes}"),
]


@pytest.mark.parametrize(("where", "asked"), BREAKING_OUT)
def test_text_of_the_caller_is_one_select(database, tmp_path, where, asked):
    """Read-only connections of DuckDB write files with COPY TO; a condition must not get there."""
    duck = database.startswith("duckdb")
    file = tmp_path / "written.csv"
    writes = f"COPY (SELECT 7) TO '{file}'" if duck else f"ATTACH '{file}' AS other"
    where, asked = (text.format(writes=writes) for text in (where, asked))
    kind = "table" if asked == "orders" else "query"
    address = f"{database}?{kind}={asked}"
    with pytest.raises(ValueError, match=r"syntax error|one SELECT|one statement|not a|incomplete"):
        compare(address, address, where=where)
    assert not file.exists()


def test_a_file_of_duckdb_opens_no_other_file(tmp_path):
    """Not even through a query that is one SELECT, or a view."""
    place = tmp_path / "shop.db"
    (tmp_path / "rows.csv").write_text("x\n1\n2\n")
    with duckdb.connect(str(place)) as connection:
        connection.execute(f"CREATE VIEW v AS FROM '{tmp_path}/rows.csv'")
    for asked in ("table=v", f"query=FROM '{tmp_path}/rows.csv'", "query=FROM glob('/*')"):
        address = f"duckdb:///{place}?{asked}"
        with pytest.raises(ValueError, match="file system operations are disabled"):
            compare(address, address)


def test_conditions_of_files_see_no_other_files(tmp_path):
    (tmp_path / "rows.csv").write_text("x\n" + "1\n2\n3\n" * 20)
    (tmp_path / "secret.csv").write_text("x\n1\n")
    address = f"duckdb://?query=SELECT * FROM '{tmp_path}/rows.csv'"
    found = compare(address, address, where="x < 3", rng=0, permutations=19)
    assert found.sizes == (40, 40)
    with pytest.raises(ValueError, match="disabled"):
        compare(address, address, where=f"x > (SELECT max(x) FROM '{tmp_path}/secret.csv')")


def test_two_queries_are_compared(database):
    a, b = (f"{database}?query=SELECT x FROM orders WHERE n {sign} 250" for sign in ("<", ">="))
    found = compare(a, b, rng=0, permutations=99)
    assert found.sizes == (250, 250)
    assert found.verdict == "no difference found"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("duckdb:///shop.db", r"names no rows; expected \?table=NAME"),
        ("sqlite:///shop.db?table=a&query=b", "names no rows"),
        ("sqlite:///gone.db?table=a", "gone.db does not exist"),
        ("duckdb:///gone.db?table=a", "gone.db does not exist"),
        ("postgresql://me:secret@host/shop?table=a", "holds a password"),
    ],
)
def test_addresses_that_cannot_be_read(address, said, opened):
    with pytest.raises((ValueError, FileNotFoundError), match=said) as error:
        opened(address)
    assert "secret" not in str(error.value)


def test_what_a_database_says_is_told_with_its_address(database, opened):
    with pytest.raises(ValueError, match=r"shop.db\?table=absent: .*absent"):
        opened(f"{database}?table=absent")


def test_a_file_that_is_no_database_is_told(tmp_path, opened):
    (tmp_path / "x.db").write_text("x,y\n1,2\n" * 1000)
    for scheme in ("duckdb", "sqlite"):
        with pytest.raises(ValueError, match=r"x\.db.*: .*not a"):
            opened(f"{scheme}:///{tmp_path}/x.db?table=x")


def test_two_tables_of_one_database_are_one_connection(database):
    addresses = [f"{database}?table=orders", f"{database}?query=SELECT 1 AS x"]
    with one_snapshot(*addresses, {"x": [1]}) as (a, b, c):
        assert isinstance(a, DatabaseRows)
        assert isinstance(b, DatabaseRows)
        assert a.opened is b.opened
        assert c == {"x": [1]}


@pytest.mark.parametrize("kind", ["csv", "frame"])
def test_files_and_frames_are_filtered_by_any_column(tmp_path, kind):
    source = table()
    if kind == "csv":
        source = tmp_path / "t.csv"
        pc.write_csv(table(), source)
    found = open_batches(source, ["x"], where="n % 2 = 0 and x > 0")
    x = table()["x"].to_numpy()
    np.testing.assert_allclose(read_whole(found).column("x").values, x[::2][x[::2] > 0])


def test_a_condition_sees_no_other_files(tmp_path):
    (tmp_path / "secret.csv").write_text("x\n1\n")
    condition = f"x > (SELECT max(x) FROM '{tmp_path}/secret.csv')"
    with pytest.raises(ValueError, match="disabled"):
        list(open_batches(table(), where=condition).pieces())


@pytest.mark.parametrize("kind", ["relation", "polars", "lazy", "records", "dict", "series"])
def test_whatever_holds_columns_is_filtered(kind, opened):
    whole = table()
    connection = duckdb.connect()
    connection.register("given", whole)
    lists = whole.to_pydict()
    made = {
        "relation": lambda: connection.sql("SELECT * FROM given"),
        "polars": lambda: need("polars").from_arrow(whole),
        "lazy": lambda: need("polars").from_arrow(whole).lazy(),
        "records": whole.to_pylist,
        "dict": lambda: lists,
        "series": lambda: {n: need("pandas").Series(v) for n, v in lists.items()},
    }
    source = made[kind]()
    condition = f"n < 400 and {quoted_name(WORDS)} = 'north'"
    found = read_whole(opened(source, ["x"], where=condition))
    expected = [row["x"] for row in whole.to_pylist()[:400] if row[WORDS] == "north"]
    np.testing.assert_allclose(found.column("x").values, expected)
    if kind in ("relation", "records"):
        pair = compare(source, source, where=condition, rng=0, permutations=19)
        assert pair.sizes == (len(expected), len(expected))


def test_a_condition_on_what_cannot_be_filtered_is_refused():
    with pytest.raises(ValueError, match=r"where .*cannot be applied"):
        compare(np.arange(9.0), np.arange(9.0), where="x1 > 1")


def test_a_name_with_a_blank_needs_quotes_and_the_error_says_so():
    with pytest.raises(ValueError, match="names with blanks or signs go into double quotes"):
        list(open_batches(table(), where="unit price > 5").pieces())


@pytest.fixture(scope="module")
def server():
    need("psycopg")
    with postgres_server() as address:
        yield address


@pytest.fixture
def rows_of_server(server):
    """A server with a table of 5,000 rows, and a connection that writes."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS orders CASCADE")
        connection.execute("CREATE TABLE orders (n int, x float8, price numeric, at timestamp)")
        connection.execute(
            "INSERT INTO orders SELECT i, sin(i), i / 7.0, timestamp '2025-01-01' + i * "
            "interval '1 hour' FROM generate_series(1, 5000) AS i"
        )
        yield connection


@pytest.mark.long
def test_postgresql_is_read_through_a_cursor(rows_of_server, server, opened):
    found = opened(f"{server}?table=public.orders&application_name=me", where="n <= 4000 -- few")
    assert found.rows == 4_000
    whole = read_whole(found)
    assert [str(column.kind) for column in whole.columns][1:] == ["numeric", "numeric", "datetime"]
    np.testing.assert_allclose(whole.column("x").values[:3], np.sin([1, 2, 3]))
    a, b = (f"{server}?query=SELECT x, price FROM orders WHERE n {s} 2500" for s in ("<=", ">"))
    assert compare(a, b, rng=0, permutations=99).columns_changed == ("price",)
    with pytest.raises(ValueError, match='relation "absent" does not exist'):
        opened(f"{server}?table=absent")


@pytest.mark.long
@pytest.mark.parametrize(
    ("where", "asked"),
    [
        *BREAKING_OUT,
        ("true", "SELECT 1 AS x INTO other"),
        ("true", "WITH gone AS (DELETE FROM orders RETURNING n) SELECT n FROM gone"),
        ("true", "SELECT nextval('counted') AS x"),
        ("nextval('counted') > 0", "orders"),
        ("true", "SELECT set_config('transaction_read_only', 'off', false) AS x"),
    ],
)
def test_text_of_the_caller_writes_nothing_in_postgresql(rows_of_server, server, where, asked):
    rows_of_server.execute("DROP SEQUENCE IF EXISTS counted; CREATE SEQUENCE counted")
    where, asked = (text.format(writes="DROP TABLE orders") for text in (where, asked))
    kind = "table" if asked == "orders" else "query"
    address = f"{server}?{kind}={asked}"
    with pytest.raises(
        ValueError, match=r"syntax error|multiple commands|read-only|read-write|INTO|data-modifying"
    ):
        compare(address, address, where=where)
    count = rows_of_server.execute("SELECT count(*), sum(last_value) FROM orders, counted")
    assert count.fetchall() == [(5_000, 5_000)]


@pytest.mark.long
def test_what_a_transaction_that_reads_lets_through_is_not_kept(rows_of_server, server):
    """Large objects are written in it by some versions; nothing is committed."""
    address = f"{server}?query=SELECT lo_create(0)::bigint + x AS x FROM orders LIMIT 30"
    with suppress(ValueError):
        compare(address, address, rng=0, permutations=19)
    assert rows_of_server.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone() == (0,)


@pytest.mark.long
def test_two_tables_of_postgresql_are_read_at_one_instant(rows_of_server, server, monkeypatch):
    """A row that another connection writes between two statements is in neither table."""
    asked = []
    whole = DatabaseRows.batches

    def batches(self, statement, rows):
        rows_of_server.execute("UPDATE orders SET x = x + 1, n = n + 10000")
        asked.append(statement)
        return whole(self, statement, rows)

    monkeypatch.setattr(DatabaseRows, "batches", batches)
    rows_of_server.execute("CREATE VIEW one AS SELECT n, x FROM orders")
    rows_of_server.execute("CREATE VIEW two AS SELECT n, x FROM orders")
    found = compare(*(f"{server}?table={name}" for name in ("one", "two")), rng=0, permutations=99)
    assert len(asked) >= 6
    assert (found.pvalue, found.sizes) == (1.0, (5_000, 5_000))
