"""The default test and the two of the literature from 100 to 100,000 rows a sample.

CPU and wall seconds, peak memory beyond the data, and the first call over a later one (nothing is
compiled or cached between calls). Where all pairs of rows would not fit the default budget of
4 GiB, a test that needs them says so.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from _common import peak_memory, report

import samelaw

SIZES = (100, 500, 2_000, 10_000, 100_000)
COLUMNS, PERMUTATIONS = 10, 999
METHODS: dict[str, Callable[[], samelaw.testing.Strategy]] = {
    "default": samelaw.Fuse,
    "Fuse.rjsd": samelaw.Fuse.rjsd,
    "Fuse.mmd": samelaw.Fuse.mmd,
}
MOST = 60.0  # CPU seconds, after which larger samples are left out


def measure(method: str, size: int) -> dict[str, Any]:
    rng = np.random.default_rng(size)
    x, y = rng.normal(size=(2, size, COLUMNS))
    strategy = METHODS[method]()

    def run() -> None:
        samelaw.two_sample_test(x, y, strategy=strategy, permutations=PERMUTATIONS, rng=0)

    spent, wall = [], []
    for _ in range(2):
        start, began = time.process_time(), time.perf_counter()
        run()
        spent.append(time.process_time() - start)
        wall.append(time.perf_counter() - began)
    found = {"case": f"{method}, n = m = {size:,}", "CPU s": min(spent), "wall s": min(wall)}
    return {**found, "peak MB": peak_memory(run), "first / later": spent[0] / spent[1]}


def main() -> None:
    rows: list[dict[str, Any]] = []
    for method in METHODS:
        for size in SIZES:
            try:
                rows.append(measure(method, size))
            except MemoryError as error:
                rows.append({"case": f"{method}, n = m = {size:,}", "refused": str(error)})
                break
            if rows[-1]["CPU s"] > MOST:
                break
    report("tests_by_size", f"tests of {COLUMNS} columns, {PERMUTATIONS} permutations", rows)


if __name__ == "__main__":
    main()
