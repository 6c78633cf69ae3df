"""The second-order statistic beside the exact one: correlation, largest deviation, power."""

import math
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure

import samelaw as sl
from samelaw.testing import KernelGroup
from samelaw.testing.standardize import Scaling

RELABELLINGS = 99
SIZES = ((100, 100), (20, 200), (5, 200), (250, 250))
ENTROPIES: dict[str, Any] = {
    "order 1": 1,
    "order 2": 2,
    "order 4": 4,
    "order 10": 10,
    "order 20": 20,
    "von Neumann": math.inf,
    "Rényi 2": sl.Renyi(2),
}
DATA: dict[str, Callable[..., Any]] = {
    "2-D mixture": lambda rng, n, m: problems.mixture(rng, 1.6, n, m),
    "5-D Gaussian": lambda rng, n, m: (rng.normal(size=(n, 5)), 1.2 * rng.normal(size=(m, 5))),
    "64-D Gaussian": lambda rng, n, m: (rng.normal(size=(n, 64)), rng.normal(size=(m, 64)) + 0.05),
    "digits": lambda rng, n, m: problems.digits(rng, 0.1, n, m),
    "CIFAR features": lambda rng, n, m: problems.cifar_hard(rng, 0.3, n, m),
}
SCALINGS = ("paper", "default", "a quarter of it", "plain")
COLLECTION = sl.kernels.KernelCollection(grid=sl.kernels.GeometricGrid(5))


@dataclass(frozen=True)
class Scaled(Scaling):
    """A scaling of ``Fuse`` that changes the kernel and leaves the statistic as it is.

    "paper": K/√N. "default": largest eigenvalue 1, or 2 min(n, m)/(n + m), as in ``Fuse()``.
    "a quarter of it": far from where the series of a sample stops converging.
    """

    kind: str

    def kernel_factor(
        self, operator: Any, entropies: Any, sizes: tuple[int, ...], statistic: Any
    ) -> float:
        if self.kind == "paper":
            return sl.Fuse.rjsd().scaling.kernel_factor(operator, entropies, sizes, statistic)
        if self.kind == "plain":
            return 1.0
        share = 2.0 * min(sizes) / sum(sizes)
        return share / operator.largest / (1.0 if self.kind == "default" else 4.0)

    def fit(self, *_: Any) -> Any:
        return np.asarray


def values(x: Any, y: Any, plan: sl.testing.Strategy, seed: int) -> Any:
    """The statistic for the same permutations, standardised by their mean and deviation."""
    found = sl.two_sample_test(x, y, strategy=plan, permutations=RELABELLINGS, rng=seed)
    all_values = np.array([found.statistic, *found.null_distribution])
    return (all_values - all_values[1:].mean()) / all_values[1:].std()


def agreement(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> Any:
    """Correlation over permutations and largest deviation, one pair per kernel of the grid."""
    n, m = (int(part) for part in value.split(" v "))
    entropy, scaling = method.split(", ")
    x, y = DATA[problem](rng, n, m)
    pairs = []
    for kernel in COLLECTION(np.concatenate([x, y])):
        plans = (
            sl.Fuse(
                [KernelGroup([kernel], (ENTROPIES[entropy],))],
                statistic=statistic,
                scaling=Scaled(scaling),
            )
            for statistic in (sl.SecondOrder(), sl.Exact())
        )
        second, exact = (values(x, y, plan, seed) for plan in plans)
        pairs.append((np.corrcoef(second[1:], exact[1:])[0, 1], np.abs(second - exact).max()))
    return np.array(pairs)


def measure(cells: list[tuple[str, str, str]], path: Any, jobs: int, budget: float) -> Any:
    """Fill the table of agreements; cells already there are kept."""
    import time

    from experiments.common import versions, write_json
    from joblib import Parallel, delayed

    book = read_json(path) or {"seed": 2, "settings": {}, "versions": {}, "cells": {}}
    book["versions"] = {**book["versions"], **versions()}
    book["settings"] = {"permutations": RELABELLINGS, "kernels": "Gaussian, Laplace × 5 bandwidths"}
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * budget
    left = (c for c in cells if " | ".join(c) not in book["cells"] and time.monotonic() < end)
    work = (delayed(_agreement)(cell) for cell in left)
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch=jobs + 1)
    for cell, pairs in parallel(work):
        book["cells"][" | ".join(cell)] = {
            "correlation": [round(float(c), 6) for c in pairs[:, 0]],
            "deviation": [round(float(d), 4) for d in pairs[:, 1]],
        }
        write_json(path, book)
    return book


def _agreement(cell: tuple[str, str, str]) -> Any:
    return cell, agreement(*cell, *grid.stream(2, cell[0], cell[1], 0))


def report(book: dict[str, Any]) -> str:
    """Markdown per sizes: the worst kernel over all data, the median and the largest deviation."""
    lines = []
    for n, m in SIZES:
        lines += [f"| {n} v {m} | {' | '.join(SCALINGS)} |", "|---" * (len(SCALINGS) + 1) + "|"]
        for entropy in ENTROPIES:
            cells = [_cell(book, f"| {n} v {m} | {entropy}, {scaling}") for scaling in SCALINGS]
            lines.append(f"| {entropy} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(book: dict[str, Any], end: str) -> str:
    found = [e for key, e in book.get("cells", {}).items() if key.endswith(end)]
    if not found:
        return ""
    lowest = min(min(e["correlation"]) for e in found)
    middle = float(np.median([c for e in found for c in e["correlation"]]))
    largest = max(e["deviation"] for e in found)
    return f"{lowest:.4f} ({middle:.5f}), {largest:.3f}"


_EXPLAINED = """
Correlation of the second-order and the exact statistic over 99 permutations: the lowest over
kernels and data sets (the median), and the largest difference in standard deviations.

"""


# --- power of both statistics where they differ --------------------------------------------------

SMALL = sl.kernels.KernelCollection(families=(sl.Gaussian,), grid=sl.kernels.GeometricGrid(3))
SHIFTS = {
    "20 v 200, wider": (20, 200, 1.45, 0.0),
    "20 v 200, narrower": (20, 200, 0.65, 0.0),
    "20 v 200, mean": (20, 200, 1.0, 0.6),
    "5 v 200, mean": (5, 200, 1.0, 1.4),
    "5 v 200, wider": (5, 200, 2.0, 0.0),
    "50 v 50, wider": (50, 50, 1.35, 0.0),
}


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of one statistic; the small sample is the changed one, in 4-D."""
    n, m, width, shift = SHIFTS[problem]
    x, y = width * rng.normal(size=(n, 4)), rng.normal(size=(m, 4))
    x[:, 0] += shift
    statistic = sl.Exact() if method == "exact" else sl.SecondOrder()
    plan = sl.Fuse([KernelGroup(SMALL, (ENTROPIES[value],))], statistic=statistic)
    return sl.two_sample_test(x, y, strategy=plan, permutations=RELABELLINGS, rng=seed).pvalue


def draw(book: dict[str, Any], power: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12.5, 4.2))
    marks = dict(zip(SIZES, "osD^", strict=True))
    for index, (n, m) in enumerate(SIZES):
        for place, entropy in enumerate(ENTROPIES):
            found = [
                c
                for key, e in book.get("cells", {}).items()
                for c in e["correlation"]
                if key.endswith(f"| {n} v {m} | {entropy}, default")
            ]
            gap = np.clip(1 - np.array(found), 1e-7, None)
            at = np.full(len(found), place + 0.2 * (index - 1.5))
            label = f"{n} v {m}" if place == 0 else None
            left.semilogy(at, gap, marks[n, m], color=f"C{index}", ms=3, alpha=0.6, label=label)
    left.axhline(1e-3, color="0.5", lw=0.8, ls=":")
    left.set_xticks(range(len(ENTROPIES)), ENTROPIES, rotation=25, fontsize=8)
    left.set_ylabel("1 − correlation over permutations")
    left.set_title("Second-order v exact statistic, every kernel and data set", fontsize=10)
    left.legend(fontsize=8, frameon=False)
    names = [(p, v) for p in SHIFTS for v in ("order 10", "von Neumann")]
    for index, method in enumerate(("second order", "exact")):
        found = [
            (i, *grid.rate(entry))
            for i, (p, v) in enumerate(names)
            for entry in grid.select(power, problem=p, value=v, method=method)
        ]
        if found:
            at = np.array(found)
            errors = np.abs(at[:, 2:] - at[:, 1:2]).T
            right.errorbar(
                at[:, 0] + 0.2 * index,
                at[:, 1],
                errors,
                fmt="o",
                ms=4,
                color=f"C{index}",
                label=method,
            )
    right.set_xticks(
        range(len(names)), [f"{p}; {v}" for p, v in names], rotation=40, ha="right", fontsize=7
    )
    right.set_ylabel("power")
    right.set_ylim(0, 1)
    right.set_title("Power where the two differ", fontsize=10)
    if grid.select(power):
        right.legend(fontsize=8, frameon=False)
    else:
        right.text(0.5, 0.5, "not run", transform=right.transAxes, ha="center", color="0.5")
    figure.tight_layout()
    save_figure(figure, folder)


def wanted(sizes: tuple[int, int], entropy: str, scaling: str) -> bool:
    if scaling == "a quarter of it":
        return sizes == SIZES[0] and entropy in ("order 10", "order 20")
    return scaling == "default" or entropy.startswith("order")


def run(chosen: Namespace, raw: Path) -> None:
    if "agreement" in chosen.part:
        cells = [
            (data, f"{n} v {m}", f"{entropy}, {scaling}")
            for n, m in SIZES
            for entropy in ENTROPIES
            for scaling in SCALINGS
            for data in DATA
            if wanted((n, m), entropy, scaling)
        ]
        measure(cells[: chosen.repetitions], raw / "results.json", chosen.jobs, chosen.budget)
    if "power" in chosen.part:
        repetitions = chosen.repetitions or 300
        table = [
            grid.Cell(p, v, s, repetitions)
            for v in ("order 10", "von Neumann")
            for p in SHIFTS
            for s in ("second order", "exact")
        ]
        settings = {"level": grid.LEVEL, "permutations": RELABELLINGS}
        grid.run(
            table, trial, raw / "power.json", seed=2, settings=settings, chosen=chosen,
        )  # fmt: skip


def summarize(raw: Path) -> Summary:
    agreed = read_json(raw / "results.json")
    for cell in agreed.get("cells", {}).values():
        cell["deviation"] = max(cell["deviation"])
    return grid.books(raw, "power") | ({"results": agreed} if agreed else {})


def write(summary: Summary, folder: Path) -> None:
    book, power = summary.get("results", {}), summary.get("power", {})
    text = grid.page(power, "experiments.second_order") + _EXPLAINED + report(book)
    print(text)
    (folder / "table.md").write_text(text)
    draw(book, power, folder)


EXPERIMENT = Experiment("second_order", run, summarize, write, ("agreement", "power"))


if __name__ == "__main__":
    EXPERIMENT.main()
