"""Every example of the documents runs: Python in a fresh process per document, commands one by one.

What a command prints is part of the document; run with SAMELAW_WRITE=1, this file writes it anew.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from machines import MACHINES

pytestmark = pytest.mark.documents

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n\$ (samelaw .*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
DOCUMENTS = [path for path in PAGES if BLOCK.search(path.read_text())]
COMMANDS = [(path, command) for path in PAGES for command, _ in CONSOLE.findall(path.read_text())]
DECIDING = [path for path in DOCUMENTS if path.name in ("README.md", "compare.md", "testing.md")]
OTHERS = [  # the oldest is the one most unlike this one
    "Prescott",
    *(
        pytest.param(name, marks=pytest.mark.heavy)
        for name in ("Haswell", "Sandybridge", "two threads")
    ),
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
    run_document(path, tmp_path, {})


@pytest.mark.parametrize("machine", OTHERS)
@pytest.mark.parametrize("path", DECIDING, ids=lambda path: path.name)
def test_documents_that_decide_run_on_other_processors(path, machine, tmp_path):
    run_document(path, tmp_path, MACHINES[machine])


def run_document(path, tmp_path, environment):
    script = tmp_path / path.with_suffix(".py").name
    script.write_text(script_of(path.read_text()))
    (ROOT / "build").mkdir(exist_ok=True)
    run = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("machine", ["this one", *OTHERS])
@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=lambda item: str(item)[-40:])
def test_commands_print_what_the_document_shows(path, command, machine):
    run = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **MACHINES[machine], "COLUMNS": "80"},
    )
    assert run.returncode in (0, 1), run.stderr
    text = path.read_text()
    shown = next(output for said, output in CONSOLE.findall(text) if said == command)
    if os.environ.get("SAMELAW_WRITE"):
        path.write_text(text.replace(f"$ {command}\n{shown}", f"$ {command}\n{run.stdout}"))
        return
    assert shown == run.stdout, "run this test with SAMELAW_WRITE=1 to write the output anew"
