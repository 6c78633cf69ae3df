"""The answer and its exit code arrive, whatever the terminal; nothing from a file drives it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from csvs import FEW, write

pytestmark = pytest.mark.usefixtures("empty_folder")

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
SHELL = "{python} -m samelaw compare a.csv b.csv {few} {more}"


@pytest.fixture
def pair(empty_folder):
    """Two tables that differ, with a name that ASCII has not."""
    for name, shift in (("a", 0), ("b", 2)):
        values = np.random.default_rng(shift).normal(size=(60, 2)) + shift
        write(f"{name}.csv", "\n".join(["x,größe", *(f"{u:.3f},{v:.3f}" for u, v in values), ""]))


def shell(more="", **environment):
    command = SHELL.format(python=sys.executable, few=" ".join(FEW), more=more)
    return subprocess.run(
        ["bash", "-c", command], capture_output=True, check=False, env={**os.environ, **environment}
    )


@pytest.mark.heavy  # the quick run has one process for several terminals, below
@pytest.mark.usefixtures("pair")
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        C_LOCALE,
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_a_terminal_without_unicode_gets_the_answer(environment):
    done = shell(**environment)
    assert done.returncode == 1
    assert done.stderr == b""
    plain = "ascii" in environment.values() or "LC_ALL" in environment
    is_answer(done.stdout.decode("cp1252"), "gr\\xf6\\xdfe" if plain else "größe")


def is_answer(text, name):
    assert re.match(rf"b\.csv differs from a\.csv: .*{re.escape(name)}.* changed", text)
    assert re.search(r"median -?\d\S* -> \d", text)


FOUR = """
import os, sys
from samelaw.cli.main import run
for encoding, words in {listed!r}:
    sys.stdout.reconfigure(encoding=encoding or sys.stdout.encoding)
    code = run(words.split())
    os.write(1, b"== %d" % code)
    os.write(2, b"==")
"""


@pytest.mark.long
@pytest.mark.usefixtures("pair")
def test_answer_json_and_error_reach_a_terminal_of_the_c_locale_and_one_of_windows():
    """One process for all four: starting it is what takes the time."""
    write("twice.csv", "größe,größe\n1,2\n")
    few = " ".join(FEW)
    listed = [(None, f"compare a.csv b.csv {few}{more}") for more in ("", " --json -")]
    listed.append((None, f"compare a.csv twice.csv {few}"))
    listed.append(("cp1252", f"compare a.csv b.csv {few}"))
    script = FOUR.format(listed=listed)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        env={**os.environ, **C_LOCALE},
    )
    answer, found, nothing, windows, end = re.split(r"== \d", done.stdout.decode("cp1252"))
    assert re.findall(rb"== (\d)", done.stdout) == [b"1", b"1", b"2", b"1"]
    is_answer(answer, "gr\\xf6\\xdfe")
    is_answer(windows, "größe")
    assert "größe" in json.loads(found)["columns_changed"]
    assert (nothing, end) == ("", "")
    *quiet, error, last, end = done.stderr.split(b"==")
    assert (quiet, last, end) == ([b"", b""], b"", b"")
    assert b"more than one column named 'gr\\xf6\\xdfe'" in error


@pytest.mark.heavy
@pytest.mark.usefixtures("pair")
def test_an_error_reaches_a_terminal_without_unicode():
    write("b.csv", "größe,größe\n1,2\n")
    done = shell(PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert b"more than one column named 'gr\\xf6\\xdfe'" in done.stderr


@pytest.mark.long
@pytest.mark.usefixtures("pair")
@pytest.mark.parametrize(
    "closed",
    [
        "<&- >&- 2>&-",
        *(
            pytest.param(closed, marks=pytest.mark.heavy)
            for closed in (">&-", "2>&-", ">&- 2>&-", "| head -c 1; exit ${PIPESTATUS[0]}")
        ),
    ],
)
def test_the_verdict_survives_closed_streams(closed):
    done = shell(f"--json out.json {closed}")
    assert done.returncode == 1
    assert done.stderr == b""
    assert json.loads(Path("out.json").read_text())["reject"]  # nothing else was written into it


@pytest.mark.usefixtures("pair")
def test_an_error_survives_a_closed_stderr():
    assert shell("--json no/out.json 2>&-").returncode == 2


EVIL = "x\x1b[2J\x9b5m\u202egnp.exe\x07"
WORDS = ("re\x1b]0;owned\x07d", "blue\u2066", "gre\x7fen")
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def evil_pair(empty_folder):
    """Controls and marks of direction in names of files and columns and in values."""
    paths = []
    for side, shift in (("a", 0), ("b", 2)):
        rng = np.random.default_rng(shift)
        lines = [f"{EVIL},w\x1b,only_{side}\x1b[1m"]
        lines += [
            f"{v:.3f},{WORDS[rng.integers(2 + shift // 2)]},1" for v in rng.normal(size=60) + shift
        ]
        paths.append(write(f"{side}\x1b[31m\u202e.csv", "\n".join([*lines, ""])))
    return paths


def test_nothing_from_a_file_drives_the_terminal(samelaw, evil_pair):
    outputs = ("--report", "r\x1b[5m.html", "--json", "j\x1b[5m.json")
    for options in (outputs, ("--quiet",), ("--json", "-", "--with-rows")):
        code, out, err = samelaw("compare", *evil_pair, *FEW, *options)
        assert (code, err) == (1, "")
        assert not CONTROL.search(out)
    assert "\\u001b" in out
    assert EVIL in json.loads(out)["columns_changed"]
    for path in ("r\x1b[5m.html", "j\x1b[5m.json"):
        assert not CONTROL.search(Path(path).read_text())


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "no\x1b[2J.csv", "b.csv"),
        ("compare", "a.csv", "b.csv", "--no\x1b[2J"),
        ("comp\x1b[2Jare",),
        ("compare", "a\u202e.csv", "a\u202e.csv", "--columns", "z\x9b"),
    ],
)
def test_nothing_from_an_error_drives_the_terminal(samelaw, arguments):
    write("a\u202e.csv", "x,y\n1,2\n3,4\n")
    code, out, err = samelaw(*arguments)
    assert (code, out) == (2, "")
    assert not CONTROL.search(err)
    assert len(err.splitlines()) == 1


def test_the_command_with_controls_can_be_pasted(samelaw, evil_pair):
    _, out, _ = samelaw("compare", *evil_pair, *FEW)
    command = re.search(r"Run it again: samelaw (.*)", out)[1]
    pasted = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True
    )
    assert pasted.stdout.splitlines()[1:3] == [str(path) for path in evil_pair]
