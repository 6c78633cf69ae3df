"""Large samples: power of block sketches beside all pairs of rows; time and memory of two runs."""

import json
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure, versions, write_json

import samelaw as sl

PERMUTATIONS = 199
ROUTES = {"sketches": True, "all pairs": False}
MIXTURE = {1000: 1.28, 1500: 1.24, 2000: 1.21, 3000: 1.18}
DRAWS = {1000: 200, 1500: 200, 2000: 200, 3000: 20}
"""By n: all pairs of 2n rows take 2 to 4, 6 to 13, 13 to 30 and 35 to 100 CPU seconds."""
SHAPES = ((100_000, 20), (1_000_000, 5))


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of the default test by one route."""
    if problem == "mixture":
        x, y = problems.mixture(rng, MIXTURE[value], value, value)
    else:  # a change that shrinks with the size of the sample, in 10-D
        x, y = rng.normal(size=(value, 10)), rng.normal(size=(value, 10))
        y[:, 0] += 5.5 / np.sqrt(value) if problem == "mean" else 0.0
        y *= 1 + 1.1 / np.sqrt(value) if problem == "scale" else 1.0
    return sl.two_sample_test(
        x, y, strategy=sl.Fuse(sketches=ROUTES[method]), permutations=PERMUTATIONS, rng=seed
    ).pvalue


def cells(most: int | None) -> list[grid.Cell]:
    """Both routes, size by size: they are compared on the same draws."""
    return [
        grid.Cell(problem, n, route, most or count)
        for n, count in DRAWS.items()
        for problem in ("mixture", "mean", "scale")
        for route in ROUTES
    ]


_RUN = """
import json, resource, sys, time
import numpy as np
import samelaw as sl
n, d = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
y[:, 0] *= 1 + 2.2 / n**0.5
held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
wall, cpu = time.perf_counter(), time.process_time()
found = sl.two_sample_test(x, y, rng=0)
print(json.dumps({
    "rows": n, "columns": d, "pvalue": found.pvalue, "method": found.method,
    "wall seconds": round(time.perf_counter() - wall, 1),
    "cpu seconds": round(time.process_time() - cpu, 1),
    "MiB before the test": round(held),
    "peak MiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10),
}))
"""


def single_runs(raw: Path) -> None:
    """One test each of the large shapes, with 999 permutations and two threads."""
    import os

    path = raw / "runs.json"
    book: dict[str, Any] = {"versions": versions(), "runs": {}}
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    for n, d in SHAPES:
        done = subprocess.run(
            [sys.executable, "-c", _RUN, str(n), str(d)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **dict.fromkeys(names, "2")},
        )
        book["runs"][f"{n} v {n} x {d}"] = json.loads(done.stdout)
        write_json(path, book)


def paired(book: dict[str, Any]) -> str:
    """Both routes on the same draws, all sizes together."""
    lines = ["", "| the same draws | sketches | all pairs | difference |", "|---|---|---|---|"]
    for problem in ("mixture", "mean", "scale"):
        found = {
            (entry["value"], entry["method"]): grid.rejections(entry)
            for entry in grid.select(book, problem=problem)
        }
        pairs = [
            (found[n, "sketches"], found[n, "all pairs"])
            for n in MIXTURE
            if (n, "sketches") in found and (n, "all pairs") in found
        ]
        if pairs:
            few, full = (
                np.concatenate([pair[side][: min(map(len, pair))] for pair in pairs]).astype(float)
                for side in (0, 1)
            )
            error = (few - full).std(ddof=1) / len(few) ** 0.5
            lines.append(
                f"| {problem} | {few.mean():.3f} | {full.mean():.3f} | "
                f"{(few - full).mean():+.3f} ± {error:.3f} ({len(few)} draws) |"
            )
    return "\n".join(lines) + "\n"


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    if not grid.select(book):
        return
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), sharey=True)
    for axis, problem in zip(axes, ("mixture", "mean", "scale"), strict=True):
        for route, colour in zip(ROUTES, ("C3", "C0"), strict=True):
            found = grid.select(book, problem=problem, method=route)
            found.sort(key=lambda entry: entry["value"])
            if found:
                power = np.array([grid.rate(entry) for entry in found])
                errors = np.abs(power[:, 1:] - power[:, :1]).T
                at = [entry["value"] + (30 if route == "all pairs" else 0) for entry in found]
                axis.errorbar(at, power[:, 0], errors, color=colour, marker="o", ms=4, label=route)
        axis.set_title(f"{problem}: the change shrinks with n", fontsize=10)
        axis.set_xlabel("n = m")
        axis.set_ylim(0, 1)
    axes[0].set_ylabel("power of Fuse()")
    axes[0].legend(frameon=False)
    figure.tight_layout()
    save_figure(figure, folder)


def run(chosen: Namespace, raw: Path) -> None:
    if "runs" in chosen.part and not chosen.quick:
        single_runs(raw)
    if "power" in chosen.part:
        settings = {"level": grid.LEVEL, "permutations": PERMUTATIONS, "mixture σ": MIXTURE}
        grid.run(
            cells(chosen.repetitions), trial, raw / "results.json", seed=7, settings=settings,
            chosen=chosen, chunk=5, round_of=1000,
        )  # fmt: skip


def summarize(raw: Path) -> Summary:
    runs = read_json(raw / "runs.json")
    return grid.books(raw, "results") | ({"runs": runs} if runs else {})


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    print(grid.summary(book))
    for line in summary.get("runs", {}).get("runs", {}).values():
        print(line)
    draw(book, folder)
    (folder / "table.md").write_text(grid.page(book, "experiments.large") + paired(book))


EXPERIMENT = Experiment("large", run, summarize, report, ("power", "runs"))


if __name__ == "__main__":
    EXPERIMENT.main()
