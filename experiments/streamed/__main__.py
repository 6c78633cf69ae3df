"""Comparing tables piece by piece: power beside rows in memory, and the level."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from experiments import grid
from experiments.command import Experiment, Summary
from experiments.common import save_figure

from samelaw.comparison.joint_test import JointTest
from samelaw.comparison.plan import Plan, Stages, Streams
from samelaw.comparison.sums.displayed_rows import Request
from samelaw.comparison.sums.streamed import streamed_test
from samelaw.core.memory import Budget
from samelaw.tables.pairing.pair import pair_tables
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.read import read_table
from samelaw.testing.permuting.stepdown import StepDown

ROWS, SMALL = 5_000, (1_500, 1_000)
PERMUTATIONS, FEW = 199, 39
DRAWS, RUNS = 40, 1_000
ROUTES = ("piece by piece", "in memory")
CHANGES = {
    "one mean": 0.07,
    "all means": 0.03,
    "a correlation": 0.11,
    "three columns": 0.2,
    "a cluster": 0.012,
    "spread of 20 columns": 0.08,
}


def normal(rng: np.random.Generator, rows: int, change: str = "", size: float = 0.0) -> pa.Table:
    """Columns of normal numbers, in which something may be changed."""
    x = rng.normal(size=(rows, 20 if change == "spread of 20 columns" else 6))
    some = rng.random(rows) < size
    if change == "one mean":
        x[:, 0] += size
    elif change == "all means":
        x += size
    elif change == "a correlation":
        x[:, 1] = size * x[:, 0] + np.sqrt(1.0 - size**2) * x[:, 1]
    elif change == "three columns":  # any two of them are independent still
        x[some, 2] = np.abs(x[some, 2]) * np.sign(x[some, 0] * x[some, 1])
    elif change == "a cluster":
        x[some] = 0.25 * x[some] + np.array([1, -1, 1, -1, 1, -1])
    elif change == "spread of 20 columns":  # of a row, all its values larger or smaller
        x *= np.exp(size * rng.normal(size=(rows, 1)) - size**2)
    return table(x)


def table(x: np.ndarray[Any, Any]) -> pa.Table:
    return pa.table({f"x{place}": x[:, place] for place in range(x.shape[1])})


def mixed(rng: np.random.Generator, rows: int) -> pa.Table:
    """Numbers, counts, sixty words, gaps; sorted by the words."""
    x = rng.normal(size=rows)
    words = np.array([f"w{place}" for place in range(60)])
    found = {
        "x": x,
        "y": 0.6 * x + 0.8 * rng.normal(size=rows),
        "count": rng.poisson(3, size=rows),
        "word": words[np.minimum(rng.geometric(0.06, size=rows) - 1, 59)],
        "flag": rng.random(rows) < 0.3,
        "gaps": pa.array(rng.integers(0, 5, size=rows), mask=rng.random(rows) < 0.05),
    }
    return pa.table(found).sort_by("word")


def judged(a: pa.Table, b: pa.Table, route: str, permutations: int, seed: int) -> StepDown:
    """All tests of a comparison, without words on them."""
    streams = Streams.spawned(np.random.default_rng(seed))
    if route == "in memory":
        pair = pair_tables(read_table(a), read_table(b))
        return JointTest.of(Plan(pair, grid.LEVEL, permutations, streams), Stages(None)).steps
    first, second = (open_batches(one) for one in (a, b))
    assert first is not None  # tables of Arrow can be read piece by piece
    assert second is not None
    return streamed_test(
        (first, second),
        Request(None, (), None),
        level=grid.LEVEL,
        permutations=permutations,
        streams=streams,
        budget=Budget(),
        stages=Stages(None),
    ).steps


def trial(problem: str, value: Any, route: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of all columns together; where nothing changed, that of everything."""
    if problem == "nothing changed":
        a, b = (mixed(rng, rows) for rows in SMALL)
        return judged(a, b, route, FEW, seed).pvalue
    unlike = normal(rng, ROWS, problem, value)
    columns = unlike.num_columns
    alike = table(rng.normal(size=(ROWS, columns)))
    return float(judged(alike, unlike, route, PERMUTATIONS, seed).adjusted[0][0])


def cells(most: int | None) -> list[grid.Cell]:
    changed = [
        grid.Cell(change, size, route, most or DRAWS)
        for change, size in CHANGES.items()
        for route in ROUTES
    ]
    return [*changed, grid.Cell("nothing changed", 0, ROUTES[0], most or RUNS)]


def run(chosen: Namespace, raw: Path) -> None:
    settings = {"rows": ROWS, "rows where nothing changed": SMALL, "permutations": PERMUTATIONS}
    wanted = [
        cell
        for cell in cells(chosen.repetitions)
        if ("level" if cell.problem == "nothing changed" else "power") in chosen.part
    ]
    grid.run(
        wanted, trial, raw / "results.json", seed=17, settings=settings,
        chosen=chosen, chunk=5, round_of=10,
    )  # fmt: skip


def draw(book: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
    for place, route in enumerate(ROUTES):
        found = [grid.select(book, problem=change, method=route) for change in CHANGES]
        power = np.array([grid.rate(one[0]) if one else (np.nan,) * 3 for one in found])
        errors = np.abs(power[:, 1:] - power[:, :1]).T
        at = np.arange(len(CHANGES)) + 0.3 * place - 0.15
        colour = ("#0072b2", "#d55e00")[place]
        axis.bar(at, power[:, 0], 0.28, yerr=errors, color=colour, ecolor="0.3", label=route)
    axis.set_xticks(range(len(CHANGES)), [name.replace(" of ", "\nof ") for name in CHANGES])
    axis.set(ylabel="power of all columns together", ylim=(0, 1.05))
    axis.legend(frameon=False, ncols=2)
    save_figure(figure, folder)


def report(summary: Summary, folder: Path) -> None:
    book = summary["results"]
    print(grid.summary(book))
    draw(book, folder)
    (folder / "table.md").write_text(grid.page(book, "experiments.streamed"))


def summarize(raw: Path) -> Summary:
    return grid.books(raw, "results")


EXPERIMENT = Experiment("streamed", run, summarize, report, ("power", "level"))


if __name__ == "__main__":
    EXPERIMENT.main()
