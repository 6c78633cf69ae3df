"""
Evidence grows, the effect stays
================================

One small change, looked at with more and more rows. The p-value falls below any level: it says
whether there is a difference. The effect says how large it is: its interval closes around the size
of the change, which is what it is however many rows there are.
"""

import matplotlib.pyplot as plt
import numpy as np

import samelaw
from samelaw.comparison.findings import ColumnFinding

rng = np.random.default_rng(3)
sizes = [100, 200, 400, 800]


def table(rows: int, shift: float) -> dict[str, np.ndarray]:
    """Minutes and pages of visits; the second week is a little longer."""
    minutes = rng.gamma(2.0, 2.0, rows) * (1 + shift)
    return {"minutes": minutes, "pages": rng.poisson(3 + 0.5 * minutes)}


def compared(rows: int) -> samelaw.Comparison:
    """Two fresh tables of so many rows."""
    return samelaw.compare(table(rows, 0.0), table(rows, 0.35), rng=0, permutations=999)


def minutes(result: samelaw.Comparison) -> ColumnFinding:
    """What was found of the column that changed."""
    return next(one for one in result.marginals if one.column == "minutes")


found = [compared(n) for n in sizes]
many = minutes(compared(20_000))

# %%
# Each point is one comparison of two fresh tables. The dotted line on the right is the effect on
# the minutes that 20,000 rows of each table give.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.loglog(sizes, [one.pvalue for one in found], "o-")
left.axhline(0.05, color="0.4", ls=":", label="level 0.05")
left.set(xlabel="rows of each table", ylabel="p-value")
left.legend()
low, high = np.transpose([minutes(one).effect_interval for one in found])
effect = np.array([minutes(one).effect for one in found])
right.errorbar(sizes, effect, [effect - low, high - effect], fmt="o", capsize=3)
right.axhline(many.effect, color="0.4", ls=":", label="with 20,000 rows")
right.legend()
right.set(xscale="log", xlabel="rows of each table", ylabel="effect with 95 % interval")
right.set_ylim(bottom=0)
for axes in (left, right):
    axes.set_xticks(sizes, sizes)
    axes.minorticks_off()
print([f"{one.pvalue:.3f}" for one in found])
assert all((low <= many.effect) & (many.effect <= high))
