"""Figure 4 of the paper, middle and right: power of RJSD-Deep against the order, beside MMD-Deep.

Every repetition draws two samples, trains on one half (when to stop is decided on rows of that half
that are held out; everything else is the library's default) and tests on the other.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.common import save_figure

import samelaw as sl

PERMUTATIONS = 199
ORDERS = (1, 4, 10)
STEPS, BATCH = 120, 250
MMD = "MMD-Deep"
PUBLISHED = "RJSD-Deep, published objective, order 10"
FUSE = "Fuse(), all rows"  # what the halves compete with
METHODS = (*(f"RJSD-Deep, order {p}" for p in ORDERS), PUBLISHED, MMD, FUSE)
PROBLEMS = {  # name → share of the second sample that differs, rows of each sample
    "Galaxy Zoo, pixels": (0.4, 500),
    "CIFAR-10, features": (0.5, 500),
    "CIFAR-10 v 10.1, votes": (1.0, 1000),
    "CIFAR-10, pixels": (1.0, 500),
}
TITLES = {
    "Galaxy Zoo, pixels": "Galaxy Zoo, 40 % spirals, n = 500",
    "CIFAR-10, features": "CIFAR-10 features, 50 % hard, n = 500",
    "CIFAR-10 v 10.1, votes": "CIFAR-10 v 10.1, votes, n = 1000",
    "CIFAR-10, pixels": "CIFAR-10 pixels, all hard, n = 500",
}


@cache
def galaxy_pixels() -> np.ndarray[Any, Any]:
    """Galaxy images at 32×32 (means of 2×2 pixels), colours first, as rows in −1…1."""
    images = problems.galaxy_images()[0].reshape(-1, 32, 2, 32, 2, 3).mean(axis=(2, 4))
    return 2 * images.transpose(0, 3, 1, 2).reshape(len(images), -1) - 1


@cache
def cifar_pixels() -> np.ndarray[Any, Any]:
    """CIFAR-10 test images, colours first, as rows in −1…1."""
    images = problems.cifar_images().transpose(0, 3, 1, 2)
    return images.reshape(len(images), -1) * np.float32(2 / 255) - 1


def samples(problem: str, share: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """The rows of both samples in random order."""
    n = PROBLEMS[problem][1]
    if problem.endswith("votes"):
        return problems.cifar_votes(rng, None, n, n)
    if problem.endswith("features"):
        x, y = problems.cifar_hard(rng, share, n, n)
        return rng.permutation(x), rng.permutation(y)
    if problem.startswith("Galaxy"):
        pixels, rows = galaxy_pixels(), problems.galaxy_rows(rng, share, n, n)
    else:
        pixels, rows = cifar_pixels(), problems.cifar_hard_rows(rng, share, n, n)
    return pixels[rng.permutation(rows[0])], pixels[rng.permutation(rows[1])]


def network(problem: str) -> Any:
    """The published architectures."""
    from samelaw.learn import image_network, tabular_network

    if problem.endswith("pixels"):
        return image_network((3, 32, 32))
    return tabular_network(10 if problem.endswith("votes") else 64)


def learn(problem: str, x: Any, y: Any, criterion: Any, seed: int) -> Any:
    """A kernel trained on these rows."""
    import torch

    from samelaw.learn import DeepKernel, fit_kernel

    torch.set_num_threads(1)
    torch.manual_seed(seed % 2**31)
    kernel = DeepKernel.at_median(np.concatenate([x, y]).astype(np.float32), network(problem))
    fit_kernel(kernel, x, y, criterion=criterion, steps=STEPS, batch=BATCH, rng=seed)
    return kernel


def order_of(method: str) -> int:
    return 1 if method == MMD else int(method.rsplit(" ", 1)[1])


def criterion_of(method: str) -> Any:
    from samelaw.learn import DivergenceGain, TestPower

    if method == MMD:
        return TestPower()
    return DivergenceGain(sl.PowerSeries(order_of(method)), 0 if method == PUBLISHED else 2)


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of one training and test."""
    x, y = samples(problem, value, rng)
    if method == FUSE:
        return sl.two_sample_test(x, y, permutations=PERMUTATIONS, rng=seed).pvalue
    half = len(x) // 2
    kernel = learn(problem, x[:half], y[:half], criterion_of(method), seed)
    strategy = sl.Fuse(
        [sl.testing.KernelGroup([kernel], (order_of(method),))],
        statistic=sl.testing.MeanDiscrepancy() if method == MMD else sl.SecondOrder(),
    )
    rest = (x[half:], y[half:])
    return sl.two_sample_test(*rest, strategy=strategy, permutations=PERMUTATIONS, rng=seed).pvalue


def cells(names: Sequence[str], repetitions: int) -> list[grid.Cell]:
    """Power of every method on these problems."""
    return [
        grid.Cell(problem, PROBLEMS[problem][0], method, repetitions)
        for problem in names
        for method in METHODS
    ]


def run(chosen: Namespace, raw: Path) -> None:
    """Power on all problems, and the level on one, five repetitions of each at a time."""
    settings = {
        "level": grid.LEVEL,
        "permutations": PERMUTATIONS,
        "rows": {name: rows for name, (_, rows) in PROBLEMS.items()},
        "steps": STEPS,
        "batch": BATCH,
    }
    wanted = chosen.repetitions or 100
    level = [grid.Cell("CIFAR-10, features", 0.0, f"RJSD-Deep, order {ORDERS[-1]}", wanted)]
    grid.run(
        cells(list(PROBLEMS), wanted) + level,
        trial,
        raw / "results.json",
        seed=44,
        settings=settings,
        chosen=chosen,
        chunk=1,
        round_of=5,
    )


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(PROBLEMS), figsize=(12, 3.2), sharey=True)
    for axis, (problem, (share, _)) in zip(axes, PROBLEMS.items(), strict=True):
        entries = {e["method"]: e for e in grid.select(book, problem=problem, value=share)}
        named = [f"RJSD-Deep, order {p}" for p in ORDERS if f"RJSD-Deep, order {p}" in entries]
        marks: list[tuple[str, list[str], Callable[[str], float]]] = [
            ("RJSD-Deep", named, lambda m: float(ORDERS.index(order_of(m)))),
            ("published objective", [PUBLISHED], lambda m: ORDERS.index(10) + 0.15),
            (MMD, [MMD], lambda m: ORDERS.index(1) - 0.15),
            (FUSE, [FUSE], lambda m: ORDERS.index(1) + 0.5),
        ]
        for index, (label, methods, place) in enumerate(marks):
            there = [m for m in methods if m in entries]
            if not there:
                continue
            power = np.array([grid.rate(entries[m]) for m in there])
            errors = np.abs(power[:, 1:] - power[:, :1]).T
            at = [place(m) for m in there]
            axis.errorbar(at, power[:, 0], errors, color=f"C{index}", marker="o", ms=4, label=label)
        axis.set_xticks(range(len(ORDERS)), ORDERS)
        axis.set_xlabel("order p")
        axis.set_title(TITLES[problem], fontsize=8)
        axis.axhline(grid.LEVEL, color="0.6", lw=0.7, ls=":")
        axis.set_ylim(-0.02, 1.02)
    axes[0].set_ylabel("power")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    save_figure(figure, folder)


def write_table(book: dict[str, Any], folder: Path) -> None:
    """Power with its exact 95 % interval and the repetitions, as a table for the documents."""
    lines = ["| problem | " + " | ".join(METHODS) + " |", "|---" * (len(METHODS) + 1) + "|"]
    for problem, (share, _) in PROBLEMS.items():
        entries = {e["method"]: e for e in grid.select(book, problem=problem, value=share)}
        row = [_cell(entries[m]) if m in entries else "" for m in METHODS]
        lines.append(f"| {TITLES[problem]} | " + " | ".join(row) + " |")
    for entry in grid.select(book, value=0.0):
        lines.append(f"\nLevel of {entry['method']} on equal laws: {_cell(entry)}.")
    (folder / "table.md").write_text("\n".join(lines) + "\n")


def _cell(entry: dict[str, Any]) -> str:
    share, low, high = grid.rate(entry)
    return f"{share:.2f} [{low:.2f}, {high:.2f}], {entry['repetitions']} runs"


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results")


def report(summary: Summary, folder: Path) -> None:
    print(grid.summary(summary["results"]))
    draw(summary["results"], folder)
    write_table(summary["results"], folder)


EXPERIMENT = Experiment("fig4_deep", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
