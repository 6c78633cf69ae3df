"""The command takes one thread, and gives back what it found."""

import os
import subprocess
import sys

import pytest

from samelaw.cli.blas_threads import OURS, THREADS, one_thread, outside


@pytest.mark.parametrize(("given", "seen"), [({}, "1 1"), ({"OMP_NUM_THREADS": "3"}, "3 None")])
def test_the_command_takes_one_thread_unless_told_otherwise(given, seen):
    code = (
        "import os; from samelaw.cli.blas_threads import OURS, one_thread; one_thread();"
        "print(os.environ['OMP_NUM_THREADS'], os.environ.get(OURS))"
    )
    bare = {k: v for k, v in os.environ.items() if not k.endswith("NUM_THREADS")}
    run = subprocess.run(
        [sys.executable, "-c", code], env=bare | given, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == seen


@pytest.mark.parametrize("given", [{}, {"OMP_NUM_THREADS": "3"}])
def test_what_was_outside_is_known_afterwards(monkeypatch, given):
    for name in (*THREADS, OURS):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    before = {name: os.environ.get(name) for name in THREADS}
    monkeypatch.setattr(os, "environ", os.environ.copy())
    one_thread()
    assert {name: outside().get(name) for name in THREADS} == before
