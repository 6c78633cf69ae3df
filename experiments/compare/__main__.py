"""Level, power, names, rows and cost of `samelaw.compare` on whole files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from experiments import grid
from experiments.common import HERE, read_json
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

FOLDER = HERE / "compare"
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


def main() -> None:
    chosen = grid.options(__doc__ or "", PARTS)
    folder = chosen.into or FOLDER
    for part in () if chosen.draw else chosen.part:
        if part == "large":
            large.run(folder)
        elif part == "population":
            population.run(folder)
        elif part == "real":
            real.run(folder, chosen.budget)
        else:
            trial, chunk = TRIALS[part]
            book = grid.run(
                cells(part, chosen.repetitions, folder), trial, folder / f"{part}.json", seed=SEED,
                settings={"level": grid.LEVEL, "permutations": trials.PERMUTATIONS,
                          "rows": list(tables.ROWS if part != "columns" else widths.ROWS)},
                jobs=chosen.jobs, budget=chosen.budget, chunk=chunk, round_of=50,
            )  # fmt: skip
            print(grid.summary(book))
    report.write(folder)
    picture.draw(folder)


if __name__ == "__main__":
    main()
