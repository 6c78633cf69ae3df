"""What users can import: listed once, typed, documented, shown in a page or an example.

The stubs are made from the tables of the packages: run with SAMELAW_WRITE=1, this file writes them.
"""

import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import samelaw

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "jax", "sklearn", "pandas", "polars", "scipy", "matplotlib", "rich")
LOADS = ("samelaw.adaptation.datasets",)  # functions that need data of the user's

NEED_EXTRAS = ("adaptation", "detectors", "learn")
TOPICS = [
    f"samelaw.{name}" for name in import_module("samelaw")._MODULES if name not in NEED_EXTRAS
]
ROOMS = ["samelaw.learn", "samelaw.learn.critics", "samelaw.adaptation"]
MODULES = ["samelaw", *TOPICS]
LAZY = ["samelaw"]
if find_spec("torch") and find_spec("torchmetrics"):
    MODULES += ROOMS
    LAZY += ["samelaw.learn", "samelaw.adaptation"]
if find_spec("sklearn") and find_spec("river"):
    MODULES.append("samelaw.detectors")
    LAZY.append("samelaw.detectors")
PUBLIC = [(module, name) for module in MODULES for name in import_module(module).__all__]


@pytest.mark.parametrize("module", MODULES)
def test_names_are_listed_once_and_seen_by_dir(module):
    found = import_module(module)
    assert len(found.__all__) == len(set(found.__all__))
    assert set(found.__all__) <= set(dir(found))


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_name_is_importable_and_documented(module, name):
    thing = getattr(import_module(module), name)
    text = inspect.getdoc(thing) or ""
    assert text.strip(), f"{name} has no docstring"
    if inspect.isfunction(thing) and thing.__module__ not in LOADS:
        assert "Examples\n--------" in text, f"the docstring of {name} has no Examples section"


FUNCTIONS = [
    pair for pair in PUBLIC if inspect.isfunction(getattr(import_module(pair[0]), pair[1]))
]


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_every_argument_is_in_the_docstring(module, name):
    thing = getattr(import_module(module), name)
    told = set(re.findall(r"\w+", inspect.getdoc(thing) or ""))
    assert set(inspect.signature(thing).parameters) - told == set()


def test_the_top_level_is_small():
    assert len(samelaw.__all__) <= 47, "specialised names belong to a topic module"  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", LAZY)
def test_table_names_the_module_that_defines_each_thing(package):
    for name, home in import_module(package)._HOMES.items():
        thing = getattr(import_module(package), name)
        assert getattr(thing, "__module__", home) == home, name


@pytest.mark.parametrize("package", LAZY)
def test_stub_says_what_the_table_says(package):
    """Type checkers read the stub, Python the table: same names, same homes."""
    path = Path(import_module(package).__file__).with_suffix(".pyi")
    expected = stub_of(package)
    if os.environ.get("SAMELAW_WRITE"):
        path.write_text(expected)
    assert path.read_text() == expected, "run this test with SAMELAW_WRITE=1 to write the stub anew"


ORIGIN = (
    "# Written from the table in __init__.py: SAMELAW_WRITE=1 pytest tests/test_public_surface.py"
)


def stub_of(package):
    """Static re-exports of every name of a lazy package; `critics` and its like are modules."""
    found = import_module(package)
    homes = {name: home for name, home in found._HOMES.items() if name != "__version__"}
    pairs = [(package, name) for name in found._MODULES] + [(h, n) for n, h in homes.items()]
    lines = [f"from {home} import {name} as {name}" for home, name in sorted(pairs, key=_as_ruff)]
    version = ["", "__version__: str"] if "__version__" in found._HOMES else []
    return "\n".join([ORIGIN, "", *lines, *version, ""])


def _as_ruff(pair):
    """By module, then constants, classes and functions, as ruff sorts imports."""
    home, name = pair
    return home, not name.isupper(), name.islower(), name


PAGES = [
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name != "api.md"),
    ROOT / "README.md",
]
CODE = re.compile(r"^```python\n(.*?)^```|`([^`\n]+)`", re.MULTILINE | re.DOTALL)


def shown_names():
    """Words in the code of pages, run or quoted, and in examples."""
    code = [part for page in PAGES for match in CODE.findall(page.read_text()) for part in match]
    code += [path.read_text() for path in (ROOT / "examples").glob("*.py")]
    return set(re.findall(r"\w+", "\n".join(code)))


def test_every_name_is_shown_in_a_page_or_an_example():
    shown = shown_names()
    hidden = [f"{module}.{name}" for module, name in PUBLIC if name not in shown]
    assert not hidden, "show them in docs/ or examples/, or make them private"


def listed_names():
    """(module, name) in the order of the API page."""
    module = ""
    for line in (ROOT / "docs" / "api.md").read_text().splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split()[-1]
        elif re.fullmatch(r"   \w+", line) and module in MODULES:
            yield module, line.strip()


def test_the_api_page_lists_every_thing_once():
    """Of things with two doors (`samelaw.Fuse`, `samelaw.strategies.Fuse`) one is listed."""
    listed = [id(getattr(import_module(module), name)) for module, name in listed_names()]
    assert len(set(listed)) == len(listed)
    assert set(listed) == {id(getattr(import_module(module), name)) for module, name in PUBLIC}


def test_unknown_name_says_which():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = samelaw.no_such_name  # type: ignore[attr-defined]


def test_import_is_light():
    script = (
        "import sys, time; start = time.process_time(); import samelaw\n"
        "print(time.process_time() - start)\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    # Measured in a fresh process: this one has already loaded everything.
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    seconds, loaded = run.stdout.split("\n")[:2]
    assert loaded == ""
    assert float(seconds) < 1.0
