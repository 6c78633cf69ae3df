"""Addresses: what they name."""

import pytest

from samelaw.tables.reading.addresses import Address, Database, is_address, name_parts, quoted_name


def test_what_is_asked_is_read_as_it_is_typed():
    """A plus is no blank, a sign # ends nothing, and parameters go to the database."""
    found = Address.of("duckdb:///a%20b.db?query=SELECT x+y AS s FROM t WHERE w = '#'; ")
    assert found.database == Database("duckdb", "a b.db", "")
    assert found.rows == "(SELECT x+y AS s FROM t WHERE w = '#'\n) AS rows_asked_for"
    found = Address.of("postgres://me@host/shop?sslmode=disable&table=a.b&options=-c%20geqo%3Doff")
    assert found.rows == '"a"."b"'
    assert found.database.place == (
        "postgresql://me@host/shop?sslmode=disable&options=-c%20geqo%3Doff"
    )
    assert found.database == Database.of(found.database.said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("duckdb:///a.db", r"names no rows; expected \?table=NAME"),
        ("duckdb:///a.db?table=", "names no rows"),
        ("duckdb:///a.db?table=a&query=SELECT 1", "names no rows"),
        ("duckdb:///a.db?table=a&table=b", "asks for 'table'; expected"),
        ("duckdb:///a.db?query=SELECT a & b FROM t", "the signs & and % are written %26 and %25"),
        ("duckdb:///a.db?query=SELECT 1&threads=4", "asks for 'threads'"),
        ("sqlite:///a.db?query=SELECT x FROM t WHERE w LIKE '%de%'", "write the sign % as %25"),
        ('sqlite:///a.db?table=a"b', "is no name of a table"),
    ],
)
def test_what_cannot_be_understood_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        _ = Address.of(text).rows


def test_a_database_alone_names_no_rows():
    with pytest.raises(ValueError, match=r"names rows \(\?table=\); expected"):
        Database.of("duckdb:///a.db?table=a")


def test_names_are_quoted_whatever_they_hold():
    assert quoted_name('a"; drop table b') == '"a""; drop table b"'
    assert Address.of("sqlite:///x.db?table=main.a b").rows == '"main"."a b"'
    assert Address.of('duckdb://?table="a.b"').rows == '"a.b"'
    assert Address.of('duckdb://?table=s."a""b"').rows == '"s"."a""b"'
    assert name_parts('"a.b".c') == ["a.b", "c"]
    assert not is_address("C://file.csv")
    assert is_address("DuckDB:///x.db?table=a")
    assert not is_address(3)
