"""The network that is adapted: backbone, bottleneck, classifier."""

from torch import Tensor, nn


class AdaptationNetwork(nn.Module):
    """Backbone, bottleneck and classifier; gives the two layers that are adapted.

    Parameters
    ----------
    backbone : Module or None
        From inputs to rows (n, width), any torchvision-like network without its classifier; None
        for inputs that are features already.
    width : int
    classes : int
    bottleneck : int
        Linear, batch normalisation, ReLU, dropout; 256 in published code.
    dropout : float

    Examples
    --------
    >>> import torch
    >>> features, logits = AdaptationNetwork(None, 8, classes=3)(torch.zeros(4, 8))
    >>> features.shape, logits.shape
    (torch.Size([4, 256]), torch.Size([4, 3]))
    """

    def __init__(
        self,
        backbone: nn.Module | None,
        width: int,
        classes: int,
        *,
        bottleneck: int = 256,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        self.backbone = backbone
        linear = nn.Linear(width, bottleneck)
        self.bottleneck = nn.Sequential(
            linear, nn.BatchNorm1d(bottleneck), nn.ReLU(), nn.Dropout(dropout)
        )
        self.classifier = nn.Linear(bottleneck, classes)
        for layer, spread, offset in ((linear, 0.005, 0.1), (self.classifier, 0.01, 0.0)):
            nn.init.normal_(layer.weight, 0.0, spread)  # small, as published: adapt from the start
            nn.init.constant_(layer.bias, offset)

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        rows = inputs if self.backbone is None else self.backbone(inputs)
        features = self.bottleneck(rows.flatten(1))
        return features, self.classifier(features)

    def groups(self, backbone_rate: float) -> list[dict[str, object]]:
        """Parameters for an optimiser; ``scale`` is the share of the learning rate they get."""
        heads = [*self.bottleneck.parameters(), *self.classifier.parameters()]
        groups: list[dict[str, object]] = [{"params": heads, "scale": 1.0}]
        if self.backbone is not None:
            groups.append({"params": list(self.backbone.parameters()), "scale": backbone_rate})
        return groups
