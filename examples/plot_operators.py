"""
From samples to operators to entropies
======================================

How the divergence is built. A kernel turns a sample into a matrix of similarities; divided by the
number of rows it has trace one, and its eigenvalues are a probability distribution. The entropy of
that distribution says how diverse the sample is. If the pool of two samples is more diverse than
they are on average, they differ: that excess is the divergence.
"""

import matplotlib.pyplot as plt
import numpy as np

from samelaw import Gaussian, entropy, rjsd

rng = np.random.default_rng(0)
kernel = Gaussian(0.7)
x, y = np.sort(rng.normal(-1, 1, 60)), np.sort(rng.normal(1.5, 0.6, 60))
samples = {"x": x[:, None], "y": y[:, None], "both": np.concatenate([x, y])[:, None]}

# %%
# Similarities of all pairs of rows, sorted by value: y is narrow, so its rows are more alike.

figure, axes = plt.subplots(1, 4, figsize=(13, 3.4), layout="constrained")
for panel, (name, rows) in zip(axes, samples.items()):
    image = panel.imshow(kernel(rows, rows), vmin=0, vmax=1, cmap="cividis")
    panel.set(title=f"K of {name}, entropy {entropy(rows, kernel=kernel):.2f}", xlabel="row")
axes[0].set_ylabel("row")
figure.colorbar(image, ax=axes[2], label="similarity")
for style, (name, rows) in zip("o^s", samples.items()):
    spectrum = np.linalg.eigvalsh(kernel(rows, rows) / len(rows))[::-1]
    axes[3].semilogy(np.arange(1, 11), spectrum[:10], f"{style}-", label=name)
axes[3].set(title="eigenvalues of K/n", xlabel="number", ylabel="eigenvalue")
axes[3].legend()

# %%
# The excess of the pool is the divergence, to the last digit.

parts = {name: float(entropy(rows, kernel=kernel)) for name, rows in samples.items()}
excess = parts["both"] - 0.5 * (parts["x"] + parts["y"])
print(
    f"{excess:.4f} = {rjsd(samples['x'], samples['y'], kernel=kernel):.4f}, at most {np.log(2):.4f}"
)
assert np.isclose(excess, rjsd(samples["x"], samples["y"], kernel=kernel))
