"""The networks of RJSD-Deep: those of MMD-Deep without batch normalisation, tanh at the end.

Appendix of the paper. Any module that maps rows (n, d) to features (n, k) serves as well.
"""

import math

from torch import nn


def tabular_network(columns: int, *, hidden: int = 50, outputs: int = 50) -> nn.Sequential:
    """Three hidden layers with softplus, a linear one and tanh, for rows (n, columns).

    Parameters
    ----------
    columns : int
        d.
    hidden, outputs : int
        Widths; 50 in the published code.

    Examples
    --------
    >>> import torch
    >>> tabular_network(4)(torch.zeros(2, 4)).shape
    torch.Size([2, 50])
    """
    layers: list[nn.Module] = []
    for width in (columns, hidden, hidden):
        layers += [nn.Linear(width, hidden), nn.Softplus()]
    return nn.Sequential(*layers, nn.Linear(hidden, outputs), nn.Tanh())


def image_network(
    shape: tuple[int, int, int] = (3, 64, 64),
    *,
    channels: tuple[int, ...] = (16, 32, 64, 128),
    outputs: int = 300,
) -> nn.Sequential:
    """Convolutions of stride 2 with leaky ReLU, a linear layer and tanh.

    Takes images (n, channels, height, width) or their pixels as rows (n, d), which is how a test
    passes them on.

    Parameters
    ----------
    shape : (channels, height, width)
    channels : tuple of int
        Of the convolutions; each halves height and width.
    outputs : int
        300 in the published code.

    Examples
    --------
    >>> import torch
    >>> image_network((3, 32, 32))(torch.zeros(2, 3 * 32 * 32)).shape
    torch.Size([2, 300])
    """
    layers: list[nn.Module] = [nn.Flatten(), nn.Unflatten(1, shape)]
    for before, after in zip((shape[0], *channels), channels, strict=False):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.LeakyReLU(0.2)]
    height, width = (math.ceil(side / 2 ** len(channels)) for side in shape[1:])
    network = nn.Sequential(
        *layers, nn.Flatten(), nn.Linear(channels[-1] * height * width, outputs), nn.Tanh()
    )
    for layer in network:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            nn.init.xavier_normal_(layer.weight)
            assert layer.bias is not None  # both kinds have one by default
            nn.init.zeros_(layer.bias)
    return network
