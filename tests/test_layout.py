"""Tests mirror the tree: a module has a test file of its name, where one looks for it first."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "samelaw"
ROOMS = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
MODULES = sorted(
    path.relative_to(SOURCE).with_suffix("").as_posix()
    for path in SOURCE.glob("*/*.py")
    if path.name != "__init__.py"
)
ELSEWHERE = {  # room/module: why it has no tests; the list may only shrink
    "core/errors": "one class",
    "core/types": "names of types",
}
NO_MODULE = {  # test files of a room that are about more than one of its modules
    "core/gradients",
    "reading/odd_tables",
    "learn/surface",
}


def has_tests(module):
    room, name = module.split("/")
    return (ROOT / "tests" / room / f"test_{name}.py").exists()


def test_a_module_has_a_test_file_of_its_name():
    bare = {module for module in MODULES if not has_tests(module)} - ELSEWHERE.keys()
    assert not bare, f"write tests/{sorted(bare)[0].replace('/', '/test_')}.py, and so on: {bare}"


@pytest.mark.parametrize("module", ELSEWHERE)
def test_exceptions_are_modules_that_still_need_one(module):
    assert module in MODULES, "there is no such module any more: take it off the list"
    assert not has_tests(module), "it has a test file now: take it off the list"


@pytest.mark.parametrize("reason", sorted(set(ELSEWHERE.values())))
def test_where_a_reason_points_there_are_tests(reason):
    for word in reason.replace(",", " ").replace(":", " ").split():
        if "test_" in word:
            assert (ROOT / "tests" / f"{word}.py").exists()


def test_a_test_file_of_a_room_has_a_module():
    files = (ROOT / "tests").glob("*/test_*.py")
    tested = {(path.parent.name, path.stem.removeprefix("test_")) for path in files}
    named = {f"{room}/{name}" for room, name in tested if room in ROOMS}
    assert named - {*MODULES, *NO_MODULE} == set()
