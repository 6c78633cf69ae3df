"""False alarms of the monitor on streams that never change, run lengths, and a very long stream."""

import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

import samelaw as sl
from experiments.command import Experiment, Summary, merged
from experiments.common import read_json, save_figure, versions, write_json
from experiments.monitor_null.laws import COLUMNS, LAWS, following, normal
from samelaw.monitor.reference import as_batch
from samelaw.tables.frozen import FrozenTable

LEVEL, ROWS, REFERENCE = 0.05, 10_000, 6_000
PAIRING = 13_000  # for each stream; suspicious rows meet several
LITTER = 50
"""Streams that share preparation and training, given which the promise holds."""

PROMISED, RUNS, LONG_REFERENCE, BATCH = 1_000, 500, 34_000, 1_000
SOAK, STEP, SOAK_REFERENCE = 10_000_000, 100_000, 10_000
DEPENDENT_STREAMS, DEPENDENT_ROWS, DEPENDENT_REFERENCE = 60, 8_000, 24_000
STRETCHES = {0.5: (1, 8, None), 0.9: (1, 40, None)}  # by the correlation of neighbouring rows
PARTS = ("ever", "run length", "soak", "dependent")


def quiet_monitor(law: Any, rng: np.random.Generator, rows: int, promise: Any) -> sl.DriftMonitor:
    """A monitor with a reference of its own."""
    seed = int(rng.integers(2**31))
    options: dict[str, Any] = {"promise": promise, "shuffle": False, "reserve": False}
    return sl.DriftMonitor(law(rng, rows), **options, rng=seed)


def ever(streams: int | None, laws: list[str] | None = None) -> dict[str, Any]:
    """How many streams of each law have any alarm within so many rows."""
    cells = {}
    for number, (name, (law, planned)) in enumerate(LAWS.items()):
        if laws and name not in laws:
            continue
        count, alarms, unjudged, start = streams or planned, 0, 0, time.process_time()
        for i in range(count):
            rng = np.random.default_rng([number, i])
            if i % LITTER == 0:
                first = quiet_monitor(law, rng, REFERENCE, sl.Ever(LEVEL))
            reading = with_pairing(first, law(rng, PAIRING)).update(law(rng, ROWS))
            alarms += reading.alarm
            unjudged += 0 if reading.alarm else reading.unjudged
        cells[name] = {"repetitions": count, "alarms": alarms, "unjudged": unjudged}
        print(name, alarms, "of", count, f"{time.process_time() - start:.0f} s", flush=True)
    settings = {"level": LEVEL, "rows": ROWS, "reference": REFERENCE, "pairing": PAIRING}
    return {"seed": 0, "settings": settings, "versions": versions(), "cells": cells}


def with_pairing(monitor: sl.DriftMonitor, rows: Any) -> sl.DriftMonitor:
    """A monitor of the same preparation and training with other pairing rows."""
    state = monitor.state_dict()
    rules = FrozenTable.from_state(state["plain"]["rules"], state["arrays"])
    points, new = rules.encode(as_batch(rows, rules.names))
    arrays = state["arrays"] | {"pairing.points": points, "pairing.new": new}
    return sl.DriftMonitor.from_state({"plain": state["plain"], "arrays": arrays})


def run_lengths(runs: int | None) -> dict[str, Any]:
    """Rows to the first alarm; what outlasts its pairing rows counts as if it were raised there."""
    found, outlasted = [], 0
    for i in range(runs or RUNS):
        rng = np.random.default_rng([100, i])
        monitor = quiet_monitor(normal, rng, LONG_REFERENCE, sl.RunLength(PROMISED))
        reading = monitor.reading
        while not reading.alarm and reading.rows_left:
            reading = monitor.update(normal(rng, BATCH))
        outlasted += not reading.alarm
        found.append(reading.alarm_row or reading.rows - reading.unjudged)
    cells = {"rows": {"repetitions": len(found), "outlasted": outlasted, "lengths": sorted(found)}}
    settings = {"promised": PROMISED, "reference": LONG_REFERENCE}
    return {"seed": 0, "settings": settings, "versions": versions(), "cells": cells}


def dependent(streams: int | None) -> dict[str, Any]:
    """Streams whose rows follow the rows before: how often they raise an alarm by that alone."""
    cells = {}
    for correlation, stretches in STRETCHES.items():
        for stretch in stretches:
            alarms, lengths, left_over = 0, [], []
            for i in range(streams or DEPENDENT_STREAMS):
                rng = np.random.default_rng([200, round(10 * correlation), i])
                monitor = sl.DriftMonitor(
                    following(rng, DEPENDENT_REFERENCE, correlation),
                    promise=sl.Ever(LEVEL),
                    stretch=stretch,
                    shuffle=False,
                    reserve=False,
                    rng=i,
                )
                alarms += monitor.update(following(rng, DEPENDENT_ROWS, correlation)).alarm
                facts = monitor.state_dict()["plain"]
                lengths.append(facts["stretch"])
                left_over.append(facts["left_over"])
            cells[f"{correlation} | {stretch or 'estimated'}"] = {
                "repetitions": len(lengths),
                "alarms": int(alarms),
                "stretch": float(np.median(lengths)),
                "left over": float(np.mean(left_over)),
            }
            print(correlation, stretch, alarms, flush=True)
    settings = {"level": LEVEL, "rows": DEPENDENT_ROWS, "reference": DEPENDENT_REFERENCE}
    return {"seed": 0, "settings": settings, "versions": versions(), "cells": cells}


def memory() -> int:
    """Bytes this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def soak(quick: bool) -> dict[str, Any]:
    """One stream that never changes; a coin reserves rows of it once the reference is used up."""
    rng = np.random.default_rng(7)
    monitor = sl.DriftMonitor(
        normal(rng, SOAK_REFERENCE), promise=sl.Ever(LEVEL), reserve=True, rng=7
    )
    used, start, alarm = [], time.process_time(), False
    for step in range(3 if quick else SOAK // STEP):
        for _ in range(STEP // BATCH):
            alarm = monitor.update(normal(rng, BATCH)).alarm
        used.append([(step + 1) * STEP, memory(), len(monitor.to_bytes())])
    seconds = time.process_time() - start
    print("soak", monitor.reading.rows, f"{seconds:.0f} s", used[0], used[-1], flush=True)
    cell = {"repetitions": monitor.reading.rows, "seconds": seconds, "alarm": alarm, "used": used}
    settings = {"columns": COLUMNS, "reference": SOAK_REFERENCE, "batch": BATCH}
    return {"seed": 7, "settings": settings, "versions": versions(), "cells": {"soak": cell}}


def run(chosen: Namespace, raw: Path) -> None:
    books = read_json(raw / "results.json")
    makers = {
        "ever": lambda: ever(chosen.repetitions, chosen.method),
        "run length": lambda: run_lengths(chosen.repetitions),
        "soak": lambda: soak(chosen.quick),
        "dependent": lambda: dependent(chosen.repetitions),
    }
    for part in chosen.part:
        books[part] = merged(books.get(part, {}), makers[part]())
        write_json(raw / "results.json", books)


def summarize(raw: Path) -> Summary:
    return read_json(raw / "results.json")


def upper(alarms: int, runs: int) -> float:
    """The exact 97.5 % limit of a share."""
    return float(beta.ppf(0.975, alarms + 1, runs - alarms)) if alarms < runs else 1.0


def report(summary: Summary, folder: Path) -> None:
    cells, lengths = summary["ever"]["cells"], summary["run length"]["cells"]["rows"]
    level, rows = summary["ever"]["settings"]["level"], summary["ever"]["settings"]["rows"]
    lines = [
        "<!-- Written by `python -m experiments.monitor_null`; do not edit. -->",
        "",
        f"Streams of {rows:,} rows that never change, `Ever({level:g})`; the first run may spend "
        f"{level / 2:g} of it.",
        "",
        "| rows | streams | with an alarm | share | 97.5 % limit |",
        "|---|---|---|---|---|",
    ]
    for name, cell in cells.items():
        alarms, count = cell["alarms"], cell["repetitions"]
        limit = f"{upper(alarms, count):.4f}"
        lines.append(f"| {name} | {count:,} | {alarms} | {alarms / count:.4f} | {limit} |")
    found = np.array(lengths["lengths"], dtype=float)
    error = found.std(ddof=1) / len(found) ** 0.5
    promised = summary["run length"]["settings"]["promised"]
    lines += [
        "",
        f"Rows to the first alarm, `RunLength({promised:_})`, {len(found)} streams of five normal "
        f"columns: mean {found.mean():,.0f} ± {error:,.0f}, median {np.median(found):,.0f}; "
        f"{lengths['outlasted']} outlasted their pairing rows and count as ended there.",
        "",
        soak_words(summary["soak"]["cells"]["soak"]),
    ]
    if "dependent" in summary:
        lines += ["", *dependent_table(summary["dependent"])]
    (folder / "table.md").write_text("\n".join(lines) + "\n")
    draw(summary, found, folder)


def dependent_table(book: dict[str, Any]) -> list[str]:
    lines = [
        f"Three columns whose rows follow the rows before, {book['settings']['rows']:,} rows that "
        f"never change, `Ever({book['settings']['level']:g})`, approximate:",
        "",
        "| correlation of neighbours | `stretch=` | rows of it (median) | left between stretches "
        "| streams with an alarm |",
        "|---|---|---|---|---|",
    ]
    for key, cell in book["cells"].items():
        correlation, stretch = key.split(" | ")
        given = "None" if stretch == "estimated" else stretch
        left = "–" if given == "1" else f"{cell['left over']:.2f}"
        share = f"{cell['alarms']} of {cell['repetitions']}"
        lines.append(f"| {correlation} | {given} | {cell['stretch']:.0f} | {left} | {share} |")
    return lines


def soak_words(cell: dict[str, Any]) -> str:
    used = np.array(cell["used"])
    late = used[len(used) // 10 :, 1] / 2**20
    rate = cell["repetitions"] / cell["seconds"]
    return (
        f"One stream of {cell['repetitions']:,} rows with `reserve=True`, "
        f"{'an' if cell['alarm'] else 'no'} alarm: {rate:,.0f} rows per CPU second; the process "
        f"held {late.min():.0f} to {late.max():.0f} MB after the first tenth, the state "
        f"{used[:, 2].max() / 2**20:.1f} MB at the most."
    )


def draw(summary: Summary, lengths: Any, folder: Path) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    promised = summary["run length"]["settings"]["promised"]
    left.step(np.sort(lengths), 1 - np.arange(1, len(lengths) + 1) / len(lengths), where="post")
    left.axvline(promised, linestyle=":", color="black", linewidth=1)
    left.axvline(lengths.mean(), color="tab:orange")
    left.set(xscale="log", xlabel="rows", ylabel="share of null streams without an alarm")
    left.set_title(f"RunLength({promised:_}): promised (dotted) and measured mean", fontsize=9)
    used = np.array(summary["soak"]["cells"]["soak"]["used"])
    right.plot(used[:, 0] / 1e6, used[:, 1] / 2**20, label="process")
    right.plot(used[:, 0] / 1e6, used[:, 2] / 2**20, label="saved state")
    right.set(xlabel="million rows", ylabel="MB", ylim=(0, None))
    right.set_title("Memory over one long stream", fontsize=9)
    right.legend(frameon=False)
    save_figure(figure, folder)


EXPERIMENT = Experiment("monitor_null", run, summarize, report, PARTS)


if __name__ == "__main__":
    EXPERIMENT.main()
