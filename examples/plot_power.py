"""
How many rows are enough?
=========================

Before collecting data: how often would a change of a size one cares about be found? The law is
yours to write as a function; each point repeats the experiment and counts rejections.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import Fuse, power_curve


def correlated(rng: np.random.Generator, strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Eighty rows of two columns; in the second sample they go together."""
    x, y = rng.normal(size=(2, 80, 2))
    y[:, 1] = strength * y[:, 0] + np.sqrt(1 - strength**2) * y[:, 1]
    return x, y


# %%
# At strength 0 there is no change: the curve starts at the level, for any test that is exact. The
# default is compared with the classical kernel distance (MMD-Fuse).

strengths = [0.0, 0.2, 0.4, 0.6, 0.8]
options = {"repetitions": 40, "permutations": 99, "rng": 0}
figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
power_curve(correlated, strengths, **options).plot(axes, label="default")
power_curve(correlated, strengths, strategy=Fuse.mmd(), **options).plot(axes, label="MMD-Fuse")
axes.set(xlabel="correlation in the second sample", ylabel="power")
_ = axes.legend()
