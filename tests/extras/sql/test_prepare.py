import duckdb
import numpy as np
import pytest

from samelaw.extras.sql.dialects import DIALECTS
from samelaw.extras.sql.prepare import SHARES, kinds_in, prepared_rules, row_numbers, shared_kinds
from samelaw.tables.columns.column import Kind

DUCKDB = DIALECTS["duckdb"]
TYPES = {
    "i": ("3", "INTEGER", Kind.NUMERIC),
    "u": ("3", "UBIGINT", Kind.NUMERIC),
    "d": ("1.5", "DECIMAL(5, 2)", Kind.NUMERIC),
    "f": ("1.5", "FLOAT", Kind.NUMERIC),
    "b": ("TRUE", "BOOLEAN", Kind.BOOLEAN),
    "t": ("'x'", "VARCHAR", Kind.CATEGORICAL),
    "e": ("'x'", "ENUM ('x', 'y')", Kind.CATEGORICAL),
    "o": ("UUID()", "UUID", Kind.IDENTIFIER),
    "w": ("'2026-01-01'", "TIMESTAMP", Kind.DATETIME),
    "v": ("INTERVAL 1 DAY", "INTERVAL", Kind.DATETIME),
    "l": ("[1]", "INTEGER[]", Kind.TEXT),
}


@pytest.fixture
def database():
    with duckdb.connect() as found:
        yield found


def test_types_say_of_which_kind_a_column_is(database):
    columns = ", ".join(f"CAST({v} AS {kind}) AS {n}" for n, (v, kind, _) in TYPES.items())
    database.execute(f"CREATE TABLE t AS SELECT {columns}")
    assert kinds_in(database, "t", DUCKDB) == {n: kind for n, (*_, kind) in TYPES.items()}


def test_columns_must_be_in_both_tables_and_of_one_kind(database):
    database.execute("CREATE TABLE a (x INTEGER, y VARCHAR, z INTEGER)")
    database.execute("CREATE TABLE b (x INTEGER, y INTEGER)")

    def asked(columns=None, ignore=(), kinds=None):
        return shared_kinds(database, ("a", "b"), DUCKDB, columns, ignore, kinds)

    with pytest.raises(ValueError, match="'y' is categorical in a and numeric in b"):
        asked()
    with pytest.raises(ValueError, match="b has no column 'z'; leave it out"):
        asked(["x", "z"])
    for unknown in ({"ignore": ["nope"]}, {"kinds": {"nope": "numeric"}}):
        with pytest.raises(ValueError, match="column 'nope' is not in a or b"):
            asked(**unknown)
    for text in ("columns", "ignore"):
        with pytest.raises(ValueError, match=f"{text} is the text 'x'"):
            asked(**{text: "x"})
    assert asked([]) == {}
    assert asked(np.array(["x"])) == {"x": Kind.NUMERIC}
    assert asked(ignore=["y", "z"]) == {"x": Kind.NUMERIC}
    assert asked(["y"], kinds={"y": "categorical"}) == {"y": Kind.CATEGORICAL}


def test_columns_that_number_the_rows_are_told_by_all_of_them(database):
    kinds = dict.fromkeys(["x0", "x1", "x2", "x3", "x4"], Kind.NUMERIC)
    for name, rows in (("first", 300), ("second", 200)):
        database.execute(
            f"CREATE TABLE {name} AS SELECT CAST(range AS DOUBLE) AS x0, range + 0.5 AS x1, "
            f"range // 2 AS x2, 3 * range AS x3, NULL::DOUBLE AS x4 FROM RANGE({rows})"
        )
    assert row_numbers(database, ["first", "second"], kinds) == ["x0"]
    assert row_numbers(database, ["first", "second"], {"x0": Kind.CATEGORICAL}) == []


def test_rules_come_from_aggregates(database):
    database.execute(
        "CREATE TABLE t AS SELECT CAST(i AS DOUBLE) AS x0, CASE WHEN i < 60 THEN 'a' WHEN i < 90 "
        "THEN 'b' END AS x1, CAST(i AS VARCHAR) AS x2, CAST(NULL AS DOUBLE) AS x3, "
        "CAST(i % 2 AS DOUBLE) AS x4 FROM RANGE(101) AS r(i)"
    )
    kinds = {
        "number": Kind.NUMERIC,
        "word": Kind.CATEGORICAL,
        "key": Kind.CATEGORICAL,
        "nothing": Kind.NUMERIC,
        "flag": Kind.BOOLEAN,
    }
    rules, variances = prepared_rules(database, ["t", "t WHERE x0 < 0"], kinds, DUCKDB)
    number, word, key, nothing, flag = rules.columns
    assert np.abs(number.knots[1:-1] - np.quantile(np.arange(101), SHARES)).max() <= 1
    assert (word.words, word.gaps) == (("a", "b"), True)
    assert (key.kind, nothing.kind, flag.kind) == (Kind.IDENTIFIER, Kind.EMPTY, Kind.BOOLEAN)
    assert len(variances) == len(rules.coordinates) == 4
    share = 60 / 101
    assert variances[1] == pytest.approx(share * (1 - share))
