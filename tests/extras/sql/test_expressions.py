import duckdb
import numpy as np
import pytest

from samelaw.extras.sql.dialects import DIALECTS
from samelaw.extras.sql.expressions import KNOTS, coordinates_of, short_rules, stored_columns
from samelaw.tables.frozen import freeze
from samelaw.tables.reading.read import read_table

DUCKDB = DIALECTS["duckdb"]


def prepared(rows=300):
    rng = np.random.default_rng(5)
    number = rng.standard_cauchy(rows)
    number[::7] = np.nan
    return {
        "a number": number,
        "count": rng.poisson(3, rows),
        'wo"rd': [["it's", "b", "c"][i] for i in rng.integers(0, 3, rows)],
        "flag": [[True, False, None][i] for i in rng.integers(0, 3, rows)],
    }


def in_database(rules, table):
    database = duckdb.connect()
    frame = table  # noqa: F841  duckdb finds it by its name
    stored, points = (", ".join(f(rules, DUCKDB)) for f in (stored_columns, coordinates_of))
    return np.array(
        database.execute(f"SELECT {points} FROM (SELECT {stored} FROM frame)").fetchall()
    )


def test_expressions_encode_as_the_rules_do():
    pandas = pytest.importorskip("pandas")
    rules = short_rules(freeze(read_table(prepared())))
    frame = pandas.DataFrame(prepared())
    expected, _ = rules.encode(read_table(prepared()))
    assert expected.shape == (300, 8)
    assert np.abs(in_database(rules, frame) - expected).max() < 1e-12


def test_odd_values_are_bounded():
    pandas = pytest.importorskip("pandas")
    rules = short_rules(freeze(read_table(prepared())))
    odd = {
        "a number": [np.inf, -np.inf, np.nan, 1e308],
        "count": [2**60, -1, 0, 10**9],
        'wo"rd': ["new", "it's", None, ""],
        "flag": [True, None, None, False],
    }
    found = in_database(rules, pandas.DataFrame(odd))
    expected, _ = rules.encode(read_table(odd))
    assert np.isfinite(found).all()
    assert np.abs(found - expected).max() < 1e-12


def test_few_quantiles_are_written():
    rules = short_rules(freeze(read_table(prepared(3_000))))
    assert len(rules.columns[0].knots) == KNOTS + 2
    whole = freeze(read_table(prepared(3_000))).columns[0]
    assert rules.columns[0].knots[[0, -1]].tolist() == whole.knots[[0, -1]].tolist()
