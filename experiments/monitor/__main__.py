"""Rows from a change to the alarm, beside other detectors at equal measured false alarms."""

import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import Experiment, Summary, merged
from experiments.common import read_json, save_figure, versions, write_json
from experiments.monitor.detectors import METHODS, NEVER, Ours, PerColumn, Traced
from experiments.monitor.rivals import NAME as RIVALS
from experiments.monitor.streams import AFTER, BEFORE, FIRST, FOUR, REFERENCE, SETTINGS, drawn

STREAMS, NULLS = 20, 30
EVERYWHERE = ("DriftMonitor", "largest z", "windowed MMD")
"""The others run in the first setting alone."""
FIRST_STREAMS, FIRST_NULLS = 40, 60
LOOKS = [
    ("#0072b2", "-"), ("#56b4e9", "--"), ("#d55e00", "-"), ("#e69f00", "--"), ("#009e73", "-."),
    ("#cc79a7", "-"), ("black", ":"),
]  # fmt: skip
"""Of Okabe and Ito (2008), with lines of their own: told apart by all kinds of colour vision."""


def alarms(method: str, setting: str, kind: str, count: int, strict: float) -> list[float]:
    """Rows to the alarm of every stream."""
    found, detector = [], METHODS[method]
    for seed in range(count):
        reference, rows = drawn(setting, kind, seed)
        if isinstance(detector, Traced):
            over = np.flatnonzero(detector.statistics(reference, rows) > strict)
            found.append(float(over[0] + 1) if len(over) else NEVER)
        elif isinstance(detector, PerColumn):
            found.append(detector.alarm(reference, rows, strict))
        else:
            found.append(detector.alarm(reference, rows, seed))
    return found


def calibrated(method: str, setting: str, target: float, count: int) -> tuple[float, float]:
    """A threshold whose share of null streams with an alarm is at most the target, and it."""
    detector = METHODS[method]
    if isinstance(detector, Traced):
        pairs = (drawn(setting, "null", seed) for seed in range(count))
        most = np.sort([detector.statistics(*pair).max() for pair in pairs])
        place = min(count - 1, int(np.ceil((1 - target) * count)) - 1)
        return float(most[place]), float((most > most[place]).mean())
    for strict in detector.grid if isinstance(detector, PerColumn) else (0.0,):
        share = float(np.isfinite(alarms(method, setting, "null", count, strict)).mean())
        if share <= target:
            break
    return strict, share


def run(chosen: Namespace, raw: Path) -> None:
    for setting in chosen.part:
        first = setting == FIRST
        streams = chosen.repetitions or (FIRST_STREAMS if first else STREAMS)
        nulls = chosen.repetitions or (FIRST_NULLS if first else NULLS)
        target, cells = 1.0, {}
        for method, detector in METHODS.items():
            if not first and method not in EVERYWHERE:
                continue
            if chosen.method and method not in (*chosen.method, "DriftMonitor"):
                continue  # ours sets the measure
            start = time.process_time()
            goal = 1.0 if isinstance(detector, Ours) else max(target, 1.0 / nulls)
            strict, share = calibrated(method, setting, goal, nulls)
            target = share if method == "DriftMonitor" else target
            for kind in SETTINGS[setting].kinds:
                cells[f"{method} | {kind}"] = cell(method, setting, kind, streams, strict, share)
            print(setting, method, f"{time.process_time() - start:.0f} s", share, flush=True)
        settings = {"before": BEFORE, "after": AFTER, "reference": REFERENCE, "null": nulls}
        book = {"seed": 0, "settings": settings, "versions": versions(), "cells": cells}
        write_json(raw / "results.json", merged(read_json(raw / "results.json"), {setting: book}))


def cell(
    method: str, setting: str, kind: str, streams: int, strict: float, share: float
) -> dict[str, Any]:
    rows = np.array(alarms(method, setting, kind, streams, strict)) - BEFORE
    after = rows[rows > 0]
    delays = [None if np.isinf(d) else int(d) for d in sorted(after)]
    return {
        "repetitions": streams,
        "strictness": round(strict, 6),
        "false alarms": round(share, 4),
        "early": int((rows <= 0).sum()),
        "delays": delays,
    }


def summarize(raw: Path) -> Summary:
    return read_json(raw / "results.json")


def delays(found: dict[str, Any]) -> Any:
    return np.array([NEVER if d is None else d for d in found["delays"]], dtype=float)


def said(found: dict[str, Any]) -> str:
    """Median with its error, half the width of the middle 68 % of bootstrap medians."""
    values = delays(found)
    missed = int(np.isinf(values).sum())
    middle = np.median(values)
    if np.isinf(middle):
        return f"not found ({missed} of {len(values)} missed)"
    rng = np.random.default_rng(0)
    again = np.median(rng.choice(values, (400, len(values))), axis=1)
    low, high = np.quantile(np.where(np.isinf(again), AFTER, again), [0.16, 0.84])
    left = f", {missed} missed" if missed else ""
    return f"{middle:.0f} ± {(high - low) / 2:.0f}{left}"


def report(summary: Summary, folder: Path) -> None:
    lines = [
        "<!-- Written by `python -m experiments.monitor`; do not edit. -->",
        "",
        "Median rows from the change to the alarm, alarms before it left out; thresholds of the "
        "others at the measured share of null streams with an alarm within 2,000 rows that "
        "`DriftMonitor` with `RunLength(10_000)` has, or the next lower.",
    ]
    for setting in [name for name in SETTINGS if name in summary]:
        lines += ["", *table(setting, summary[setting]["cells"], SETTINGS[setting].kinds)]
    if RIVALS in summary:
        lines += ["", *table(f"5 columns: {RIVALS}", summary[RIVALS]["cells"], FOUR)]
    lines += ["", beside(summary)]
    (folder / "table.md").write_text("\n".join(lines) + "\n")
    draw(summary[FIRST]["cells"], folder)


def beside(summary: Summary) -> str:
    """How much longer we take than a window whose threshold is simulated, by number of columns."""
    found, every = [], []
    for setting in [name for name in SETTINGS if name in summary and name.endswith("columns")]:
        cells = summary[setting]["cells"]
        pairs = [
            [cells[f"{name} | {kind}"] for name in ("DriftMonitor", "largest z")] for kind in FOUR
        ]
        ratios = [float(np.median(delays(a)) / np.median(delays(b))) for a, b in pairs]
        found.append(f"in {setting} {', '.join(f'{one:.2f}' for one in ratios)}")
        every += ratios
    mean = np.exp(np.mean(np.log(every)))
    return (
        "Median delay of `DriftMonitor` over that of the largest z, for mean, correlation, scale "
        f"and subgroup: {'; '.join(found)}; {mean:.2f} in the geometric mean."
    )


def table(setting: str, cells: dict[str, Any], kinds: dict[str, str]) -> list[str]:
    methods = list(dict.fromkeys(key.split(" | ")[0] for key in cells))
    lines = [f"| {setting} | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    for kind, words in kinds.items():
        row = [said(cells[f"{method} | {kind}"]) for method in methods]
        lines.append(f"| {words} | {' | '.join(row)} |")
    last = next(iter(kinds))
    shares = [f"{cells[f'{method} | {last}']['false alarms']:.2f}" for method in methods]
    early = [sum(cells[f"{method} | {kind}"]["early"] for kind in kinds) for method in methods]
    lines.append(f"| *null streams with an alarm* | {' | '.join(shares)} |")
    lines.append(f"| *alarms before the change, all kinds* | {' | '.join(map(str, early))} |")
    return lines


def draw(cells: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    kinds = SETTINGS[FIRST].kinds
    methods = list(dict.fromkeys(key.split(" | ")[0] for key in cells))
    figure, axes = plt.subplots(
        2, 4, figsize=(12, 5.4), sharex=True, sharey=True, layout="constrained"
    )
    for axis, (kind, words) in zip(axes.flat, kinds.items(), strict=False):
        for method, (color, line) in zip(methods, LOOKS, strict=True):
            values = delays(cells[f"{method} | {kind}"])
            known = np.append(0.0, values[np.isfinite(values)])
            share = np.arange(len(known)) / max(len(values), 1)
            rows, shares = [*known, AFTER], [*share, share[-1]]
            axis.step(rows, shares, where="post", color=color, ls=line, label=method)
        axis.set_title(words, fontsize=8)
    for axis in axes.flat[len(kinds) :]:
        axis.axis("off")
    figure.supxlabel("rows since the change")
    figure.supylabel("share of streams with an alarm")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    save_figure(figure, folder)


EXPERIMENT = Experiment("monitor", run, summarize, report, tuple(SETTINGS))


if __name__ == "__main__":
    EXPERIMENT.main()
