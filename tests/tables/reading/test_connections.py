"""What open databases do not do: fetch extensions, wait for ever, go on when nobody listens."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from optional import need
from postgres import postgres_server
from samelaw.tables.reading.connections import CONNECT_SECONDS, check_one_select, open_postgres
from samelaw.tables.reading.databases import DatabaseRows, one_snapshot

duckdb = need("duckdb")


@pytest.fixture
def proxy():
    """Where DuckDB fetches extensions through: its variables, and what was asked for."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                asked.append(connection.recv(200))
                connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                connection.close()

        threading.Thread(target=serve, daemon=True).start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        yield {**os.environ, "HTTP_PROXY": address, "http_proxy": address}, asked
        server.shutdown(socket.SHUT_RDWR)


ELSEWHERE = ("https://127.0.0.1:9/a.parquet", "s3://bucket/a.parquet", "a.sqlite", "a.xlsx")
ASK = """
import samelaw
from samelaw.extras.sql import compare_in_database
from samelaw.extras.sql.connect import opened

for name in {names}:
    for asked in (f'table="{{name}}"', f"query=FROM '{{name}}'"):
        try:
            samelaw.compare(f"duckdb://?{{asked}}", {{"x": [1]}})
        except ValueError as error:
            print(error)
    try:
        samelaw.compare("{database}?table=t", "{database}?table=t", where=f"x IN (FROM '{{name}}')")
    except ValueError as error:
        print(error)
    with opened("duckdb://") as (connection, dialect):
        try:
            compare_in_database(connection, f'"{{name}}"', f'"{{name}}"')
        except Exception as error:
            print(error)
"""


@pytest.mark.long
def test_duckdb_installs_no_extension(tmp_path, proxy):
    """A table that is named like a file of an extension would have it fetched from the internet."""
    environment, asked = proxy
    home = {"HOME": str(tmp_path)}
    bare = "import duckdb; duckdb.connect().execute(\"FROM 'https://127.0.0.1:9/a.parquet'\")"
    subprocess.run([sys.executable, "-c", bare], env=environment | home, capture_output=True)
    assert b"duckdb_extension" in asked.pop(), "the test can fail"
    with duckdb.connect(str(tmp_path / "t.db")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    (tmp_path / "fresh").mkdir()
    home = {"HOME": str(tmp_path / "fresh")}
    code = ASK.format(names=ELSEWHERE, database=f"duckdb:///{tmp_path}/t.db")
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment | home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("a.parquet requires the extension httpfs to be loaded") >= 4
    assert asked == []
    assert list((tmp_path / "fresh").iterdir()) == []


def test_what_is_no_select_is_named():
    check_one_select("WITH a AS (SELECT ';') FROM a; -- and no more")
    with pytest.raises(ValueError, match="expected one SELECT, got SELECT and COPY in "):
        check_one_select("SELECT 1; COPY (SELECT 7) TO 'x.csv'")
    with pytest.raises(ValueError, match="got nothing"):
        check_one_select("-- nothing")


@pytest.fixture(scope="module")
def server():
    need("psycopg")
    with postgres_server() as address:
        yield address


@pytest.fixture
def silent():
    """The port of a server that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found.getsockname()[1]


@pytest.mark.long
def test_a_server_that_never_answers_is_not_waited_for(silent, monkeypatch):
    need("psycopg")
    address = f"postgresql://127.0.0.1:{silent}/shop?table=a"
    start = time.monotonic()
    for one in (address, f"{address}&connect_timeout=2"):
        monkeypatch.setattr("samelaw.tables.reading.connections.CONNECT_SECONDS", 2)
        with pytest.raises(ValueError, match="timeout"), one_snapshot(one):
            pass
    assert time.monotonic() - start < 10
    assert 0 < CONNECT_SECONDS <= 30


def setting(place, name):
    with closing(open_postgres(place, read_only=True)) as connection:
        return connection.execute(f"SHOW {name}").fetchone()[0]


@pytest.mark.long
def test_a_statement_does_not_run_for_ever_unless_someone_wants_it(server, monkeypatch):
    assert setting(server, "statement_timeout") == "1h"
    assert setting(server, "client_connection_check_interval") == "1s"
    assert setting(f"{server}?options=-c%20statement_timeout%3D0", "statement_timeout") == "0"
    monkeypatch.setenv("PGOPTIONS", "-c statement_timeout=50")
    with pytest.raises(ValueError, match=r"statement timeout.*PGOPTIONS='-c statement_timeout=0'"):
        drained(f"{server}?query=SELECT pg_sleep(9)")


def drained(address):
    """All rows at an address are read, and let go."""
    with one_snapshot(address) as (rows,):
        assert isinstance(rows, DatabaseRows)
        return len(list(rows.batches(rows.select("*", None), 1)))


RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND state = 'active'"
SLOW = "SELECT sum(sin(i + j)) AS x FROM generate_series(1, 100000) i, generate_series(1, 9999) j"


def until(connection, wanted, mark, seconds=20):
    """Whether so many statements with a mark run, within some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if connection.execute(RUNNING, (mark,)).fetchone() == (wanted,):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.long
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("command", ["compare", "sql"])
def test_a_statement_ends_with_the_process_that_asked(server, sent, command):
    import psycopg

    mark = f"mark_{command}_{sent.value}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE VIEW {mark} AS {SLOW}")
        named = f"{server}?application_name={mark}"
        words = {
            "compare": [f"{named}&table={mark}"] * 2,
            "sql": [mark, mark, "--on", named],
        }[command]
        run = [sys.executable, "-m", "samelaw", command, *words]
        with subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert until(connection, 1, mark), "the test can fail"
            time.sleep(0.5)
            assert until(connection, 1, mark), "it takes long"
            process.send_signal(sent)
            process.communicate(timeout=20)
        assert process.returncode == {signal.SIGINT: 130}.get(sent, -sent)
        assert until(connection, 0, mark)
