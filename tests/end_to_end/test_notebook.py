"""The tour runs cell by cell in a fresh process, and every result shows itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from optional import need

pytestmark = pytest.mark.documents

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "examples" / "tour.ipynb"
VIEWS = {"Comparison", "TestResult", "PowerCurve", "GroupTests", "DriftReading"}
RUNNER = """
import ast, json, sys
shared, views = {"__name__": "__main__"}, {}
for number, cell in enumerate(json.load(sys.stdin)):
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, f"cell {number}", "exec"), shared)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), shared)
        if hasattr(value, "_repr_html_"):
            views[type(value).__name__] = value._repr_html_()
json.dump(views, sys.stdout)
"""


def cells(kind):
    found = json.loads(TOUR.read_text())["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def test_the_tour_is_kept_without_outputs():
    found = json.loads(TOUR.read_text())
    assert found["nbformat"] == 4
    assert all(not cell.get("outputs") for cell in found["cells"])
    assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
    assert cells("markdown")[0].startswith("# A tour")


def test_the_tour_runs_and_results_show_themselves():
    for name in ("matplotlib", "pyarrow", "torch"):
        need(name)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER],
        input=json.dumps(cells("code")),
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr
    views = json.loads(done.stdout)
    assert views.keys() == VIEWS
    assert all("<" in html for html in views.values())
