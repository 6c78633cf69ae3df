"""What README and docs say of power is what both reporting sets of the suite show."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from experiments.suite.report import MARGIN, hits, lines  # noqa: E402
from experiments.suite.trials import REPORTING  # noqa: E402

BOOK = json.loads((ROOT / "experiments" / "suite" / "summary.json").read_text())
CELLS = {key: cell for name in REPORTING for key, cell in BOOK[name]["cells"].items()}
TEXT = " ".join((ROOT / "README.md").read_text().split())
WORDS = ("none", "one", "two", "three", "four", "five")
NAMES = {
    "MMD-FUSE": "MMD-FUSE",
    "the energy distance": "energy",
    "the generalised kernel test": "kernel means",
    "the kernel likelihood ratio": "likelihood ratio",
}


def lead(method):
    """Mean over problems of our power less theirs, on the draws both have seen."""
    gaps = []
    for key, cell in CELLS.items():
        if cell["method"] == method:
            ours = hits(CELLS[key.rsplit(" | ", 1)[0] + " | samelaw"])
            theirs = hits(cell)
            gaps.append(np.mean(ours[: len(theirs)]) - np.mean(theirs))
    return float(np.mean(gaps))


@pytest.mark.parametrize("words", NAMES)
def test_the_lead_that_readme_claims(words):
    claimed = re.search(rf"(\.\d\d) above (?:that of )?{re.escape(words)}", TEXT)
    assert claimed is not None
    assert float(claimed[1]) == pytest.approx(lead(NAMES[words]), abs=0.006)


def test_the_number_of_problems_that_readme_claims():
    problems = {cell["problem"] for cell in CELLS.values()}
    assert f"on {len(problems)} problems" in TEXT


def behind_on():
    return [row for row in lines({"cells": CELLS}) if row.deficit.low > MARGIN]


def test_the_page_on_choosing_a_test_says_the_same_as_readme():
    page = " ".join((ROOT / "docs" / "choosing_a_test.md").read_text().split())
    problems = {cell["problem"] for cell in CELLS.values()}
    assert f"On {len(problems)} problems" in page
    assert f"clearly more than .05 of power on {WORDS[len(behind_on())]} (" in page


def test_the_problems_on_which_readme_admits_to_be_behind():
    behind = behind_on()
    said = re.search(r"clearly more than \.05 on (\w+) of them \(([^)]*)\)", TEXT)
    assert said is not None
    assert said[1] == WORDS[len(behind)]
    for row in behind:
        assert f"{row.problem}, {row.best_rival}" in said[2]
