"""What users can import: listed in stubs of rooms, documented, shown in a page or an example."""

import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import samelaw

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "samelaw"
HEAVY = ("torch", "jax", "sklearn", "pandas", "polars", "scipy", "matplotlib", "rich")
LOADS = ("samelaw.learn.adaptation.datasets",)  # functions that need data of the user's

STUBS = sorted(SOURCE.rglob("__init__.pyi"))
ROOMS = [".".join(stub.parent.relative_to(SOURCE.parent).parts) for stub in STUBS]
NEED = {"samelaw.learn": ("torch", "torchmetrics"), "samelaw.extras": ("sklearn", "river", "torch")}


def installed(room):
    """Whether what a room, or one above it, needs is there."""
    needs = [names for above, names in NEED.items() if f"{room}.".startswith(f"{above}.")]
    return all(find_spec(name) for names in needs for name in names)


PLAIN = ["samelaw.extras.layers"]  # one module, no room of its own
MODULES = [room for room in (*ROOMS, *PLAIN) if installed(room)]
if installed("samelaw.learn"):
    MODULES.append("samelaw.learn.critics")
PUBLIC = [
    (module, name)
    for module in MODULES
    for name in import_module(module).__all__
    if not inspect.ismodule(getattr(import_module(module), name)) and name != "__version__"
]


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
    names = [name for module, name in PUBLIC if module == "samelaw"]
    assert len(names) <= 47, "specialised names belong to a room"


@pytest.mark.parametrize("room", [room for room in ROOMS if installed(room)])
def test_a_stub_names_the_module_that_defines_each_thing(room):
    stub = SOURCE.parent.joinpath(*room.split("."), "__init__.pyi").read_text()
    for module, name in re.findall(r"from \.([\w.]+) import (\w+) as", stub):
        thing = getattr(import_module(room), name)
        assert getattr(thing, "__module__", f"{room}.{module}") == f"{room}.{module}", name


@pytest.mark.long
def test_no_module_hides_a_public_name():
    """Rooms are lazy: an import of a module with the name of a function would hand it out."""
    script = (
        "import importlib, pkgutil, types, samelaw\n"
        "walk = pkgutil.walk_packages(samelaw.__path__, 'samelaw.')\n"
        "[importlib.import_module(m.name) for m in walk if not m.name.endswith('__main__')]\n"
        f"for room, name in {PUBLIC!r}:\n"
        "    found = getattr(importlib.import_module(room), name)\n"
        "    assert not isinstance(found, types.ModuleType), (room, name)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)


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
    """Of things with two doors (`samelaw.Fuse`, `samelaw.testing.Fuse`) one is listed."""
    things = [getattr(import_module(module), name) for module, name in listed_names()]
    listed = [id(thing) for thing in things if not inspect.ismodule(thing)]
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
