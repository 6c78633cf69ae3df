"""The drawing of figure 1: three panels for Cauchy laws, three for Gaussian laws."""

import math
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

TITLES = {
    "a": "Kernel estimator: number of samples",
    "b": "Power series: order p",
    "c": "Fourier features: frequencies D",
    "d": "Kernel estimator: dimension",
    "e": "Power series of order 10: dimension",
    "f": "32 Fourier frequencies: dimension",
}
UNREGULARISED = {"p = ∞", "kernel"}


def draw(results: dict[str, Any]) -> Any:
    """A matplotlib figure of all six panels."""
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9.5}):
        figure, axes = plt.subplots(2, 3, figsize=(11, 6.2), sharey=True, layout="constrained")
        for letter, panel in zip("abcdef", axes.flat, strict=True):
            _draw_panel(panel, letter, results)
        for row in axes:
            row[0].set_ylabel("divergence (nats)")
        for panel in axes[1]:
            panel.set_xlabel("bandwidth σ")
    return figure


def _draw_panel(panel: Any, letter: str, results: dict[str, Any]) -> None:
    cauchy = letter in "abc"
    grid = results["settings"]["bandwidths" if cauchy else "bandwidths_gaussian"]
    curves = results[letter]
    ordered = [label for label in curves if label not in UNREGULARISED]
    shades = mpl.colormaps["viridis"](np.linspace(0.05, 0.85, len(ordered)))
    colours = dict(zip(ordered, shades, strict=True))
    for label, curve in curves.items():
        mean, spread = np.array(curve["mean"]), np.array(curve["sd"])
        colour = colours.get(label, "#c0392b")
        panel.plot(grid, mean, color=colour, lw=1.6, label=label)
        panel.fill_between(grid, mean - spread, mean + spread, color=colour, alpha=0.15, lw=0)
    truth = results["true_jsd"]["cauchy" if cauchy else "gaussian"]
    panel.axhline(truth, color="black", ls="--", lw=1)
    panel.axhline(math.log(2), color="grey", ls=":", lw=1)
    right = panel.get_yaxis_transform()
    panel.text(0.99, truth - 0.012, "true JSD", transform=right, ha="right", va="top")
    panel.text(
        0.99, math.log(2) + 0.008, "log 2", transform=right, ha="right", va="bottom", color="grey"
    )
    panel.set(xscale="log", xlim=(grid[0], grid[-1]), ylim=(-0.01, 0.76))
    panel.set_title(f"({letter})  {TITLES[letter]}", loc="left")
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(
        frameon=False,
        fontsize=8,
        handlelength=1.4,
        labelspacing=0.3,
        loc="upper right",
        bbox_to_anchor=(1, 0.9),
    )
