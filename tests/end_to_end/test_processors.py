"""The same verdicts on every processor: kernels of the BLAS and of numpy, one and two threads."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from optional import need

SCRIPT = Path(__file__).parents[1] / "processors.py"
MACHINES = {
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Sandybridge": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
}


def dispatched() -> str:
    """The features of this processor that numpy can do without."""
    from numpy._core import _multiarray_umath as numpys

    return " ".join(f for f in numpys.__cpu_dispatch__ if numpys.__cpu_features__.get(f))


@cache
def verdicts(machine: str | None) -> dict:
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = os.environ | one | MACHINES.get(machine, {})
    if machine == "Prescott":  # an old processor altogether
        environment["NPY_DISABLE_CPU_FEATURES"] = dispatched()
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("machine", MACHINES)
def test_verdicts_do_not_depend_on_the_processor(machine):
    need("pyarrow")
    here, there = verdicts(None), verdicts(machine)
    for case, results in here.items():
        for (pvalue, statistic), (other, value) in zip(results, there[case], strict=True):
            assert pvalue == other, (case, machine)
            assert value == pytest.approx(statistic, rel=1e-3, abs=1e-3), (case, machine)


@pytest.mark.parametrize("case", ["constant_rows", "equally_far", "equally_far_by_other_ways"])
def test_what_no_relabelling_changes_is_no_evidence(case):
    need("pyarrow")
    assert all(pvalue == 1.0 for pvalue, _ in verdicts(None)[case])
