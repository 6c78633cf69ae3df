"""
Values that went missing for a reason
=====================================

A sensor that gives up above 60 degrees. The values that are left look fine, and dropping rows with
gaps hides the fault. The absence of a value is a column view of its own: it is tested and named.
"""

import matplotlib.pyplot as plt
import numpy as np

import samelaw

rng = np.random.default_rng(0)


def week(rows: int, limit: float) -> dict[str, np.ndarray]:
    """Load and temperature; readings above the limit are lost, and one in fifty anyway."""
    load = rng.uniform(0, 1, rows)
    heat = 30 + 30 * load + 5 * rng.normal(size=rows)
    lost = (heat > limit) | (rng.uniform(size=rows) < 0.02)
    return {"load": load, "temperature": np.where(lost, np.nan, heat)}


before, after = week(500, np.inf), week(400, 60.0)
found = samelaw.compare(before, after, rng=0, permutations=199)
print(found.sentence)

# %%
# The load, which is always known, shows where readings are lost.

figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
edges = np.linspace(0, 1, 11)
for style, (name, table) in zip(("o-", "^--"), {"before": before, "after": after}.items()):
    part = np.digitize(table["load"], edges) - 1
    lost = [np.isnan(table["temperature"][part == k]).mean() for k in range(10)]
    axes.plot((edges[1:] + edges[:-1]) / 2, lost, style, label=name)
axes.set(xlabel="load", ylabel="share of readings lost")
_ = axes.legend()
assert any(m.missing and m.changed for m in found.marginals)
