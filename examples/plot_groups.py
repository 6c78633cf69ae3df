"""
Rows that belong together
=========================

Twenty customers in each table, five visits each, and nothing changed. Visits of a customer are
alike, so a test that takes them as independent finds differences that are none, again and again.
Told which rows belong together, it keeps its level.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import two_sample_test

CUSTOMERS, VISITS, RUNS = 20, 5, 120


def visits(rng: np.random.Generator) -> np.ndarray:
    """Two columns around a level of the customer's own."""
    level = rng.normal(size=(CUSTOMERS, 1, 2))
    return (level + rng.normal(size=(CUSTOMERS, VISITS, 2))).reshape(-1, 2)


labels = np.repeat(np.arange(2 * CUSTOMERS), VISITS)
groups = labels[: CUSTOMERS * VISITS], labels[CUSTOMERS * VISITS :]
pvalues: dict[str, list[float]] = {"as independent rows": [], "with groups=": []}
for seed in range(RUNS):
    rng = np.random.default_rng(seed)
    x, y = visits(rng), visits(rng)
    for name, told in zip(pvalues, (None, groups)):
        found = two_sample_test(x, y, groups=told, permutations=99, rng=seed)
        pvalues[name].append(found.pvalue)

# %%
# P-values of equal laws should be spread evenly: on the dotted line.

figure, axes = plt.subplots(figsize=(5.5, 4.2), layout="constrained")
for style, (name, values) in zip(("-", "--"), pvalues.items()):
    axes.ecdf(values, ls=style, label=name)
    print(f"{name}: {np.mean(np.array(values) <= 0.05):.0%} false alarms at level 5 %")
axes.axline((0, 0), slope=1, color="0.4", ls=":")
axes.set(xlabel="p-value", ylabel="share of runs at most that", xlim=(0, 1), ylim=(0, 1))
_ = axes.legend()
assert np.mean(np.array(pvalues["with groups="]) <= 0.05) < 0.2
assert np.mean(np.array(pvalues["as independent rows"]) <= 0.05) > 0.3
