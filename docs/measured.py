"""The tables of the benchmarks page, from the JSON that the benchmarks write."""

import json
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"
WIDEST = 9
"""Columns that a page has room for."""
FIRST = ("tests_by_size", "packages", "peers", "streaming", "groups", "monitor")
"""What users wait for; the parts of it come after, by name."""


def cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and abs(value) < 1_000:
        return f"{value:.3g}"
    if isinstance(value, float | int):
        return f"{value:,.0f}"
    return "" if value is None else str(value).replace("|", r"\|")


def tables(rows: list[dict[str, Any]]) -> list[str]:
    """Markdown of records: a table of those that share their keys, a column per plain value."""
    plain = [{k: v for k, v in row.items() if not isinstance(v, dict | list)} for row in rows]
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in plain:
        keys = next((known for known in alike if row.keys() <= {*known}), tuple(row))
        alike.setdefault(keys, []).append(row)
    return [line for keys, some in alike.items() for line in [*table(keys, some), ""]]


def table(keys: tuple[str, ...], rows: list[dict[str, Any]]) -> list[str]:
    """A line per record, or per key where there are so many that they would not fit a page."""
    lines = [[key.replace("_", " ") for key in keys]]
    lines += [[cell(row.get(key)) for key in keys] for row in rows]
    if len(keys) > WIDEST:
        lines = [list(line) for line in zip(*lines, strict=True)]
    lines.insert(1, ["---"] * len(lines[0]))
    return [f"| {' | '.join(line)} |" for line in lines]


def picture(path: Path) -> list[str]:
    """What the benchmark drew, if it did."""
    drawn = path.with_suffix(".png")
    link = f"../{drawn.relative_to(DOCS.parent).as_posix()}"
    return [f"![Growth of the cost, drawn by {path.stem}.py]({link})", ""] if drawn.exists() else []


def section(path: Path) -> list[str]:
    found = json.loads(path.read_text())
    machine = found["machine"]
    versions = ", ".join(f"{name} {v}" for name, v in machine["packages"].items() if v)
    where = f"{machine['processor']}, {machine['cores']} cores"
    told = f"*{where}, Python {machine['python']}, {versions}.*"
    source = f"`benchmarks/{path.stem}.py`"
    title = f"## {found['question']}"
    return [title, "", *picture(path), *tables(found["rows"]), f"{source}. {told}", ""]


def results() -> list[Path]:
    paths = {path.stem: path for path in sorted(RESULTS.glob("*.json"))}
    return [paths[name] for name in dict.fromkeys((*FIRST, *paths))]


def page() -> str:
    return "\n".join(line for path in results() for line in section(path))


def write(app: Sphinx) -> None:
    folder = DOCS / "generated"
    folder.mkdir(exist_ok=True)
    (folder / "benchmarks.md").write_text(page())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
