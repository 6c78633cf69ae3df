"""Figure 4 of the paper, left: power of RJSD-Split against the order."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import save_figure

import samelaw as sl

PERMUTATIONS = 199
ORDERS = (1, 2, 4, 6, 10, 20)
SIGMAS = (2.0, 1.6)
OBJECTIVES = {"published objective": 0, "bias removed": 4, "published, full matrix": 0}


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of a split with one order and objective."""
    x, y = problems.mixture(rng, float(problem.split("= ")[1]), 500, 500)
    objective = sl.testing.MaximizeRJSD(sl.PowerSeries(value), permutations=OBJECTIVES[method])
    dimensions = 2 if method.endswith("matrix") else 0
    strategy = sl.Split(value, dimensions=dimensions, objective=objective)
    return sl.two_sample_test(x, y, strategy=strategy, permutations=PERMUTATIONS, rng=seed).pvalue


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(SIGMAS), figsize=(8.5, 3.4), sharey=True)
    for axis, sigma in zip(axes, SIGMAS, strict=True):
        for index, method in enumerate(OBJECTIVES):
            found = grid.select(book, problem=f"σ = {sigma}", method=method)
            found.sort(key=lambda entry: entry["value"])
            if not found:
                continue
            power = np.array([grid.rate(entry) for entry in found])
            at = [ORDERS.index(entry["value"]) for entry in found]
            errors = np.abs(power[:, 1:] - power[:, :1]).T
            axis.errorbar(
                at, power[:, 0], errors, color=f"C{index}", marker="o", ms=4, label=method
            )
        axis.set_xticks(range(len(ORDERS)), ORDERS)
        axis.set_xlabel("order p")
        axis.set_title(f"RJSD-Split, Mixture, σ = {sigma}, n = m = 500", fontsize=10)
        axis.axhline(grid.LEVEL, color="0.6", lw=0.7, ls=":")
        axis.set_ylim(-0.02, 1.02)
    axes[0].set_ylabel("power")
    axes[1].legend(fontsize=8, frameon=False)
    figure.tight_layout()
    save_figure(figure, folder)


def run(chosen: Namespace, raw: Path) -> None:
    names = [
        n for n in OBJECTIVES if ("matrix" if n.endswith("matrix") else "scalar") in chosen.part
    ]
    cells = [
        grid.Cell(f"σ = {sigma}", order, name, chosen.repetitions or 200)
        for sigma in SIGMAS
        for order in ORDERS
        for name in names
    ]
    settings = {"level": grid.LEVEL, "permutations": PERMUTATIONS, "rows": 500}
    grid.run(
        cells, trial, raw / "results.json", seed=4, settings=settings, chosen=chosen,
    )  # fmt: skip


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results")


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    print(grid.summary(book))
    draw(book, folder)
    (folder / "table.md").write_text(grid.page(book, "experiments.fig4"))


EXPERIMENT = Experiment("fig4", run, summarize, report, ("scalar", "matrix"))


if __name__ == "__main__":
    EXPERIMENT.main()
