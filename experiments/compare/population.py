"""Effects of the changes in population, and the strengths that make them as large as wanted."""

from pathlib import Path
from typing import Any

import numpy as np

import samelaw as sl
from experiments.common import read_json, versions, write_json
from experiments.compare import tables, trials

ROWS = (111_112, 88_888)  # 200,000 in the proportion of the files
SEED = 29
STEPS = 7
MATCHED = ("mean", "scale", "category mix")
"""Changes of one column alone, whose strength is set to the detectable effect."""


def effects(change: str) -> dict[str, Any]:
    """All effects of one large draw."""
    a, b, _ = tables.draw(np.random.default_rng(SEED), change, rows=ROWS)
    found = trials.said(sl.compare(a, b, permutations=39, rng=0))
    return {"effect": found["effect"], "of": found["of"], "effects": found["effects"]}


def matched(change: str, wanted: float) -> dict[str, float]:
    """The strength at which the column that changes has an effect of ``wanted``."""
    low, high = 0.0, 4 * tables.CHANGES[change].strength
    if change == "category mix":
        high = 1.0
    name = tables.CHANGES[change].columns[0]
    for _ in range(STEPS):
        strength = 0.5 * (low + high)
        a, b, _ = tables.draw(np.random.default_rng(SEED), change, strength, ROWS)
        found = sl.compare({name: a[name]}, {name: b[name]}, permutations=39, rng=0)
        effect = found.marginals[0].effect
        low, high = (strength, high) if effect < wanted else (low, strength)
    return {"strength": round(strength, 4), "effect": round(effect, 5)}


def run(folder: Path) -> dict[str, Any]:
    """Fill ``population.json``; the detectable effect is the median over the null pairs."""
    path = folder / "population.json"
    book = read_json(path) or {"effects": {}, "matched": {}}
    book["versions"] = versions()
    for change, how in tables.CHANGES.items():
        held = book["effects"].get(change, {})
        if held.get("strength") != how.strength:
            book["effects"][change] = {"strength": how.strength, **effects(change)}
            write_json(path, book)
    null = read_json(folder / "level.json").get("cells", {})
    values = [v["detectable"] for entry in null.values() for v in entry["values"]]
    if values and not book["matched"]:
        book["detectable"] = float(np.median(values))
        book["matched"] = {name: matched(name, book["detectable"]) for name in MATCHED}
        write_json(path, book)
    return book
