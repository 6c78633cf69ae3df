"""
A representation that hides a group
===================================

A network predicts an outcome from data in which the outcome and a group are related. Adding the
RJSD between the representations of the two groups to its loss makes the group hard to read off,
at a price in accuracy that the weight of the term sets. Groups may have any sizes.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from samelaw.learn import RJSDLoss

torch.set_num_threads(1)


def draw(n: int, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ten columns, a group (30 %) and an outcome that depends on what the group shifts."""
    generator = torch.Generator().manual_seed(seed)
    group = torch.rand(n, generator=generator) < 0.3
    x = torch.randn(n, 10, generator=generator)
    x[:, :3] += 1.2 * group[:, None]  # three columns give the group away
    x[:, 3] *= 1 + 1.5 * group  # and one by its spread
    score = x[:, 0] + x[:, 4] + x[:, 5]
    outcome = score + torch.randn(n, generator=generator) > 0.4
    return x, group, outcome


def network(inputs: int, outputs: int) -> nn.Sequential:
    """One hidden layer."""
    return nn.Sequential(nn.Linear(inputs, 32), nn.Tanh(), nn.Linear(32, outputs))


def fit(module: nn.Module, loss, steps: int, rate: float = 5e-3) -> None:
    """Adam on a loss without arguments."""
    optimizer = torch.optim.Adam(module.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()


x, group, outcome = draw(1500, 0)
x_test, group_test, outcome_test = draw(4000, 1)
binary = nn.functional.binary_cross_entropy_with_logits


# %%
# The encoder learns with the penalty; afterwards a fresh network, an adversary that the encoder
# never met, tries to tell the group from the representation.


def trial(weight: float) -> tuple[float, float, float]:
    """Accuracy, what an adversary finds out beyond guessing, and the gap in positive rates."""
    torch.manual_seed(0)
    encoder, head = network(10, 4), nn.Linear(4, 1)
    apart = RJSDLoss(weights="balanced")
    batch = torch.Generator().manual_seed(0)

    def loss() -> torch.Tensor:
        index = torch.randint(len(x), (192,), generator=batch)
        z, member = encoder(x[index]), group[index]
        error = binary(head(z)[:, 0], outcome[index].float())
        return error + weight * apart(z[member], z[~member])

    fit(nn.ModuleList([encoder, head]), loss, 250)
    with torch.no_grad():
        z, z_test = encoder(x), encoder(x_test)
        positive = head(z_test)[:, 0] > 0
    adversary = network(4, 1)
    fit(adversary, lambda: binary(adversary(z)[:, 0], group.float()), 150, 2e-2)
    with torch.no_grad():
        guess = adversary(z_test)[:, 0]
    accuracy = float((positive == outcome_test).float().mean())
    gap = float(positive[group_test].float().mean() - positive[~group_test].float().mean())
    return accuracy, ranking(guess, group_test), gap


def ranking(score: torch.Tensor, member: torch.Tensor) -> float:
    """Area under the ROC curve: .5 is guessing."""
    order = score.argsort().argsort().double() + 1
    inside = int(member.sum())
    outside = len(member) - inside
    return float((order[member].sum() - inside * (inside + 1) / 2) / (inside * outside))


weights = [0.0, 1.0, 5.0, 30.0]
results = np.array([trial(weight) for weight in weights])

# %%
# With a growing weight the adversary comes close to guessing and the gap closes. The accuracy falls
# because a part of the outcome *is* the group: no representation can keep both.

figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
names = (
    "accuracy of the outcome",
    "adversary (area under ROC; .5 is guessing)",
    "gap in positives",
)
for column, (style, name) in enumerate(zip(("o-", "^--", "s:"), names)):
    axes.plot(range(len(weights)), results[:, column], style, ms=5, label=name)
axes.set_xticks(range(len(weights)), [f"{w:g}" for w in weights])
axes.set(xlabel="weight of RJSD in the loss", ylabel="share or area", ylim=(0, 1))
_ = axes.legend(fontsize=9)
