"""Growth of the default test with the rows, the columns and the permutations, drawn.

From 1,000 rows per sample on the default goes to block sketches: the kink in the first panel. The
dotted line stays on all pairs of rows.
"""

from typing import Any

import matplotlib as mpl
import numpy as np
from _common import RESULTS, cpu_times, peak_memory, report

import samelaw

MEMORY = 6 * 2**30  # enough to stay on all pairs
SWEEPS: dict[str, list[dict[str, Any]]] = {
    "rows per sample, n = m": [{"n": n} for n in (100, 250, 500, 1_000, 2_000, 5_000)],
    "n = m, all pairs": [{"n": n, "memory": MEMORY} for n in (100, 250, 500, 1_000, 2_000)],
    "columns, d": [{"d": d} for d in (2, 8, 32, 128, 512)],
    "permutations, B": [{"permutations": b} for b in (99, 299, 999, 2_999)],
}
DEFAULTS = {"n": 500, "d": 8, "permutations": 999}


def measure(setting: dict[str, Any]) -> dict[str, float]:
    full = {**DEFAULTS, **setting}
    n, d = full.pop("n"), full.pop("d")
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, d)), rng.normal(0.05, size=(n, d))

    def run() -> None:
        samelaw.two_sample_test(x, y, rng=0, **full)

    return {"seconds": cpu_times({"run": run}, rounds=1)["run"], "MiB": peak_memory(run) / 1.048576}


def draw(curves: list[dict[str, Any]]) -> None:
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(9.6, 5.2), layout="constrained", sharey="row")
    places = {"rows per sample, n = m": 0, "n = m, all pairs": 0, "columns, d": 1}
    for curve in curves:
        column = places.get(curve["case"], 2)
        style = ":" if "all pairs" in curve["case"] else "-"
        for row, key in enumerate(("seconds", "MiB")):
            axes[row, column].loglog(curve["values"], curve[key], "o" + style, label=curve["case"])
            axes[row, column].grid(alpha=0.3)
        axes[1, column].set_xlabel(curve["case"].removesuffix(", all pairs"))
    axes[1, 0].set_xlabel("rows per sample, n = m")
    axes[0, 0].legend(frameon=False)
    axes[0, 0].set_ylabel("CPU seconds, one thread")
    axes[1, 0].set_ylabel("peak MiB beyond the data")
    figure.savefig(RESULTS / "fused_growth.png", dpi=130)


def main() -> None:
    curves, rows = [], []
    for case, settings in SWEEPS.items():
        found = [measure(setting) for setting in settings]
        values = [next(iter(setting.values())) for setting in settings]
        seconds, memory = ([f[key] for f in found] for key in ("seconds", "MiB"))
        curves.append({"case": case, "values": values, "seconds": seconds, "MiB": memory})
        rows += [{"case": case, "value": v, **f} for v, f in zip(values, found, strict=True)]
    question = (
        "the default test: CPU seconds and memory (n = m = 500, d = 8, B = 999 unless varied)"
    )
    report("fused_growth", question, rows, curves=curves)
    draw(curves)


if __name__ == "__main__":
    main()
