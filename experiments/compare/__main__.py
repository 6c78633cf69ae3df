"""Level, power, names, rows and cost of `samelaw.compare` on whole files."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments import grid
from experiments.command import Experiment, Summary
from experiments.common import read_json
from experiments.compare import (
    large,
    picture,
    population,
    real,
    report,
    rowscores,
    tables,
    trials,
    widths,
)

SEED = 17
SLOW = ("compare", 100)  # five thousand pairs, four seconds
PARTS = ("level", "changes", "population", "detectable", "columns", "rows", "real", "large")


def cells(part: str, wanted: int | None, folder: Path) -> list[grid.Cell]:
    """The cells of a part of the experiment."""
    match part:
        case "level":
            return [grid.Cell("none", 0.0, "samelaw", wanted or 1_000)]
        case "changes":
            return [
                grid.Cell(name, change.strength, "samelaw", wanted or 100)
                for name, change in tables.CHANGES.items()
            ]
        case "detectable":
            matched = read_json(folder / "population.json").get("matched", {})
            return [
                grid.Cell(name, held["strength"], "samelaw", wanted or 100)
                for name, held in matched.items()
            ]
        case "columns":
            return [
                grid.Cell(change, width, method, wanted or (15 if (method, width) == SLOW else 40))
                for change in widths.CHANGES
                for width in widths.WIDTHS
                for method in widths.METHODS
            ]
    return [
        grid.Cell(f"{change}, {focus}", width, method, wanted or 10)
        for change in rowscores.PLANTED
        for focus in ("all", "changed")
        for width in rowscores.WIDTHS
        for method in rowscores.METHODS
    ]


TRIALS: dict[str, tuple[Callable[..., Any], int]] = {
    "level": (trials.trial, 5),
    "changes": (trials.trial, 5),
    "detectable": (trials.trial, 5),
    "columns": (widths.trial, 5),
    "rows": (rowscores.trial, 5),
}


def run(chosen: Namespace, raw: Path) -> None:
    for part in chosen.part:
        if part in TRIALS:
            trial, chunk = TRIALS[part]
            grid.run(
                cells(part, chosen.repetitions, raw), trial, raw / f"{part}.json", seed=SEED,
                settings={"level": grid.LEVEL, "permutations": trials.PERMUTATIONS,
                          "rows": list(tables.ROWS if part != "columns" else widths.ROWS)},
                chosen=chosen, chunk=chunk, round_of=50,
            )  # fmt: skip
        elif part == "large":
            large.run(raw, 2_000 if chosen.quick else large.ROWS)
        elif not chosen.quick:  # as long as they are
            population.run(raw) if part == "population" else real.run(raw, chosen.budget)


def write(summary: Summary, folder: Path) -> None:
    report.write(summary, folder)
    picture.draw(summary, folder)


EXPERIMENT = Experiment("compare", run, report.summarize, write, PARTS)


if __name__ == "__main__":
    EXPERIMENT.main()
