"""Tests, divergences and comparisons under one, two and all threads of the BLAS, idle and busy.

Each case is a process of its own, as the BLAS reads its settings when it is loaded; cases of one
size take turns. A busy machine has one more process per core that does nothing but count. Wall
seconds, each over the best of its size and state of the machine: no setting should cost much.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from _common import report

TEST, DIVERGENCE = "two_sample_test(x, y, rng=0)", "rjsd(x, y)"
FEATURES = "FourierEstimator(rng=0)(x, y)"
TABLES = "compare(x, y, rng=0)"
WORK = (
    (TEST, 200, 200),
    (TEST, 750, 563),
    (TEST, 2_000, 2_000),
    (TEST, 20_000, 20_000),
    (DIVERGENCE, 300, 200),
    (DIVERGENCE, 1_500, 1_500),
    (FEATURES, 100_000, 100_000),
    (TABLES, 500, 400),
    (TABLES, 20_000, 20_000),
)
SETTINGS = ("1", "2", "unset")
ROUNDS, GOAL = 3, 1.3
_NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_RUN = """
import sys, time
import numpy as np
import samelaw
rng = np.random.default_rng(0)
work = compile("samelaw." + sys.argv[1], "work", "eval")
full = [rng.normal(size=(int(rows), 10)) for rows in sys.argv[2:]]
x, y = (one[:50] for one in full)
eval(work)
x, y = full
start, calls = time.perf_counter(), 0
while time.perf_counter() - start < 0.5:  # a short one is a few slices of a busy machine's time
    eval(work)
    calls += 1
print((time.perf_counter() - start) / calls)
"""


def seconds(case: tuple[str, int, int], threads: str) -> float:
    """Wall seconds of a call in a process of its own."""
    own = {name: value for name, value in os.environ.items() if name not in _NAMES}
    if threads != "unset":
        own |= dict.fromkeys(_NAMES, threads)
    command = [sys.executable, "-c", _RUN, *map(str, case)]
    return float(subprocess.run(command, env=own, capture_output=True, check=True).stdout)


@contextmanager
def load(busy: bool) -> Iterator[None]:
    """One more process per core that only counts, if busy."""
    count = os.cpu_count() or 1 if busy else 0
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def measure(case: tuple[str, int, int], busy: bool) -> list[dict[str, Any]]:
    with load(busy):
        turns = [{setting: seconds(case, setting) for setting in SETTINGS} for _ in range(ROUNDS)]
    best = {setting: min(turn[setting] for turn in turns) for setting in SETTINGS}
    least = min(best.values())
    work, n, m = case
    said = f"{work.split('(')[0]}, {n:,} v {m:,}, {'busy' if busy else 'idle'}"
    return [
        {
            "case": f"{said}, {setting} threads",
            "wall s": wall,
            "over the best": wall / least,
            "goal": GOAL,
            "met": wall <= GOAL * least,
        }
        for setting, wall in best.items()
    ]


def main() -> None:
    rows = [row for case in WORK for busy in (False, True) for row in measure(case, busy)]
    report("threads", "work by threads of the BLAS (wall seconds)", rows)


if __name__ == "__main__":
    main()
