"""Figure 2: S(Z), S(X) and S(Y) for finite orders and for the von Neumann entropy."""

import math
from argparse import Namespace
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

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
from samelaw.problems.closed_forms import CauchyPair

SETTINGS: dict[str, Any] = {
    "seed": 0,
    "repetitions": 10,
    "cauchy_jsd": 0.5 * math.log(2),
    "bandwidths": np.geomspace(1e-3, 1e3, 31).tolist(),
    "size": 256,
    "orders": [1, 2, 4, 10, 50],
}
INFINITE = "p = ∞"
CLOSE = 0.03  # about three standard errors of these means and of the references
REFERENCES = {  # an independent run, σ = .001
    "p = 1": {"pool": 0.998, "x": 0.996, "y": 0.996},
    INFINITE: {"pool": 6.19, "x": 5.50, "y": 5.51},
}
NAMES = {"pool": "S(Z), both samples", "x": "S(X)", "y": "S(Y)"}
STYLES = {
    "pool": {"color": "#c0392b", "lw": 2},
    "x": {"color": "#0072b2", "lw": 2},
    "y": {"color": "#009e73", "lw": 1.6, "ls": "--"},
}


def compute() -> dict[str, dict[str, list[float]]]:
    """Mean entropies over the repetitions, by order and by sample."""
    problem = CauchyPair.with_jsd(SETTINGS["cauchy_jsd"])
    entropies: dict[str, samelaw.kernels.Entropy] = {
        f"p = {order}": samelaw.PowerSeries(order) for order in SETTINGS["orders"]
    }
    entropies[INFINITE] = samelaw.VonNeumann()
    shape = (SETTINGS["repetitions"], len(SETTINGS["bandwidths"]))
    values = {label: {name: np.empty(shape) for name in NAMES} for label in entropies}
    for repetition in range(shape[0]):
        x, y = problem.draw(SETTINGS["size"], rng=[SETTINGS["seed"], repetition])
        samples = {"pool": np.concatenate([x, y]), "x": x, "y": y}
        for place, bandwidth in enumerate(SETTINGS["bandwidths"]):
            kernel = samelaw.Gaussian(bandwidth)
            for label, entropy in entropies.items():
                for name, sample in samples.items():
                    value = samelaw.entropy(sample, kernel=kernel, entropy=entropy)
                    values[label][name][repetition, place] = value
    return {
        label: {name: v.mean(axis=0).round(5).tolist() for name, v in by_name.items()}
        for label, by_name in values.items()
    }


def check(results: dict[str, Any]) -> dict[str, bool]:
    """What the paper says about figure 2, as claims."""
    curves = {
        label: {name: np.array(v) for name, v in results[label].items()}
        for label in (f"p = {p}" for p in results["settings"]["orders"])
    }
    infinite = {name: np.array(v) for name, v in results[INFINITE].items()}
    gaps = {label: gap(c) for label, c in {**curves, INFINITE: infinite}.items()}
    starts = np.array([g[0] for g in gaps.values()])
    n = results["settings"]["size"]
    return {
        "small orders: the three entropies agree as σ → 0": bool(np.all(starts[:3] < 0.01)),
        "the gap at σ → 0 grows with the order": bool(np.all(np.diff(starts) > 0)),
        "infinite order: the gap at σ → 0 is log 2": bool(abs(starts[-1] - math.log(2)) < CLOSE),
        "every finite order: the gap is largest at an interior σ": all(
            0 < gaps[label].argmax() < len(gaps[label]) - 1 for label in curves
        ),
        "as σ → ∞ all entropies vanish": all(
            by_name[-1] < 0.05 for c in (*curves.values(), infinite) for by_name in c.values()
        ),
        "entropies stay below the harmonic number, or log of the sample size": all(
            max(v.max() for v in c.values()) <= harmonic(int(label[4:]))
            for label, c in curves.items()
        )
        and bool(infinite["pool"].max() <= math.log(2 * n)),
        "reference values at σ = .001": all(
            abs(results[label][name][0] - value) < CLOSE
            for label, by_name in REFERENCES.items()
            for name, value in by_name.items()
        ),
    }


def gap(curves: dict[str, np.ndarray]) -> np.ndarray:
    """RJSD: the entropy of the pool minus the mean entropy of the samples."""
    return curves["pool"] - 0.5 * (curves["x"] + curves["y"])


def harmonic(order: int) -> float:
    return sum(1 / j for j in range(1, order + 1))


def draw(results: dict[str, Any]) -> Any:
    """One panel per order: the three entropies, and the divergence shaded between them."""
    grid = results["settings"]["bandwidths"]
    labels = [*(f"p = {p}" for p in results["settings"]["orders"]), INFINITE]
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9.5}):
        figure, axes = plt.subplots(2, 3, figsize=(11, 5.8), sharex=True, layout="constrained")
        for letter, label, panel in zip("abcdef", labels, axes.flat, strict=True):
            curves = {name: np.array(v) for name, v in results[label].items()}
            within = 0.5 * (curves["x"] + curves["y"])
            panel.fill_between(grid, within, curves["pool"], color="#c0392b", alpha=0.15, lw=0)
            for name, style in STYLES.items():
                panel.plot(grid, curves[name], label=NAMES[name], **style)
            title = "von Neumann entropy" if label == INFINITE else "power series"
            panel.set_title(f"({letter})  {title}, {label}", loc="left")
            panel.set(xscale="log", xlim=(grid[0], grid[-1]))
            panel.set_ylim(0, 1.08 * curves["pool"].max())
            panel.spines[["top", "right"]].set_visible(False)
        axes[0, 0].legend(frameon=False, loc="lower left")
        for row in axes:
            row[0].set_ylabel("entropy (nats)")
        for panel in axes[1]:
            panel.set_xlabel("bandwidth σ")
    return figure


def run(chosen: Namespace, raw: Path) -> None:
    if chosen.quick:
        SETTINGS.update(repetitions=1)
    results = {"settings": SETTINGS, "versions": versions(), **compute()}
    write_json(raw / "results.json", results)


def summarize(raw: Path) -> Summary:
    return {"results": read_json(raw / "results.json")}


def report(summary: Summary, folder: Path) -> None:
    """Draw the curves; fail if a claim of the paper fails."""
    save_figure(draw(summary["results"]), folder)
    claims = check(summary["results"])
    (folder / "table.md").write_text(table_of(claims, "fig2"))
    verify(claims)


EXPERIMENT = Experiment("fig2", run, summarize, report)
