"""What every benchmark shares: interleaved CPU times, peak memory, the machine, JSON out.

The two sides of a ratio run in turns within one process, so that whatever else the machine does
hits both; the smallest CPU time of each side is compared. Run with one BLAS thread
(``make bench`` does): the waiting of idle threads would be counted as work.
"""

import json
import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).with_name("results")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PACKAGES = ("numpy", "scipy", "torch", "vendi-score")


def cpu_times(sides: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The smallest CPU seconds of each side over ``rounds`` turns, after one turn to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(rounds + 1):
        for name, side in sides.items():
            start = time.process_time()
            side()
            if turn:
                seconds[name].append(time.process_time() - start)
    return {name: min(values) for name, values in seconds.items()}


def against(
    case: str, ours: Callable[[], Any], bare: Callable[[], Any], *, goal: float, rounds: int
) -> dict[str, Any]:
    """One row of a table: our CPU time, the bare one, their ratio and the goal for it."""
    times = cpu_times({"bare": bare, "ours": ours}, rounds)
    ratio = times["ours"] / times["bare"]
    return {"case": case, **times, "ratio": ratio, "goal": goal, "met": ratio <= goal}


def peak_memory(work: Callable[[], Any]) -> float:
    """Megabytes held at the most beyond what was there before (numpy reports its arrays)."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def machine() -> dict[str, Any]:
    """Processor, library versions and thread settings: what the numbers depend on."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "blas": f"{blas['name']} {blas['version']}",
        "threads": {name: os.environ.get(name, "unset") for name in _THREADS},
        "packages": {name: _version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def report(name: str, question: str, rows: list[dict[str, Any]], **more: Any) -> None:
    """Print a table and write ``results/<name>.json``."""
    print(f"\n{question}")
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells = [[_cell(row.get(column, "")) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *cells, strict=True)]
    for line in (columns, *cells):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    RESULTS.mkdir(exist_ok=True)
    content = {"question": question, "rows": rows, **more, "machine": machine()}
    text = json.dumps(content, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
