import math

import pytest

from samelaw.extras.sql.dialects import DIALECTS, dialect_named

sqlglot = pytest.importorskip("sqlglot")
NASTY = [
    "x",
    "a b",
    'a"b',
    "a`b",
    "a'b",
    "a\\",
    "a;--b",
    "sélect\n1",
    "'); DROP TABLE t; --",
    "{0}",
]
EACH = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)


@EACH
@pytest.mark.parametrize("text", NASTY)
def test_a_name_stays_a_name_and_a_word_a_word(dialect, text):
    statement = f"SELECT {dialect.word(text)} AS one, {dialect.identifier(text)} AS two FROM t"
    (found,) = sqlglot.parse(statement, read=dialect.name)
    (word,), (column,) = (list(found.find_all(kind)) for kind in (_literal(), _column()))
    assert word.this == text
    assert column.name == text


def _literal():
    return sqlglot.exp.Literal


def _column():
    return sqlglot.exp.Column


@EACH
def test_parts_of_a_table_are_quoted_apart(dialect):
    quote = dialect.quote
    assert dialect.table("shop.orders") == f"{quote}shop{quote}.{quote}orders{quote}"
    (found,) = sqlglot.parse(f"SELECT 1 FROM {dialect.table('shop.orders')}", read=dialect.name)
    assert found.find(sqlglot.exp.Table).db == "shop"
    assert dialect.table('"orders.parquet"') == f"{quote}orders.parquet{quote}"


@pytest.mark.parametrize("name", ["", ".", "a.", "a..b", 'a"b', '"a', 'a."b"c'])
def test_what_is_no_table_is_refused(name):
    with pytest.raises(ValueError, match=r"is no name of a table; expected table or schema\.table"):
        DIALECTS["duckdb"].table(name)


def test_numbers_are_doubles_to_the_last_digit():
    import duckdb

    values = [0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e300, -1e-300, math.pi * 1e8, 5e-324]
    written = ", ".join(map(DIALECTS["duckdb"].number, values))
    assert list(duckdb.execute(f"SELECT {written}").fetchall()[0]) == values


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_not_finite_cannot_be_written(value):
    with pytest.raises(ValueError, match="expected a finite number"):
        DIALECTS["postgres"].number(value)


def test_a_sign_that_no_database_takes_is_refused():
    with pytest.raises(ValueError, match="NUL"):
        DIALECTS["postgres"].word("a\0b")
    with pytest.raises(ValueError, match="is no name"):
        DIALECTS["postgres"].identifier("a\0b")


def test_an_unknown_dialect_names_the_known_ones():
    with pytest.raises(ValueError, match="'mysql'; choose one of duckdb, postgres, bigquery"):
        dialect_named("mysql")
