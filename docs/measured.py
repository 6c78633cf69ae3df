"""The tables of the benchmarks page, from the JSON that the benchmarks write."""

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"


def cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return "" if value is None else str(value).replace("|", r"\|")


def table(rows: list[dict[str, Any]]) -> list[str]:
    """Markdown of records; a column per key that holds a plain value."""
    plain = [{k: v for k, v in row.items() if not isinstance(v, dict | list)} for row in rows]
    columns = list(dict.fromkeys(key for row in plain for key in row))
    lines = [[column.replace("_", " ") for column in columns], ["---"] * len(columns)]
    lines += [[cell(row.get(column)) for column in columns] for row in plain]
    return [f"| {' | '.join(line)} |" for line in lines]


def section(path: Path) -> list[str]:
    found = json.loads(path.read_text())
    machine = found["machine"]
    versions = ", ".join(f"{name} {v}" for name, v in machine["packages"].items() if v)
    where = f"{machine['processor']}, {machine['cores']} cores"
    told = f"*{where}, Python {machine['python']}, {versions}.*"
    source = f"`benchmarks/{path.stem}.py`"
    return [f"## {found['question']}", "", *table(found["rows"]), "", f"{source}. {told}", ""]


def page() -> str:
    return "\n".join(line for path in sorted(RESULTS.glob("*.json")) for line in section(path))


def write(app: Sphinx) -> None:
    folder = DOCS / "generated"
    folder.mkdir(exist_ok=True)
    (folder / "benchmarks.md").write_text(page())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
