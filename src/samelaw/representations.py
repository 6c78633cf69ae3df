"""What representations of the same items, such as the layers of a network, know of each other."""

from samelaw.estimate.representations import (
    LayerInformation,
    cka,
    hsic,
    layer_information,
    shared_information,
)

__all__ = [
    "LayerInformation",
    "cka",
    "hsic",
    "layer_information",
    "shared_information",
]
