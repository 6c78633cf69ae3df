"""Online detectors of alibi-detect and frouros: ``python -m experiments.monitor.rivals run``.

Runs in an environment of its own (``requirements.txt``). They are given 1,000 reference rows, since
their set-up grows with the square. Each is read by its own statistic, in units of its own threshold
where it has one, with a line drawn on null streams at the share that `DriftMonitor` has there.
"""

import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import Experiment, Summary
from experiments.common import HERE, read_json, versions, write_json
from experiments.monitor.streams import AFTER, BEFORE, FIRST, FOUR, Rows, drawn

NAME = "alibi-detect, frouros"
STREAMS, NULLS, KNOWN, WINDOW = 15, 20, 1_000, 100
Trace = Callable[[Rows], Iterator[float]]


def alibi(name: str) -> Trace:
    """One set-up serves all streams: the reference stays, the state is taken back."""
    from alibi_detect import cd

    known = drawn(FIRST, "reference of alibi", 0)[0][:KNOWN].astype(np.float32)
    detector = getattr(cd, name)(
        known, ert=500.0, window_size=WINDOW, backend="pytorch", n_bootstraps=1_000, verbose=False
    )

    def trace(rows: Rows) -> Iterator[float]:
        detector.reset_state()
        for row in rows.astype(np.float32):
            data = detector.predict(row)["data"]
            yield float(data["test_stat"] / data["threshold"])

    return trace


def frouros_mmd() -> Trace:
    from frouros.detectors.data_drift.streaming import MMD

    known = drawn(FIRST, "reference of alibi", 0)[0][:KNOWN]

    def trace(rows: Rows) -> Iterator[float]:
        detector = MMD(window_size=WINDOW)
        detector.fit(X=known)
        for row in rows:
            result, _ = detector.update(value=row)
            yield -np.inf if result is None else float(result.distance)

    return trace


def frouros_ks() -> Trace:
    """A test for each column; the smallest p-value counts."""
    from frouros.detectors.data_drift.streaming import IncrementalKSTest

    known = drawn(FIRST, "reference of alibi", 0)[0][:KNOWN]

    def trace(rows: Rows) -> Iterator[float]:
        detectors = [IncrementalKSTest(window_size=WINDOW) for _ in range(rows.shape[1])]
        for i, detector in enumerate(detectors):
            detector.fit(X=known[:, i])
        for row in rows:
            pairs = zip(detectors, row, strict=True)
            results = [detector.update(value=value)[0] for detector, value in pairs]
            found = [one.p_value for one in results if one is not None]
            yield -np.log(max(min(found), 1e-300)) if found else -np.inf

    return trace


METHODS: dict[str, Callable[[], Trace]] = {
    "MMDDriftOnline": lambda: alibi("MMDDriftOnline"),
    "LSDDDriftOnline": lambda: alibi("LSDDDriftOnline"),
    "frouros MMD": frouros_mmd,
    "frouros KS": frouros_ks,
}


def first_over(trace: Iterator[float], line: float) -> float:
    return next((float(row) for row, value in enumerate(trace, 1) if value > line), np.inf)


def run(chosen: Namespace, raw: Path) -> None:
    warnings.filterwarnings("ignore")
    streams, nulls = chosen.repetitions or STREAMS, chosen.repetitions or NULLS
    cells: dict[str, Any] = {}
    ours = read_json(HERE / "monitor" / "summary.json")[FIRST]["cells"]["DriftMonitor | mean"]
    target = ours["false alarms"]
    for method, make in METHODS.items():
        trace = make()
        most = np.sort([max(trace(drawn(FIRST, "null", i)[1])) for i in range(nulls)])
        place = min(nulls - 1, int(np.ceil((1 - target) * nulls)) - 1)
        share = float((most > most[place]).mean())
        for kind in FOUR:
            found = [
                first_over(trace(drawn(FIRST, kind, i)[1]), most[place]) for i in range(streams)
            ]
            rows = np.array(found) - BEFORE
            after = np.sort(rows[rows > 0])
            cells[f"{method} | {kind}"] = {
                "repetitions": streams,
                "strictness": float(most[place]),
                "false alarms": share,
                "early": int((rows <= 0).sum()),
                "delays": [None if np.isinf(d) else int(d) for d in after],
            }
        print(method, share, [float(np.median(rows)), len(after)], flush=True)
    packages = {name: metadata.version(name) for name in ("alibi-detect", "frouros")}
    settings = {"after": AFTER, "reference": KNOWN, "null": nulls, "window": WINDOW}
    book = {"seed": 0, "settings": settings, "versions": versions() | packages, "cells": cells}
    write_json(raw / "rivals.json", {NAME: book})


def summarize(raw: Path) -> Summary:
    return read_json(raw / "rivals.json")


def report(summary: Summary, folder: Path) -> None:
    """The table is written by the experiment itself."""
    print(", ".join(summary[NAME]["cells"]) if NAME in summary else "nothing yet")


EXPERIMENT = Experiment("monitor", run, summarize, report)


if __name__ == "__main__":
    EXPERIMENT.main()
