"""Every Python block of the documents runs: one fresh process per document, top to bottom."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTS = [
    path
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
    if BLOCK.search(path.read_text())
]


def script_of(text: str) -> str:
    """The Python blocks, each on its line of the document, so that tracebacks point there."""
    lines = [""] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
        start = text[: block.start(1)].count("\n")
        for offset, line in enumerate(block[1].splitlines()):
            lines[start + offset] = line
    return "\n".join(lines)


def test_script_keeps_line_numbers():
    assert script_of("a\n```python\nx = 1\n```\nb\n") == "\n\nx = 1\n\n\n"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_document_runs(path, tmp_path):
    script = tmp_path / path.with_suffix(".py").name
    script.write_text(script_of(path.read_text()))
    run = subprocess.run(
        [sys.executable, "-W", "error", script], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
