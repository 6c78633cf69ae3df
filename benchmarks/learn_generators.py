"""Generators trained by `RJSDLoss()` and by MMD, judged by measures of neither.

A ring of eight Gaussians: how many modes are found. Digits of 8×8 pixels: how near to real ones the
generated ones are, how sure a classifier is of them, precision, recall, density and coverage.
"""

import math
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from _common import report
from torch import nn

from samelaw.extras.generators import neighbour_scores
from samelaw.learn import AdaptiveGaussian, RJSDLoss
from samelaw.learn.adaptation import JointAdaptationLoss
from samelaw.learn.losses import SCALES

SEEDS = 5
WIDTH = 0.1
ANGLES = 2 * math.pi * torch.arange(8) / 8
CENTRES = 2.0 * torch.stack([ANGLES.cos(), ANGLES.sin()], dim=1)
LOSSES: dict[str, Callable[[], nn.Module]] = {
    "RJSDLoss()": RJSDLoss,
    "MMD, the same scales": lambda: JointAdaptationLoss.mmd([AdaptiveGaussian(SCALES)]),
    "MMD, scales of joint adaptation networks": JointAdaptationLoss.mmd,
}


def trained(loss: nn.Module, widths: tuple[int, ...], real: Any, batch: int, steps: int) -> Any:
    """A generator of normal noise after so many steps; outputs of pixels are squashed."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    generator = nn.Sequential(*layers[:-1], *([nn.Sigmoid()] if widths[-1] > 2 else []))
    optimizer = torch.optim.Adam(generator.parameters(), lr=2e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(generator(torch.randn(batch, widths[0])), real(batch)).backward()
        optimizer.step()
    return generator


def ring(count: int) -> torch.Tensor:
    return CENTRES[torch.randint(8, (count,))] + WIDTH * torch.randn(count, 2)


def modes(loss: nn.Module) -> dict[str, float]:
    """Modes with 4 % of the points or more within three widths; 12.5 % would be even."""
    generator = trained(loss, (2, 64, 64, 2), ring, 192, 600)
    with torch.no_grad():
        apart = torch.cdist(generator(torch.randn(4000, 2)), CENTRES)
    near = apart.argmin(dim=1)[apart.min(dim=1).values < 3 * WIDTH]
    shares = np.bincount(near.numpy(), minlength=8) / 4000
    return {"modes": int((shares >= 0.04).sum()), "at a mode": float(shares.sum())}


class Digits:
    """Two thirds to learn from, one third to judge by."""

    def __init__(self) -> None:
        from sklearn.datasets import load_digits
        from sklearn.linear_model import LogisticRegression

        pixels, labels = load_digits(return_X_y=True)
        pixels = (pixels / 16).astype(np.float32)
        order = np.random.default_rng(0).permutation(len(pixels))
        self.seen, self.unseen = (torch.tensor(pixels[part]) for part in np.split(order, [1200]))
        self.classifier = LogisticRegression(max_iter=300, C=0.3)
        self.classifier.fit(self.seen.numpy(), labels[order[:1200]])

    def draw(self, count: int) -> torch.Tensor:
        return self.seen[torch.randint(len(self.seen), (count,))]

    def scores(self, loss: nn.Module) -> dict[str, float]:
        generator = trained(loss, (16, 128, 128, 64), self.draw, 128, 800)
        with torch.no_grad():
            found = generator(torch.randn(600, 16))
        near = neighbour_scores(self.unseen.numpy(), found.numpy())
        return {
            "nearest": float(torch.cdist(found, self.unseen).min(dim=1).values.mean()),
            "confidence": float(self.classifier.predict_proba(found.numpy()).max(axis=1).mean()),
            "precision": near["precision"].value,
            "recall": near["recall"].value,
            "density": near["density"].value,
            "coverage": near["coverage"].value,
        }


def rows(case: str, judge: Any, seeds: int) -> list[dict[str, Any]]:
    found = []
    for name, make in LOSSES.items():
        each = []
        for seed in range(seeds):
            torch.manual_seed(seed)
            each.append(judge(make()))
        means = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
        least = {"least modes": min(one["modes"] for one in each)} if "modes" in each[0] else {}
        found.append({"case": f"{case}: {name}", **means, **least})
    return found


if __name__ == "__main__":
    torch.set_num_threads(1)
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    found = rows("ring", modes, seeds) + rows("digits", Digits().scores, seeds)
    report("learn_generators", f"Which loss trains the better generator? Means of {seeds}.", found)
