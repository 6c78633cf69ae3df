"""The test inside a database, by two doors."""

import json

import pytest

from csvs import FEW
from optional import need
from samelaw.cli.in_database import again_with, refuse_beside_sql, tables_of

duckdb = need("duckdb")

MAY, JULY = (f"duckdb:///shop.db?table={name}" for name in ("may", "july"))


@pytest.fixture
def shop(samelaw):
    with duckdb.connect("shop.db") as database:
        database.execute("SELECT SETSEED(0.5)")
        for name, shift in (("may", 0.0), ("july", 0.3)):
            made = f"SELECT RANDOM() + {shift} AS x, RANDOM() AS y FROM RANGE(400)"
            database.execute(f"CREATE TABLE {name} AS {made}")


@pytest.mark.long
def test_both_doors_lead_to_the_same_program(samelaw, shop):
    code, out, err = samelaw("compare", MAY, JULY, "--sql", *FEW, "--json", "found.json")
    assert (code, err) == (1, "")
    with open("found.json") as file:
        assert json.load(file)["kind"] == "test"
    other = samelaw("sql", "may", "july", "--on", "duckdb:///shop.db", *FEW)[1]
    assert out.partition("Run it again")[0] == other.partition("Run it again")[0]
    assert f"samelaw compare '{MAY}' '{JULY}' --sql --permutations 99 --seed 1" in out
    chosen = ("--columns", "y", "--quiet")
    assert samelaw("compare", MAY, JULY, "--sql", *chosen, *FEW)[0] == 0


def test_what_sums_cannot_answer_is_refused(samelaw, shop):
    code, _, err = samelaw("compare", MAY, JULY, "--sql", "--groups", "x", "--report", "r.html")
    assert code == 2
    assert "--sql has no --groups, --report: only sums over blocks of rows leave" in err
    refuse_beside_sql({"--groups": None, "--unique": False, "--min-effect": 0.0})


def test_addresses_name_tables_of_one_database():
    assert tables_of(MAY, JULY) == ("duckdb:///shop.db", ["may", "july"])
    for wrong in ("may.csv", "duckdb:///shop.db?query=SELECT 1", "duckdb:///shop.db"):
        with pytest.raises(ValueError, match="names no table of a database"):
            tables_of(MAY, wrong)
    with pytest.raises(ValueError, match="are two databases"):
        tables_of(MAY, "duckdb:///other.db?table=may")


def test_the_same_columns_are_chosen_again():
    chosen = {"columns": ["x"], "ignore": ["y"], "kinds": {"zip": "categorical"}}
    again = ["--columns", "x", "--ignore", "y", "--kind", "zip=categorical"]
    assert again_with(chosen) == again
