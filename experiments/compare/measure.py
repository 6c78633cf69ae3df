"""One comparison in a process of its own: what it says, CPU seconds, and peak memory."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
STAGES = {8: "read", 60: "all columns together", 75: "columns", 90: "pairs", 100: "where"}
"""What is done when the progress of compare reaches these hundredths."""

_CODE = """
import json, resource, sys, time
import samelaw as sl

def peak():
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10)

wall, cpu, marks = time.perf_counter(), time.process_time(), {}

def mark(done, total):
    marks[done] = [round(time.process_time() - cpu, 1), peak()]

found = sl.compare(*sys.argv[1:3], rng=0, progress=mark, **json.loads(sys.argv[3]))
print(json.dumps({
    "verdict": found.verdict, "pvalue": found.pvalue, "sentence": found.sentence,
    "effect": found.effect, "of": found.effect_of, "interval": found.effect_interval,
    "detectable": found.detectable_effect, "columns": found.columns_changed,
    "pairs": [p.names for p in found.pairs if p.changed], "rows": found.sizes,
    "compared": len({m.column for m in found.marginals}), "method": found.method,
    "wall seconds": round(time.perf_counter() - wall, 1),
    "cpu seconds": round(time.process_time() - cpu, 1), "peak MiB": peak(), "marks": marks,
}))
"""


def measured(paths: Sequence[Path], **options: Any) -> dict[str, Any]:
    """Compare two files with one BLAS thread; ``stages`` gives seconds and MiB when each ended."""
    done = subprocess.run(
        [sys.executable, "-c", _CODE, *map(str, paths), json.dumps(options)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **dict.fromkeys(THREADS, "1")},
    )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    found = dict(json.loads(done.stdout))
    marks = found.pop("marks")
    found["stages"] = {word: marks[str(at)] for at, word in STAGES.items() if str(at) in marks}
    return found
