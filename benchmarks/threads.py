"""The default test under one, two and all threads of the BLAS, on an idle and on a busy machine.

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

SIZES = ((200, 200), (750, 563), (2_000, 2_000), (20_000, 20_000))
SETTINGS = ("1", "2", "unset")
ROUNDS, GOAL = 3, 1.3
_NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_RUN = """
import sys, time
import numpy as np
import samelaw
rng = np.random.default_rng(0)
x, y = (rng.normal(size=(int(rows), 10)) for rows in sys.argv[1:])
samelaw.two_sample_test(x[:50], y[:50], rng=0)
start = time.perf_counter()
samelaw.two_sample_test(x, y, rng=0)
print(time.perf_counter() - start)
"""


def seconds(sizes: tuple[int, int], threads: str) -> float:
    """Wall seconds of one test in a process of its own."""
    own = {name: value for name, value in os.environ.items() if name not in _NAMES}
    if threads != "unset":
        own |= dict.fromkeys(_NAMES, threads)
    command = [sys.executable, "-c", _RUN, *map(str, sizes)]
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


def measure(sizes: tuple[int, int], busy: bool) -> list[dict[str, Any]]:
    with load(busy):
        turns = [{setting: seconds(sizes, setting) for setting in SETTINGS} for _ in range(ROUNDS)]
    best = {setting: min(turn[setting] for turn in turns) for setting in SETTINGS}
    least = min(best.values())
    said = f"{sizes[0]:,} v {sizes[1]:,}, {'busy' if busy else 'idle'}"
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
    rows = [row for sizes in SIZES for busy in (False, True) for row in measure(sizes, busy)]
    report("threads", "the default test by threads of the BLAS (wall seconds)", rows)


if __name__ == "__main__":
    main()
