"""What is installed, what is missing and what to type for it, and what makes things slow."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from samelaw.cli.blas_threads import THREADS, outside
from samelaw.core.version import requirements_of, version_of

FOR = {
    "base": "everything",
    "cli": "files, reports and this command",
    "torch": "losses and deep kernels",
    "jax": "JAX arrays",
    "excel": "Excel files",
    "sql": "DuckDB, and conditions on rows",
    "postgres": "tables in Postgres",
    "sklearn": "the monitor as an estimator",
    "river": "the monitor as a drift detector",
    "dask": "references and comparisons on a cluster",
}
WORTH_SAYING = 1.5

# Products and eigenvalues of matrices of the size that a test takes thousands of.
_TIMING = """
import json, time, numpy as np
a = np.random.default_rng(0).normal(size=(300, 300)); a = a @ a.T
best = []
for _ in range(5):
    start = time.perf_counter()
    for _ in range(10):
        b = a @ a
    np.linalg.eigvalsh(a)
    best.append(time.perf_counter() - start)
print(json.dumps(min(best)))
"""


def examine() -> list[str]:
    """Lines of what was found."""
    return [
        f"samelaw {version_of('samelaw') or 'not installed, imported from a folder'}, "
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
        f"cores: {_cores()}{_memory()}",
        "",
        *_parts(requirements_of("samelaw")),
        "",
        *_threads(),
    ]


def _parts(needed: Mapping[str, Sequence[str]]) -> list[str]:
    """A line for each part that people install; those of developers have no purpose here."""
    if not needed:
        return ["[ ] base: unknown, as samelaw is not installed; run: pip install samelaw"]
    return [_part(part, needed[part], purpose) for part, purpose in FOR.items() if part in needed]


def _part(part: str, packages: Sequence[str], purpose: str) -> str:
    found = {package: version_of(package) for package in packages}
    absent = [package for package, number in found.items() if number is None]
    present = ", ".join(f"{package} {number}" for package, number in found.items() if number)
    if not absent:
        return f"[x] {part}: {present}"
    install = "pip install samelaw" if part == "base" else f"pip install 'samelaw[{part}]'"
    has = f"; has {present}" if present else ""
    return f"[ ] {part}: {', '.join(absent)} missing, for {purpose}{has}; run: {install}"


def _cores() -> int:
    """Cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return ""
    return f", memory: {size / 2**30:.1f} GiB"


def _threads() -> list[str]:
    """Time small matrices with one BLAS thread and as things are, and say which is faster."""
    if find_spec("numpy") is None:
        return []
    found = outside()
    said = ", ".join(f"{name}={found[name]}" for name in THREADS if name in found)
    now, one = _time(found), _time({**found, **dict.fromkeys(THREADS, "1")})
    lines = [
        f"BLAS threads: {said or 'not limited (as many as cores; this command takes one)'}",
        f"small matrices: {1e3 * now:.1f} ms as it is, {1e3 * one:.1f} ms with one thread",
    ]
    if now > WORTH_SAYING * one:
        lines.append(
            f"Many BLAS threads slow small matrices down, here {now / one:.0f} times: samelaw "
            "keeps to one for them by itself; for other code run: export OMP_NUM_THREADS=1"
        )
    elif not said:
        lines.append(
            "Small matrices get one thread from samelaw itself; for other code OMP_NUM_THREADS=1 "
            "is often faster on small or busy machines, up to 20 times."
        )
    return lines


def _time(environment: dict[str, str]) -> float:
    """Seconds in a fresh process: threads are fixed once numpy is loaded."""
    run = subprocess.run(
        [sys.executable, "-c", _TIMING],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(run.stdout))
