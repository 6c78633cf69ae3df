import re
import tomllib
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_changelog_starts_with_the_version_installed():
    newest = re.search(
        r"^## (?!Unreleased)(\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert newest is not None
    assert newest[1] == version("samelaw")


def test_version_is_that_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == version("samelaw")
