"""Layers and small networks: scaling, perceptrons, a critic's network, those of RJSD-Deep.

Any module that maps rows (n, d) to features (n, k) serves as well.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import torch
from torch import Tensor, nn

_NORMAL_MAD = 1.4826  # the deviation of a normal law over its median absolute deviation


@contextmanager
def evaluating(network: nn.Module) -> Iterator[None]:
    """Evaluation mode for a while; then every layer is in the mode it was in."""
    training = [module for module in network.modules() if module.training]
    network.eval()
    try:
        yield
    finally:
        for module in training:  # one by one: a frozen layer within stays in evaluation mode
            module.training = True


class RobustScale(nn.Module):
    """(x − median) / spread per column, fixed from the first rows: heavy tails do not matter.

    The spread is the median absolute deviation, the standard deviation where that is 0, and 1
    for constant columns.

    Examples
    --------
    >>> RobustScale(torch.tensor([[0.0], [1.0], [1000.0]]))(torch.tensor([[1.0]]))
    tensor([[0.]])
    """

    centre: Tensor
    spread: Tensor

    def __init__(self, pool: Tensor) -> None:
        super().__init__()
        centre = pool.median(dim=0).values
        spread = _NORMAL_MAD * (pool - centre).abs().median(dim=0).values
        spread = torch.where(spread > 0, spread, pool.std(dim=0, correction=0))
        self.register_buffer("centre", centre)
        self.register_buffer("spread", torch.where(spread > 0, spread, 1.0))

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.centre) / self.spread


def perceptron(widths: Sequence[int], *, end: bool = False) -> nn.Sequential:
    """Linear layers of these widths with tanh between them, and after the last one if ``end``."""
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.Tanh()]
    return nn.Sequential(*(layers if end else layers[:-1]))


class LabelNetwork(nn.Module):
    """T(z, l) by a network of (z, l) with the label as another column; both labels at once.

    The product of z with the first layer is formed once: two labels cost little more than one.
    """

    def __init__(self, dimension: int, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(dimension + 1, hidden)
        self.last = nn.Linear(hidden, 1)

    def forward(self, z: Tensor) -> Tensor:
        weight = self.first.weight
        base = torch.addmm(self.first.bias, z, weight[:, :-1].T)
        both = torch.tanh(torch.stack([base, base + weight[:, -1]]))
        scores: Tensor = self.last(both)
        return scores[:, :, 0].T


def tabular_network(columns: int, *, hidden: int = 50, outputs: int = 50) -> nn.Sequential:
    """Three hidden layers with softplus, a linear one and tanh, for rows (n, columns).

    As MMD-Deep without batch normalisation, tanh at the end (appendix B.1 of the paper).

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
    """Convolutions of stride 2 with leaky ReLU, then linear and tanh (appendix B.1 of the paper).

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
