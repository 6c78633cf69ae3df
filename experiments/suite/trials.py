"""Draws of the suite: a method on a problem at a strength, all methods on the same samples."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

import samelaw as sl
from experiments import grid
from experiments.common import versions
from experiments.suite import reporting, second, tuning
from experiments.suite.methods import METHODS, OURS, RIVALS, applies
from experiments.suite.problem import Problem

HALVES: dict[str, tuple[Problem, ...]] = {
    "tuning": tuning.PROBLEMS,
    "reporting": reporting.PROBLEMS,
    "second": second.PROBLEMS,
}
REPORTING = ("reporting", "second")
"""Nothing may be chosen on these; every evaluation is logged."""
PROBLEMS = {problem.name: problem for half in HALVES.values() for problem in half}
PERMUTATIONS, DRAWS, SEED = 199, 200, 14
MORE = {"MMDAgg": 499}
"""The smallest of twenty p-values has ties, which cost power when permutations are few."""
PILOT_PERMUTATIONS, PILOT_SEED = 99, 41
COARSE = tuple(name for name in RIVALS if name not in ("MMDAgg", "forest", "likelihood ratio"))
"""Rivals that cost little: the pilot runs them at several strengths, the others at one."""


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of a method on one draw."""
    x, y = PROBLEMS[problem].draw(rng, value)
    count = MORE.get(method, PERMUTATIONS)
    test = sl.two_sample_test(x, y, strategy=METHODS[method](), permutations=count, rng=seed)
    return float(test.pvalue)


def pilot_trial(
    problem: str, value: Any, method: str, rng: np.random.Generator, seed: int
) -> float:
    """The p-value of a rival with fewer permutations."""
    x, y = PROBLEMS[problem].draw(rng, value)
    few = 39 if method == "likelihood ratio" else PILOT_PERMUTATIONS
    test = sl.two_sample_test(x, y, strategy=RIVALS[method](), permutations=few, rng=seed)
    return float(test.pvalue)


def run(half: str, folder: Path, chosen: Namespace) -> dict[str, Any]:
    """Ours and the rivals on a half, as far as time allows; ours anew for every commit."""
    ours = folder / f"{half}-{versions()['commit']}.json"
    if chosen.fresh:
        ours.unlink(missing_ok=True)
    own = _run(half, [OURS], ours, chosen)
    rivals = _run(half, list(RIVALS), folder / f"{half}-rivals.json", chosen)
    return {**rivals, **own, "cells": {**own["cells"], **rivals["cells"]}}


def _run(half: str, methods: list[str], path: Path, chosen: Namespace) -> dict[str, Any]:
    cells = [
        grid.Cell(problem.name, problem.strength, method, chosen.draws)
        for problem in HALVES[half]
        for method in methods
        if applies(method, problem)
    ]
    settings = {"level": grid.LEVEL, "permutations": PERMUTATIONS, "half": half}
    book = grid.run(
        cells, trial, path, seed=SEED, settings=settings, chosen=chosen,
    )  # fmt: skip
    wanted = {cell.key for cell in cells}  # not those of strengths given up
    return {**book, "cells": {k: v for k, v in book["cells"].items() if k in wanted}}


def pilot(half: str, path: Path, chosen: Namespace) -> dict[str, Any]:
    """Rivals alone: the cheap ones around the strength, the dear ones at it."""
    cells = []
    for problem in HALVES[half]:
        if chosen.problem and problem.name not in chosen.problem:
            continue
        tried = {round(problem.strength * f, 4) for f in chosen.factors}
        for method in RIVALS:
            if not applies(method, problem):
                continue
            if method in COARSE:
                cells += [grid.Cell(problem.name, s, method, chosen.draws) for s in sorted(tried)]
            elif chosen.dear:
                cells.append(grid.Cell(problem.name, problem.strength, method, chosen.dear))
    settings = {"permutations": PILOT_PERMUTATIONS, "permutations of likelihood ratio": 39}
    return grid.run(
        cells, pilot_trial, path, seed=PILOT_SEED, settings=settings, chosen=chosen,
    )  # fmt: skip
