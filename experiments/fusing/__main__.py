"""Order-adaptive fusing against MMD-Fuse and against single orders, on six kinds of change."""

import math
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import save_figure
from experiments.fusing import tuning

import samelaw as sl

PERMUTATIONS = 199
ROWS = 200

CHANGES: dict[str, tuple[Callable[..., Any], float]] = {
    "mean": (problems.mean_shift, 0.35),
    "scale": (problems.scale_change, 1.08),
    "correlation": (problems.correlation, 0.25),
    "mixture variance": (problems.mixture_variance, 2.0),
    "tails": (problems.tails, 5.0),
    "subgroup": (problems.subgroup, 0.1),
}
METHODS: dict[str, Callable[[], sl.Strategy]] = {
    "Fuse (default)": sl.Fuse,
    "MMD-Fuse": sl.Fuse.mmd,
    "order 1": lambda: sl.Fuse([sl.KernelGroup(entropies=(1,))]),
    "order 4": lambda: sl.Fuse([sl.KernelGroup(entropies=(4,))]),
    "order 10": lambda: sl.Fuse([sl.KernelGroup(entropies=(10,))]),
    "von Neumann": lambda: sl.Fuse([sl.KernelGroup(entropies=(math.inf,))]),
}
SINGLE = ("order 1", "order 4", "order 10", "von Neumann")


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of a strategy on one draw; all strategies see the same draws."""
    x, y = CHANGES[problem][0](rng, value, ROWS, ROWS)
    return sl.two_sample_test(
        x, y, strategy=METHODS[method](), permutations=PERMUTATIONS, rng=seed
    ).pvalue


def paired(first: dict[str, Any], second: dict[str, Any]) -> tuple[float, float, int]:
    """Difference of two rejection rates on the same draws, its standard error, and how many."""
    count = min(first["repetitions"], second["repetitions"])
    apart = grid.rejections(first)[:count] * 1.0 - grid.rejections(second)[:count]
    return float(apart.mean()), float(apart.std(ddof=1) / math.sqrt(count)), count


def table(book: dict[str, Any]) -> dict[str, Any]:
    """Per change: power of each method, the default less MMD-Fuse, and less the best order."""
    found: dict[str, Any] = {}
    for change in CHANGES:
        here = {entry["method"]: entry for entry in grid.select(book, problem=change)}
        if not {"Fuse (default)", "MMD-Fuse"} <= set(here):
            continue
        line: dict[str, Any] = {name: round(grid.rate(entry)[0], 4) for name, entry in here.items()}
        names = {"ahead of MMD-Fuse": "MMD-Fuse"}
        singles = [name for name in SINGLE if name in here]
        if singles:
            best = max(singles, key=lambda name: line[name])
            line["best single order"] = best
            names["ahead of the best single order"] = best
        for label, other in names.items():
            gap, error, count = paired(here["Fuse (default)"], here[other])
            line[label] = [round(gap, 4), round(error, 4), count]
        found[change] = line
    gaps = [line["ahead of MMD-Fuse"] for line in found.values()]
    if len(gaps) == len(CHANGES):
        error = math.sqrt(sum(g[1] ** 2 for g in gaps)) / len(gaps)
        found["average"] = {
            "ahead of MMD-Fuse": [
                round(float(np.mean([g[0] for g in gaps])), 4),
                round(error, 4),
                min(g[2] for g in gaps),
            ]
        }
    return found


def page(book: dict[str, Any]) -> str:
    """The table in Markdown: power, and differences on the same draws with their errors."""
    found = table(book)
    names = [name for name in METHODS if any(name in line for line in found.values())]
    heads = [*names, "ahead of MMD-Fuse", "ahead of the best single order"]
    lines = [
        "<!-- Written by `python -m experiments.fusing`; do not edit. -->",
        "",
        f"| change | {' | '.join(heads)} |",
        "|---" * (len(heads) + 1) + "|",
    ]
    for change, line in found.items():
        cells = [f"{line[name]:.3f}" if name in line else "" for name in names]
        for head in heads[-2:]:
            gap = line.get(head)
            which = f", {line['best single order']}" if gap and "single" in head else ""
            cells.append(f"{gap[0]:+.3f} ± {gap[1]:.3f} ({gap[2]} draws{which})" if gap else "")
        lines.append(f"| {change} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    if not grid.select(book):
        return
    figure, axis = plt.subplots(figsize=(9.5, 4))
    for index, name in enumerate(METHODS):
        found = [
            (i, e) for i, c in enumerate(CHANGES) for e in grid.select(book, problem=c, method=name)
        ]
        if not found:
            continue
        power = np.array([grid.rate(entry) for _, entry in found])
        at = np.array([i for i, _ in found]) + 0.13 * (index - 2.5)
        axis.bar(at, power[:, 0], 0.12, color=f"C{(3, 2, 0, 9, 4, 7)[index]}", label=name)
        axis.errorbar(
            at, power[:, 0], np.abs(power[:, 1:] - power[:, :1]).T, fmt="none", ecolor="0.2", lw=0.8
        )
    labels = [f"{name}\n({value:g})" for name, (_, value) in CHANGES.items()]
    axis.set_xticks(range(len(CHANGES)), labels, fontsize=9)
    axis.set_ylabel("power")
    axis.set_title(f"Six kinds of change, n = m = {ROWS}, B = {PERMUTATIONS}")
    axis.legend(fontsize=8, frameon=False, ncols=3, loc="upper center")
    axis.set_ylim(0, 1)
    save_figure(figure, folder)


def run(chosen: Namespace, raw: Path) -> None:
    wanted = chosen.repetitions or 500
    names = [n for n in METHODS if ("von-neumann" if n == "von Neumann" else "main") in chosen.part]
    cells = [
        grid.Cell(change, value, name, wanted)
        for name in names
        for change, (_, value) in CHANGES.items()
    ]
    settings = {"level": grid.LEVEL, "permutations": PERMUTATIONS, "rows": ROWS}
    if cells:
        grid.run(
            cells, trial, raw / "results.json", seed=11, settings=settings, jobs=chosen.jobs,
            methods=chosen.method, budget=chosen.budget, chunk=20, round_of=100,
        )  # fmt: skip
    if "tuning" in chosen.part:
        tuning.run(chosen, raw / "tuning.json")


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results", "tuning")


def report(summary: Summary, folder: Path) -> None:
    for change, line in table(summary["results"]).items():
        print(f"{change:17} {line}")
    print(tuning.told(summary.get("tuning", {})))
    draw(summary["results"], folder)
    (folder / "table.md").write_text(page(summary["results"]))


EXPERIMENT = Experiment("fusing", run, summarize, report, ("main", "von-neumann", "tuning"))


if __name__ == "__main__":
    EXPERIMENT.main()
