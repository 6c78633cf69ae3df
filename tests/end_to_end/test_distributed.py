"""Two processes with half of the batch each have the loss, gradients and metric of one."""

import subprocess
import sys
from pathlib import Path

from optional import need

need("torch")
need("torchmetrics")

SCRIPT = Path(__file__).parents[1] / "two_processes.py"


def test_two_processes_agree_with_one(tmp_path):
    """The first is this one, which has loaded what it needs already."""
    from two_processes import check

    command = [sys.executable, str(SCRIPT), "1", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as other:
        try:
            check(0, tmp_path)
            _, err = other.communicate(timeout=180)
        finally:
            other.kill()
    assert other.returncode == 0, err
