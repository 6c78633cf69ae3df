"""``python -m experiments.suite.price [--jobs 2]``: what it would cost to be nowhere behind.

Where the default trails, it trails the energy distance, which looks in one direction and needs less
there. A test may give it a share of its level: the draw is rejected if energy's p-value is at most
that share of .05, or the default's is at most the rest. Both are drawn on the tuning half, on the
same samples; which share a problem of the reporting sets asks for follows from energy's power.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

import samelaw as sl
from experiments import grid
from experiments.command import refuse_uncommitted
from experiments.common import HERE, read_json, versions
from experiments.suite import report, trials
from experiments.suite.methods import METHODS, OURS
from experiments.suite.problem import Array

RIVAL = "energy"
SHARES = (0.0, 0.25, 0.5, 0.75, 0.9)
PERMUTATIONS, DRAWS = 399, 60  # 400 × .05 × a quarter is a whole number: every share is kept
PAGE = HERE / "suite" / "price.md"
RAW = HERE.parent / "build" / "experiments" / "suite" / "price.json"


def trial(problem: str, value: Any, method: str, rng: np.random.Generator, seed: int) -> float:
    """The p-value of the default or of the energy distance on one draw."""
    x, y = trials.PROBLEMS[problem].draw(rng, value)
    test = METHODS[method]()
    found = sl.two_sample_test(x, y, strategy=test, permutations=PERMUTATIONS, rng=seed)
    return float(found.pvalue)


def needed(power: float) -> float:
    """The share of the level at which a z-test that has this power with all of it loses .05."""
    apart = norm.isf(grid.LEVEL) + norm.ppf(power)
    return float(norm.sf(apart - norm.ppf(power - report.MARGIN)) / grid.LEVEL)


def asked(summary: dict[str, Any]) -> list[str]:
    """Problems of the reporting sets on which energy is clearly ahead, and what they ask for."""
    rows = [row for half in trials.REPORTING for row in report.lines(summary[half])]
    behind = [
        row
        for row in rows
        if report.Deficit.of(row.found[RIVAL], row.found[OURS]).low > report.MARGIN
    ]
    text = [
        "| problem | energy | samelaw | share of the level at which energy loses .05 |",
        "|---|---|---|---|",
    ]
    for row in behind:
        power = float(row.found[RIVAL].mean())
        text.append(
            f"| {row.problem} | {power:.2f} | {row.found[OURS].mean():.2f} | {needed(power):.2f} |"
        )
    return text


def rejected(pvalues: tuple[Array, Array], share: float) -> Array:
    """Draws that the test with a share of its level for energy rejects."""
    own, rival = pvalues
    return (own <= (1.0 - share) * grid.LEVEL + 1e-9) | (rival <= share * grid.LEVEL + 1e-9)


def paid(book: dict[str, Any]) -> list[str]:
    """Mean power for every share, on all problems and on those where energy is ahead."""
    found: dict[str, dict[str, Array]] = {}
    for cell in grid.select(book):
        found.setdefault(cell["problem"], {})[cell["method"]] = np.asarray(cell["values"])
    pairs = [(one[OURS], one[RIVAL]) for one in found.values() if {OURS, RIVAL} <= set(one)]
    pairs = [(own[: len(other)], other[: len(own)]) for own, other in pairs]
    ahead = [rejected(pair, 1.0).mean() > rejected(pair, 0.0).mean() for pair in pairs]
    text = [
        "| energy's share | all problems | where energy is ahead | others | lose more than .05 |",
        "|---|---|---|---|---|",
    ]
    for share in SHARES:
        power = np.array([rejected(pair, share).mean() for pair in pairs])
        plain = np.array([rejected(pair, 0.0).mean() for pair in pairs])
        lost = int((plain - power > report.MARGIN).sum())
        text.append(
            f"| {share:.2f} | {power.mean():.3f} | {power[ahead].mean():.3f} "
            f"| {power[~np.array(ahead)].mean():.3f} | {lost} of {len(pairs)} |"
        )
    return text


def main(argv: Sequence[str] | None = None) -> None:
    parser = ArgumentParser("python -m experiments.suite.price")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--budget", type=float, default=float("inf"), help="minutes; then stop")
    chosen = parser.parse_args(argv)
    chosen.method = chosen.cell = chosen.unfit = None
    refuse_uncommitted()
    cells = [
        grid.Cell(problem.name, problem.strength, method, DRAWS)
        for problem in trials.HALVES["tuning"]
        for method in (OURS, RIVAL)
    ]
    settings = {"permutations": PERMUTATIONS}
    book = grid.run(cells, trial, RAW, seed=trials.SEED + 1, settings=settings, chosen=chosen)
    draws = sorted({cell["repetitions"] for cell in grid.select(book)})
    drawn = f"Commit {versions()['commit']}, tuning half, {draws[0]} draws"
    text = [
        "<!-- Written by `python -m experiments.suite.price`; do not edit. -->",
        "",
        f"{drawn}, {PERMUTATIONS} permutations. A draw is rejected if energy's p-value is at most",
        "its share of .05 or the default's is at most the rest.",
        "",
        *paid(book),
        "",
        "What the problems of the reporting sets on which energy is clearly ahead ask for, if one",
        "normal z decides (calculated from energy's power there):",
        "",
        *asked(read_json(PAGE.parent / "summary.json")),
        "",
    ]
    PAGE.write_text("\n".join(text))


if __name__ == "__main__":
    main()
