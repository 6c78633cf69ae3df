"""The same verdicts on every processor: kernels of the BLAS and of numpy, one and two threads."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from machines import MACHINES
from optional import need

SCRIPT = Path(__file__).parents[1] / "processors.py"
OTHERS = [name for name in MACHINES if name != "this one"]


@cache
def verdicts(machine: str, kind: str = "degenerate") -> dict:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), kind],
        env=os.environ | MACHINES[machine],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("machine", OTHERS)
@pytest.mark.parametrize("kind", ["degenerate", pytest.param("ordinary", marks=pytest.mark.heavy)])
def test_verdicts_do_not_depend_on_the_processor(kind, machine):
    need("pyarrow")
    here, there = verdicts("this one", kind), verdicts(machine, kind)
    for case, results in here.items():
        for (pvalue, statistic), (other, value) in zip(results, there[case], strict=True):
            assert pvalue == other, (case, machine)
            assert value == pytest.approx(statistic, rel=1e-3, abs=1e-3), (case, machine)


@pytest.mark.parametrize("case", ["constant_rows", "equally_far", "equally_far_by_other_ways"])
def test_what_no_relabelling_changes_is_no_evidence(case):
    need("pyarrow")
    assert all(pvalue == 1.0 for pvalue, _ in verdicts("this one")[case])
