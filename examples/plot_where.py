"""
Which rows make the difference?
===============================

Ten points among 310 come from somewhere else. The divergence is a sum with one share per row, so
the rows that make it large can be listed.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import PowerSeries, rjsd
from samelaw.divergence import contributions

rng = np.random.default_rng(0)
x = rng.normal(size=(150, 2))
y = np.concatenate([rng.normal(size=(150, 2)), rng.normal([3.2, 3.2], 0.3, size=(10, 2))])
of_x, of_y = contributions(x, y, entropy=PowerSeries(10))

# %%
# The area of a point is its share. Shares of both samples add up to the divergence.

figure, axes = plt.subplots(figsize=(6, 4.6), layout="constrained")
for rows, shares, marker, name in ((x, of_x, "o", "x"), (y, of_y, "^", "y")):
    size = 8 + 150 * np.clip(shares, 0, None) / of_y.max()
    axes.scatter(*rows.T, s=size, marker=marker, alpha=0.6, label=name)
axes.set(xlabel="first column", ylabel="second column")
axes.legend()
assert np.isclose(of_x.sum() + of_y.sum(), rjsd(x, y, entropy=PowerSeries(10)))
print("rows of y with the largest shares:", np.argsort(of_y)[::-1][:10])
assert np.argsort(of_y)[::-1][:10].min() >= 150
