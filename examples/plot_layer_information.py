"""
What the layers of a network know
=================================

Mutual information between layers, from spectra of Gram matrices alone. The plain S(X) + S(Y) −
S(X, Y) grows with any spread of the points; the difference of entropies (Skean et al. 2023)
compares the joint entropy with that of shuffled pairs instead, so that unrelated variables give 0.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from samelaw import Gaussian, PowerSeries, joint_entropy
from samelaw.bandwidths import median_bandwidth
from samelaw.kernels import Categorical

torch.set_num_threads(1)
torch.manual_seed(0)
rng = np.random.default_rng(0)


def shared(x: torch.Tensor, y: torch.Tensor, shuffles: int = 4) -> float:
    """Entropy of shuffled pairs minus entropy of the pairs, in nats."""
    kernels = [
        Categorical() if z.dtype == torch.int64 else Gaussian(median_bandwidth(z)) for z in (x, y)
    ]

    def joint(order: np.ndarray) -> float:
        return float(joint_entropy(x, y[order], kernels=kernels, entropy=PowerSeries(10)))

    together = joint(np.arange(len(y)))
    return np.mean([joint(rng.permutation(len(y))) for _ in range(shuffles)]) - together


# %%
# Two classes in a spiral, ten more columns of noise, and a small network.

n = 400
label = torch.arange(n) % 2
radius = torch.rand(n) * 2 + 0.3
angle = 2.2 * radius + torch.pi * label
spiral = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
inputs = torch.cat([spiral + 0.05 * torch.randn(n, 2), 0.3 * torch.randn(n, 10)], dim=1)
layers = nn.ModuleList(
    [nn.Sequential(nn.Linear(a, b), nn.Tanh()) for a, b in [(12, 32), (32, 16), (16, 4)]]
)
head = nn.Linear(4, 2)
optimizer = torch.optim.Adam([*layers.parameters(), *head.parameters()], lr=5e-3)

# %%
# While the network learns, the layers gain information about the label, the last one most, and it
# forgets the input; before training no layer singles the label out.

steps = [0, 20, 50, 100, 200, 400]
about_label, about_input, accuracy = [], [], []
for step in range(max(steps) + 1):
    hidden, seen = inputs, []
    for layer in layers:
        hidden = layer(hidden)
        seen.append(hidden.detach())
    scores = head(hidden)
    if step in steps:
        about_label.append([shared(z, label) for z in seen])
        about_input.append([shared(z, inputs) for z in seen])
        accuracy.append(float((scores.argmax(dim=1) == label).float().mean()))
    optimizer.zero_grad()
    nn.functional.cross_entropy(scores, label).backward()
    optimizer.step()

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for axis, title, values in zip(
    axes, ("label", "input"), (np.array(about_label), np.array(about_input)), strict=True
):
    for index in range(3):
        axis.plot(steps, values[:, index], marker="o", ms=4, label=f"layer {index + 1}")
    axis.set(xlabel="step", ylabel="nats", title=f"information about the {title}")
axes[0].legend()
noise = shared(torch.randn(n, 4), label)
print(f"accuracy {accuracy[0]:.2f} → {accuracy[-1]:.2f}; unrelated variables: {noise:.4f} nats")
