"""The draws reduced to what the tables and the figure need."""

import math
from typing import Any

import numpy as np

from experiments.fig3.methods import METHODS, ORACLE, PLAIN, SLOW

LOG2 = math.log(2)
DRAWN = {
    "RJSD-p, published": "#b07aa1",
    "RJSD-FF, published": "#59a14f",
    "RJSD-NN, published": "#f28e2b",
    "RJSD-NN": "#0072b2",
    "NWJ": "#888888",
    "InfoNCE": "#888888",
    "CLUB": "#888888",
    "MINE, labels shuffled": "#888888",
}
"""Methods of the figure, whose first seed is kept step by step, and their colours."""

UNIT = 1e-5
"""Steps of the figure are kept as whole numbers of this many nats."""

Book = dict[str, Any]


def reduced(book: Book) -> Book:
    """Settings and versions, the tables' numbers by method, and the steps that are drawn."""
    return {
        "settings": book["settings"],
        "versions": book["versions"],
        "stream": {
            name: line for name in (ORACLE, PLAIN, *METHODS, *SLOW) if (line := stream(book, name))
        },
        "drawn": {name: steps(of(book, name)[0]) for name in DRAWN if of(book, name)},
        "dimension": over_seeds(book["dimension"], ("method", "dimension"), _over_oracle),
        "samples": over_seeds(book["samples"], ("method", "problem", "dimension", "size"), _error),
        "truths": {k: e["truth"] for k, e in book["samples"].items() if "truth" in e},
        "intervals": intervals(book),
    }


def of(book: Book, name: str) -> list[Book]:
    part = "slow" if name in SLOW else "stream"
    return [entry for entry in book[part].values() if entry["method"] == name]


def steps(entry: Book) -> list[list[int]]:
    return [[round(value / UNIT) for value in level] for level in entry["values"]]


def stream(book: Book, name: str) -> Book | None:
    """Bias and spread at steady state, error of the whole run, epochs to adapt, cost."""
    entries = of(book, name)
    if not entries:
        return None
    values = np.array([entry["values"] for entry in entries])  # (seeds, levels, steps)
    errors = values - LOG2 * np.array(book["settings"]["levels"])[None, :, None]
    late = errors[:, :, errors.shape[2] // 2 :]
    return {
        "seeds": len(entries),
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "bias": late.mean(axis=(0, 2)).tolist(),
        "sd": np.sqrt(late.var(axis=2, ddof=1).mean(axis=0)).tolist(),
        "adapt": np.median([_epochs_to_adapt(run) for run in values], axis=0).tolist(),
        "ms": float(np.median([entry["ms"] for entry in entries])),
    }


def _epochs_to_adapt(run: np.ndarray[Any, Any]) -> list[int]:
    """Epochs until the mean of ten is within .05 log 2 of its settled value, level by level."""
    out = []
    for level in run:
        settled = level[len(level) // 2 :].mean()
        means = np.convolve(level, np.ones(10) / 10, mode="valid")
        near = np.abs(means - settled) < 0.05 * LOG2
        out.append(int(np.argmax(near)) if near.any() else len(level))
    return out


def over_seeds(entries: Book, names: tuple[str, ...], read: Any) -> Book:
    """The mean over seeds of one number, by the words that name a cell."""
    found: dict[str, list[float]] = {}
    for entry in entries.values():
        if "method" in entry:
            found.setdefault(" | ".join(str(entry[n]) for n in names), []).append(read(entry))
    return {key: float(np.mean(values)) for key, values in found.items()}


def _over_oracle(entry: Book) -> float:
    return float(entry["over_oracle"])


def _error(entry: Book) -> float:
    return float(entry["value"] - entry["oracle"])


def intervals(book: Book) -> Book:
    """How the standard errors of each method and level did."""
    found: dict[str, list[Book]] = {}
    for entry in book["intervals"].values():
        found.setdefault(f"{entry['method']} | {entry['level']}", []).append(entry)
    return {key: _covered(entries) for key, entries in found.items()}


def _covered(entries: list[Book]) -> Book:
    truth = entries[0]["level"] * LOG2
    errors = np.array([e["values"] for e in entries]) - truth  # (seeds, readings)
    claimed = np.array([e["standard_errors"] for e in entries])
    return {
        "estimates": errors.size,
        "inside": int(np.sum(np.abs(errors) < 1.96 * claimed)),
        "bias": float(errors.mean()),
        "deviation": float(np.sqrt(errors.var(axis=1, ddof=1).mean())),
        "standard_error": float(claimed.mean()),
    }
