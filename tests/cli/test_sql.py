"""samelaw sql on the command line: run, write, test."""

import json

import numpy as np
import pytest

from csvs import FEW, rows_of, write
from optional import need

duckdb = need("duckdb")


@pytest.fixture
def shop(samelaw, tmp_path):
    with duckdb.connect("shop.db") as database:
        database.execute("SELECT SETSEED(0.5)")
        for name, shift in (("may", 0.0), ("june", 0.0), ("july", 0.3)):
            made = f"SELECT RANDOM() + {shift} AS x, RANDOM() AS y FROM RANGE(400)"
            database.execute(f"CREATE TABLE {name} AS {made}")
    return "duckdb:///shop.db"


def test_tables_are_compared_where_they_are(samelaw, shop):
    code, out, err = samelaw("sql", "may", "july", "--on", shop, *FEW, "--json", "found.json")
    assert (code, err) == (1, "")
    assert out.startswith("differ: p = 0.01 at level 0.05 (360 v 360 rows)\n")
    with open("found.json") as file:
        assert json.load(file)["pvalue"] == 0.01
    assert f"Run it again: samelaw sql may july --on {shop} --permutations 99 --seed 1" in out
    code, out, _ = samelaw("sql", "may", "july", "--on", shop, "--columns", "y", *FEW, "--quiet")
    assert code == 0
    assert out.count("\n") == 1


def test_the_answer_is_json_too(samelaw, shop):
    code, out, _ = samelaw("sql", "may", "june", "--on", shop, *FEW, "--json", "-")
    found = json.loads(out)
    assert (code, found["kind"], found["seed"]) == (0, "test", 1)


def test_a_statement_is_written_run_and_tested(samelaw, shop):
    values = np.random.default_rng(0).uniform(size=(100, 2))
    lines = "\n".join(f"{x:.3f},{y:.3f}" for x, y in values)
    write("sample.csv", f"x,y\n{lines}\n")
    code, out, err = samelaw(
        "sql", "may", "july", "--dialect", "duckdb", "--like", "sample.csv", "-o", "q.sql", *FEW
    )
    assert (code, out, err) == (0, "", "")
    with duckdb.connect("shop.db") as database, open("q.sql") as file:
        database.execute(f"COPY ({file.read()}) TO 'blocks.csv'")
    code, out, _ = samelaw("sql", "--blocks", "blocks.csv", *FEW)
    assert code == 1
    assert "200 v 200 blocks of 2 rows, 0 rows left over" in out
    code, out, _ = samelaw(
        "sql", "may", "--dialect", "clickhouse", "--like", "sample.csv", "--block", "50"
    )
    assert code == 0
    assert out.startswith("-- samelaw sql, seed ")
    assert "FROM `may`" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a", "b"), "samelaw sql does one of three things; give one of: A B --on"),
        (("a", "--on", "duckdb://"), "1 tables were named; --on compares two."),
        (("a", "b", "--dialect", "duckdb"), "--dialect needs --like SAMPLE"),
        (("a", "b", "--dialect", "mysql", "--like", "a.csv"), "no dialect is called 'mysql'"),
        (("--dialect", "duckdb", "--like", "a.csv"), "0 tables were named; --dialect takes one"),
        (("a", "--dialect", "duckdb", "--like", "a.csv"), "pass block (--block)"),
        (("--blocks", "a.csv"), "the result has no column waves, side"),
        (("a", "b", "--on", "duckdb:///no.db"), "no.db does not exist"),
        (("a", "b", "--on", "duckdb://"), "the database refused: Catalog Error: Table with name a"),
        (("a..b", "b", "--on", "duckdb://"), "'a..b' is no name of a table"),
    ],
)
def test_what_goes_wrong_is_one_line(samelaw, arguments, said):
    write("a.csv", rows_of(60))
    code, out, err = samelaw("sql", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("samelaw: ")
    assert said in err
    assert err.count("\n") == 1


def test_tables_of_two_databases_come_in_two_files(samelaw):
    head = "waves,side,block_number,total,rows_in_block,m0_0,m0_1,c0_0,c0_1,c1_1"
    lines = [f"w1,0,{i},61,3,{i % 7},1,2,{i % 5},1" for i in range(20)]
    write("may.csv", "\n".join([head, *lines, ""]))
    code, _, err = samelaw("sql", "--blocks", "may.csv")
    assert code == 2
    assert "may.csv: blocks of 1 tables; expected those of two, in one file or one each." in err
    code, out, _ = samelaw("sql", "--blocks", "may.csv", "--blocks", "may.csv", *FEW)
    assert code == 0
    assert "20 v 20 blocks of 3 rows, 2 rows left over" in out
