"""README.md and table.md from the summary, and the summary from the draws."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.common import read_json
from experiments.compare import outcomes, population, rowscores, tables, widths

RIVALS = ("evidently", "alibi-detect TabularDrift", "alibi-detect MMD", "classifier")
Book = dict[str, Any]


NAMES = ("level", "changes", "detectable", "columns", "rows", "real", "large", "population")


def summarize(raw: Path) -> dict[str, Book]:
    """Every book of the draws, reduced."""
    held = {name: read_json(raw / f"{name}.json") for name in (*NAMES, "rivals")}
    effects = held["population"].get("effects", {})
    how: dict[str, Callable[[Book], Book]] = {
        "level": outcomes.reduced,
        "changes": lambda entry: outcomes.reduced(entry, effects.get(entry["problem"])),
        "rivals": outcomes.reduced,
        "rows": _mean_scores,
    }
    found = {
        name: grid.with_cells(book, how[name])
        for name, book in held.items()
        if book and name in how
    }
    whole = {name: held[name] for name in ("real", "large", "population") if held[name]}
    return found | whole | grid.books(raw, "detectable", "columns")


def _mean_scores(entry: Book) -> Book:
    return {
        word: float(np.mean([value[word] for value in entry["values"]]))
        for word in ("hits", "area")
    }


def write(summary: dict[str, Book], folder: Path) -> None:
    """README.md and, for the documentation, table.md, from what has been run so far."""
    held: dict[str, Book] = {name: {} for name in (*NAMES, "rivals")} | summary
    every = (_level, _changes, _picture, _rivals, _effects, _columns, _rows, _real, _large)
    for name, head, parts in (("README", _HEAD, every), ("table", _SHORT, (_level, _changes))):
        lines = [head, *(line for part in parts for line in part(held))]
        text = "\n".join(lines).rstrip() + "\n"
        deeper = text.replace("\n## ", "\n### ") if name == "table" else text
        (folder / f"{name}.md").write_text(deeper)


def _level(held: dict[str, Book]) -> list[str]:
    cells = grid.select(held["level"])
    if not cells:
        return []
    (entry,) = cells
    from scipy.stats import binom

    alarm, named = outcomes.power(entry), outcomes.wrong(entry)
    count = entry["repetitions"]
    most = int(binom.ppf(0.99, count, grid.LEVEL))
    return [
        "## False alarms",
        "",
        f"{count} pairs of files that follow the same law, level {grid.LEVEL}: "
        f"{round(alarm[0] * count)} called different ({_shown(alarm)}), and in "
        f"{round(named[0] * count)} a column or pair is named ({_shown(named)}). "
        f"A test of exactly that level gives at most {most} with probability .99.",
        "",
    ]


def _changes(held: dict[str, Book]) -> list[str]:
    found = outcomes.by_change(held["changes"], "samelaw")
    if not found:
        return []
    lines = [
        "## Eight changes",
        "",
        "*named*: the right column, its missing values, or the right pair, is named "
        "(*all*: every column that changed). *wrong*: a column that did not change is named. "
        "*rows*: changed rows among the twenty rows of B shown, out of those that fit.",
        "",
        *_table_head("change", "what", "draws", "power", "named", "all", "wrong", "rows"),
    ]
    for name, entry in found.items():
        change = tables.CHANGES[name]
        rows = f"{entry['rows']:.2f}" if change.planted else "–"
        lines.append(
            _row(
                name,
                " × ".join(change.columns) if change.joint else ", ".join(change.columns),
                entry["repetitions"],
                _shown(outcomes.power(entry)),
                f"{outcomes.right(entry)[0]:.2f}",
                f"{outcomes.every(entry)[0]:.2f}",
                _shown(outcomes.wrong(entry)),
                rows,
            )
        )
    return [*lines, ""]


def _rivals(held: dict[str, Book]) -> list[str]:
    if not grid.select(held["rivals"]):
        return []
    settings = held["rivals"]["settings"]
    lines = ["## What other tools say of the same files", ""]
    lines += [
        "Share of the draws called different; in brackets: the right column named / a wrong one "
        "named. MMD names none; of the classifier the most important column is taken.",
        "",
    ]
    lines += _table_head("change", "samelaw", *RIVALS)
    ours = outcomes.by_change(held["changes"], "samelaw")
    null = grid.select(held["level"])
    lines.append(_row("none (false alarms)", *_null_cells(null, held["rivals"])))
    for name in tables.CHANGES:
        others = [outcomes.by_change(held["rivals"], rival).get(name) for rival in RIVALS]
        most = max((cell["repetitions"] for cell in others if cell), default=0)
        lines.append(_row(name, *map(_rival_cell, (_first(ours.get(name), most), *others))))
    counts = {e["repetitions"] for e in grid.select(held["rivals"]) if e["problem"] != "none"}
    versions = ", ".join(f"{k} {v}" for k, v in settings["rivals"].items())
    lines += ["", f"{_span(counts)} draws per change, the first ones of ours. {versions}."]
    dataset = [
        said
        for e in grid.select(held["rivals"], method="evidently")
        for said in grid.from_bits(e["dataset"], e["repetitions"])
    ]
    if dataset:
        lines.append(
            "evidently counts as different here when it flags any column; its own verdict on the "
            f"table (half of the columns) was given in {np.mean(dataset):.1%} of all draws."
        )
    for name, why in settings["not run"].items():
        lines.append(f"{name} could not be run: {why}.")
    return [*lines, ""]


def _picture(held: dict[str, Book]) -> list[str]:
    return ["![power and names](figure.png)", ""]


def _null_cells(null: Sequence[Book], rivals: Book) -> list[str]:
    cells = [null[0] if null else None]
    for name in RIVALS:
        found = grid.select(rivals, problem="none", method=name)
        cells.append(found[0] if found else None)
    return [
        "" if e is None else f"{outcomes.power(e)[0]:.2f} (– / {outcomes.wrong(e)[0]:.2f})"
        for e in cells
    ]


def _first(entry: Book | None, count: int) -> Book | None:
    """The first draws of a cell: those the rivals saw."""
    return entry and {**entry, "repetitions": min(count, entry["repetitions"])}


def _rival_cell(entry: Book | None) -> str:
    if entry is None:
        return ""
    names = f"{outcomes.right(entry)[0]:.2f} / {outcomes.wrong(entry)[0]:.2f}"
    return f"{outcomes.power(entry)[0]:.2f} ({names})"


def _effects(held: dict[str, Book]) -> list[str]:
    whole, found = held["population"], outcomes.by_change(held["changes"], "samelaw")
    if not whole.get("effects") or not found:
        return []
    lines = [
        "## Effects and their limits",
        "",
        f"Population effects from one draw of {sum(population.ROWS):,} rows. *covered*: "
        "`effect_interval` holds the largest effect; *column*: the limits of the column that "
        "changed hold its own. Both are made to hold for all columns at once with probability .95. "
        "*lower limit*: draws in which it is above 0.",
        "",
        *_table_head(
            "change", "largest effect", "mean estimate", "covered", "column", "lower limit"
        ),
    ]
    for name, entry in found.items():
        truth = whole["effects"].get(name)
        if truth is None or truth["strength"] != entry["value"]:
            continue
        covered = entry["covered"]
        lines.append(
            _row(
                name,
                f"{truth['effect']:.4f} ({truth['of']})",
                f"{entry['effect']:.4f}",
                _shown(covered["largest"]),
                _shown(covered["own"]) if "own" in covered else "–",
                f"{entry['above']:.2f}",
            )
        )
    cells = grid.select(held["detectable"])
    if cells:
        lines += ["", _detectable(whole, cells)]
    return [*lines, ""]


def _detectable(whole: Book, cells: Sequence[Book]) -> str:
    said = "; ".join(f"{e['problem']} {_shown(outcomes.power(e))}" for e in cells)
    return (
        f"`detectable_effect` is {whole['detectable']:.4f} at these sizes (median of the null "
        f"pairs). Power when a column's effect is just that large: {said} (goal: .8)."
    )


def _columns(held: dict[str, Book]) -> list[str]:
    if not grid.select(held["columns"]):
        return []
    lines = [
        "## Many columns",
        "",
        "Power with 5, 20 and 100 columns (250 v 250 rows). *together* is the statistic of all "
        "columns on summed dissimilarities, *product* the rejected kernel: a product over columns "
        "at their own medians.",
        "",
        *_table_head("change", "columns", *widths.METHODS),
    ]
    for change in widths.CHANGES:
        for width in widths.WIDTHS:
            cells = [
                grid.select(held["columns"], problem=change, value=width, method=m)
                for m in widths.METHODS
            ]
            if any(cells):
                lines.append(
                    _row(change, width, *(_shown(outcomes.power(c[0])) if c else "" for c in cells))
                )
    return [*lines, ""]


def _rows(held: dict[str, Book]) -> list[str]:
    if not grid.select(held["rows"]):
        return []
    lines = [
        "## Which score finds planted rows",
        "",
        "Share of the first twenty rows that were planted (of those that fit) / area under the "
        "curve, by bandwidth in medians of the distance; looking at all columns or at those that "
        "changed. compare uses the ratio of leave-one-out densities at .25.",
        "",
        *_table_head("planted", "bandwidth", *rowscores.METHODS),
    ]
    for change in rowscores.PLANTED:
        for focus in ("all", "changed"):
            for width in rowscores.WIDTHS:
                cells = [
                    grid.select(held["rows"], problem=f"{change}, {focus}", value=width, method=m)
                    for m in rowscores.METHODS
                ]
                if any(cells):
                    lines.append(_row(f"{change}, {focus}", width, *map(_score_cell, cells)))
    return [*lines, ""]


def _score_cell(cells: Sequence[Book]) -> str:
    if not cells:
        return ""
    return f"{cells[0]['hits']:.2f} / {cells[0]['area']:.2f}"


def _real(held: dict[str, Book]) -> list[str]:
    runs = held["real"].get("runs", {})
    if not runs:
        return []
    lines = [
        "## Real tables",
        "",
        *_table_head(
            "pair", "rows", "p-value", "effect (limits)", "columns named", "pairs", "CPU s", "MiB"
        ),
    ]
    for name, run in runs.items():
        if "error" in run:
            lines.append(_row(name, "", "", run["error"], "", "", "", ""))
            continue
        named = run["columns"]
        shown = ", ".join(named[:6]) + (
            f" … ({len(named)} of {run['compared']})" if len(named) > 6 else ""
        )
        low, high = run["interval"]
        lines.append(
            _row(
                name,
                f"{run['rows'][0]:,} v {run['rows'][1]:,}",
                f"{run['pvalue']:.3g}",
                f"{run['effect']:.3g} ({low:.3g}–{high:.3g}), {run['of']}",
                shown or "none",
                len(run["pairs"]),
                run["cpu seconds"],
                run["peak MiB"],
            )
        )
    return [*lines, "", _REAL_NOTE, ""]


def _large(held: dict[str, Book]) -> list[str]:
    run = held["large"].get("run")
    if not run:
        return []
    if "error" in run:
        return ["## A million rows", "", f"It failed: {run['error']}", ""]
    stages = "; ".join(f"{name} {cpu} s, {peak} MiB" for name, (cpu, peak) in run["stages"].items())
    return [
        "## A million rows",
        "",
        f"{run['rows'][0]:,} v {run['rows'][1]:,} rows × 20 columns of Parquet, 999 permutations, "
        f"one BLAS thread: {run['cpu seconds']} CPU seconds, {run['peak MiB']} MiB at the peak "
        f"(goal: 180 s, 4,096 MiB). Named: {', '.join(run['columns'])}; a shift of .02 standard "
        f"deviations of x0 is the truth. When each stage ended: {stages}.",
        "",
    ]


def _shown(rate: outcomes.Rate) -> str:
    return f"{rate[0]:.2f} [{rate[1]:.2f}, {rate[2]:.2f}]"


def _span(counts: Collection[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low} to {high}"


def _row(*cells: Any) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _table_head(*names: str) -> list[str]:
    return [_row(*names), "|" + "---|" * len(names)]


_SHORT = "<!-- Written by `python -m experiments.compare`; do not edit. -->\n"
_HEAD = """<!-- Written by `python -m experiments.compare`; do not edit. -->
# Is compare right?

    python -m experiments.compare run --part level --jobs 2  # changes, columns, rows, real, …
    python -m experiments.compare.rivals run --jobs 2  # in the environment of requirements.txt
    python -m experiments.compare report               # this page and the figure

Two CSV files of a web shop (`tables.py`), 500 and 400 rows, twelve columns: a time stamp with daily
and weekly cycles, skewed amounts, counts with ties, correlated numbers, a heavy tail, a boolean,
categories of which most are rare, and missing values that depend on other columns. B is changed in
one of eight known ways, or not at all. Everything goes through the files and `samelaw.compare` with
199 permutations. Brackets are exact 95 % limits.

Read the power with this in mind. Strengths were set on other seeds so that it is neither 0 nor 1.
Two parts of compare were chosen with these kinds of change in sight, also on other seeds: every
category by itself, and the outer 2 % of a column by themselves, at a small price on smooth changes.
So the rows for new category, subgroup and tail flatter us.
"""
_REAL_NOTE = """CSV files, 999 permutations. *weeks together* and *months together* permute whole
weeks and months (`groups=`): rows that follow each other in time are not independent, and any two
stretches of such a stream differ otherwise. A month is thirty rows here, as the file has no dates;
the names of its columns are our reading of the values."""
