"""
Dependence that a correlation does not see
==========================================

Five clouds of 200 points. The correlation is near zero in four of them, the kernel mutual
information in one: the last, where nothing depends on anything.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import Gaussian, mutual_information

rng = np.random.default_rng(1)
t, noise = rng.uniform(-1, 1, 200), 0.1 * rng.normal(size=(2, 200))
angle = np.pi * t
clouds = {
    "line": (t, t + 2 * noise[0]),
    "parabola": (t, 2 * t**2 - 1 + noise[0]),
    "circle": (np.cos(angle) + noise[0], np.sin(angle) + noise[1]),
    "cross": (t, t * rng.choice([-1, 1], 200) + noise[0]),
    "nothing": (t, rng.uniform(-1, 1, 200)),
}

# %%
# The same number with shuffled partners says how much is chance at 200 rows.

figure, axes = plt.subplots(1, 5, figsize=(13, 3), layout="constrained", sharex=True, sharey=True)
found = {}
for panel, (name, (x, y)) in zip(axes, clouds.items()):
    pairs = [(x[:, None], z[:, None]) for z in (y, rng.permutation(y))]
    value, chance = (
        float(mutual_information(*pair, kernels=[Gaussian(0.5)] * 2, entropy=2)) for pair in pairs
    )
    found[name] = value - chance
    panel.scatter(x, y, s=6)
    correlation = f"correlation {np.corrcoef(x, y)[0, 1]:+.2f}"
    told = f"{name}\n{correlation}\ninformation {found[name]:+.3f} nats"
    panel.set(title=told, xlabel="x")
axes[0].set_ylabel("y")
assert min(found[name] for name in clouds if name != "nothing") > 3 * abs(found["nothing"])
