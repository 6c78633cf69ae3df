"""Four real streams as a monitor reads them, in the order of time."""

from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import samelaw as sl
from experiments.command import Experiment, Summary
from experiments.common import data_folder, read_json, save_figure, versions, write_json
from experiments.monitor_null.laws import real

LEVEL = 0.05
POINTS = 240  # of each line that is kept


@dataclass(frozen=True)
class Watched:
    """A stream and how it is watched.

    Parameters
    ----------
    title : str
    rows : table
        In the order of time.
    reference : int
        Rows at the start, and after every alarm, that are taken for the law.
    stretch : int or None
        As in `DriftMonitor`.
    batch : int
    unit : float
        Rows of a unit of time, whose name is ``time``, counted from ``origin``.
    """

    title: str
    rows: dict[str, Any]
    reference: int
    stretch: int | None
    batch: int
    unit: float
    time: str
    origin: float = 0.0


def electricity() -> Watched:
    """Half-hours from May 1996; the time of day is no news."""
    rows = {name: values for name, values in real("elec").items() if name != "period"}
    return Watched("Elec2", rows, 12_000, 48, 48 * 7, 48 * 365.25, "year", 1996.35)


def weather() -> Watched:
    return Watched("NOAA weather", real("weather"), 3_650, None, 30, 365.25, "year", 1949.0)


def outdoor() -> Watched:
    found = np.load(data_folder() / "drift_tabular" / "outdoor.npz")
    rows = {f"bin {i + 1}": found["x"][:, i].astype(float) for i in range(found["x"].shape[1])}
    return Watched("outdoor objects", rows, 1_000, 1, 50, 1.0, "picture")


def census() -> Watched:
    """Answers of 2015, then 15,000 of each year after, in random order."""
    found = np.load(data_folder() / "drift_tabular" / "acs_ma_employment_2015_2018.npz")
    rng = np.random.default_rng(0)
    years = [np.flatnonzero(found["year"] == year) for year in range(2015, 2019)]
    some = np.concatenate(
        [
            rng.permutation(years[0]),
            *(rng.choice(year, 15_000, replace=False) for year in years[1:]),
        ]
    )
    names = [str(name) for name in found["columns"]]
    rows = {name: found["X"][some, i].astype(float) for i, name in enumerate(names)}
    first = len(years[0])
    start = 2016.0 - first / 15_000
    return Watched("ACS Massachusetts", rows, first, 1, 1_000, 15_000.0, "year", start)


STREAMS = {
    "elec2": electricity,
    "noaa": weather,
    "outdoor": outdoor,
    "acs": census,
}


def follow(one: Watched) -> dict[str, Any]:
    """Readings of a stream; an alarm is accepted, and the rows after it become the reference."""
    total = len(next(iter(one.rows.values())))
    monitor = sl.DriftMonitor(
        _part(one.rows, 0, one.reference),
        promise=sl.Ever(LEVEL),
        stretch=one.stretch,
        shuffle=False,
        rng=0,
    )
    line, alarms = [], []
    for start in range(one.reference, total, one.batch):
        reading = monitor.update(_part(one.rows, start, start + one.batch))
        ratio = max(reading.evidence, 1e-6) / reading.threshold
        if not reading.collecting:
            line.append([start + one.batch, float(f"{ratio:.3g}"), reading.effect])
        if reading.alarm:
            if (since := reading.since) is not None:
                since += one.reference
            alarms.append(
                {
                    "row": one.reference + (reading.alarm_row or 0),
                    "since": since,
                    "columns": list(reading.columns),
                    "change": _words(reading),
                }
            )
            monitor.accept(collect=min(one.reference, 12_000))
    kept = line[:: max(1, len(line) // POINTS)]
    facts = monitor.state_dict()["plain"]
    return {
        "repetitions": total - one.reference,
        "reference": one.reference,
        "stretch": facts["stretch"],
        "left over": round(facts["left_over"], 3),
        "alarms": alarms,
        "line": kept,
    }


def _words(reading: Any) -> str:
    if not reading.changes:
        return ""
    first = reading.changes[0]
    return f"{' and '.join(first.columns)}: {first.what} {first.change:+.2f} sd"


def _part(table: dict[str, Any], start: int, stop: int) -> dict[str, Any]:
    return {name: values[start:stop] for name, values in table.items()}


def run(chosen: Namespace, raw: Path) -> None:
    cells = {}
    for name in chosen.part:
        one = STREAMS[name]()
        scale = {"title": one.title, "unit": one.unit, "time": one.time, "origin": one.origin}
        cells[name] = follow(one) | scale
        print(name, cells[name]["stretch"], cells[name]["alarms"], flush=True)
    book = {"seed": 0, "settings": {"level": LEVEL}, "versions": versions(), "cells": cells}
    write_json(raw / "results.json", {"results": book})


def summarize(raw: Path) -> Summary:
    return read_json(raw / "results.json")


def when(cell: dict[str, Any], row: float) -> float:
    return float(cell["origin"] + row / cell["unit"])


def said(cell: dict[str, Any], row: float | None) -> str:
    if row is None:
        return "–"
    value = when(cell, row)
    return f"{value:.1f}" if cell["time"] == "year" else f"{cell['time']} {value:,.0f}"


def report(summary: Summary, folder: Path) -> None:
    cells, level = summary["results"]["cells"], summary["results"]["settings"]["level"]
    lines = [
        "<!-- Written by `python -m experiments.monitor_real`; do not edit. -->",
        "",
        f"Alarms under `Ever({level:g})`, each accepted with the rows after it as the reference.",
        "",
        "| stream | reference rows | stretch (left) | alarm | since about | most of it |",
        "|---|---|---|---|---|---|",
    ]
    for cell in cells.values():
        stretch = f"{cell['stretch']}"
        if cell["stretch"] > 1:
            stretch += f" ({cell['left over']:.2f})"
        head = f"| {cell['title']} | {cell['reference']:,} | {stretch} "
        for one in cell["alarms"]:
            dates = f"{said(cell, one['row'])} | {said(cell, one['since'])}"
            lines.append(f"{head}| {dates} | {one['change'] or ', '.join(one['columns'])} |")
            head = "| | | "
        if not cell["alarms"]:
            lines.append(f"{head}| none | | |")
    (folder / "table.md").write_text("\n".join(lines) + "\n")
    draw(cells, folder)


def draw(cells: dict[str, Any], folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 6), layout="constrained")
    for axis, cell in zip(axes.flat, cells.values(), strict=True):
        rows, ratio = np.array([point[:2] for point in cell["line"]]).T
        pause = np.flatnonzero(np.diff(rows) > 2 * np.median(np.diff(rows)))
        for start in pause:  # a new reference is collected
            axis.axvspan(when(cell, rows[start]), when(cell, rows[start + 1]), color="0.9")
        rows, ratio = np.insert(rows, pause + 1, np.nan), np.insert(ratio, pause + 1, np.nan)
        axis.plot([when(cell, row) for row in rows], np.clip(ratio, 1e-4, 10), linewidth=1)
        axis.axhline(1.0, color="tab:orange", linewidth=1)
        for one in cell["alarms"]:
            axis.axvline(when(cell, one["row"]), color="tab:orange", linestyle=":", linewidth=1)
        axis.set(yscale="log", xlabel=cell["time"], ylim=(1e-4, 20))
        axis.set_title(f"{cell['title']}: alarms {len(cell['alarms'])}", fontsize=10)
    figure.supylabel("evidence over the line of the alarm")
    save_figure(figure, folder)


EXPERIMENT = Experiment("monitor_real", run, summarize, report, tuple(STREAMS))


if __name__ == "__main__":
    EXPERIMENT.main()
