"""Figure 1: draw samples, sweep the bandwidth with each estimator, check the shapes, draw."""

import math
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import samelaw
from experiments.command import Experiment, Summary
from experiments.common import (
    read_json,
    save_figure,
    table_of,
    verify,
    versions,
    write_json,
)
from experiments.fig1.check import check
from experiments.fig1.draw import draw
from samelaw.problems.closed_forms import CauchyPair, GaussianPair, Problem

SETTINGS: dict[str, Any] = {
    "seed": 0,
    "repetitions": 10,
    "cauchy_jsd": 0.5 * math.log(2),
    "bandwidths": np.geomspace(1e-3, 1e3, 31).tolist(),
    "bandwidths_gaussian": np.geomspace(1e-2, 1e2, 33).tolist(),
    "sizes": [32, 128, 512],
    "orders": [1, 2, 4, 10, 50],
    "size_of_b": 256,
    "frequencies": [16, 64, 256, 1024],
    "size_of_c": 256,
    "dimensions": [1, 4, 16, 64],
    "size_of_d": 128,
    "shift": 2.0,
    "order_of_e": 10,
    "frequencies_of_f": 32,
}
INFINITE = "p = ∞"
Estimate = Callable[[np.ndarray, np.ndarray, samelaw.Gaussian], Any]


def kernel_estimate(x: np.ndarray, y: np.ndarray, kernel: samelaw.Gaussian) -> Any:
    return samelaw.rjsd(x, y, kernel=kernel)


def series_estimate(order: int) -> Estimate:
    series = samelaw.PowerSeries(order)
    return lambda x, y, kernel: samelaw.rjsd(x, y, kernel=kernel, entropy=series)


def fourier_estimate(frequencies: int) -> Estimate:
    return lambda x, y, kernel: samelaw.FourierEstimator(kernel, frequencies)(x, y)


def sweep(
    problem: Problem, size: int, estimate: Estimate, bandwidths: Sequence[float]
) -> dict[str, list[float]]:
    """Mean and standard deviation over the repetitions at every bandwidth."""
    values = []
    for repetition in range(SETTINGS["repetitions"]):
        x, y = problem.draw(size, rng=[SETTINGS["seed"], repetition])
        values.append([float(estimate(x, y, samelaw.Gaussian(b))) for b in bandwidths])
    mean, spread = np.mean(values, axis=0), np.std(values, axis=0, ddof=1)
    return {"mean": mean.round(5).tolist(), "sd": spread.round(5).tolist()}


def compute() -> dict[str, Any]:
    """The curves of every panel, by panel letter and label."""
    cauchy, grid = CauchyPair.with_jsd(SETTINGS["cauchy_jsd"]), SETTINGS["bandwidths"]
    shifts = {d: GaussianPair.mean_shift(d, SETTINGS["shift"]) for d in SETTINGS["dimensions"]}
    wide, small = SETTINGS["bandwidths_gaussian"], SETTINGS["size_of_d"]
    by_order = {f"p = {p}": series_estimate(p) for p in SETTINGS["orders"]}
    by_frequencies = {f"D = {f}": fourier_estimate(f) for f in SETTINGS["frequencies"]}

    def over_dimensions(estimate: Estimate) -> dict[str, Any]:
        return {f"d = {d}": sweep(p, small, estimate, wide) for d, p in shifts.items()}

    return {
        "a": {f"n = {n}": sweep(cauchy, n, kernel_estimate, grid) for n in SETTINGS["sizes"]},
        "b": {
            label: sweep(cauchy, SETTINGS["size_of_b"], estimate, grid)
            for label, estimate in {**by_order, INFINITE: kernel_estimate}.items()
        },
        "c": {
            label: sweep(cauchy, SETTINGS["size_of_c"], estimate, grid)
            for label, estimate in {**by_frequencies, "kernel": kernel_estimate}.items()
        },
        "d": over_dimensions(kernel_estimate),
        "e": over_dimensions(series_estimate(SETTINGS["order_of_e"])),
        "f": over_dimensions(fourier_estimate(SETTINGS["frequencies_of_f"])),
    }


def run(chosen: Namespace, raw: Path) -> None:
    """The curves of all panels and what they should come near to."""
    if chosen.quick:
        SETTINGS.update(repetitions=2)
    results: dict[str, Any] = {"settings": SETTINGS, "versions": versions()}
    results["true_jsd"] = {
        "cauchy": CauchyPair.with_jsd(SETTINGS["cauchy_jsd"]).jsd(),
        "gaussian": GaussianPair.mean_shift(1, SETTINGS["shift"]).jsd(),
    }
    write_json(raw / "results.json", {**results, **compute()})


def summarize(raw: Path) -> Summary:
    return {"results": read_json(raw / "results.json")}


def report(summary: Summary, folder: Path) -> None:
    """Draw the curves; fail if a claim of the paper fails."""
    save_figure(draw(summary["results"]), folder)
    claims = check(summary["results"])
    (folder / "table.md").write_text(table_of(claims, "fig1"))
    verify(claims)


EXPERIMENT = Experiment("fig1", run, summarize, report)
