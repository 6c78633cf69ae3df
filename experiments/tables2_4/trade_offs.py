"""β: which were tried, on a seed of their own, and which was kept."""

from pathlib import Path
from typing import Any

import numpy as np

from experiments import grid
from experiments.common import HERE, read_json
from experiments.tables2_4.methods import METHODS
from experiments.tables2_4.tasks import BENCHMARKS

HOME = HERE / "tables2_4"
RIVALS = [name for name in METHODS if name.startswith("RJSD")]


def trade_offs(book: dict[str, Any]) -> dict[str, dict[str, float]]:
    """For every benchmark and method the β with the best mean over the pilot tasks."""
    found = {}
    for benchmark in BENCHMARKS:
        means = _tried(book, benchmark)
        best = {name: max(values, key=lambda b: values[b]) for name, values in means.items()}
        for name, how in METHODS.items():
            if name in RIVALS and not how.trade_offs and "RJSD 3" in best:
                best[name] = best["RJSD 3"] * 3.0 / how.order
        found[benchmark] = {"source only": 0.0, **best}
    return found


def known_trade_offs(raw: Path) -> dict[str, dict[str, float]]:
    """As the summary has them, or as chosen since."""
    kept: dict[str, dict[str, float]] = read_json(HOME / "summary.json").get("trade_offs", {})
    chosen = trade_offs(read_json(raw / "beta.json"))
    return {name: {**kept.get(name, {}), **chosen[name]} for name in BENCHMARKS}


def _tried(book: dict[str, Any], benchmark: str) -> dict[str, dict[float, float]]:
    """Mean accuracy by method and β, of the methods whose every β has seen every pilot task."""
    found: dict[str, dict[float, float]] = {}
    for name, how in METHODS.items():
        for beta in how.trade_offs:
            method = f"{name} @ {beta}"
            entries = grid.select(book, problem=f"beta {benchmark}", method=method)
            if {entry["value"] for entry in entries} >= set(BENCHMARKS[benchmark].pilots):
                mean = np.mean([np.mean(entry["values"]) for entry in entries])
                found.setdefault(name, {})[beta] = float(mean)
    return {n: v for n, v in found.items() if len(v) == len(METHODS[n].trade_offs)}


def curves(book: dict[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    """Accuracy at every β, by benchmark and method; keys as JSON has them."""
    found = {}
    for benchmark in BENCHMARKS:
        tried = _tried(book, benchmark)
        found[benchmark] = {
            name: {f"{beta:g}": round(value, 2) for beta, value in values.items()}
            for name, values in tried.items()
        }
    return {benchmark: methods for benchmark, methods in found.items() if methods}
