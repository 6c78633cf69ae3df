"""False alarms, and eighteen planted defects, on the real tables of a package."""

from argparse import Namespace
from pathlib import Path

from experiments import grid
from experiments.command import Experiment
from experiments.real_tables import report, trials
from experiments.real_tables.defects import FEWEST as FEWEST_PLANTED
from experiments.real_tables.defects import KINDS
from experiments.real_tables.tables import FEWEST, MOST, TABLES, WIDEST, tables

NULL = trials.NULL


def cells(parts: list[str], quick: bool) -> list[grid.Cell]:
    """A cell per table of every kind and method."""
    counts = dict.fromkeys(KINDS, trials.EACH) if "planted" in parts else {}
    counts |= {NULL: TABLES} if "null" in parts else {}  # last: a budget cuts off some tables
    return [
        grid.Cell(kind, table, method, trials.SPLITS if kind == NULL else 1)
        for kind, count in counts.items()
        for table in range(1 if quick else count)
        for method in trials.METHODS
    ]


def run(chosen: Namespace, raw: Path) -> None:
    available = len(tables())
    grid.run(
        cells(chosen.part, chosen.quick), trials.trial, raw / "results.json", seed=trials.SEED,
        settings={"level": grid.LEVEL, "available": available, "fewest": FEWEST, "most": MOST,
                  "widest": WIDEST, "splits": trials.SPLITS, "planted in": FEWEST_PLANTED},
        chosen=chosen, chunk=trials.SPLITS,
    )  # fmt: skip


EXPERIMENT = Experiment("real_tables", run, report.summarize, report.write, ("null", "planted"))


if __name__ == "__main__":
    EXPERIMENT.main()
