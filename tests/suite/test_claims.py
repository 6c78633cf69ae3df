"""What README says of power is what the reporting half of the suite shows."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from experiments.suite.report import hits  # noqa: E402

SUMMARY = json.loads((ROOT / "experiments" / "suite" / "summary.json").read_text())["reporting"]
TEXT = " ".join((ROOT / "README.md").read_text().split())
NAMES = {
    "MMD-FUSE": "MMD-FUSE",
    "the energy distance": "energy",
    "the generalised kernel test": "kernel means",
}


def lead(method):
    """Mean over problems of our power less theirs, on the draws both have seen."""
    cells, gaps = SUMMARY["cells"], []
    for key, cell in cells.items():
        if cell["method"] == method:
            ours = hits(cells[key.rsplit(" | ", 1)[0] + " | samelaw"])
            theirs = hits(cell)
            gaps.append(np.mean(ours[: len(theirs)]) - np.mean(theirs))
    return float(np.mean(gaps))


@pytest.mark.parametrize("words", NAMES)
def test_the_lead_that_readme_claims(words):
    claimed = re.search(rf"(\.\d\d) above (?:that of )?{re.escape(words)}", TEXT)
    assert claimed is not None
    assert float(claimed[1]) == pytest.approx(lead(NAMES[words]), abs=0.006)


def test_the_number_of_problems_that_readme_claims():
    problems = {cell["problem"] for cell in SUMMARY["cells"].values()}
    assert f"on {len(problems)} problems" in TEXT
