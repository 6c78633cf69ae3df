"""The constants of sketching on one core, and what 10¹² rows on 1,000 cores follow from them.

Measured: rows dealt to blocks and added up per second, bytes of a sketch, one merge, the test of
all blocks, reading Parquet, one task of the scheduler. Assumed, because one machine cannot tell:
what a network and a store of files give. `docs/scale.md` reads all of it.
"""

import io
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from _common import cpu_times, report

from samelaw.divergence import Deal, DealtSketch, Summary
from samelaw.kernels import FourierFeatures
from samelaw.testing import sketch_test

BLOCKS = 200  # of each of two tables
COLUMNS = (5, 10, 20, 50, 100)
FREQUENCIES = (16, 32, 64)
PLAIN = (10, 32)  # columns and frequencies of the plan
ROWS = 100_000
PIECE = 2**18
TASKS = 1_000
ASSUMED = {
    "network of a worker, GB/s": 1.25,
    "store of files in all, GB/s": 100.0,
    "tasks of a core": 10,
}
PLAN = {"rows": 1e12, "cores": 1_000}


def feature_map(columns: int, frequencies: int) -> FourierFeatures:
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(columns, frequencies)) / math.sqrt(columns)
    return FourierFeatures(drawn.astype(np.float32))


def seconds(work: Callable[[], Any], rounds: int = 2) -> float:
    return cpu_times({"work": work}, rounds)["work"]


def dealt(columns: int, frequencies: int) -> tuple[DealtSketch, float]:
    """A sketch of so many rows, and CPU seconds per row."""
    x = np.random.default_rng(1).normal(size=(ROWS, columns)).astype(np.float32)
    deal = Deal(rows=ROWS, block=ROWS // BLOCKS, seed=0)
    empty = DealtSketch.empty(feature_map(columns, frequencies), deal)
    numbers = np.arange(ROWS)
    spent = seconds(lambda: empty.update(x, numbers))
    return empty.update(x, numbers), spent / ROWS


def summed(columns: int, frequencies: int) -> float:
    """CPU seconds per row of sums over all rows, without blocks."""
    x = np.random.default_rng(1).normal(size=(ROWS, columns)).astype(np.float32)
    empty = Summary.empty(feature_map(columns, frequencies), columns)
    return seconds(lambda: empty.update(x)) / ROWS


def read(columns: int) -> tuple[float, float]:
    """CPU seconds and bytes per row of Parquet."""
    x = np.random.default_rng(2).normal(size=(PIECE, columns)).astype(np.float32)
    file = io.BytesIO()
    pq.write_table(pa.table({f"x{i}": x[:, i] for i in range(columns)}), file, use_dictionary=False)
    spent = seconds(lambda: pq.read_table(io.BytesIO(file.getvalue()), use_threads=False))
    return spent / PIECE, file.tell() / PIECE


def scheduled() -> float:
    """CPU seconds of one task without work: the scheduler, which is one process, and a worker."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False}
    with LocalCluster(dashboard_address=None, **options) as cluster, Client(cluster) as client:
        client.gather(client.map(int, range(50)))
        start = time.process_time()
        client.gather(client.map(int, range(100, 100 + TASKS)))
        return (time.process_time() - start) / TASKS


def constants() -> tuple[list[dict[str, Any]], dict[str, float]]:
    rows = []
    for columns in COLUMNS:
        for frequencies in FREQUENCIES if columns == PLAIN[0] else (PLAIN[1],):
            sketch, each = dealt(columns, frequencies)
            spent, size = read(columns)
            rows.append(
                {
                    "case": f"{columns} columns, {frequencies} frequencies",
                    "columns": columns,
                    "frequencies": frequencies,
                    "rows per CPU second, blocks": 1.0 / each,
                    "rows per CPU second, one sum": 1.0 / summed(columns, frequencies),
                    "rows read per CPU second": 1.0 / spent,
                    "bytes of a row": size,
                    f"bytes of {BLOCKS} blocks": sketch.totals.nbytes,
                }
            )
    sketch, each = dealt(*PLAIN)
    whole = sketch.whole()
    spent, size = read(PLAIN[0])
    return rows, {
        "sketch, CPU s per row": each,
        "read, CPU s per row": spent,
        "bytes of a row": size,
        "bytes of a sketch": float(sketch.totals.nbytes),
        "merge, CPU s": seconds(lambda: sketch + sketch, 5),
        "test, CPU s": seconds(lambda: sketch_test(whole, whole, permutations=999, rng=0)),
        "task of the scheduler, s": scheduled(),
    }


def planned(found: dict[str, float], cores: float) -> dict[str, float]:
    """Where the time of two tables goes on so many cores: seconds, bytes."""
    rows = PLAN["rows"]
    tasks = ASSUMED["tasks of a core"] * cores
    depth = math.ceil(math.log2(cores)) if cores > 1 else 0
    step = (
        found["merge, CPU s"]
        + found["bytes of a sketch"] / 1e9 / ASSUMED["network of a worker, GB/s"]
    )
    store = rows * found["bytes of a row"] / 1e9 / ASSUMED["store of files in all, GB/s"]
    work = rows * (found["sketch, CPU s per row"] + found["read, CPU s per row"]) / cores
    parts = {
        "adding up and reading, s": work,
        "store of files, s": store,
        "scheduler, s": tasks * found["task of the scheduler, s"],
        "merging, s": 2 * depth * step,
        "test, s": found["test, CPU s"],
    }
    slowest = max(work, store, parts["scheduler, s"])  # they go on at the same time
    return {
        "cores": cores,
        "CPU hours": work * cores / 3600.0,
        **parts,
        "in all, s": slowest + parts["merging, s"] + parts["test, s"],
        "depth of the tree": depth,
        "sent by a worker, bytes": 2 * found["bytes of a sketch"],
        "read by a worker, bytes": rows * found["bytes of a row"] / cores,
    }


def limits(plans: list[dict[str, float]]) -> dict[str, float | None]:
    """Cores from which each part takes longer than adding up does; None beyond a million."""
    return {
        name.removesuffix(", s"): min(
            (p["cores"] for p in plans if p[name] > p["adding up and reading, s"]), default=None
        )
        for name in ("store of files, s", "scheduler, s", "merging, s")
    }


def main() -> None:
    rows, found = constants()
    plans = [planned(found, float(cores)) for cores in np.unique(np.logspace(0, 6, 61).round())]
    report(
        "scale",
        "rows that one core sketches, reads and tests: the constants of a plan for many cores",
        rows,
        constants=found,
        assumed=ASSUMED,
        plan=planned(found, float(PLAN["cores"])),
        limits=limits(plans),
        blocks=2 * BLOCKS,
        curve=plans,
    )


if __name__ == "__main__":
    main()
