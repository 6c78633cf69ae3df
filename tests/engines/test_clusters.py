"""The examples for Spark and Ray, run by them: the same bits as in one process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import need_engine

EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"


@pytest.mark.parametrize(("engine", "script"), [("pyspark", "spark"), ("ray", "ray")])
def test_an_example_sums_on_its_engine(engine, script, tmp_path):
    need_engine(engine)
    environment = {**os.environ, "HOME": str(tmp_path)}  # what engines leave there goes with it
    run = subprocess.run(
        [sys.executable, EXAMPLES / f"{script}_sketch.py"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "differ: p = 0.001" in run.stdout
