"""Choose β on another seed, train every method on every task, and write the tables."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.command import RAW, Experiment
from experiments.tables2_4 import gradients, methods, report
from experiments.tables2_4.tasks import BENCHMARKS, COMPONENTS
from experiments.tables2_4.trade_offs import known_trade_offs
from samelaw.learn.adaptation import AdaptationPlan

FOLDER = RAW / "tables2_4"
PARTS = (
    "beta", "main", "default", "orders", "wider", "fourier", "rules", "apart", "batch", "balance",
)  # fmt: skip
SEEDS = {"beta": 100, "apart": 1}  # 0 for the others
REPETITIONS = {"beta": 1, "default": 1}  # 5 for the others
MADE = "turntable"
"""Data of our own making: for one question, MMD or RJSD, at every β."""
FILES = {"orders": "main", "wider": "main"}
RULES = ("LastStep", "SourceValidation", "ImportanceWeighted", "TargetTest")
FIRST = ("source only", "MMD", "RJSD 3", "RJSD 3, corrected")
TABLE = {
    "main": FIRST,
    "orders": ("RJSD ∞", "RJSD 1", "RJSD 2", "RJSD 10"),
    "wider": (methods.WIDER,),
}
BATCHES = (32, 256)
DEFAULT = AdaptationPlan().trade_off
COMPARED = ("MMD", "RJSD 3", "RJSD 3, corrected")


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """Accuracy in per cent (or a p-value for the part "apart") of one training."""
    part, benchmark = problem.split(" ")
    name, _, extra = method.partition(" @ ")
    if part == "beta":
        return methods.accuracy(benchmark, value, name, float(extra), seed)
    if part == "default":
        return methods.accuracy(benchmark, value, name, DEFAULT, seed)
    known = known_trade_offs(FOLDER)[benchmark]
    if name not in known:
        raise SystemExit(f"β of {name} is not known yet: run the part 'beta {benchmark}' first.")
    trade_off = known[name]
    if part == "apart":
        return methods.apart(benchmark, value, name, trade_off, seed)
    if part == "rules":
        return methods.chosen(benchmark, value, name, trade_off, seed)[extra]
    if part == "balance":
        return methods.accuracy(benchmark, value, name, trade_off, seed, balance=True)
    if part in ("batch", "fourier"):
        return methods.accuracy(benchmark, value, name, trade_off, seed, batch=int(extra))
    return methods.accuracy(benchmark, value, name, trade_off, seed)


def cells(part: str, benchmark: str, repetitions: int) -> list[grid.Cell]:
    """What a part asks of a benchmark."""
    known = BENCHMARKS[benchmark]
    problem = f"{part} {benchmark}"
    if part == "beta":
        tried = [
            f"{m} @ {b}"
            for m, how in methods.METHODS.items()
            if benchmark != MADE or m in COMPARED
            for b in how.trade_offs
        ]
        return [grid.Cell(problem, t, name, repetitions) for t in known.pilots for name in tried]
    if part == "default":
        chosen = known_trade_offs(FOLDER).get(benchmark, {})
        names = [m for m in COMPARED[:2] if chosen.get(m) != DEFAULT]  # else it is in the table
        return [grid.Cell(problem, t, m, repetitions) for t in known.tasks for m in names]
    if part in TABLE:  # one table; the main question is answered first
        names = list(TABLE[part])
        main = f"main {benchmark}"
        return [grid.Cell(main, t, name, repetitions) for t in known.tasks for name in names]
    if part == "balance":  # where the domains have the most different class shares
        tasks = known.tasks if benchmark == "pacs" else []
        return [grid.Cell(problem, t, m, repetitions) for t in tasks for m in ("MMD", "RJSD 3")]
    if part == "fourier":  # where the bias of small batches could be what is wrong
        names = [f"{m} @ {BATCHES[-1]}" for m in ("MMD", methods.FOURIER)]
        tasks = known.tasks if benchmark in ("office31", "surf") else []
        return [grid.Cell(problem, t, m, repetitions) for t in tasks for m in names]
    if benchmark != "office31":  # how a step is chosen, and what a test sees: on one benchmark
        return []
    names = [f"{m} @ {rule}" for m in COMPARED for rule in RULES]
    if part == "apart":
        names = ["source only", *COMPARED]
    if part == "batch":
        names = [f"{m} @ {size}" for size in BATCHES for m in COMPARED]
    return [grid.Cell(problem, task, name, repetitions) for task in known.tasks for name in names]


def run(chosen: Namespace, raw: Path) -> None:
    for name in chosen.part:
        if name == "gradients":
            gradients.run(raw)
            continue
        part, benchmark = name.split(" ")
        wanted = cells(part, benchmark, chosen.repetitions or REPETITIONS.get(part, 5))
        if not wanted:
            continue
        settings = {"components": COMPONENTS, f"plan {benchmark}": repr(BENCHMARKS[benchmark].plan)}
        path = raw / f"{FILES.get(part, part)}.json"
        grid.run(
            wanted, trial, path, seed=SEEDS.get(part, 0), settings=settings, chosen=chosen,
            chunk=1, round_of=5,
        )  # fmt: skip


ALL = (*(f"{p} {b}" for p in PARTS for b in BENCHMARKS), "gradients")
EXPERIMENT = Experiment("tables2_4", run, report.summarize, report.write, ALL)


if __name__ == "__main__":
    EXPERIMENT.main()
