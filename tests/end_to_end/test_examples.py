"""Every example of the gallery runs, without a warning, in a fresh process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from optional import need

pytestmark = pytest.mark.documents

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    need("matplotlib")
    if "samelaw.learn" in path.read_text() or "import torch" in path.read_text():
        need("torch")
    if "import jax" in path.read_text():
        need("jax")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    run = subprocess.run(
        [sys.executable, "-W", "error", path], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
