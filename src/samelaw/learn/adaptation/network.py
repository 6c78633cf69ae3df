"""The network that is adapted: backbone, bottleneck, classifier."""

from torch import Tensor, nn

from samelaw.learn.adaptation.datasets import Domain, FeatureDomain


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


_LEAST = 2  # rows of a domain: divergences of layers are without bias


def check_rows(network: nn.Module, name: str, domain: Domain) -> None:
    """A domain must have rows, and those in memory the columns and the type of the network."""
    rows = len(domain)  # type: ignore[arg-type]
    if rows < _LEAST:
        raise ValueError(f"the {name} has {rows} row(s); at least {_LEAST} are needed.")
    if not (isinstance(network, AdaptationNetwork) and isinstance(domain, FeatureDomain)):
        return
    if network.backbone is not None:
        return
    layer = network.bottleneck[0]
    columns, kind = domain.inputs.reshape(rows, -1).shape[1], domain.inputs.dtype
    if columns != layer.in_features:
        classes = network.classifier.out_features
        raise ValueError(
            f"the {name} has {columns} columns, the network takes {layer.in_features}; say "
            f"AdaptationNetwork(None, {columns}, {classes})."
        )
    if kind != layer.weight.dtype:
        raise TypeError(
            f"inputs of the {name} have dtype {kind}, the network {layer.weight.dtype}: pass "
            f"inputs.to({layer.weight.dtype})."
        )


def check_labels(network: nn.Module, source: Domain) -> None:
    """Classes of rows in memory must be those of the network."""
    if not (isinstance(network, AdaptationNetwork) and isinstance(source, FeatureDomain)):
        return
    classes = network.classifier.out_features
    low, high = int(source.labels.min()), int(source.labels.max())
    if low < 0 or high >= classes:
        raise ValueError(
            f"labels of the source go from {low} to {high}; expected 0 to {classes - 1}, as the "
            f"network has {classes} classes (−1, unknown, is for the target)."
        )
