"""Other people's tests on the votes: ``python -m experiments.table1.rivals run``.

They need an environment of their own: experiments/fig5/requirements.txt.
"""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from experiments import grid
from experiments.command import Experiment, Summary
from experiments.fig5 import goodpoints_tests, hyppo_tests
from experiments.table1.votes import EQUAL, REPETITIONS, ROWS, SEED, VOTES, draw_votes

METHODS = {
    **goodpoints_tests.METHODS,
    "hyppo SCF": hyppo_tests.METHODS["hyppo SCF"],
}


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of a rival; 0 or 1 for those that only decide."""
    return float(METHODS[method](*draw_votes(rng, value, problem), seed))


def run(chosen: Namespace, raw: Path) -> None:
    most = chosen.repetitions or REPETITIONS
    cells = [grid.Cell(p, n, m, most) for p in (VOTES, EQUAL) for n in ROWS for m in METHODS]
    settings = {"level": grid.LEVEL}
    grid.run(
        cells, trial, raw / "rivals.json", seed=SEED, settings=settings, chosen=chosen,
    )  # fmt: skip


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "rivals")


def report(summary: Summary, folder: Path) -> None:
    """The table is written by ``python -m experiments.table1``."""
    print(grid.summary(summary["rivals"]))


EXPERIMENT = Experiment("table1", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
