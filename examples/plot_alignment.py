"""
Two domains become one
======================

Points of a source and of a target that was rotated and stretched. A linear map of the target learns
to make the two clouds alike, with the divergence as its only loss: no labels, no pairs of points.
"""

import matplotlib.pyplot as plt
import torch

from samelaw.learn import RJSDLoss

torch.set_num_threads(1)
torch.manual_seed(0)
n = 300
centres = torch.tensor([[0.0, 0.0], [3.0, 0.0], [0.0, 2.0]])
source = centres[torch.randint(3, (n,))] + 0.4 * torch.randn(n, 2)
turned = torch.tensor([[0.8, -0.6], [0.6, 0.8]]) * torch.tensor([[1.4], [0.7]])
target = (centres[torch.randint(3, (n,))] + 0.4 * torch.randn(n, 2)) @ turned.T + 1.0

# %%
# Each step sees a batch of both.

learnt, loss = torch.nn.Linear(2, 2), RJSDLoss()
with torch.no_grad():
    learnt.weight.copy_(torch.eye(2))
    learnt.bias.zero_()
optimizer, values = torch.optim.Adam(learnt.parameters(), lr=0.03), []
for _ in range(250):
    value = loss(source[torch.randperm(n)[:150]], learnt(target[torch.randperm(n)[:150]]))
    optimizer.zero_grad()
    value.backward()
    optimizer.step()
    values.append(value.item())

# %%
# The loss ends at what two halves of one cloud have, not at zero: batches are never equal.

with torch.no_grad():
    clouds = {"before": target, "after": learnt(target)}
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for panel, (name, cloud) in zip(axes, clouds.items()):
    panel.scatter(*source.T, s=8, label="source")
    panel.scatter(*cloud.T, s=8, marker="x", label="target")
    panel.set(title=name, xlabel="first column", ylabel="second column")
axes[0].legend()
axes[2].plot(values)
axes[2].set(title="loss", xlabel="step", ylabel="divergence (nats)")
print(f"loss {values[0]:.3f} before, {sum(values[-20:]) / 20:.3f} after")
assert sum(values[-20:]) / 20 < values[0] / 4
