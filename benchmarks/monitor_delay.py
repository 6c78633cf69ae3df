"""Rows from a change to the alarm: medians over streams, beside those of the prototype.

Five normal columns that change after 1,000 rows; 60 streams, each with a reference of its own.
Goal: at most 1.1 times the median of the prototype.
"""

from typing import Any

import numpy as np
from _common import report

from samelaw import DriftMonitor, Ever, RunLength

STREAMS, REFERENCE, BEFORE, AFTER, BATCH = 60, 5_000, 1_000, 1_000, 100
SLACK = 1.1
PROTOTYPE = {
    "mean + 0.5 in one column": (128, 190),
    "correlation 0 to 0.5": (140, 188),
    "scale × 1.5 in one column": (105, 143),
    "10 % of rows + 3 in one column": (160, 234),
}


def stream(kind: str, rng: np.random.Generator) -> Any:
    rows = rng.normal(size=(BEFORE + AFTER, 5))
    after = rows[BEFORE:]
    match kind.split()[0]:
        case "mean":
            after[:, 0] += 0.5
        case "correlation":
            after[:, 1] = 0.5 * after[:, 0] + 0.75**0.5 * after[:, 1]
        case "scale":
            after[:, 0] *= 1.5
        case _:
            after[rng.random(AFTER) < 0.1, 0] += 3.0
    return rows


def delay(kind: str, promise: Ever | RunLength, seed: int) -> float:
    """Rows after the change; 0 or less if the alarm came before, infinite if none came."""
    rng = np.random.default_rng([seed, 0])
    reference = rng.normal(size=(REFERENCE, 5))
    monitor = DriftMonitor(reference, promise=promise, shuffle=False, rng=seed)
    for batch in np.split(stream(kind, rng), (BEFORE + AFTER) // BATCH):
        reading = monitor.update(batch)
        if reading.alarm_row is not None:
            return reading.alarm_row - BEFORE
    return np.inf


def measure(kind: str, promise: Ever | RunLength, prototype: int) -> dict[str, Any]:
    delays = np.array([delay(kind, promise, seed) for seed in range(STREAMS)])
    after = delays[delays > 0]
    rng = np.random.default_rng(0)
    error = np.median(rng.choice(after, (500, len(after))), axis=1).std()
    median = float(np.median(after))
    return {
        "case": kind,
        "promise": repr(promise),
        "median": median,
        "standard error": float(error),
        "before": int((delays <= 0).sum()),
        "missed": int(np.isinf(delays).sum()),
        "goal": SLACK * prototype,
        "met": median <= SLACK * prototype,
    }


def main() -> None:
    promises: tuple[Ever | RunLength, ...] = (RunLength(10_000), Ever(0.05))
    rows = [
        measure(kind, promise, prototype)
        for kind, medians in PROTOTYPE.items()
        for promise, prototype in zip(promises, medians, strict=True)
    ]
    report("monitor_delay", "rows from a change to the alarm", rows)


if __name__ == "__main__":
    main()
