"""
What the order weighs
=====================

The entropy of order p replaces the logarithm by the first p terms of its series. Each order gives
every eigenvalue a weight; the higher it is, the more the small ones count: rare regions, fine
structure, and the noise of a sample.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd

eigenvalues = np.geomspace(1e-4, 1, 300)
entropies = {"order 1": PowerSeries(1), "order 4": PowerSeries(4), "order 30": PowerSeries(30)}
entropies["von Neumann"] = VonNeumann()
styles = ("-", "--", "-.", ":")

# %%
# Left: the summand per unit of eigenvalue, which for von Neumann is −log λ. Right: the same two
# laws seen with more and more rows of each. All start too high, by an excess that falls as 1/n. In
# nats it is least for order 1, which is also the smallest number, and most for von Neumann.

rng = np.random.default_rng(0)
x, y = rng.normal(size=(2, 1600, 3))
y[:, 1] = 0.8 * y[:, 0] + 0.6 * y[:, 1]  # a correlation
sizes = (25, 50, 100, 200, 400, 800)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for style, (name, entropy) in zip(styles, entropies.items()):
    left.semilogx(eigenvalues, entropy.phi(eigenvalues) / eigenvalues, style, label=name)
    values = [rjsd(x[:n], y[:n], kernel=Gaussian(1.0), entropy=entropy) for n in sizes]
    right.semilogx(sizes, values, f"o{style}", label=name)
left.set(xlabel="eigenvalue λ", ylabel="weight φ(λ)/λ")
right.set(xlabel="rows of each sample", ylabel="divergence (nats)", ylim=(0, None))
right.set_xticks(sizes, sizes)
right.minorticks_off()
_ = left.legend()
