"""A small problem of adaptation: four classes, turned and moved, and what trains on it."""

import numpy as np
import torch

from samelaw.learn.adaptation.datasets import FeatureDomain
from samelaw.learn.adaptation.network import AdaptationNetwork
from samelaw.learn.adaptation.schedule import AdaptationPlan
from samelaw.learn.adaptation.trainer import adapt

PLAN = AdaptationPlan(steps=21, batch=24, rate=0.05, evaluate=7, held_out=0.2)


def turned_classes(n=240, angle=0.4, seed=0):
    """Four classes at the corners of a square; the target is the source turned and moved."""
    rng = np.random.default_rng(seed)

    def domain(turn, shift):
        labels = rng.integers(0, 4, n)
        corners = np.array([[2, 2], [2, -2], [-2, -2], [-2, 2]])[labels]
        points = corners + 0.5 * rng.standard_normal((n, 2))
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        moved = points @ rotation.T + shift
        return FeatureDomain(torch.tensor(moved, dtype=torch.float32), torch.tensor(labels))

    return domain(0.0, 0.0), domain(angle, 1.8)


def network(seed=0):
    """A network that is not trained yet."""
    torch.manual_seed(seed)
    return AdaptationNetwork(None, 2, 4, bottleneck=16, dropout=0.2)


def run(loss=None, model=None, plan=PLAN, **options):
    """Train; the result and the network."""
    source, target = turned_classes()
    model = model or network()
    return adapt(model, loss, source, target, plan=plan, rng=3, **options), model


def same_weights(first, second):
    """Whether all weights of two networks are equal to the last bit."""
    pairs = zip(first.state_dict().values(), second.state_dict().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)
