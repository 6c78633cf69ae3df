"""Whether the rows of a domain fit a network, said before any step is taken."""

from torch import nn

from samelaw.learn.adaptation.datasets import Domain, FeatureDomain
from samelaw.learn.adaptation.network import AdaptationNetwork

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
