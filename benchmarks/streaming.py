"""Comparing tables larger than memory: CPU time and memory by rows, beside reading them alone.

Tables of ten mixed columns (numbers, counts, categories, true/false, times, missing values) in
folders of Parquet files in a temporary folder; each size is compared, and read by pyarrow alone, in
a process of its own, whose peak memory is what the system says. ``python streaming.py large``
compares fifty million rows a side under a limit of the system, and leaves the other sizes alone;
``python streaming.py 5000000`` measures that size alone. The size of the goal is compared three
times; the median counts, and all three are kept.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from _common import RESULTS, report

SIZES = (500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000)
LARGE = 50_000_000
GOAL_SIZE, GOAL_SECONDS, GOAL_MEMORY = 5_000_000, 60.0, 1024.0  # CPU seconds and MiB
GOAL_RUNS = 3
PIECE = 250_000
WORK = {
    "compare": "import samelaw; samelaw.compare(*paths, rng=0)",
    "limited": (
        "import samelaw\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))\n"
        "samelaw.compare(*paths, rng=0, memory=2**29)"
    ),
    "read": (
        "import pathlib\n"
        "import pyarrow.parquet as pq\n"
        "for path in [one for folder in paths for one in pathlib.Path(folder).iterdir()]:\n"
        "    for batch in pq.ParquetFile(path).iter_batches(2**18, use_threads=False): pass"
    ),
}
MEASURED = """
import json, resource, sys
paths = sys.argv[1:]
{work}
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def words(codes: np.ndarray[Any, Any], known: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), known).cast(pa.string())


def piece(rng: np.random.Generator, rows: int) -> pa.Table:
    x = rng.normal(size=rows)
    city = np.minimum(rng.geometric(0.08, size=rows) - 1, 59)
    moments = 1_700_000_000 + rng.integers(0, 365 * 86_400, size=rows)
    return pa.table(
        {
            "amount": np.exp(x),
            "score": pa.array(0.5 * x + rng.normal(size=rows), mask=rng.random(rows) < 0.02),
            "age": rng.integers(18, 90, size=rows),
            "count": rng.poisson(3, size=rows),
            "price": np.round(rng.gamma(2.0, 10.0, size=rows), 2),
            "ratio": rng.random(rows).astype(np.float32),
            "city": words(city, [f"city {i}" for i in range(60)]),
            "plan": words(rng.integers(0, 3, size=rows), ["free", "basic", "pro"]),
            "active": rng.random(rows) < 0.3,
            "when": moments.astype("datetime64[s]"),
        }
    )


class Folders:
    """Two tables that grow: folders of files, of which the last sizes had the first ones."""

    def __init__(self, folder: str) -> None:
        self.paths = [Path(folder, name) for name in "ab"]
        for path in self.paths:
            path.mkdir()
        self.rngs = [np.random.default_rng(seed) for seed in (0, 1)]
        self.files = 0

    def grown(self, rows: int) -> list[Path]:
        while self.files * PIECE < rows:
            for rng, path in zip(self.rngs, self.paths, strict=True):
                pq.write_table(piece(rng, PIECE), path / f"{self.files:04d}.parquet")
            self.files += 1
        return self.paths


def measured(work: str, paths: list[Path]) -> tuple[float, float]:
    """CPU seconds and peak MiB of a process that does this."""
    code = MEASURED.format(work=WORK[work])
    command = [sys.executable, "-c", code, *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def growth(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Seconds = fixed + c · rows^p with the least relative error, and c where p is 1."""
    sizes, spent = (np.array([row[key] for row in rows]) for key in ("rows a side", "compare, s"))

    def fitted(power: float) -> tuple[float, np.ndarray[Any, Any]]:
        design = np.stack([np.ones(len(sizes)), (sizes / sizes[-1]) ** power], axis=1)
        found, *_ = np.linalg.lstsq(design / spent[:, None], np.ones(len(spent)), rcond=None)
        return float(np.sum((design @ found / spent - 1.0) ** 2)), found

    powers = np.arange(0.5, 1.5, 0.005)
    exponent = float(min(powers, key=lambda power: fitted(float(power))[0]))
    fixed, last = fitted(1.0)[1]
    each = 1e6 * last / (2.0 * sizes[-1])
    return {"exponent": exponent, "fixed, s": float(fixed), "a row, µs": float(each)}


def draw(rows: list[dict[str, Any]], found: dict[str, float]) -> None:
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    sizes = [row["rows a side"] for row in rows]
    said = f"compare: {found['fixed, s']:.0f} s + {found['a row, µs']:.1f} µs a row"
    axes.loglog(sizes, [row["compare, s"] for row in rows], "o-", color="#0072b2", label=said)
    fixed, each = found["fixed, s"], found["a row, µs"] * 2e-6
    axes.loglog(sizes, [fixed + each * size for size in sizes], ":", color="0.3",
                label=f"linear; fitted exponent {found['exponent']:.2f}")  # fmt: skip
    axes.loglog(
        sizes, [row["read once, s"] for row in rows], "s-", color="#d55e00", label="pyarrow alone"
    )
    axes.set(xlabel="rows of each table, 10 columns", ylabel="CPU seconds, one thread")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(RESULTS / "streaming.png", dpi=130)


def measured_row(tables: Folders, size: int, work: str) -> dict[str, Any]:
    paths = tables.grown(size)
    runs = [measured(work, paths) for _ in range(GOAL_RUNS if size == GOAL_SIZE else 1)]
    seconds, memory = sorted(runs)[len(runs) // 2][0], max(peak for _, peak in runs)
    bare, _ = measured("read", paths)
    row = {
        "case": f"{size:,} v {size:,}" + " under a limit of 1 GiB" * (work == "limited"),
        "rows a side": size,
        "compare, s": seconds,
        "read once, s": bare,
        "peak, MiB": memory,
    }
    if size == GOAL_SIZE:
        row["runs, s"] = " ".join(f"{spent:.1f}" for spent, _ in runs)
        row["met"] = seconds <= GOAL_SECONDS and memory <= GOAL_MEMORY
    if work == "limited":
        row["met"] = memory <= GOAL_MEMORY
    print(row, flush=True)
    return row


def known() -> list[dict[str, Any]]:
    """The rows of earlier runs."""
    path = RESULTS / "streaming.json"
    return list(json.loads(path.read_text())["rows"]) if path.exists() else []


def main(words: list[str]) -> None:
    large = "large" in words
    sizes = [int(word) for word in words if word.isdigit()] or SIZES
    with tempfile.TemporaryDirectory() as folder:
        tables = Folders(folder)
        for size in (LARGE,) if large else sizes:
            keep(measured_row(tables, size, "limited" if large else "compare"))


def keep(row: dict[str, Any]) -> None:
    """Enter a size among those that were measured: a run that is stopped leaves what it has."""
    rows = [one for one in known() if one["rows a side"] != row["rows a side"]]
    rows = sorted([*rows, row], key=lambda one: int(one["rows a side"]))
    found = growth(rows)
    report(
        "streaming",
        "comparing Parquet files piece by piece: CPU seconds and peak memory, 10 columns",
        rows,
        **found,
    )
    draw(rows, found)


if __name__ == "__main__":
    main(sys.argv[1:])
