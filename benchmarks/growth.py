"""Growth of the time with the number of rows: fitted exponents, and a drawing."""

from collections.abc import Callable
from functools import partial
from typing import Any

import matplotlib as mpl
import numpy as np
from _common import RESULTS, cpu_times, report

import samelaw

KERNEL = samelaw.Gaussian(5.0)
QUADRATIC_SIZES = (128, 256, 512, 1024, 2048, 4096)
EXACT_SIZES = (32, 64, 128, 256, 512, 1024)
LINEAR_SIZES = (1_000, 4_000, 16_000, 64_000, 256_000)
FITTED = 3  # the largest sizes only: small ones are fixed costs
ESTIMATORS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "order 1": (samelaw.GramEstimator(KERNEL, samelaw.PowerSeries(1)), QUADRATIC_SIZES),
    "order 4": (samelaw.GramEstimator(KERNEL, samelaw.PowerSeries(4)), EXACT_SIZES),
    "order 10": (samelaw.GramEstimator(KERNEL, samelaw.PowerSeries(10)), EXACT_SIZES),
    "von Neumann": (samelaw.GramEstimator(KERNEL), EXACT_SIZES),
    "64 Fourier frequencies": (samelaw.FourierEstimator(KERNEL, 64), LINEAR_SIZES),
}
COLOURS = ("#0072b2", "#56b4e9", "#d55e00", "#cc79a7", "#009e73")


def measure(estimator: Callable[..., Any], sizes: tuple[int, ...]) -> list[float]:
    rng = np.random.default_rng(0)
    samples = {n: (rng.normal(size=(n, 16)), rng.normal(0.1, size=(n, 16))) for n in sizes}
    sides: dict[str, Callable[[], Any]] = {
        str(n): partial(estimator, *pair) for n, pair in samples.items()
    }
    return list(cpu_times(sides, rounds=5).values())


def draw(curves: list[dict[str, Any]]) -> None:
    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for colour, curve in zip(COLOURS, curves, strict=True):
        label = f"{curve['case']}: time ∝ n^{curve['exponent']:.2f}"
        axes.loglog(curve["sizes"], curve["seconds"], "o-", color=colour, label=label)
    axes.set(xlabel="rows per sample, n = m", ylabel="CPU seconds, one thread")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(RESULTS / "growth.png", dpi=130)


def main() -> None:
    curves = []
    for name, (estimator, sizes) in ESTIMATORS.items():
        seconds = measure(estimator, sizes)
        slope = np.polyfit(np.log(sizes[-FITTED:]), np.log(seconds[-FITTED:]), 1)[0]
        curve: dict[str, Any] = {
            "case": name,
            "exponent": float(slope),
            "sizes": sizes,
            "seconds": seconds,
        }
        curves.append(curve)
    rows = [
        {"case": c["case"], "exponent": c["exponent"], "n": c["sizes"][-1], "s": c["seconds"][-1]}
        for c in curves
    ]
    report("growth", "exponent of the CPU time in n, n = m, 16 columns", rows, curves=curves)
    draw(curves)


if __name__ == "__main__":
    main()
