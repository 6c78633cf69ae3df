"""The same verdicts on every processor: kernels of the BLAS and of numpy, one and two threads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from machines import MACHINES
from optional import need

SCRIPT = Path(__file__).parents[1] / "processors.py"
KERNELS = ("Haswell", "Sandybridge", "Prescott")  # beside this one
OTHERS = [name for name in MACHINES if name != "this one"]
CHANGED_BY_NO_LABELS = ("constant_rows", "equally_far", "equally_far_by_other_ways")


def verdicts(machine: str, kind: str) -> dict:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), kind],
        env=os.environ | MACHINES[machine],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("kind", "machines"),
    [
        ("degenerate, few", ["Prescott"]),
        pytest.param("degenerate", KERNELS, marks=pytest.mark.long),
        pytest.param("degenerate, many", OTHERS, marks=pytest.mark.heavy),
        pytest.param("ordinary", OTHERS, marks=pytest.mark.heavy),
    ],
)
def test_verdicts_do_not_depend_on_the_processor(kind, machines):
    """One process for all cases on each processor."""
    need("pyarrow")
    here = verdicts("this one", kind)
    for case in here.keys() & set(CHANGED_BY_NO_LABELS):
        assert all(pvalue == 1.0 for pvalue, _ in here[case]), case
    for machine in machines:
        there = verdicts(machine, kind)
        for case, results in here.items():
            for (pvalue, statistic), (other, value) in zip(results, there[case], strict=True):
                assert pvalue == other, (case, machine)
                assert value == pytest.approx(statistic, rel=1e-3, abs=1e-3), (case, machine)
