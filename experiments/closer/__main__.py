"""Which generator is closer to the real law: level and power of the paired test, beside KID's."""

import math
from argparse import Namespace
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid
from experiments.command import Experiment, Summary
from experiments.common import data_folder, save_figure, verify

from samelaw.extras.generators import DivergenceDistance, PolynomialDistance, compare_generators

Rows = np.ndarray[Any, Any]
Rng = np.random.Generator
RUNS = {"level": 1_000, "power": 200}
METHODS = {"RJSD": DivergenceDistance(), "KID": PolynomialDistance()}


def normal(rng: Rng, rows: int, shift: float = 0.0, scale: float = 1.0, columns: int = 3) -> Rows:
    return scale * rng.normal(size=(rows, columns)) + shift


def turned(rng: Rng) -> tuple[Rows, ...]:
    """64 columns; two generators are shifted as far, in directions at right angles."""
    real, first, second = (normal(rng, 200, columns=64) for _ in range(3))
    first[:, :32] += 0.15
    second[:, 32:] += 0.15
    return real, first, second


@lru_cache(maxsize=1)
def features() -> Rows:
    """ResNet-20 features of the CIFAR-10 test images, columns scaled to deviation 1."""
    found = np.load(data_folder() / "cifar10" / "cifar10_test_resnet20_features.npz")["feat"]
    return np.asarray(found / found.std(axis=0), dtype=np.float64)


def images(rng: Rng, *noise: float, rows: int = 300) -> tuple[Rows, ...]:
    """Real images, and others whose features are disturbed."""
    known = features()
    chosen = np.split(rng.permutation(len(known))[: 3 * rows], 3)
    return tuple(
        known[part] + size * rng.normal(size=(rows, known.shape[1]))
        for part, size in zip(chosen, (0.0, *noise), strict=True)
    )


def dependent(rng: Rng, strength: float) -> Rows:
    x = normal(rng, 200)
    x[:, 1] = strength * x[:, 0] + math.sqrt(1 - strength**2) * x[:, 1]
    return x


def modes(rng: Rng, shares: tuple[float, ...]) -> Rows:
    """Modes on a line of two columns, in these shares."""
    place = rng.choice(len(shares), size=200, p=np.asarray(shares) / sum(shares))
    return normal(rng, 200, columns=2, scale=0.3) + 2.0 * place[:, None]


PROBLEMS: dict[str, dict[str, Callable[[Rng], tuple[Rows, ...]]]] = {
    "level": {
        "two of one law": lambda r: (normal(r, 200), normal(r, 150, 0.4), normal(r, 150, 0.4)),
        "opposite, 100 v 200 rows": lambda r: (
            normal(r, 150), normal(r, 100, 0.3), normal(r, 200, -0.3),
        ),
        "turned, 64 columns": turned,
        "image features, noise 0.4": lambda r: images(r, 0.4, 0.4),
        "both real": lambda r: (normal(r, 150), normal(r, 100), normal(r, 150)),
    },
    "power": {
        "shift 0.2 v 0.4": lambda r: (normal(r, 200), normal(r, 200, 0.2), normal(r, 200, 0.4)),
        "width 1.1 v 1.25": lambda r: (
            normal(r, 200), normal(r, 200, scale=1.1), normal(r, 200, scale=1.25),
        ),
        "dependence 0.3 v 0.7": lambda r: (normal(r, 200), dependent(r, 0.3), dependent(r, 0.7)),
        "a mode rare v lost": lambda r: (
            modes(r, (1, 1, 1, 1)), modes(r, (1, 1, 0.5, 1)), modes(r, (1, 1, 0, 1)),
        ),
        "image features, noise 0.3 v 0.4": lambda r: images(r, 0.3, 0.4),
    },
}  # fmt: skip


def trial(problem: str, kind: Any, method: str, rng: Rng, seed: int) -> float:
    """The p-value; 1 where the farther one was found closer."""
    found = compare_generators(*PROBLEMS[kind][problem](rng), distance=METHODS[method])
    return 1.0 if kind == "power" and found.difference > 0 else found.pvalue


def run(chosen: Namespace, raw: Path) -> None:
    cells = [
        grid.Cell(problem, kind, method, chosen.repetitions or RUNS[kind])
        for kind, problems in PROBLEMS.items()
        for problem in problems
        for method in METHODS
    ]
    grid.run(
        cells, trial, raw / "results.json", seed=5, settings={"level": grid.LEVEL},
        chosen=chosen, chunk=50,
    )  # fmt: skip


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results")


def page(book: dict[str, Any]) -> str:
    """How often each test speaks, where it should not and where it should."""
    words = {
        "level": "Both equally far: says that one is closer",
        "power": "The first is closer: says so",
    }
    lines = ["<!-- Written by `python -m experiments.closer`; do not edit. -->", ""]
    for kind, problems in PROBLEMS.items():
        runs = sorted({entry["repetitions"] for entry in grid.select(book, value=kind)})
        lines += [
            f"| {words[kind]} ({' or '.join(f'{n:,}' for n in runs)} runs each) | "
            + " | ".join(METHODS) + " |",
            "|---" * (len(METHODS) + 1) + "|",
        ]  # fmt: skip
        for problem in problems:
            rates = (rate(book, kind, problem, method) for method in METHODS)
            shown = (f"{share:.3f} [{low:.3f}, {high:.3f}]" for share, low, high in rates)
            lines.append(f"| {problem} | {' | '.join(shown)} |")
        lines.append("")
    return "\n".join(lines)


def rate(book: dict[str, Any], kind: str, problem: str, method: str) -> tuple[float, float, float]:
    return grid.rate(grid.select(book, value=kind, problem=problem, method=method)[0])


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 3.2), layout="constrained")
    for axis, (kind, problems) in zip(axes, PROBLEMS.items(), strict=True):
        for k, method in enumerate(METHODS):
            found = np.array([rate(book, kind, problem, method) for problem in problems])
            reach = np.abs(found[:, 1:] - found[:, :1]).T
            places = np.arange(len(problems)) + 0.2 * k
            axis.errorbar(found[:, 0], places, xerr=reach, fmt="o", label=method)
        axis.set_yticks(range(len(problems)), list(problems))
        axis.set_title(f"{kind}, exact 95 % intervals", loc="left", fontsize=9)
    axes[0].axvline(grid.LEVEL, color="0.5", lw=1, ls=":")
    axes[1].legend(frameon=False)
    save_figure(figure, folder)
    plt.close(figure)


def check(book: dict[str, Any]) -> dict[str, bool]:
    from scipy.stats import binom

    def within(entry: dict[str, Any]) -> bool:
        hits = int(grid.rejections(entry).sum())
        return hits <= int(binom.ppf(0.9995, entry["repetitions"], grid.LEVEL))

    level = grid.select(book, value="level", method="RJSD")
    return {"the level of RJSD is at most .05 (99.9 %)": all(within(entry) for entry in level)}


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    (folder / "table.md").write_text(page(book))
    draw(book, folder)
    verify(check(book))


EXPERIMENT = Experiment("closer", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
