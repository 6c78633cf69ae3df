"""Other people's tests on the Mixture curves: ``python -m experiments.fig5.rivals run``.

They need an environment of their own: requirements.txt.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid, problems
from experiments.command import Experiment, Summary
from experiments.fig5 import goodpoints_tests, hyppo_tests

METHODS = {**hyppo_tests.METHODS, **goodpoints_tests.METHODS}
NOT_RUN = {
    "AutoML (autotst 1.2)": "cannot be installed on Python 3.9: a dependency of autogluon asks to "
    "build against thinc >= 8.3.12, which exists for Python 3.10 and newer only",
    "MMDAgg, MMDAggInc, MMD-FUSE (mmdagg, mmdfuse)": "not on the package index",
    "MMD-D (deep kernel)": "not on the package index",
}
SIGMAS = (1.6, 0.7, 2.0, 0.6, 1.4, 0.8, 1.0, 0.5, 1.2, 0.9, 1.8)
SIZES = (500, 1000, 1500, 2000, 2500, 3000)
PARTS = ("curve", "sizes", "slow")
SLOW = ("hyppo energy", "hyppo MMD")  # 13 seconds for each test of 500 v 500 rows
FAST = tuple(name for name in METHODS if name not in SLOW)


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of a rival; 0 or 1 for those that only decide."""
    sigma, n = (1.3, value) if problem == "mixture, rows" else (value, 500)
    x, y = problems.mixture(rng, sigma, n, n)
    return float(METHODS[method](x, y, seed))


def run(chosen: Namespace, raw: Path) -> None:
    wanted = chosen.repetitions or 200
    cells = []
    if "curve" in chosen.part:
        cells += [grid.Cell("mixture", s, m, wanted) for s in SIGMAS for m in FAST]
    if "sizes" in chosen.part:
        cells += [
            grid.Cell("mixture, rows", n, m, min(wanted, 200 if n <= 1000 else 100))
            for n in SIZES
            for m in FAST
        ]
    if "slow" in chosen.part:
        cells += [grid.Cell("mixture", s, m, min(wanted, 20)) for s in (2.0, 0.5) for m in SLOW]
    settings = {
        "level": grid.LEVEL,
        "permutations": hyppo_tests.PERMUTATIONS,
        "not run": NOT_RUN,
    }
    grid.run(
        cells, trial, raw / "rivals.json", seed=5, settings=settings, chosen=chosen,
    )  # fmt: skip


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "rivals")


def report(summary: Summary, folder: Path) -> None:
    """The figure is drawn by ``python -m experiments.fig5``."""
    print(grid.summary(summary["rivals"]))


EXPERIMENT = Experiment("fig5", run, summarize, report, PARTS)


if __name__ == "__main__":
    EXPERIMENT.main()
