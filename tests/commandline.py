"""The command in this process, in an empty folder: fixtures of conftest files."""

import pytest

from optional import need


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    """Run in an empty folder, in a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def samelaw(empty_folder, capsys):
    """Run the command in this process; return its exit code, stdout and stderr."""
    need("typer")
    from samelaw.cli.main import run

    def call(*arguments):
        code = run([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call
