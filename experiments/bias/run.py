"""Estimates on laws whose covariance operators are known, against the exact population value.

Forty points seen through a Gaussian kernel: each point has an explicit unit feature vector (a row
of the Cholesky factor of their Gram matrix), so C_P and C_Q, and RJSD, are exact.
"""

import math
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

import samelaw
from experiments.bias.report import check, draw, table
from experiments.command import Experiment, Summary
from experiments.common import read_json, save_figure, verify, versions, write_json
from samelaw.divergence.bias import unbiased_divergence  # rjsd always averages four orderings
from samelaw.problems.closed_forms import FiniteFeatures

SETTINGS: dict[str, Any] = {
    "seed": 0,
    "points": 40,
    "dimension": 3,
    "tilt": 0.8,
    "bandwidths": {"smooth": 1.0, "rough": 0.3},
    "orders": [1, 2, 4, 10],
    "orderings": [1, 4, 16],
    "sizes": {
        "rough": [[20, 20], [50, 50], [100, 100], [20, 60], [50, 150], [200, 200], [500, 500]],
        "smooth": [[20, 20], [50, 50], [100, 100], [20, 60], [200, 200]],
    },
    "repetitions": 200,
    "repetitions_above_200_rows": 40,
    "most_orderings": {"50": 16, "200": 4, "500": 1},
}
INFINITE = "∞"


def problem(width: float) -> FiniteFeatures:
    """Uniform weights against weights tilted along the first coordinate."""
    rng = np.random.default_rng(SETTINGS["seed"])
    points = rng.normal(size=(SETTINGS["points"], SETTINGS["dimension"]))
    kernel = samelaw.Gaussian(width * samelaw.kernels.median_bandwidth(points))
    features = np.linalg.cholesky(kernel(points, points) + 1e-10 * np.eye(len(points)))
    return FiniteFeatures(features, np.ones(len(points)), np.exp(SETTINGS["tilt"] * points[:, 0]))


def linear_parts(
    laws: FiniteFeatures, entropy: samelaw.kernels.Entropy, share: float
) -> tuple[np.ndarray, np.ndarray]:
    """The derivative of RJSD towards each point, for P and for Q, centred under its law.

    Averaged over a sample it is the leading part of the error of every estimator and has mean
    exactly 0: subtracting it leaves the bias as it is and takes most of the noise away.
    """
    first, second = laws.operators()
    slopes = [slope(entropy, c) for c in (share * first + (1 - share) * second, first, second)]

    def centred(change: np.ndarray, law: np.ndarray) -> np.ndarray:
        towards = np.sum((laws.features @ change) * laws.features, axis=1)
        return towards - law @ towards

    return (
        share * centred(slopes[0] - slopes[1], laws.first),
        (1 - share) * centred(slopes[0] - slopes[2], laws.second),
    )


def slope(entropy: samelaw.kernels.Entropy, operator: np.ndarray) -> np.ndarray:
    """φ′(C)."""
    values, vectors = np.linalg.eigh(operator)
    return (vectors * entropy.derivative(np.clip(values, 0.0, None))) @ vectors.T


def estimates(
    x: np.ndarray, y: np.ndarray, kernel: Any, order: int | None, most: int
) -> tuple[dict[str, float], dict[str, float], float]:
    """Estimates by method, CPU seconds by method, and the standard error."""
    entropy = samelaw.VonNeumann() if order is None else samelaw.PowerSeries(order)
    values, seconds = {}, {}
    for name, corrected in (("plain", False), ("corrected", True)):
        start = time.process_time()
        values[name] = float(
            samelaw.rjsd(x, y, kernel=kernel, entropy=entropy, corrected=corrected)
        )
        seconds[name] = time.process_time() - start
    if order is not None:
        start = time.process_time()
        shares = (len(x) / (len(x) + len(y)), len(y) / (len(x) + len(y)))
        single = [
            float(unbiased_divergence((x, y), kernel, entropy, shares, orderings=1, rng=seed))
            for seed in range(most)
        ]
        each = (time.process_time() - start) / most
        for count in SETTINGS["orderings"]:
            if count <= most:
                values[f"unbiased, {count}"] = float(np.mean(single[:count]))
                seconds[f"unbiased, {count}"] = count * each
    error = samelaw.standard_error(x, y, kernel=kernel, entropy=entropy)
    return values, seconds, error


def measure(name: str, n: int, m: int) -> list[dict[str, Any]]:
    """Rows of results for one problem and one pair of sizes."""
    laws = problem(SETTINGS["bandwidths"][name])
    kernel = laws.kernel()
    repetitions = SETTINGS["repetitions_above_200_rows" if n > 200 else "repetitions"]
    most = next(k for rows, k in SETTINGS["most_orderings"].items() if max(n, m) <= int(rows))
    rows = []
    for order in (*SETTINGS["orders"], None):
        entropy = samelaw.VonNeumann() if order is None else samelaw.PowerSeries(order)
        truth = laws.rjsd(entropy, share=n / (n + m))
        towards_first, towards_second = linear_parts(laws, entropy, n / (n + m))
        runs, noise = [], []
        for repetition in range(repetitions):
            x, y = laws.draw(n, m, rng=[SETTINGS["seed"], n, m, repetition])
            runs.append(estimates(x, y, kernel, order, most))
            parts = towards_first[x.astype(int)], towards_second[y.astype(int)]
            noise.append(parts[0].mean() + parts[1].mean())
        errors = np.array([run[2] for run in runs])
        for method in runs[0][0]:
            found = np.array([run[0][method] for run in runs])
            steady = found - np.array(noise) - truth
            row = {
                "problem": name,
                "n": n,
                "m": m,
                "order": INFINITE if order is None else order,
                "method": method,
                "repetitions": repetitions,
                "truth": truth,
                "bias": float(steady.mean()),
                "bias_se": float(steady.std(ddof=1) / math.sqrt(repetitions)),
                "sd": float(found.std(ddof=1)),
                "rmse": math.hypot(steady.mean(), found.std(ddof=1)),
                "seconds": float(np.median([run[1][method] for run in runs])),
            }
            if method in ("plain", "corrected"):
                row["coverage"] = float(np.mean(np.abs(found - truth) <= 1.96 * errors))
                row["mean_standard_error"] = float(errors.mean())
            rows.append({k: round(v, 7) if isinstance(v, float) else v for k, v in row.items()})
    return rows


def run(chosen: Namespace, raw: Path) -> None:
    """Measure what the draws do not hold yet."""
    if chosen.quick:
        SETTINGS.update(repetitions=3, repetitions_above_200_rows=2)
    done = read_json(raw / "results.json").get("rows", {})
    for name, sizes in SETTINGS["sizes"].items():
        for n, m in sizes:
            key = f"{name}, n = {n}, m = {m}"
            if key in done:
                continue
            done[key] = measure(name, n, m)
            results = {"settings": SETTINGS, "versions": versions(), "rows": done}
            write_json(raw / "results.json", results)
            print(key, "done", flush=True)


def summarize(raw: Path) -> Summary:
    return {"results": read_json(raw / "results.json")}


def report(summary: Summary, folder: Path) -> None:
    """Draw, tabulate and check."""
    rows = [row for cell in summary["results"]["rows"].values() for row in cell]
    save_figure(draw(rows), folder)
    (folder / "table.md").write_text(table(rows))
    verify(check(rows))


EXPERIMENT = Experiment("bias", run, summarize, report)
