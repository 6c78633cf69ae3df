"""What pyproject declares is what the code imports: nothing unused, nothing borrowed."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "samelaw").rglob("*.py"))
MODULES = {"pillow": "PIL", "scikit-learn": "sklearn"}
"""Packages whose module has another name."""

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {
    extra: requirements
    for extra, requirements in PROJECT["optional-dependencies"].items()
    if extra not in ("all", "dev", "docs")  # tools, and the sum of the others
}
WITH_EXTRAS = (
    "cli",
    "core/torch_gradients.py",
    "extras/generators/metric.py",
    "extras/river.py",
    "extras/scikit_learn.py",
    "kernels/torch_spectra.py",
    "learn",
)
"""What needs an extra as a whole, or is imported when it is there: may import it at once."""


def names(requirements):
    """Packages without versions and extras of their own."""
    return {re.match(r"[\w.-]+", requirement)[0].lower() for requirement in requirements}


def modules(requirements):
    return {MODULES.get(name, name.replace("-", "_")) for name in names(requirements)}


BASE = modules(PROJECT["dependencies"])


BY_NAME = ("import_module", "driver")
"""Functions that take the name of a module."""


def imported(nodes):
    """Third-party modules of import statements."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in BY_NAME:
            found |= set(re.findall(r"['\"](\w+)", ast.unparse(node.args[0])))
    return found - sys.stdlib_module_names - {"samelaw", "_typeshed"}  # the last for checkers only


def everywhere(path):
    return imported(ast.walk(ast.parse(path.read_text())))


def at_once(path):
    """Imports that run when the module does: not those inside functions and TYPE_CHECKING."""
    return imported(ast.parse(path.read_text()).body)


@cache
def used():
    return set().union(*map(everywhere, SOURCES))


def test_the_scan_sees_imports_of_every_form():
    text = "import a.b\nfrom c.d import e\ndef f():\n    import g\n    import_module(f'h.{x}')\n"
    assert imported(ast.walk(ast.parse(text))) == {"a", "c", "g", "h"}
    assert {"numpy", "torch", "pyarrow", "rich"} <= used()


@pytest.mark.parametrize("package", sorted(BASE))
def test_every_base_dependency_is_imported(package):
    assert package in used()


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_package_of_an_extra_is_imported(extra):
    assert modules(EXTRAS[extra]) <= used()


def test_every_import_is_declared():
    assert BASE.union(*map(modules, EXTRAS.values())) == used()


def test_what_the_base_install_has_is_enough_to_import():
    names = {path: path.relative_to(ROOT / "src" / "samelaw").as_posix() for path in SOURCES}
    borrowed = {
        name: at_once(path) - BASE
        for path, name in names.items()
        if not name.startswith(WITH_EXTRAS)
    }
    assert {name: found for name, found in borrowed.items() if found} == {}


def test_the_extra_of_all_has_every_extra():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert everything == f"samelaw[{','.join(EXTRAS)}]"


def test_every_pin_is_of_a_declared_package():
    declared = names(PROJECT["dependencies"]).union(
        *map(names, PROJECT["optional-dependencies"].values())
    )
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = names(line for line in lines if not line.startswith("#"))
    beside = {"jaxlib", "psycopg-binary", "vendi-score", "hyppo"}  # parts, and what is measured
    engines = {"dbt-core", "dbt-duckdb", "pyspark", "ray"}  # `make test-engines`
    assert pinned - declared == beside | engines
    assert declared - pinned == {"samelaw"}


def test_the_doctor_knows_what_every_part_is_for():
    from samelaw.cli import doctor

    assert doctor.FOR.keys() == {"base", *EXTRAS}
