"""
What changed between two tables?
================================

Two weeks of a shop's orders, 800 and 600 rows of nine columns: numbers, categories, dates, missing
values. One line compares them; the answer says what changed, by how much, and where.
"""

from pathlib import Path

import matplotlib.pyplot as plt

import samelaw

folder = Path("examples/data") if Path("examples/data").exists() else Path("../examples/data")
found = samelaw.compare(folder / "changed_a.csv", folder / "changed_b.csv", rng=2, permutations=199)
print(found.sentence)

# %%
# Two columns moved by themselves. Minutes and pages did not: what changed is how they go together,
# which no histogram of one column shows. Left, everything that was looked at with its interval.

figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
found.plot(axes[0])
found.plot(axes[1], column="amount")
_ = found.plot(axes[2], column="device")
assert {"amount", "device"} <= set(found.columns_changed)
