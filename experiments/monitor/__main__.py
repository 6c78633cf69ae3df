"""Rows from a change to the alarm, beside detectors of river, at equal measured false alarms."""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import samelaw as sl
from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure, versions, write_json

COLUMNS, BEFORE, AFTER, REFERENCE, WARM = 5, 1_000, 1_000, 5_000, 500
STREAMS, NULLS = 40, 60
WINDOW = 100  # rows of the windowed moments
KINDS = {
    "mean": "mean + 0.5 in one column",
    "correlation": "correlation 0 to 0.5",
    "scale": "scale × 1.5 in one column",
    "subgroup": "10 % of rows + 3 in one column",
    "gradual": "mean + 1 in one column, over 1,000 rows",
    "everywhere": "mean + 0.25 in all columns",
}
Rows = np.ndarray[Any, np.dtype[np.float64]]
Detector = Callable[[Rows, Rows, float, int], float]


def stream(kind: str, rng: np.random.Generator) -> Rows:
    """Normal rows that change after BEFORE of them; "null" never does."""
    rows = rng.normal(size=(BEFORE + AFTER, COLUMNS))
    after = rows[BEFORE:]
    match kind:
        case "mean":
            after[:, 0] += 0.5
        case "correlation":
            after[:, 1] = 0.5 * after[:, 0] + 0.75**0.5 * after[:, 1]
        case "scale":
            after[:, 0] *= 1.5
        case "subgroup":
            after[rng.random(AFTER) < 0.1, 0] += 3.0
        case "gradual":
            after[:, 0] += np.linspace(0.0, 1.0, AFTER)
        case "everywhere":
            after += 0.25
    return rows


def monitor(reference: Rows, rows: Rows, length: float, seed: int) -> float:
    """Ours; the strictness is the run length."""
    found = sl.DriftMonitor(reference, promise=sl.RunLength(round(length)), shuffle=False, rng=seed)
    for start in range(0, len(rows), 100):
        reading = found.update(rows[start : start + 100])
        if reading.alarm_row is not None:
            return float(reading.alarm_row)
    return np.inf


def per_column(make: Callable[[float], Any], rows: Rows, reference: Rows, strict: float) -> float:
    """A detector of river for each column, warmed up on reference rows; the first alarm counts."""
    best = np.inf
    for column in range(COLUMNS):
        detector = make(strict)
        for value in reference[:WARM, column]:
            detector.update(float(value))
        for number, value in enumerate(rows[:, column], 1):
            if number >= best:
                break
            detector.update(float(value))
            if detector.drift_detected:
                best = float(number)
    return best


def adwin(reference: Rows, rows: Rows, strict: float, _: int) -> float:
    """The level of each column is 1/strictness, divided by the columns (Bonferroni)."""
    from river.drift import ADWIN

    make = lambda s: ADWIN(delta=1.0 / (s * COLUMNS))  # noqa: E731
    return per_column(make, rows, reference, strict)


def page_hinkley(reference: Rows, rows: Rows, strict: float, _: int) -> float:
    """The threshold is the strictness."""
    from river.drift import PageHinkley

    make = lambda s: PageHinkley(threshold=s, delta=0.1, alpha=1.0)  # noqa: E731
    return per_column(make, rows, reference, strict)


def moments(rows: Rows) -> Rows:
    """Levels, squares and products of all columns."""
    i, j = np.triu_indices(COLUMNS)
    return np.concatenate([rows, rows[:, i] * rows[:, j]], axis=1)


def largest_z(reference: Rows, rows: Rows, strict: float, _: int) -> float:
    """The largest |z| of twenty moments over a window: no proof, a threshold by simulation."""
    known = moments(reference)
    z = (moments(rows) - known.mean(axis=0)) / known.std(axis=0)
    total = np.cumsum(z, axis=0)
    window = (total[WINDOW:] - total[:-WINDOW]) / WINDOW**0.5
    over = np.flatnonzero(np.abs(window).max(axis=1) > strict)
    return float(over[0] + WINDOW + 1) if len(over) else np.inf


METHODS: dict[str, tuple[Detector, list[float]]] = {
    "DriftMonitor": (monitor, [10_000.0]),
    "ADWIN": (adwin, [0.21, 0.3, 0.5, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 1e4, 1e5, 1e6]),
    "PageHinkley": (page_hinkley, [10, 15, 20, 25, 30, 35, 40, 50, 60, 80, 120, 200]),
    "largest z": (largest_z, [3.0, 3.5, 3.75, 4.0, 4.1, 4.2, 4.3, 4.5, 5.0, 6.0, 7.0]),
}


def alarms(method: str, strict: float, kind: str, count: int) -> list[float]:
    """Rows to the alarm of every stream, each with a reference of its own."""
    found = []
    for seed in range(count):
        rng = np.random.default_rng([seed, len(kind), kind == "null"])
        reference = rng.normal(size=(REFERENCE, COLUMNS))
        found.append(METHODS[method][0](reference, stream(kind, rng), strict, seed))
    return found


def calibrated(method: str, target: float, count: int) -> tuple[float, float]:
    """The least strictness whose share of false alarms is at most the target, and that share."""
    for strict in METHODS[method][1]:
        share = float(np.isfinite(alarms(method, strict, "null", count)).mean())
        if share <= target:
            break
    return strict, share


def run(chosen: Namespace, raw: Path) -> None:
    streams, nulls = chosen.repetitions or STREAMS, chosen.repetitions or NULLS
    target = float(np.isfinite(alarms("DriftMonitor", 10_000.0, "null", nulls)).mean())
    cells: dict[str, Any] = {}
    for method in METHODS:
        strict, share = calibrated(method, max(target, 1.0 / nulls), nulls)
        for kind in KINDS:
            rows = np.array(alarms(method, strict, kind, streams)) - BEFORE
            after = rows[rows > 0]
            cells[f"{method} | {kind}"] = {
                "method": method,
                "kind": kind,
                "repetitions": streams,
                "strictness": strict,
                "false alarms": share,
                "early": int((rows <= 0).sum()),
                "found": int(np.isfinite(after).sum()),
                "delays": [None if np.isinf(d) else d for d in sorted(after)],
            }
            print(method, kind, strict, share, float(np.median(after)) if len(after) else "early")
    settings = {"columns": COLUMNS, "before": BEFORE, "after": AFTER, "reference": REFERENCE}
    book = {"seed": 0, "settings": settings, "versions": versions(), "cells": cells}
    write_json(raw / "results.json", {"results": book})


def summarize(raw: Path) -> Summary:
    return read_json(raw / "results.json")


def median(cell: dict[str, Any]) -> float:
    return float(np.median([np.inf if d is None else d for d in cell["delays"]]))


def said(cell: dict[str, Any]) -> str:
    value = median(cell)
    missed = len(cell["delays"]) - cell["found"]
    shown = "not found" if np.isinf(value) else f"{value:.0f}"
    return f"{shown} ({missed} missed)" if missed and not np.isinf(value) else shown


def report(summary: Summary, folder: Path) -> None:
    cells = summary["results"]["cells"]
    lines = [
        "<!-- Written by `python -m experiments.monitor`; do not edit. -->",
        "",
        "Median rows from the change to the alarm, alarms before it left out; thresholds at the "
        "same measured share of null streams with an alarm within 2,000 rows, or the next lower.",
        "",
        f"| change | {' | '.join(METHODS)} |",
        "|---" * (len(METHODS) + 1) + "|",
    ]
    for kind, words in KINDS.items():
        row = [said(cells[f"{method} | {kind}"]) for method in METHODS]
        lines.append(f"| {words} | {' | '.join(row)} |")
    shares = [f"{cells[f'{method} | mean']['false alarms']:.3f}" for method in METHODS]
    lines.append(f"| *null streams with an alarm* | {' | '.join(shares)} |")
    (folder / "table.md").write_text("\n".join(lines) + "\n")
    draw(cells, folder)


def draw(cells: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        2, 3, figsize=(10, 5), sharex=True, sharey=True, layout="constrained"
    )
    for axis, (kind, words) in zip(axes.flat, KINDS.items(), strict=True):
        for method in METHODS:
            delays = cells[f"{method} | {kind}"]["delays"]
            known = [0.0, *(d for d in delays if d is not None)]
            share = np.arange(len(known)) / max(len(delays), 1)
            axis.step([*known, AFTER], [*share, share[-1]], where="post", label=method)
        axis.set_title(words, fontsize=9)
    figure.supxlabel("rows since the change")
    figure.supylabel("share of streams with an alarm")
    figure.legend(METHODS, loc="outside upper center", ncols=len(METHODS), frameon=False)
    save_figure(figure, folder)


EXPERIMENT = Experiment("monitor", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
