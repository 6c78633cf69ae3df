"""The dbt test `same_law`, as the SQL that dbt sends; dbt itself runs it in tests/engines."""

import itertools
import re

import numpy as np
import pytest

import levels
from dbt_macros import lines, rendered, up_to, whatever_the_pvalue
from optional import need
from postgres import postgres_server

TABLE = (
    "SELECT x, ROUND(y + {both} * x, 1) AS y, 'w' || CAST(FLOOR(60 * w * w) AS INTEGER) AS word "
    "FROM (SELECT RANDOM() AS x, CASE WHEN RANDOM() > {gaps} THEN RANDOM() END AS y, "
    "RANDOM() AS w FROM {numbers}) AS drawn {order}"
)
NUMBERS = "GENERATE_SERIES(1, {rows}) AS counted"


@pytest.fixture
def database():
    duckdb = need("duckdb")
    with duckdb.connect(config={"threads": 1}) as found:
        found.execute("PRAGMA disable_optimizer")  # planning takes longer than these few rows
        found.execute("SELECT SETSEED(0.5)")
        for name in ("model", "reference"):
            found.execute(f"CREATE TABLE {name} (x DOUBLE, y DOUBLE, word VARCHAR)")
        yield found


def fill(database, name, rows, *, both=0.0, gaps=0.1, order=""):
    numbers = NUMBERS.format(rows=rows)
    database.execute(f"DELETE FROM {name}")
    chosen = TABLE.format(both=both, gaps=gaps, order=order, numbers=numbers)
    database.execute(f"INSERT INTO {name} {chosen}")


def alarms(database, runs, order, columns=None):
    """How many of so many pairs of one law are called different."""
    statement = rendered(database, "model", "reference", columns)
    found = 0
    for _ in range(runs):
        fill(database, "model", 150, order=order)
        fill(database, "reference", 230, order=order)
        found += len(lines(database, statement))
    return found


PLACES = re.compile(r"order by md5\('0:[01]:' \|\| cast\(samelaw_row as varchar\)\)")


@pytest.mark.long
def test_sorted_tables_of_one_law_pass_at_the_level(database):
    levels.check(alarms(database, 6, "ORDER BY x", ["x", "word"]), 6, 0.05)


@pytest.mark.heavy
@pytest.mark.parametrize("order", ["", "ORDER BY x", "ORDER BY word"])
def test_the_level_is_exact(database, order):
    levels.check(alarms(database, 200, order), 200, 0.05)


@pytest.mark.long
def test_blocks_in_the_order_of_a_table_would_be_found_out(database):
    whole = whatever_the_pvalue(rendered(database, "model", "reference", ["x"]))
    dealt, changed = PLACES.subn("order by x", whole)
    assert changed == 2
    found = []
    for _ in range(4):
        fill(database, "model", 150)
        fill(database, "reference", 230)
        found.append(lines(database, dealt)[0]["pvalue"])
    assert min(found) > 0.6, "blocks of like rows are unlike each other: nothing is ever found"


def test_a_change_of_correlation_alone_fails_and_says_what_it_saw(database):
    fill(database, "reference", 800, gaps=0.0)
    fill(database, "model", 700, gaps=0.0)
    paired = "UPDATE model SET y = ROUND(CASE WHEN RANDOM() < 0.7 THEN x ELSE y END, 1)"
    database.execute(paired)
    (line,) = lines(database, rendered(database, "model", "reference", ["x", "y"]))
    assert line["finding"] == "the laws differ"
    assert line["pvalue"] == 0.01
    assert line["columns_changed"] is None  # each alone is what it was
    assert (line["rows_model"], line["rows_reference"]) == (700, 800)
    assert (line["rows_of_a_block"], line["rows_left_over"]) == (8, 4)


def test_columns_that_changed_are_named(database):
    database.execute("PRAGMA enable_optimizer")  # as dbt has it
    fill(database, "model", 600, gaps=0.3)
    fill(database, "reference", 600)
    database.execute("UPDATE model SET word = 'w0' WHERE RANDOM() < 0.3")
    (line,) = lines(database, rendered(database, "model", "reference"))
    assert line["columns_changed"] == "word, y"


def test_the_pvalue_is_that_of_numpy_on_the_same_blocks(database):
    fill(database, "model", 300)
    fill(database, "reference", 200, both=0.2)
    statement = rendered(database, "model", "reference", ["x", "y"])
    blocks = lines(database, up_to(statement, "samelaw_blocks"))
    labels = lines(database, up_to(statement, "samelaw_labels"))
    units = {one["unit"]: i for i, one in enumerate(blocks)}
    weights = np.zeros((100, len(blocks)))
    for one in labels:
        weights[one["number"], units[one["unit"]]] = one["weight"]
    assert np.array_equal(np.sign(weights[0]), [1 if one["side"] == 0 else -1 for one in blocks])
    assert np.allclose(weights.clip(0).sum(1), 1)
    assert np.allclose(weights.sum(1), 0)
    assert len(np.unique(weights, axis=0)) == 100
    means = np.array([[one[f"m{k}"] for k in range(256 + 2 * 9)] for one in blocks])
    ends = [0, 128, 256, 265, 274]  # two bandwidths, then four frequencies and a gap per column
    shifts = [(weights @ means[:, a:b]) ** 2 for a, b in itertools.pairwise(ends)]
    values = np.stack([one.sum(1) for one in shifts])
    scores = ((values.T - values.mean(1)) / values.std(1)).max(1)
    (line,) = lines(database, whatever_the_pvalue(statement))
    assert line["statistic"] == pytest.approx(scores[0])
    assert line["pvalue"] == np.mean(scores >= scores[0] - 1e-9)


def test_odd_values_and_names_do_no_harm(database):
    for name in ("one", "two"):
        database.execute(
            f"CREATE TABLE {name} AS SELECT CASE WHEN i % 7 = 0 THEN 'NaN'::DOUBLE "
            "WHEN i % 5 = 0 THEN '-Infinity'::DOUBLE WHEN i % 3 = 0 THEN 'Infinity'::DOUBLE "
            'ELSE RANDOM() END AS "it\'s ""x""", 5 AS always, NULL::DOUBLE AS never, '
            "DATE '2026-01-01' AS day, 'k' || i AS key, [i] AS list, i % 2 = 0 AS even "
            "FROM RANGE(300) AS t(i)"
        )
    statement = whatever_the_pvalue(rendered(database, "one", "two"))
    (line,) = lines(database, statement)
    assert 0.01 <= line["pvalue"] <= 1
    assert np.isfinite(line["statistic"])
    database.execute("CREATE VIEW half AS SELECT * FROM one WHERE NOT even")
    (line,) = lines(database, rendered(database, "half", "two"))
    assert line["columns_changed"] == "even"


def test_empty_and_tiny_tables_never_pass_in_silence(database):
    fill(database, "reference", 100)
    for rows in (0, 19):
        fill(database, "model", rows)
        (line,) = lines(database, rendered(database, "model", "reference"))
        assert line["finding"].startswith("too few rows")
        assert line["rows_model"] == rows


def test_what_cannot_be_done_is_refused_by_name(database):
    with pytest.raises(ValueError, match="reference has no column 'z'; it has x, y, word"):
        rendered(database, "model", "reference", ["z"])
    with pytest.raises(ValueError, match="runs in duckdb and postgres, not in oracle"):
        rendered(database, "model", "reference", dialect="oracle")


@pytest.mark.heavy
def test_postgres_runs_it_too():
    psycopg = need("psycopg")
    with postgres_server() as address, psycopg.connect(address, autocommit=True) as database:
        database.execute("SET jit = off")
        for name, both in (("reference", 0), ("model", 0.5), ("again", 0)):
            chosen = TABLE.format(
                both=both, gaps=0.1, order="", numbers=NUMBERS.format(rows=600)
            ).replace("ROUND(", "(").replace(", 1) AS y", ") AS y")  # fmt: skip
            database.execute(f"CREATE TABLE {name} AS {chosen}")
        (line,) = lines(database, rendered(database, "model", "reference", dialect="postgres"))
        assert line["columns_changed"] == "y"
        statement = rendered(database, "again", "reference", level=0.01, dialect="postgres")
        assert lines(database, statement) == []
