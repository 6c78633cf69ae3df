"""The cost of a row of a stream: microseconds at five and ten columns, in batches of a thousand.

Goal: at most ten microseconds per row at ten columns, that is 100,000 rows per CPU second.
"""

import numpy as np
from _common import cpu_times, report

from samelaw import DriftMonitor

ROWS = 1_000
GOAL = 10.0  # microseconds


def measure(columns: int) -> dict[str, object]:
    rng = np.random.default_rng(0)
    monitor = DriftMonitor(rng.normal(size=(60_000, columns)), rng=0)
    batches = iter(rng.normal(size=(40, ROWS, columns)))
    seconds = cpu_times({"update": lambda: monitor.update(next(batches))}, rounds=30)["update"]
    each = 1e6 * seconds / ROWS
    return {"case": f"{columns} columns", "microseconds": each, "goal": GOAL, "met": each <= GOAL}


def main() -> None:
    rows = [measure(columns) for columns in (5, 10)]
    report("monitor", f"CPU microseconds per row of a stream, batches of {ROWS:,}", rows)


if __name__ == "__main__":
    main()
