"""Comparing tables larger than memory: CPU time and memory by rows, beside reading them alone.

Tables of ten mixed columns (numbers, counts, categories, true/false, times, missing values) in
Parquet files in a temporary folder; each size is compared, and read by pyarrow alone, in a process
of its own, whose peak memory is what the system says.
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

SIZES = (500_000, 1_000_000, 2_000_000, 5_000_000)
GOAL_SECONDS, GOAL_MEMORY = 60.0, 1024.0  # at the largest size: CPU seconds and MiB
FITTED = 3
PIECE = 250_000
WORK = {
    "compare": "import samelaw; samelaw.compare(*paths, rng=0)",
    "read": (
        "import pyarrow.parquet as pq\n"
        "for path in paths:\n"
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


def piece(rng: np.random.Generator, rows: int) -> pa.Table:
    x = rng.normal(size=rows)
    cities = np.array([f"city {i}" for i in range(60)])
    moments = 1_700_000_000 + rng.integers(0, 365 * 86_400, size=rows)
    return pa.table(
        {
            "amount": np.exp(x),
            "score": pa.array(0.5 * x + rng.normal(size=rows), mask=rng.random(rows) < 0.02),
            "age": rng.integers(18, 90, size=rows),
            "count": rng.poisson(3, size=rows),
            "price": np.round(rng.gamma(2.0, 10.0, size=rows), 2),
            "ratio": rng.random(rows).astype(np.float32),
            "city": cities[np.minimum(rng.geometric(0.08, size=rows) - 1, 59)],
            "plan": np.array(["free", "basic", "pro"])[rng.integers(0, 3, size=rows)],
            "active": rng.random(rows) < 0.3,
            "when": moments.astype("datetime64[s]"),
        }
    )


def write(path: Path, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    with pq.ParquetWriter(path, piece(rng, 1).schema) as writer:
        for _ in range(rows // PIECE):
            writer.write_table(piece(rng, PIECE))


def measured(work: str, paths: list[Path]) -> tuple[float, float]:
    """CPU seconds and peak MiB of a process that does this."""
    code = MEASURED.format(work=WORK[work])
    command = [sys.executable, "-c", code, *map(str, paths)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def draw(rows: list[dict[str, Any]], exponent: float) -> None:
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    sizes = [row["rows a side"] for row in rows]
    axes.loglog(
        sizes,
        [row["compare, s"] for row in rows],
        "o-",
        color="#0072b2",
        label=f"compare: time ∝ n^{exponent:.2f}",
    )
    axes.loglog(
        sizes, [row["read once, s"] for row in rows], "s-", color="#d55e00", label="pyarrow alone"
    )
    axes.set(xlabel="rows of each table, 10 columns", ylabel="CPU seconds, one thread")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(RESULTS / "streaming.png", dpi=130)


def main() -> None:
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            paths = [Path(folder, f"{name}.parquet") for name in "ab"]
            for seed, path in enumerate(paths):
                write(path, size, seed)
            seconds, memory = measured("compare", paths)
            bare, _ = measured("read", paths)
            rows.append(
                {
                    "case": f"{size:,} v {size:,}",
                    "rows a side": size,
                    "compare, s": seconds,
                    "read once, s": bare,
                    "peak, MiB": memory,
                }
            )
    last = rows[-1]
    last["met"] = last["compare, s"] <= GOAL_SECONDS and last["peak, MiB"] <= GOAL_MEMORY
    sizes, spent = (np.log([row[key] for row in rows]) for key in ("rows a side", "compare, s"))
    exponent = float(np.polyfit(sizes[-FITTED:], spent[-FITTED:], 1)[0])
    report(
        "streaming",
        "comparing Parquet files piece by piece: CPU seconds and peak memory, 10 columns",
        rows,
        exponent=exponent,
    )
    draw(rows, exponent)


if __name__ == "__main__":
    main()
