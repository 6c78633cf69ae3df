"""Under every Python example stands what it prints and draws.

The blocks of a page run in one process, in order, as the tests run them. What came out is kept
until the page or the package changes.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

BLOCK = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
DOCS = Path(__file__).parent
SOURCE = DOCS.parent / "src"
KEPT = DOCS.parent / "build" / "outputs"
COLUMNS = 80
"""Of a terminal: tables keep to them, and what is wider is sentences."""

FIGURES = "generated/figures"
"""Inside the documentation, where pictures must be; not kept in the repository."""

RUNNER = """
import contextlib, io, json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # libraries draw bars past sys.stdout when a machine is busy
blocks, stem = json.load(sys.stdin)
shared, found = {"__name__": "__main__"}, []
for number, block in enumerate(blocks):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(block, f"block {number + 1}", "exec"), shared)
    drawn = []
    if "matplotlib.pyplot" in sys.modules:
        plt = sys.modules["matplotlib.pyplot"]
        for figure in map(plt.figure, plt.get_fignums()):
            titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
            path = f"{stem}-{number + 1}-{figure.number}.png"
            figure.savefig(path, dpi=150)
            drawn.append([path, next(filter(None, titles), "what the code above draws")])
        plt.close("all")
    found.append([said.getvalue(), drawn])
with answer:
    json.dump(found, answer)
"""


def digest(blocks: list[str]) -> str:
    """Of the blocks and of the package they use."""
    summed = hashlib.sha256(json.dumps([RUNNER, *blocks]).encode())
    for path in sorted(SOURCE.rglob("*.py")):
        summed.update(path.read_bytes())
    return summed.hexdigest()[:16]


def run(name: str, blocks: list[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What each block prints, and its pictures with a title; an error stops the build."""
    (DOCS / FIGURES).mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUNNER],
        input=json.dumps([blocks, f"docs/{FIGURES}/{name}"]),
        cwd=DOCS.parent,
        env={**os.environ, "MPLBACKEND": "Agg", "COLUMNS": str(COLUMNS)},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise ExtensionError(f"an example of {name} fails:\n{done.stderr}")
    return json.loads(done.stdout)


def outputs(name: str, blocks: list[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same, from the last build if nothing changed since."""
    kept = KEPT / f"{name}-{digest(blocks)}.json"
    found = json.loads(kept.read_text()) if kept.exists() else None
    if found is None or not all(Path(DOCS.parent, p).exists() for _, ps in found for p, _ in ps):
        found = run(name, blocks)
        KEPT.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(found))
    return found


def shown(printed: str, drawn: list[tuple[str, str]]) -> str:
    """Markdown of an output; nothing for a silent block."""
    parts = []
    if printed.strip():
        look = "output prose" if max(map(len, printed.splitlines())) > COLUMNS else "output"
        parts.append(f"````{{code-block}} text\n:class: {look}\n\n{printed.rstrip()}\n````\n")
    parts += [
        f"```{{image}} {Path(path).relative_to('docs').as_posix()}\n:alt: {title}\n```\n"
        for path, title in drawn
    ]
    return "\n".join(parts)


def with_outputs(name: str, text: str) -> str:
    """The page with an output after each block that has one."""
    blocks = [found[1] for found in BLOCK.finditer(text)]
    if not blocks:
        return text
    made = iter(outputs(name, blocks))
    return BLOCK.sub(lambda found: f"{found[0]}\n{shown(*next(made))}", text)


def on_read(app: Sphinx, name: str, content: list[str]) -> None:
    if app.env.doc2path(name).suffix == ".md":
        content[0] = with_outputs(name.replace("/", "-"), content[0])


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", on_read)
    return {"parallel_read_safe": True}
