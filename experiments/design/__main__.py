"""Constants of `compare` beside other values: what each of them buys."""

import math
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure, versions, write_json
from samelaw.comparison import constants as design
from samelaw.comparison.effects import operators as effect_operators
from samelaw.comparison.effects.effect import effect_size
from samelaw.comparison.effects.operators import coarse_codes, joint_operators, pair_operators
from samelaw.comparison.pairs import tests as pair_tests
from samelaw.comparison.rules import search as rules
from samelaw.comparison.view_tests import ColumnTests
from samelaw.tables.columns.views import ColumnView, compared_views
from samelaw.tables.pairing.pair import TablePair, pair_tables
from samelaw.tables.reading.read import read_table
from samelaw.testing.permuting.units import Units

Array = np.ndarray[Any, Any]
SCORE = 1.96
REPETITIONS = 200
MEDIUM = 50
SHORT = 20  # of what takes longer
LEVEL = 0.05


@contextmanager
def holding(module: ModuleType, name: str, value: Any) -> Iterator[None]:
    """A module with another value of a constant."""
    kept = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, kept)


def paired(a: dict[str, Any], b: dict[str, Any]) -> TablePair:
    return pair_tables(read_table(a), read_table(b))


def memberships(units: Units, rng: np.random.Generator, count: int = 99) -> Array:
    return np.concatenate([units.labels.observed[None], units.labels.draw(rng, count)])


def pairs_changed(pair: TablePair, rng: np.random.Generator) -> bool:
    """Whether the largest change of a dependence is significant."""
    units = Units.of_rows(pair.sizes)
    tests = ColumnTests(pair.columns, units, memberships(units, rng), pair.sizes)
    found = tests.of_pairs().max(axis=0)
    return bool(np.mean(found >= found[0]) <= LEVEL)


def correlated(rng: np.random.Generator, rows: int, rho: float) -> tuple[Array, Array]:
    x, y = rng.normal(size=(2, rows))
    return x, rho * x + math.sqrt(1 - rho**2) * y


def blur(value: float, case: str, rng: np.random.Generator) -> float:
    """Two strongly dependent columns that both moved, or that lost part of their dependence."""
    shift, other = (1.0, 0.9) if case == "both moved" else (0.0, 0.83)
    x, y = correlated(rng, 250, 0.9)
    u, v = correlated(rng, 250, other)
    with holding(pair_tests, "BLUR", value):
        return pairs_changed(paired({"x": x, "y": y}, {"x": u + shift, "y": v + shift}), rng)


def strongest(value: float, case: str, rng: np.random.Generator) -> float:
    """A very strong dependence that was lost, that fell a little, or whose columns moved."""
    before, after = {"lost": (0.999, 0.0), "fell": (0.99, 0.98), "moved": (0.99, 0.99)}[case]
    x, y = correlated(rng, 250, before)
    u, v = correlated(rng, 250, after)
    shift = float(case == "moved")
    with holding(pair_tests, "STRONGEST", value):
        return pairs_changed(paired({"x": x, "y": y}, {"x": u + shift, "y": v + shift}), rng)


def ties(value: float, case: str, rng: np.random.Generator) -> float:
    """A tenth of a column clipped in one table, dependence straight; or a bent one as well."""
    x, y = correlated(rng, 1_000, 0.95)
    u, v = correlated(rng, 1_000, 0.95)
    if case == "bent":
        v = 0.15 * u**2 + rng.normal(size=1_000)
        y = rng.normal(size=1_000)
    u = np.maximum(u, np.quantile(u, 0.12))
    with holding(pair_tests, "TIES", value):
        return pairs_changed(paired({"x": x, "y": y}, {"x": u, "y": v}), rng)


def frequencies(value: float, case: str, rng: np.random.Generator) -> float:
    """The upper limit of the effect of all columns together."""
    shift = 0.0 if case.startswith("alike") else 1.0
    points = np.concatenate([rng.normal(size=(150, 5)), rng.normal(size=(150, 5)) + shift])
    units = Units.of_rows((150, 150))
    with holding(effect_operators, "FREQUENCIES", int(value)):
        operators = joint_operators(points, units, rng)
    low, high = effect_size(operators, units, memberships(units, rng), rng).interval(SCORE)
    return high if case.startswith("alike") else low


def cells(value: float, case: str, rng: np.random.Generator) -> float:
    """The upper limit of the effect of a pair with so many classes of each column."""
    x, y = correlated(rng, 300, 0.5)
    u, v = correlated(rng, 300, 0.5)
    pair = paired({"x": x, "y": y}, {"x": u, "y": v})
    units = Units.of_rows(pair.sizes)
    ends = tuple(np.arange(1, int(value)) / int(value))
    with holding(effect_operators, "CELL_ENDS", ends):
        one, other = (coarse_codes(ColumnView(column)) for column in pair.columns)
        operators = pair_operators(one, other, units)
    return effect_size(operators, units, memberships(units, rng), rng).interval(SCORE)[1]


def folds(value: float, case: str, rng: np.random.Generator) -> float:
    """Whether a group of 5 % that grew to 8 % gets a significant rule."""
    tables = []
    for share in (0.05, 0.08):
        inside = rng.random(2_000) < share
        age, region = rng.integers(18, 61, 2_000), rng.integers(1, 6, 2_000)
        tables.append(
            {
                "age": np.where(inside, rng.integers(61, 78, 2_000), age),
                "region": np.array(list("nsewca"))[np.where(inside, 0, region)],
                **{name: rng.normal(size=2_000) for name in "xyz"},
            }
        )
    pair = paired(*tables)
    with holding(rules, "RULE_FOLDS", int(value)):
        rule = rules.find_rule(compared_views(pair.columns), pair.sizes, rng)
    return bool(rule is not None and rule.pvalue <= LEVEL)


Measure = Callable[[float, str, np.random.Generator], float]
PARTS: dict[str, tuple[Measure, tuple[float, ...], tuple[str, ...], int]] = {
    "BLUR": (blur, (0, 1, 2, 4), ("both moved", "dependence fell"), REPETITIONS),
    "STRONGEST": (strongest, (0.9, 0.99, 0.9999), ("lost", "fell", "moved"), REPETITIONS),
    "TIES": (ties, (0, 2, 5, 10), ("clipped", "bent"), MEDIUM),
    "FREQUENCIES": (frequencies, (8, 24, 48), ("alike: upper limit", "moved: lower limit"), SHORT),
    "CELL_ENDS": (cells, (3, 5, 12), ("alike: upper limit",), SHORT),
    "RULE_FOLDS": (folds, (2, 3, 5), ("group that grew",), SHORT),
}
SAID = {
    "BLUR": "Share of runs in which the pair is named at level .05.",
    "STRONGEST": "Share of runs in which the pair is named at level .05.",
    "TIES": "Share of runs in which the pair is named at level .05.",
    "FREQUENCIES": "Mean of the 95 % limit, 150 v 150 rows of five columns.",
    "CELL_ENDS": "Mean upper 95 % limit, 300 v 300 rows, by classes of each column.",
    "RULE_FOLDS": "Share of runs with a significant rule.",
}


def in_use(part: str) -> float:
    """The value that `compare` has now."""
    found = getattr(design, part)
    return float(len(found) + 1 if isinstance(found, tuple) else found)


def run(chosen: Namespace, raw: Path) -> None:
    for part in chosen.part:
        measure, values, cases, repetitions = PARTS[part]
        count = chosen.repetitions or repetitions
        found: dict[str, dict[str, Any]] = {}
        for case in cases:
            for value in values:
                streams = np.random.default_rng([17, len(case)]).spawn(count)  # the same for all
                drawn = np.array([float(measure(value, case, rng)) for rng in streams])
                error = float(drawn.std() / math.sqrt(count))
                mean = round(float(drawn.mean()), 4)
                found.setdefault(case, {})[f"{value:g}"] = [mean, round(error, 4)]
        write_json(
            raw / f"{part}.json", {"repetitions": count, "versions": versions(), "found": found}
        )


def summarize(raw: Path) -> Summary:
    return {part: read_json(raw / f"{part}.json") for part in PARTS}


def table(summary: Summary) -> str:
    text = "<!-- written by `python -m experiments.design` -->\n"
    for part, (_, values, cases, _) in PARTS.items():
        book = summary[part]
        text += f"\n### {part} (in use: {in_use(part):g})\n\n{SAID[part]} "
        text += f"{book['repetitions']} repetitions, ± one standard error.\n\n"
        text += f"| | {' | '.join(f'{value:g}' for value in values)} |\n"
        text += f"|---|{'---|' * len(values)}\n"
        for case in cases:
            shown = [book["found"][case][f"{value:g}"] for value in values]
            text += f"| {case} | {' | '.join(f'{m:.3f} ± {e:.3f}' for m, e in shown)} |\n"
    return text


def draw(summary: Summary, folder: Path) -> None:
    figure, axes = plt.subplots(1, len(PARTS), figsize=(14, 3.2), layout="constrained")
    for ax, (part, (_, values, cases, _)) in zip(axes, PARTS.items(), strict=True):
        for case in cases:
            cell = summary[part]["found"][case]
            mean, error = zip(*(cell[f"{value:g}"] for value in values), strict=True)
            ax.errorbar(values, mean, error, marker="o", label=case)
        ax.axvline(in_use(part), color="0.7", zorder=0)
        ax.set(title=part, ylim=(0, None))
        ax.legend(fontsize=7)
    save_figure(figure, folder)


def report(summary: Summary, folder: Path) -> None:
    text = table(summary)
    print(text)
    (folder / "table.md").write_text(text)
    draw(summary, folder)


EXPERIMENT = Experiment("design", run, summarize, report, tuple(PARTS))


if __name__ == "__main__":
    EXPERIMENT.main()
