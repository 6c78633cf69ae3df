"""Two processes with half of the batch each have the loss, gradients and metric of one."""

import subprocess
import sys
from pathlib import Path

import pytest

from optional import need

need("torch")

SCRIPT = Path(__file__).parents[1] / "two_processes.py"


@pytest.mark.long
@pytest.mark.parametrize("what", ["losses", pytest.param("metric", marks=pytest.mark.heavy)])
def test_two_processes_agree_with_one(tmp_path, what):
    """The first is this one, which has loaded what it needs already."""
    if what == "metric":
        need("torchmetrics")
    from two_processes import check

    command = [sys.executable, str(SCRIPT), "1", str(tmp_path), what]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as other:
        try:
            check(0, tmp_path, what)
            _, err = other.communicate(timeout=180)
        finally:
            other.kill()
    assert other.returncode == 0, err
