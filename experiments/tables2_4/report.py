"""β, the tables beside the paper's, and a figure, all from the summary."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.common import HERE, read_json, save_figure
from experiments.tables2_4.methods import FOURIER, METHODS
from experiments.tables2_4.tasks import BENCHMARKS
from experiments.tables2_4.trade_offs import RIVALS, curves, trade_offs
from samelaw.learn.adaptation import AdaptationPlan

HOME = HERE / "tables2_4"

BOOKS = ("main", "default", "rules", "apart", "batch", "fourier", "balance")

Held = dict[str, Any]
"""The books of accuracies, β by benchmark and method, and the directions of gradients."""


def summarize(raw: Path) -> Held:
    """Accuracies by problem, method and task; β; gradients."""
    books = {name: read_json(raw / f"{name}.json") for name in (*BOOKS, "gradients")}
    found = {name: folded(book) if name in BOOKS else book for name, book in books.items() if book}
    beta = read_json(raw / "beta.json")
    return found | ({"trade_offs": trade_offs(beta), "tried": curves(beta)} if beta else {})


def folded(book: dict[str, Any]) -> dict[str, Any]:
    """A book with nothing said twice: values by problem, method and task."""
    kept = {key: value for key, value in book.items() if key != "cells"}
    table: dict[str, Any] = {}
    for entry in grid.select(book):
        methods = table.setdefault(entry["problem"], {})
        methods.setdefault(entry["method"], {})[entry["value"]] = entry["values"]
    return {**kept, "values": table}


def unfolded(book: dict[str, Any]) -> dict[str, Any]:
    """Its cells again."""
    cells = [
        {"problem": problem, "method": method, "value": task, "values": values}
        for problem, methods in book.get("values", {}).items()
        for method, tasks in methods.items()
        for task, values in tasks.items()
    ]
    return {"cells": {i: {**c, "repetitions": len(c["values"])} for i, c in enumerate(cells)}}


def accuracies(
    book: dict[str, Any], benchmark: str, method: str, part: str = "main"
) -> np.ndarray[Any, Any]:
    """Accuracies (tasks, seeds) that are there for every task; empty if a task lacks them."""
    entries = grid.select(book, problem=f"{part} {benchmark}", method=method)
    by_task = {entry["value"]: entry["values"] for entry in entries}
    tasks = BENCHMARKS[benchmark].tasks
    seeds = min((len(by_task.get(task, ())) for task in tasks), default=0)
    return np.array([by_task[task][:seeds] for task in tasks]) if seeds else np.zeros((0, 0))


def compared(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> dict[str, float]:
    """The mean difference over tasks and seeds, tested over seeds (t) and over tasks (ranks)."""
    from scipy.stats import ttest_rel, wilcoxon

    seeds = min(first.shape[1], second.shape[1])
    apart = first[:, :seeds] - second[:, :seeds]
    by_seed, by_task = apart.mean(axis=0), apart.mean(axis=1)
    means = first[:, :seeds].mean(axis=0), second[:, :seeds].mean(axis=0)
    ranked = len(by_task) > 2 and bool(np.any(by_task != 0))
    return {
        "difference": float(by_seed.mean()),
        "standard_error": float(by_seed.std(ddof=1) / math.sqrt(seeds)) if seeds > 1 else math.nan,
        "p_over_seeds": float(ttest_rel(*means).pvalue) if seeds > 1 else math.nan,
        "p_over_tasks": float(wilcoxon(by_task).pvalue) if ranked else math.nan,
        "tasks_ahead": int((by_task > 0).sum()),
        "tasks": len(by_task),
        "seeds": seeds,
    }


def summary(held: Held) -> dict[str, Any]:
    """Per benchmark and method: β, mean over tasks and seeds, its error, the gap to MMD."""
    book = held["main"]
    found: dict[str, Any] = {}
    for benchmark in BENCHMARKS:
        base = accuracies(book, benchmark, "MMD")
        lines = {}
        for method in METHODS:
            values = accuracies(book, benchmark, method)
            if not values.size:
                continue
            means = values.mean(axis=0)
            error = means.std(ddof=1) / math.sqrt(len(means)) if len(means) > 1 else math.nan
            lines[method] = {
                "beta": held["trade_offs"][benchmark].get(method),
                "mean": float(means.mean()),
                "standard_error": float(error),
                "seeds": values.shape[1],
                "tasks": dict(
                    zip(BENCHMARKS[benchmark].tasks, values.mean(axis=1).tolist(), strict=True)
                ),
            }
            if method in RIVALS and base.size:
                lines[method]["against MMD"] = compared(values, base)
        if lines:
            found[benchmark] = lines
    return found


def _line(*cells: Any) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def _header(*names: str) -> list[str]:
    return [_line(*names), _line(*("---" for _ in names))]


def _pvalue(p: float) -> str:
    return "–" if math.isnan(p) else f"{p:.3f}" if p >= 0.001 else "< .001"


def overview(found: dict[str, Any]) -> list[str]:
    """Mean accuracy of every method on every benchmark, the best in bold."""
    known = [b for b in BENCHMARKS if b in found]
    best = {b: max(line["mean"] for line in found[b].values()) for b in known}
    lines = _header("method", *(BENCHMARKS[b].title for b in known))
    for method in [m for m in METHODS if any(m in found[b] for b in known)]:
        cells = []
        for b in known:
            line = found[b].get(method)
            if line is None:
                cells.append("–")
                continue
            text = f"{line['mean']:.1f} ± {line['standard_error']:.1f}"
            cells.append(f"**{text}**" if line["mean"] == best[b] else text)
        lines.append(_line(method, *cells))
    return lines


def gaps(found: dict[str, Any]) -> list[str]:
    """RJSD less MMD on the same seeds."""
    lines = _header(
        "benchmark", "method", "less MMD", "p over seeds", "p over tasks", "tasks ahead", "β",
        "β of MMD",
    )  # fmt: skip
    for b, methods in found.items():
        for method, line in methods.items():
            gap = line.get("against MMD")
            if gap is None:
                continue
            lines.append(
                _line(
                    BENCHMARKS[b].title,
                    method,
                    f"{gap['difference']:+.2f} ± {gap['standard_error']:.2f}",
                    _pvalue(gap["p_over_seeds"]),
                    _pvalue(gap["p_over_tasks"]),
                    f"{gap['tasks_ahead']} of {gap['tasks']}",
                    f"{line['beta']:g}",
                    f"{methods['MMD']['beta']:g}",
                )
            )
    return lines


def beside_the_paper(found: dict[str, Any]) -> list[str]:
    """The paper's means and what was rerun."""
    lines = _header("paper", "MMD", "RJSD", "features of the paper", "rerun here")
    published = json.loads((HOME / "paper.json").read_text())
    for name, table in published.items():
        means = (f"{np.mean(table[m]):.1f}" for m in ("MMD", "RJSD"))
        lines.append(_line(name, *means, table["features"], table["rerun"]))
    return lines


def task_table(found: dict[str, Any], benchmark: str) -> list[str]:
    """Accuracy per task."""
    tasks = BENCHMARKS[benchmark].tasks
    lines = _header("method", *tasks, "mean")
    for method, line in found[benchmark].items():
        cells = [f"{line['tasks'][task]:.1f}" for task in tasks]
        lines.append(_line(method, *cells, f"{line['mean']:.1f} ± {line['standard_error']:.1f}"))
    if benchmark == "office31":
        table = json.loads((HOME / "paper.json").read_text())["Office-31 (table 2)"]
        for name in ("MMD", "RJSD"):
            row = dict(zip(table["tasks"], table[name], strict=True))
            cells = [f"{row[task]:.1f}" for task in tasks]
            lines.append(_line(f"*paper, {name}*", *cells, f"{np.mean(table[name]):.1f}"))
    return lines


def rule_table(held: Held) -> list[str]:
    """How the step is chosen: mean over tasks and seeds, per rule."""
    book = held["rules"]
    entries = grid.select(book)
    names = list(dict.fromkeys(e["method"].partition(" @ ")[0] for e in entries))
    rules = list(dict.fromkeys(e["method"].partition(" @ ")[2] for e in entries))
    if not names:
        return []
    lines = _header(
        "method", *(f"{r} (uses target labels)" if r == "TargetTest" else r for r in rules)
    )
    for name in names:
        cells = []
        for rule in rules:
            values = [e["values"] for e in entries if e["method"] == f"{name} @ {rule}"]
            seeds = min(map(len, values))
            means = np.array([v[:seeds] for v in values]).mean(axis=0)
            error = means.std(ddof=1) / math.sqrt(seeds) if seeds > 1 else math.nan
            cells.append(f"{means.mean():.1f} ± {error:.1f}")
        lines.append(_line(name, *cells))
    return lines


def batch_table(held: Held) -> list[str]:
    """RJSD less MMD on the same seeds, by rows in a batch."""
    book, main = held["batch"], held["main"]
    names = sorted({e["method"].partition(" @ ")[0] for e in grid.select(book)} - {"MMD"})
    sizes = sorted({int(e["method"].partition(" @ ")[2]) for e in grid.select(book)})
    lines = _header("rows of each domain", "MMD", *(f"{name}, less MMD" for name in names))
    usual = BENCHMARKS["office31"].plan.batch
    for size in sorted({*sizes, usual}):
        book_here, prefix = (main, "main") if size == usual else (book, "batch")
        label = "" if size == usual else f" @ {size}"
        found = {n: accuracies(book_here, "office31", n + label, prefix) for n in ("MMD", *names)}
        if not all(values.size for values in found.values()):
            continue
        gap = [compared(found[name], found["MMD"]) for name in names]
        shown = [f"{g['difference']:+.2f} ± {g['standard_error']:.2f}" for g in gap]
        lines.append(_line(size, f"{found['MMD'].mean():.1f}", *shown))
    return lines if len(lines) > 3 else []


def fourier_table(held: Held) -> list[str]:
    """RJSD by Fourier features of large batches, less MMD of the same batches."""
    book = held["fourier"]
    lines = _header("benchmark", "MMD", f"{FOURIER}, less MMD", "tasks ahead")
    for benchmark, known in BENCHMARKS.items():
        base, ours = (
            accuracies(book, benchmark, f"{name} @ 256", "fourier") for name in ("MMD", FOURIER)
        )
        if base.size and ours.size:
            gap = compared(ours, base)
            shown = f"{gap['difference']:+.2f} ± {gap['standard_error']:.2f}"
            ahead = f"{gap['tasks_ahead']} of {gap['tasks']}"
            lines.append(_line(known.title, f"{base.mean():.1f}", shown, ahead))
    return lines if len(lines) > 2 else []


def balance_table(held: Held) -> list[str]:
    """Source rows weighted by the class shares predicted for the target, and not."""
    book, main = held["balance"], held["main"]
    lines = _header("method", "plain", "class weights", "difference", "tasks ahead")
    for name in ("MMD", "RJSD 3"):
        plain = accuracies(main, "pacs", name)
        weighted = accuracies(book, "pacs", name, "balance")
        if plain.size and weighted.size:
            gap = compared(weighted, plain)
            shown = f"{gap['difference']:+.2f} ± {gap['standard_error']:.2f}"
            ahead = f"{gap['tasks_ahead']} of {gap['tasks']}"
            lines.append(_line(name, f"{plain.mean():.1f}", f"{weighted.mean():.1f}", shown, ahead))
    return lines if len(lines) > 2 else []


def apart_table(held: Held) -> list[str]:
    """The share of trainings after which a test still tells the domains apart."""
    book = held["apart"]
    entries = grid.select(book)
    tasks = [t for t in BENCHMARKS["office31"].tasks if any(e["value"] == t for e in entries)]
    names = list(dict.fromkeys(e["method"] for e in entries))
    if not names:
        return []
    lines = _header("method", *tasks)
    for name in names:
        cells = []
        for task in tasks:
            here = [e for e in entries if e["method"] == name and e["value"] == task]
            hits = [grid.rejections(entry) for entry in here]
            cells.append(f"{int(hits[0].sum())} of {len(hits[0])}" if hits else "–")
        lines.append(_line(name, *cells))
    return lines


def default_table(held: Held, found: dict[str, Any]) -> list[str]:
    """Accuracy with β chosen for the benchmark, and with that of `AdaptationPlan`."""
    usual = AdaptationPlan().trade_off
    names = ("MMD", "RJSD 3")
    lines = _header(
        "benchmark", *(f"{n}, {kind}" for n in names for kind in ("best β", f"β = {usual:g}"))
    )
    for benchmark, methods in found.items():
        cells = []
        for name in names:
            line = methods[name]
            best = f"{line['mean']:.1f} (β = {line['beta']:g})"
            part = "main" if line["beta"] == usual else "default"
            plain = accuracies(held[part], benchmark, name, part)
            cells += [best, f"{plain.mean():.1f}" if plain.size else "–"]
        lines.append(_line(BENCHMARKS[benchmark].title, *cells))
    return lines


def curve_table(held: Held, benchmark: str) -> list[str]:
    """Mean accuracy at every β that was tried, on the seed of the choice."""
    tried = held.get("tried", {}).get(benchmark, {})
    if not tried:
        return []
    steps = sorted({float(beta) for values in tried.values() for beta in values})
    lines = _header("method", *(f"β = {beta:g}" for beta in steps))
    for name, values in tried.items():
        known = {float(beta): value for beta, value in values.items()}
        lines.append(_line(name, *(f"{known[b]:.1f}" if b in known else "–" for b in steps)))
    return lines


def gradient_table(held: Held) -> list[str]:
    """Directions of the gradients on one batch, and the spectrum they come from."""
    found = held.get("gradients", {}).get("batches", {})
    if not found:
        return []
    first = next(iter(found.values()))
    bases = [key.removeprefix("cosine to ") for key in first if key.startswith("cosine to ")]
    lines = _header(
        "cosine of the gradient with that of",
        *(f"{base}, {size} + {size} rows" for base in bases for size in found),
    )
    for method in first["values"]:
        cells = [f"{found[s][f'cosine to {b}'][method]:.3f}" for b in bases for s in found]
        lines.append(_line(method, *cells))
    tops = ", ".join(
        f"{size} rows: " + ", ".join(f"{v:.3f}" for v in batch["largest_eigenvalues"])
        for size, batch in found.items()
    )
    return [*lines, "", f"Three largest eigenvalues of the pooled operator; {tops}."]


def write(kept: Held, folder: Path) -> None:
    """table.md and the figure."""
    held = {**kept, **{name: unfolded(kept.get(name, {})) for name in BOOKS}}
    found = summary(held)
    if not found:
        return
    text = ["<!-- Written by `python -m experiments.tables2_4`; do not edit. -->", ""]
    seeds = sorted({line["seeds"] for methods in found.values() for line in methods.values()})
    text += [
        f"**Mean target accuracy in per cent over all tasks** (± standard error over "
        f"{' or '.join(map(str, seeds))} seeds, last step of the schedule)", "", *overview(found),
        "", "**RJSD less MMD on the same seeds, in points** (paired t-test over seeds, Wilcoxon's "
        "signed-rank test over tasks)", "", *gaps(found), "",
        "**Beside tables 2–4 of the paper** (means over tasks)", "", *beside_the_paper(found), "",
    ]  # fmt: skip
    for benchmark in found:
        text += [
            f"**{BENCHMARKS[benchmark].title}, per task**",
            "",
            *task_table(found, benchmark),
            "",
        ]
    made = BENCHMARKS["turntable"].title
    for title, lines in (
        ("β chosen for the benchmark, and that of `AdaptationPlan` (means over tasks; one seed at "
         "the latter)", default_table(held, found)),
        (f"{made}: every β, on the seed of the choice", curve_table(held, "turntable")),
        ("Office-31: how the step is chosen (a tenth of the source held out)", rule_table(held)),
        ("Office-31: trainings after which a test on rows kept out of them still tells the domains "
         "apart (level .05, at most 200 rows each)", apart_table(held)),
        ("Office-31: rows in a batch, at the same β and number of steps", batch_table(held)),
        ("Fourier features, 256 rows of each domain in a batch", fourier_table(held)),
        ("PACS: source rows weighted by the class shares predicted for the target",
         balance_table(held)),
        ("Office-31, A→D: why the methods are alike", gradient_table(held)),
    ):  # fmt: skip
        if lines:
            text += [f"**{title}**", "", *lines, ""]
    (folder / "table.md").write_text("\n".join(text))
    draw(found, folder)
    print("\n".join([*overview(found), "", *gaps(found)]))


def draw(found: dict[str, Any], folder: Path) -> None:
    """Gap to MMD of every order with 95 % limits (Student's t), one panel per benchmark."""
    from matplotlib import pyplot as plt
    from scipy.stats import t

    figure, axes = plt.subplots(
        1, len(found), figsize=(2.7 * len(found), 3.2), squeeze=False, layout="constrained"
    )
    for axis, (benchmark, methods) in zip(axes[0], found.items(), strict=True):
        shown = [(m, line["against MMD"]) for m, line in methods.items() if "against MMD" in line]
        for place, (method, gap) in enumerate(shown):
            colour = "#0072b2" if gap["difference"] > 0 else "#c0392b"
            half = t.ppf(0.975, methods[method]["seeds"] - 1) * gap["standard_error"]
            axis.errorbar(place, gap["difference"], half, fmt="o", color=colour)
        axis.axhline(0, color="black", lw=0.8)
        names = [
            m.replace("RJSD ", "")
            .replace(", corrected", "\ncorr.")
            .replace(", wider kernels", "\nwide")
            for m, _ in shown
        ]
        axis.set_xticks(range(len(shown)), names, fontsize=8)
        axis.set_title(BENCHMARKS[benchmark].title, loc="left", fontsize=9)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("RJSD less MMD, points")
    figure.supxlabel(
        "order (∞: von Neumann; corr.: less its bias; wide: wider kernels)", fontsize=9
    )
    save_figure(figure, folder)
    plt.close(figure)
