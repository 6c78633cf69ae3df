"""The table that says where the time of a run went."""

import spending
from spending import cpu_seconds, dear, per_folder, per_function, table

SPENT = {
    "tests/a/test_x.py::one": 2.0,
    "tests/a/test_y.py::two": 1.0,
    "tests/test_z.py::three": 4.5,
}


def test_folders_are_counted_and_the_dearest_comes_first():
    assert per_folder(SPENT) == {"tests": (1, 4.5), "tests/a": (2, 3.0)}
    assert list(per_folder(SPENT)) == ["tests", "tests/a"]


def test_the_table_has_folders_their_sum_and_the_slowest(monkeypatch):
    monkeypatch.setattr(spending, "SLOWEST", 2)
    assert [line.split() for line in table(SPENT)] == [
        ["4.5", "tests", "(1", "tests)"],
        ["3.0", "tests/a", "(2", "tests)"],
        ["7.5", "in", "all"],
        [],
        ["4.5", "tests/test_z.py::three"],
        ["2.0", "tests/a/test_x.py::one"],
    ]


def test_cases_of_a_function_count_together():
    spent = {"a.py::one[x]": 1.0, "a.py::two": 3.0, "a.py::one[y]": 2.5}
    assert per_function(spent) == {"a.py::one": 3.5, "a.py::two": 3.0}
    assert next(iter(per_function(spent))) == "a.py::one"


def test_dear_tests_are_named_unless_they_are_long():
    spent = {"a.py::one[x]": 1.0, "a.py::two": 3.0, "a.py::one[y]": 2.5, "a.py::cheap": 0.1}
    named = [line.split()[-1] for line in dear(spent, {"a.py::two"})[2:]]
    assert named == ["a.py::one"]
    assert [line.split()[-1] for line in dear(spent, {"a.py::one[y]"})[2:]] == ["a.py::two"]
    assert dear(spent, {"a.py::two", "a.py::one[y]"}) == []


def test_a_child_that_ended_is_counted():
    import subprocess
    import sys

    before = cpu_seconds()
    subprocess.run([sys.executable, "-c", "sum(range(10_000_000))"], check=True)
    assert cpu_seconds() - before > 0.05
