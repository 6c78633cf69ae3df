"""How an adaptation is trained: the published schedule, as a value."""

import math
from dataclasses import dataclass

import torch
from torch import nn

from samelaw.core.checks import as_count, check_positive
from samelaw.learn.adaptation.network import AdaptationNetwork


@dataclass(frozen=True)
class AdaptationPlan:
    """Steps, sizes, rates and the weight of the divergence.

    The learning rate after a share t of the steps is ``rate · (1 + 10t)^−0.75`` and the weight of
    the divergence ``trade_off · (2 / (1 + exp(−ramp · t)) − 1)``: the schedule of domain
    adversarial training, which joint adaptation networks use too. Published code for the latter
    keeps the weight constant (``ramp=0``).

    Parameters
    ----------
    steps : int
    batch : int
        Rows of the source in a batch.
    target_batch : int, optional
        Rows of the target; as many by default.
    rate, backbone_rate : float
        Learning rate, and the share of it that a backbone gets.
    momentum, weight_decay : float
        Of SGD with Nesterov's momentum.
    growth, power : float
        10 and 0.75 in the learning rate above.
    trade_off : float
        β.
    ramp : float
        10 in the weight above; 0 for a constant one.
    balance : bool
        Weight source rows by the class shares predicted for the target (`class_weights`).
    held_out : float
        Share of the source kept out of training, for rules that choose a step without labels of
        the target.
    evaluate : int
        Steps between two evaluations, each followed by a checkpoint.
    workers : int
        Processes that load images; 0 for features in memory.

    Examples
    --------
    >>> plan = AdaptationPlan(trade_off=2.0)
    >>> plan.weight_at(0.0), round(plan.weight_at(1.0), 3)
    (0.0, 2.0)
    """

    steps: int = 1000
    batch: int = 32
    target_batch: int | None = None
    rate: float = 0.01
    backbone_rate: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 5e-4
    growth: float = 10.0
    power: float = 0.75
    trade_off: float = 1.0
    ramp: float = 10.0
    balance: bool = False
    held_out: float = 0.0
    evaluate: int = 100
    workers: int = 0

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "evaluate"):
            as_count(name, getattr(self, name))
        as_count("workers", self.workers, 0)
        if self.target_batch is not None:
            as_count("target_batch", self.target_batch)
        check_positive("rate", self.rate)
        if not 0 <= self.held_out < 1:
            raise ValueError(f"held_out is a share from 0 up to 1, got {self.held_out!r}.")
        if not (math.isfinite(self.trade_off) and self.trade_off >= 0):
            raise ValueError(f"trade_off must be a number of at least 0, got {self.trade_off!r}.")

    def rate_at(self, share: float) -> float:
        """The learning rate after a share of the steps."""
        return self.rate / math.pow(1.0 + self.growth * share, self.power)

    def weight_at(self, share: float) -> float:
        """The weight of the divergence after a share of the steps."""
        if self.ramp == 0:
            return self.trade_off
        return self.trade_off * (2.0 / (1.0 + math.exp(-self.ramp * share)) - 1.0)


def new_optimiser(
    network: AdaptationNetwork, loss: object, plan: AdaptationPlan
) -> torch.optim.SGD:
    """SGD over the network and whatever the divergence has to learn."""
    groups = network.groups(plan.backbone_rate)
    learnt = list(loss.parameters()) if isinstance(loss, nn.Module) else []
    if learnt:
        groups.append({"params": learnt, "scale": 1.0, "weight_decay": 0.0})
    return torch.optim.SGD(
        groups,
        lr=plan.rate,
        momentum=plan.momentum,
        weight_decay=plan.weight_decay,
        nesterov=plan.momentum > 0,
    )
