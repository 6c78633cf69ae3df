"""Table 1 of the paper: CIFAR-10 against CIFAR-10.1, on images if they are there, else on votes."""

from argparse import Namespace
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid
from experiments.command import Experiment, Summary
from experiments.common import data_folder, save_figure
from experiments.table1 import cifar
from experiments.table1.votes import CLASSIFIERS, REPETITIONS, ROWS, SEED, VOTES, draw_votes

import samelaw as sl

PERMUTATIONS = 199
METHODS: dict[str, Callable[[], sl.testing.Strategy]] = {
    "RJSD-Fuse": sl.Fuse.rjsd,
    "MMD-Fuse": sl.Fuse.mmd,
    "MMDAgg": sl.Aggregate.mmd,
    "Fuse (default)": sl.Fuse,
    "RJSD-Split": sl.Split,
    "MMD-Split": sl.Split.mmd,
    "MMDAggInc": lambda: sl.Aggregate.mmd(pairs=200),
}
IMAGES = "images"


@cache
def images() -> tuple[Any, Any]:
    places = cifar.found(data_folder())
    if places is None:
        raise SystemExit("no images: put test_batch.bin and cifar10.1_v4_*.npy into SAMELAW_DATA.")
    batch, folder = places
    return cifar.rows(cifar.read_batch(batch)[0]), cifar.rows(cifar.read_cifar_10_1(folder)[0])


def draw_rows(problem: str, rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """n rows of CIFAR-10 and of CIFAR-10.1."""
    if problem == IMAGES:
        old, new = images()
        return rng.permutation(old)[:n], rng.permutation(new)[:n]
    return draw_votes(rng, n)


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    x, y = draw_rows(problem, rng, value)
    found = sl.two_sample_test(
        x, y, strategy=METHODS[method](), permutations=PERMUTATIONS, rng=seed, memory=2.0**34
    )
    return found.pvalue


def cells(count: int | None) -> list[grid.Cell]:
    most = count or REPETITIONS
    wanted = [grid.Cell(VOTES, n, m, most) for n in ROWS for m in METHODS]
    if cifar.found(data_folder()):  # the paper's protocol: 2,021 rows of each, 1,000 draws
        wanted += [grid.Cell(IMAGES, 2021, m, count or 1000) for m in METHODS]
    return wanted


def run(chosen: Namespace, raw: Path) -> None:
    grid.run(
        cells(chosen.repetitions),
        trial,
        raw / "results.json",
        seed=SEED,
        settings={"level": grid.LEVEL, "permutations": PERMUTATIONS, "classifiers": CLASSIFIERS},
        chosen=chosen,
    )


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results", "rivals")


LOOKS = (("#0072b2", "o", "-"), ("#d55e00", "s", "-"), ("#e69f00", "^", "-"), ("0.2", "D", "-"),
         ("#56b4e9", "v", "--"), ("#cc79a7", "P", "--"), ("#009e73", "X", "--"),
         ("0.45", "h", ":"), ("0.6", "<", ":"), ("0.75", ">", ":"))  # fmt: skip
RIVALS = ("hyppo SCF", "goodpoints CTT", "goodpoints ACTT")


def draw(book: dict[str, Any]) -> Any:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.4, 4.8), layout="constrained")
    shown = (*METHODS, *RIVALS)
    for place, (method, (colour, mark, line)) in enumerate(zip(shown, LOOKS, strict=True)):
        found = sorted(grid.select(book, problem=VOTES, method=method), key=lambda e: e["value"])
        if not found:
            continue
        power = np.array([grid.rate(entry) for entry in found])
        errors = np.abs(power[:, 1:] - power[:, :1]).T
        at = np.array([e["value"] for e in found]) * 1.025 ** (place - 4.5)  # bars side by side
        axes.errorbar(
            at, power[:, 0], errors, color=colour, marker=mark, ls=line, capsize=2, label=method
        )
    axes.axhline(grid.LEVEL, color="0.6", ls=":", lw=0.8)
    axes.set(xscale="log", xlabel="rows of each, n = m", ylabel="power", ylim=(-0.02, 1.02))
    axes.set_title(f"CIFAR-10 v 10.1, votes of {CLASSIFIERS} classifiers", fontsize=10)
    axes.set_xticks(ROWS, [str(n) for n in ROWS])
    axes.minorticks_off()
    axes.legend(frameon=False, fontsize=8, ncols=2)
    return figure


def report(summary: Summary, folder: Path) -> None:
    book, rivals = summary["results"], summary.get("rivals", {"cells": {}})
    both = {**book, "cells": {**book["cells"], **rivals["cells"]}}
    save_figure(draw(both), folder)
    (folder / "table.md").write_text(grid.page(both, "experiments.table1"))


EXPERIMENT = Experiment("table1", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
