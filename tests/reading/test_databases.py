"""Tables of databases, and conditions on rows: real files and a real server."""

import sqlite3
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from optional import need
from postgres import postgres_server
from samelaw import compare
from samelaw.reading.batch_sources import open_batches
from samelaw.reading.batches import read_whole
from samelaw.reading.databases import Address, is_address, quoted_name

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


def test_a_table_comes_as_it_is(database):
    found = open_batches(f"{database}?table=orders")
    assert found.rows == ROWS
    whole = read_whole(found)
    assert whole.names == ("n", "x", 'the "w"')
    np.testing.assert_array_equal(whole.column("x").values, table()["x"].to_numpy())


def test_columns_and_conditions_go_to_the_database(database):
    condition = f"n < 100 and {quoted_name(WORDS)} = 'north'"
    found = open_batches(f"{database}?table=orders", ["x"], where=condition)
    first = table().slice(0, 100).to_pylist()
    expected = [row["x"] for row in first if row[WORDS] == "north"]
    assert found.rows == len(expected)
    assert found.names == ("x",)
    np.testing.assert_array_equal(read_whole(found).column("x").values, expected)


def test_a_query_is_a_table(database):
    found = open_batches(f"{database}?query=SELECT n, 2 * x AS twice FROM orders WHERE n >= 490;")
    assert found.names == ("n", "twice")
    assert read_whole(found).rows == 10


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
def test_addresses_that_cannot_be_read(address, said):
    with pytest.raises((ValueError, FileNotFoundError), match=said) as error:
        open_batches(address)
    assert "secret" not in str(error.value)


def test_what_a_database_says_is_told_with_its_address(database):
    with pytest.raises(ValueError, match=r"shop.db\?table=absent: .*absent"):
        open_batches(f"{database}?table=absent")


def test_names_are_quoted_whatever_they_hold():
    assert quoted_name('a"; drop table b') == '"a""; drop table b"'
    assert Address.of("sqlite:///x.db?table=main.a b").query == '"main"."a b"'
    assert not is_address("C://file.csv")


def test_a_driver_that_is_absent_is_named_with_what_to_install():
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from samelaw.reading.batch_sources import open_batches\n"
        "open_batches('postgresql://127.0.0.1/shop?table=a')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "this needs psycopg; run: pip install samelaw[postgres]" in done.stderr


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


def test_a_name_with_a_blank_needs_quotes_and_the_error_says_so():
    with pytest.raises(ValueError, match="names with blanks or signs go into double quotes"):
        list(open_batches(table(), where="unit price > 5").pieces())


def test_a_condition_on_what_cannot_be_filtered_is_refused():
    with pytest.raises(ValueError, match=r"where .*cannot be applied"):
        compare({"x": [1, 2, 3]}, {"x": [1, 2, 3]}, where="x > 1")


@pytest.fixture
def server():
    need("psycopg")
    with postgres_server() as address:
        yield address


@pytest.mark.heavy
def test_postgresql_is_read_through_a_cursor(server):
    import psycopg

    with psycopg.connect(server) as connection:
        connection.execute("CREATE TABLE orders (n int, x float8, price numeric, at timestamp)")
        connection.execute(
            "INSERT INTO orders SELECT i, sin(i), i / 7.0, timestamp '2025-01-01' + i * "
            "interval '1 hour' FROM generate_series(1, 5000) AS i"
        )
    found = open_batches(f"{server}?table=public.orders", where="n <= 4000")
    assert found.rows == 4_000
    whole = read_whole(found)
    assert [str(column.kind) for column in whole.columns][1:] == ["numeric", "numeric", "datetime"]
    np.testing.assert_allclose(whole.column("x").values[:3], np.sin([1, 2, 3]))
    a, b = (f"{server}?query=SELECT x, price FROM orders WHERE n {s} 2500" for s in ("<=", ">"))
    assert compare(a, b, rng=0, permutations=99).columns_changed == ("price",)
    with pytest.raises(ValueError, match='relation "absent" does not exist'):
        open_batches(f"{server}?table=absent")
