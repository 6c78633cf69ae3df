"""One draw of two files through `samelaw.compare`, and everything that can be checked about it."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import samelaw as sl
from experiments.compare import tables

PERMUTATIONS = 199
TOP = 20


def on_files(change: str, strength: float | None, rng: np.random.Generator, seed: int) -> Any:
    """The comparison of two CSV files, and the changed rows of B."""
    a, b, changed = tables.draw(rng, change, strength)
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            tables.write_csv(columns, Path(folder, f"{name}.csv"))
            for name, columns in (("a", a), ("b", b))
        ]
        return sl.compare(*paths, permutations=PERMUTATIONS, rng=seed), changed


def trial(
    change: str, strength: float, method: str, rng: np.random.Generator, seed: int
) -> dict[str, Any]:
    """What compare said of one pair of files."""
    found, changed = on_files(change, strength, rng, seed)
    return {**said(found), **rows_found(found, changed)}


def said(found: sl.Comparison) -> dict[str, Any]:
    """Verdict, names and effect of a comparison, briefly."""
    low, high = found.effect_interval
    return {
        "pvalue": float(found.pvalue),
        "columns": list(found.columns_changed),
        "alone": [one.name for one in found.marginals if one.changed],
        "pairs": [list(pair.names) for pair in found.pairs if pair.changed],
        "effect": round(found.effect, 5),
        "of": found.effect_of,
        "interval": [round(low, 5), round(high, 5)],
        "detectable": round(found.detectable_effect, 5),
        "effects": {
            one.name: [round(v, 5) for v in (one.effect, *one.effect_interval)]
            for one in found.marginals
        },
    }


def rows_found(found: sl.Comparison, changed: np.ndarray[Any, Any]) -> dict[str, int]:
    """How many rows of B were changed, and how many of them are among those shown."""
    shown = [row.row for row in found.rows if row.table == "B"][:TOP]
    return {"planted": int(changed.sum()), "hits": int(changed[shown].sum())}
