"""The figure, the tables of the docs and the claims, from the summary."""

import math
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from scipy.stats import binomtest

from experiments.fig3.methods import BARE, FEW, ORACLE, OURS, STACKED, TWO
from experiments.fig3.summary import DRAWN, UNIT

LOG2 = math.log(2)
Summary = dict[str, Any]


def summaries(book: dict[str, Any]) -> dict[str, Summary]:
    """Of every method on the stream, as arrays."""
    arrays = ("bias", "sd", "adapt")
    return {
        name: {key: np.array(v) if key in arrays else v for key, v in line.items()}
        for name, line in book["stream"].items()
    }


def draw(book: dict[str, Any]) -> Any:
    """One panel per method: the estimates of the first seed, their running mean, the truth."""
    shown = list(book["drawn"])
    steps = book["settings"]["steps"]
    with mpl.rc_context({"font.size": 9, "axes.titlesize": 9.5}):
        figure, axes = plt.subplots(
            2, 4, figsize=(12, 5), sharex=True, sharey=True, layout="constrained"
        )
        for panel, name in zip(axes.flat, shown, strict=False):
            values = np.array(book["drawn"][name]) * UNIT / LOG2
            epochs = np.linspace(0, steps * len(values), values.size, endpoint=False)
            panel.plot(epochs, values.ravel(), color=DRAWN[name], lw=0.5, alpha=0.35)
            panel.plot(epochs, _smooth(values.ravel()), color=DRAWN[name], lw=1.5)
            levels = np.repeat(book["settings"]["levels"], steps)
            panel.plot(np.arange(levels.size), levels, color="black", lw=1)
            panel.set_title(name, loc="left")
            panel.set_ylim(0, 1.1)
            panel.spines[["top", "right"]].set_visible(False)
        for panel in axes.flat[len(shown) :]:
            panel.set_visible(False)
        for panel in axes[-1]:
            panel.set_xlabel("epoch")
        for panel in axes[:, 0]:
            panel.set_ylabel("divergence / log 2")
    return figure


def _smooth(values: np.ndarray[Any, Any], span: int = 20) -> np.ndarray[Any, Any]:
    """The exponentially weighted mean of the paper's plot."""
    keep = 1 - 2 / (span + 1)
    out, total, weight = [], 0.0, 0.0
    for value in values:
        total, weight = keep * total + value, keep * weight + 1
        out.append(total / weight)
    return np.array(out)


def tables(book: dict[str, Any]) -> str:
    """Markdown: the stream, high dimension, samples of fixed size, and standard errors."""
    lines = ["<!-- Written by `python -m experiments.fig3`; do not edit. -->", ""]
    lines += _stream_table(book) + _dimension_table(book) + _samples_table(book)
    lines += _intervals_table(book)
    return "\n".join(lines) + "\n"


def _stream_table(book: dict[str, Any]) -> list[str]:
    levels = book["settings"]["levels"]
    lines = [
        "**A stream that jumps**: Cauchy laws at "
        + ", ".join(f"{v:g}" for v in levels)
        + " of log 2, 512 fresh rows per step. Errors in nats; bias and deviation at the five "
        "levels over the second half of each; epochs to adapt; CPU time per epoch, with learning "
        "and reading, on a machine that was busy with other work. "
        f"*{BARE}* stands first; the others are in order of error, *{OURS}* guided by a "
        "discriminator in its first steps.",
        "",
        *_header("method", "seeds", "RMSE", "bias", "deviation", "epochs to adapt", "ms"),
    ]
    found = summaries(book)
    for name in sorted(found, key=lambda name: (name not in (ORACLE, BARE), found[name]["rmse"])):
        s = found[name]
        lines.append(
            _line(
                name,
                s["seeds"],
                f"{s['rmse']:.4f}",
                " ".join(f"{v:+.3f}" for v in s["bias"]),
                " ".join(f"{v:.3f}" for v in s["sd"]),
                " ".join(f"{v:g}" for v in s["adapt"]),
                f"{s['ms']:.1f}" if s["ms"] else "–",
            )
        )
    return [*lines, ""]


def _dimension_table(book: dict[str, Any]) -> list[str]:
    dimensions = book["settings"]["dimensions"]
    lines = [
        "**High dimension**: N(0, I) v N(μ, I), ‖μ‖ = 2, JSD .33683 for every d. Bias in nats over "
        "the last 100 of 300 steps.",
        "",
        *_header("method", *(f"d = {d}" for d in dimensions)),
    ]
    for name in FEW:
        found = [dimension_bias(book, name, d) for d in dimensions]
        lines.append(_line(name, *("–" if v is None else f"{v:+.4f}" for v in found)))
    return [*lines, ""]


def dimension_bias(book: dict[str, Any], name: str, dimension: int) -> float | None:
    found: float | None = book["dimension"].get(f"{name} | {dimension}")
    return found


def _samples_table(book: dict[str, Any]) -> list[str]:
    cells = {tuple(key.split(" | ")[1:]) for key in book["samples"]}
    lines = [
        "**Samples of fixed size**, every row read once: error of the estimate minus that of the "
        "oracle on the same rows, in nats (mean over seeds). Two folds; *both, stacked* has "
        f"{book['settings']['folds_of_the_stack']}, {OURS} and two networks of the JS bound.",
        "",
        *_header("problem", "d", "JSD", "n", *TWO, STACKED),
    ]
    for problem, dimension, size in sorted(cells, key=lambda c: (c[0], int(c[1]), int(c[2]))):
        found = [sample_error(book, n, problem, dimension, size) for n in (*TWO, STACKED)]
        shown = ["–" if error is None else f"{error:+.3f}" for error in found]
        value = book["truths"][f"truth | {problem} | {dimension}"]
        lines.append(_line(problem, dimension, f"{value:.4f}", size, *shown))
    return [*lines, ""]


def sample_error(book: dict[str, Any], method: str, *cell: str) -> float | None:
    found: float | None = book["samples"].get(" | ".join([method, *cell]))
    return found


def _intervals_table(book: dict[str, Any]) -> list[str]:
    settings = book["settings"]["intervals"]
    lines = [
        f"**Standard errors**: Cauchy laws, {settings['steps']} steps of learning, then estimates "
        f"on {book['settings']['rows']} fresh rows of each law. Deviation of the estimates, mean "
        "of their standard errors, and how often the true divergence is within 1.96 of them (exact "
        "95 % interval).",
        "",
        *_header("method", "level", "estimates", "bias", "deviation", "standard error", "covers"),
    ]
    for name in TWO:
        for level in book["settings"]["levels"]:
            found = book["intervals"].get(f"{name} | {level}")
            if found:
                lines.append(_line(name, f"{level:g} log 2", *_covered(found)))
    return [*lines, ""]


def _covered(line: dict[str, Any]) -> list[str]:
    share = binomtest(line["inside"], line["estimates"])
    low, high = share.proportion_ci()
    return [
        str(line["estimates"]),
        f"{line['bias']:+.4f}",
        f"{line['deviation']:.4f}",
        f"{line['standard_error']:.4f}",
        f"{share.statistic:.3f} [{low:.3f}, {high:.3f}]",
    ]


def _header(*names: str) -> list[str]:
    return [_line(*names), _line(*("---" for _ in names))]


def _line(*cells: Any) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def check(book: dict[str, Any]) -> dict[str, bool]:
    """The goals and what the docs say, as claims."""
    s = summaries(book)
    ours, floor = s[OURS], s[ORACLE]
    rivals = [s[n] for n in ("JS bound", "SMILE", "InfoNCE", "Donsker–Varadhan", "MINE", "NWJ")]
    biases = [dimension_bias(book, OURS, d) for d in book["settings"]["dimensions"]]
    cells = {tuple(key.split(" | ")[1:]) for key in book["samples"]}
    errors = [[sample_error(book, n, *cell) for n in (STACKED, *TWO)] for cell in cells]
    known = [[error for error in cell if error is not None] for cell in errors]
    return {
        "stacked, at or ahead of the better one on all samples of fixed size": all(
            len(cell) == len(TWO) + 1 and cell[0] == max(cell) for cell in known
        ),
        "error of the whole run at most .019 nats": ours["rmse"] <= 0.019,
        "bias at most .01 nats at every level": bool(np.all(np.abs(ours["bias"]) <= 0.01)),
        "deviation at most 1.05 of the oracle's": bool(np.all(ours["sd"] <= 1.05 * floor["sd"])),
        "at most 4 epochs to adapt": bool(np.all(ours["adapt"] <= 4)),
        "smaller error of the whole run than any critic": all(
            ours["rmse"] < rival["rmse"] for rival in rivals
        ),
        "critics have as little bias at steady state": any(
            np.all(np.abs(rival["bias"]) <= 0.01) for rival in rivals
        ),
        "bias at most .01 nats in 1 to 64 dimensions": all(
            b is not None and abs(b) <= 0.01 for b in biases
        ),
        "the published network is stuck in high dimension": any(
            (b := dimension_bias(book, "RJSD-NN, published", d)) is not None and abs(b) > 0.1
            for d in book["settings"]["dimensions"]
        ),
    }
