"""Joint adaptation in Lightning.

The loss is an ordinary module called as ``loss(source, target)``, so a LightningModule needs no
more than its own training step. Needs ``pip install lightning``; run it as a script.
"""

import torch
from lightning.pytorch import LightningModule, Trainer, seed_everything
from lightning.pytorch.utilities import CombinedLoader
from torch import nn
from torch.utils.data import DataLoader

from samelaw.learn.adaptation import (
    AdaptationNetwork,
    AdaptationPlan,
    FeatureDomain,
    JointAdaptationLoss,
)

PLAN = AdaptationPlan(steps=400, batch=32, rate=0.05, trade_off=10.0)


class Adapter(LightningModule):
    """Cross-entropy on the source plus a ramped divergence between the domains."""

    def __init__(self, network: AdaptationNetwork, loss: nn.Module) -> None:
        super().__init__()
        self.network, self.loss = network, loss

    def training_step(self, batch, index):
        (inputs, labels), (others, _) = batch
        features, logits = self.network(torch.cat([inputs, others]))
        layers = features, logits.softmax(1)
        sizes = [len(inputs), len(others)]
        source, target = zip(*(layer.split(sizes) for layer in layers), strict=True)
        divergence = self.loss(source, target)
        self.log("divergence", divergence, prog_bar=True)
        share = self.global_step / PLAN.steps
        return nn.functional.cross_entropy(logits[: len(inputs)], labels) + (
            PLAN.weight_at(share) * divergence
        )

    def validation_step(self, batch, index):
        inputs, labels = batch
        hits = (self.network(inputs)[1].argmax(1) == labels).float()
        self.log("target_accuracy", hits.mean(), batch_size=len(hits))

    def configure_optimizers(self):
        optimiser = torch.optim.SGD(
            self.parameters(), lr=PLAN.rate, momentum=PLAN.momentum, nesterov=True
        )
        scheduler = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: PLAN.rate_at(step / PLAN.steps) / PLAN.rate
        )
        return [optimiser], [{"scheduler": scheduler, "interval": "step"}]


def domain(shift: float, seed: int) -> FeatureDomain:
    """Four classes at the corners of a square, moved by a shift."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(400) % 4
    corners = torch.tensor([[2.0, 2.0], [2.0, -2.0], [-2.0, -2.0], [-2.0, 2.0]])[labels]
    return FeatureDomain(corners + 0.5 * torch.randn(400, 2, generator=generator) + shift, labels)


if __name__ == "__main__":
    seed_everything(0)
    source, target = domain(0.0, 0), domain(2.0, 1)
    loaders = [DataLoader(d, PLAN.batch, shuffle=True, drop_last=True) for d in (source, target)]
    for loss in (None, JointAdaptationLoss()):
        network = AdaptationNetwork(None, 2, classes=4, bottleneck=32)
        model = Adapter(network, loss or (lambda *_: torch.zeros(())))
        trainer = Trainer(max_steps=PLAN.steps, logger=False, enable_checkpointing=False)
        trainer.fit(model, CombinedLoader(loaders, "max_size_cycle"))
        trainer.validate(model, DataLoader(target, 400))
