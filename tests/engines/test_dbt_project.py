"""The example project of dbt, run by dbt with DuckDB: one test passes, one finds the change."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from engine import need_engine

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "examples" / "dbt"


def test_the_example_runs_under_dbt(tmp_path):
    need_engine("dbt")
    project = tmp_path / "dbt"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("target", "logs"))
    program = [str(Path(sys.executable).with_name("dbt")), "build", "--profiles-dir", "."]
    data = json.dumps({"data": str(ROOT / "examples" / "data")})
    run = subprocess.run(
        [*program, "--no-use-colors", "--vars", data], cwd=project, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout
    results = json.loads((project / "target" / "run_results.json").read_text())["results"]
    tests = {one["unique_id"].split(".")[2]: one for one in results if one["failures"] is not None}
    (changed,) = (one for name, one in tests.items() if "june" in name)
    (same,) = (one for name, one in tests.items() if "half_hours" in name)
    assert (changed["status"], changed["failures"]) == ("warn", 1)
    assert (same["status"], same["failures"]) == ("pass", 0)


def test_a_change_fails_the_build(tmp_path):
    need_engine("dbt")
    project = tmp_path / "dbt"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("target", "logs"))
    schema = project / "models" / "schema.yml"
    schema.write_text(schema.read_text().replace("severity: warn", "where: amount is not null"))
    program = [str(Path(sys.executable).with_name("dbt")), "build", "--profiles-dir", "."]
    data = json.dumps({"data": str(ROOT / "examples" / "data")})
    choose = ["--select", "may", "june"]
    run = subprocess.run(
        [*program, *choose, "--vars", data], cwd=project, capture_output=True, text=True
    )
    assert run.returncode == 1, run.stdout
    assert "Got 1 result, configured to fail if != 0" in run.stdout
