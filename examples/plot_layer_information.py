"""
What the layers of a network know
=================================

Information between layers, from spectra of Gram matrices alone. The plain S(X) + S(Y) − S(X, Y)
grows with any spread of the points; `samelaw.extras.layers` compares the joint entropy with that
of shuffled pairs instead (Skean et al. 2023), so that unrelated variables give 0.
"""

import matplotlib.pyplot as plt
import torch
from torch import nn

from samelaw.extras.layers import layer_information, shared_information
from samelaw.learn import layer_outputs

torch.set_num_threads(1)
torch.manual_seed(0)

# %%
# Two classes in a spiral, ten more columns of noise, and a small network.

n = 400
label = torch.arange(n) % 2
radius = torch.rand(n) * 2 + 0.3
angle = 2.2 * radius + torch.pi * label
spiral = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)
inputs = torch.cat([spiral + 0.05 * torch.randn(n, 2), 0.3 * torch.randn(n, 10)], dim=1)
network = nn.Sequential(
    *(nn.Sequential(nn.Linear(a, b), nn.Tanh()) for a, b in [(12, 32), (32, 16), (16, 4)]),
    nn.Linear(4, 2),
)
names = {"0": "layer 1", "1": "layer 2", "2": "layer 3"}
optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)


def layers() -> dict[str, torch.Tensor]:
    """What the three layers make of the inputs now."""
    found = layer_outputs(network, inputs, layers=list(names))
    return {names[name]: rows for name, rows in found.items()}


# %%
# While the network learns, the layers gain information about the label, the last one most, and it
# forgets the input; before training no layer singles the label out.

steps = [0, 20, 50, 100, 200, 400]
about = {"label": label, "input": inputs}
curves, accuracy = [], []
for step in range(max(steps) + 1):
    if step in steps:
        curves.append(layer_information(layers(), about, batch=200).information)
        right = network(inputs).argmax(dim=1) == label
        accuracy.append(float(right.float().mean()))
    optimizer.zero_grad()
    nn.functional.cross_entropy(network(inputs), label).backward()
    optimizer.step()

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for place, (axis, what) in enumerate(zip(axes, about, strict=True)):
    for index, name in enumerate(names.values()):
        values = [curve[index, place] for curve in curves]
        axis.plot(steps, values, ("o-", "^--", "s:")[index], ms=5, label=name)
    axis.set(xlabel="step", ylabel="nats", title=f"information about the {what}")
axes[0].legend(loc="upper left")
noise = shared_information(torch.randn(n, 4), label)
print(f"accuracy {accuracy[0]:.2f} → {accuracy[-1]:.2f}; unrelated variables: {noise:.4f} nats")

# %%
# All pairs at once after training: information in nats, and centred kernel alignment (CKA) from the
# same Gram matrices.

found = layer_information({"input": inputs, **layers(), "label": label}, batch=200)
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
found.draw(axes[0], "information")
found.draw(axes[1], "cka")
print(found.to_frame("pandas").head(5).round(3).to_string(index=False))
