"""Passwords are told from names, in every form in which they are written."""

import pytest

from passwords import WITH_PASSWORD
from samelaw import compare
from samelaw.extras.sql.connect import opened
from samelaw.tables.reading.passwords import connects_with_password, holds_password, password_typed
from samelaw.tables.reading.read import read_table

WITHOUT = [
    "postgresql://me@host/shop?table=a",
    "postgresql://host:5432/shop?table=a",
    "postgresql://me@h1:5432,h2:5433/shop?table=a&sslmode=require&passfile=here",
    "postgresql://[::1]:5432/shop?table=a",
    "postgresql:///shop?host=/run/postgresql&table=a",
    "postgresql://host:5432/shop?query=SELECT x FROM a WHERE mail LIKE '%25@x.org'",
    "postgresql://host/shop?query=SELECT password FROM a WHERE password = 'x'",
    "duckdb:////home/me:here/at@home/shop.db?table=a",
    "duckdb://?query=FROM 'https://host/a.parquet'",
    "C:\\Users\\me@home\\a.csv",
    "C:/Users/me@home/a.csv",
    "data/password=1/part.parquet",
    "tokens.csv",
]


@pytest.mark.parametrize("text", WITH_PASSWORD)
def test_a_password_is_refused_and_never_told(text):
    """In Python; tests/cli/test_main.py types them."""
    assert holds_password(text)
    for use in (lambda: compare(text, {"x": [1]}), lambda: read_table(text), lambda: _open(text)):
        with pytest.raises(ValueError, match="holds a password") as caught:
            use()
        error = caught.value
        while error is not None:  # those it came from are in a traceback too
            assert "s3c" not in str(error)
            error = error.__cause__ or error.__context__


def _open(text):
    with opened(text):
        pass


@pytest.mark.parametrize("text", WITHOUT)
def test_what_is_no_password_is_let_through(text):
    assert not holds_password(text)


def test_the_file_that_is_there_is_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "me:you@host").write_text("x\n1\n2\n")
    assert read_table("me:you@host").rows == 2


def test_words_of_a_command_that_hold_a_password():
    for words in (
        ["--on=mysql://me:s3cr!et@host/a"],
        ["--mysql://me:s3cr!et@host/a"],
        ["compare", "password=s3cr!et", "a.csv"],
        ["--where", "x in (select 1 from dblink('password=s3cr!et', 't'))"],
    ):
        assert "the command holds a password" in password_typed(words)
    for words in (["--where", "password = 'x'"], ["--where=password = 'x'"], ["a.csv", "-q"]):
        assert password_typed(words) == ""


def test_a_condition_may_name_such_columns_and_values():
    assert not connects_with_password("password = 'changed' or url = 'https://host/?token=1'")
    assert connects_with_password("x in (select 1 from dblink('user=me PASSWORD = s3cr!et', 't'))")
