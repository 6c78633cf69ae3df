"""Nothing is asked of the network at run time."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from optional import need

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"
FORBID = """
import os, socket, sys

def forbid(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname",
                 "socket.sendto", "urllib.Request"):
        os.write(2, b"asked for the network: " + event.encode())  # also from a thread
        raise SystemExit(3)

sys.addaudithook(forbid)
"""
ARRAYS = """
import numpy as np, samelaw
rng = np.random.default_rng(0)
x, y = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 1
samelaw.two_sample_test(x, y, permutations=19, rng=0)
samelaw.rjsd(x, y)
samelaw.DriftMonitor(rng.normal(size=(300, 2)), rng=0).update(x)
"""


def run(script, folder):
    return subprocess.run(
        [sys.executable, "-c", FORBID + script], cwd=folder, capture_output=True, text=True
    )


def test_the_hook_sees_a_connection(tmp_path):
    """The checks below can fail."""
    done = run("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/')", tmp_path)
    assert "asked for the network" in done.stderr
    done = run("socket.create_connection(('127.0.0.1', 9))", tmp_path)
    assert "asked for the network" in done.stderr


PAIR = tuple(str(DATA / f"changed_{side}.csv") for side in "ab")
FEW = ("--sample", "200", "--permutations", "19", "--seed", "2")
OUTPUTS = ("--report", "page.html", "--json", "a.json")
COMMANDS = {
    "compare": (("compare", *PAIR, *FEW, *OUTPUTS), 1),
    "monitor": (("monitor", *PAIR, "--seed", "2", "--report", "page.html"), 1),
    "doctor": (("doctor",), 0),
}
ONE_BY_ONE = """
import traceback
from samelaw.cli import main as cli

for name, words in LISTED.items():
    os.write(2, b"\\n== " + name.encode() + b" ")
    try:
        code = cli.run(list(words))
    except BaseException:
        traceback.print_exc()
        code = -1
    sys.stderr.flush()
    os.write(2, b" == %d" % code)
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What every run wrote to stderr, and its exit code: one process for all of them."""
    need("typer")
    need("pyarrow")
    listed = {name: words for name, (words, _) in COMMANDS.items()}
    script = f"LISTED = {listed!r}\n{ONE_BY_ONE}"
    done = run(script, tmp_path_factory.mktemp("commands"))
    parts = re.findall(r"\n== (\w+) (.*?) == (-?\d+)", done.stderr, re.DOTALL)
    assert done.returncode == 0, done.stderr
    assert re.search(r" == -?\d+\Z", done.stderr), "something was said on the way out"
    return {name: (int(code), text) for name, text, code in parts}


def test_arrays_are_compared_without_it(tmp_path):
    done = run(ARRAYS, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_do_without_it(said, name):
    code, text = said[name]
    assert code == COMMANDS[name][1], text
    assert "asked for the network" not in text
