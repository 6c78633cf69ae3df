"""Recipes: what a variational estimator sees rows through, made when the first rows are there.

A recipe holds sizes and starts; `build` makes the module with its parameters. The starts follow
the data (scales, median distances), because a bandwidth that starts far off hardly learns.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.entropies import Entropy, PowerSeries, VonNeumann
from samelaw.core.kernels import Gaussian
from samelaw.core.registry import register
from samelaw.estimate.bandwidths import median_bandwidth
from samelaw.learn.representations import FourierLayer, LearnedKernel

_NORMAL_MAD = 1.4826  # the deviation of a normal law over its median absolute deviation
_WIDER = 1.5  # than the median distance of a network's outputs: where its bandwidth starts


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


class Recipe(ABC):
    """How to make a kernel or a feature map with parameters for rows of this width and scale."""

    entropy: ClassVar[Entropy] = VonNeumann()
    learning_rate: float

    @abstractmethod
    def build(self, pool: Tensor, rng: np.random.Generator) -> Any:
        """A `LearnedKernel` or a `FourierLayer` for rows like those of the pool (N, d)."""


@register("recipe")
@dataclass(frozen=True)
class Bandwidth(Recipe):
    """RJSD-p: a Gaussian kernel whose bandwidth is learnt (section 4.4 of the paper).

    Parameters
    ----------
    matrix : bool
        The paper's d×d bandwidth matrix instead of one number.
    start : float, optional
        σ to begin with; the median distance by default.
    """

    entropy: ClassVar[Entropy] = PowerSeries(10)

    matrix: bool = False
    start: float | None = None
    learning_rate: float = 0.05

    def build(self, pool: Tensor, rng: np.random.Generator) -> LearnedKernel:
        start = median_bandwidth(pool) if self.start is None else self.start
        width: Any = start * np.eye(pool.shape[1]) if self.matrix else start
        return LearnedKernel(Gaussian(width))


@register("recipe")
@dataclass(frozen=True)
class Frequencies(Recipe):
    """RJSD-FF: Fourier features of the rows whose frequencies are learnt.

    Parameters
    ----------
    count : int
        D, the number of frequencies; the features are 2D.
    start : float, optional
        σ to begin with; the median distance by default.
    learn_bandwidth : bool
        Learn σ besides the frequencies.
    """

    count: int = 64
    start: float | None = None
    learn_bandwidth: bool = True
    learning_rate: float = 0.0075

    def build(self, pool: Tensor, rng: np.random.Generator) -> FourierLayer:
        start = median_bandwidth(pool) if self.start is None else self.start
        return FourierLayer(
            pool.shape[1],
            self.count,
            kernel=Gaussian(start),
            learn_bandwidth=self.learn_bandwidth,
            rng=rng,
        )


@register("recipe")
@dataclass(frozen=True)
class Network(Recipe):
    """RJSD-NN: Fourier features of the output of a network, all of it learnt.

    The output is narrow and the features are few: every direction costs bias on a batch, and a
    wide output makes all rows look unlike each other in high dimension, where learning is stuck.

    Parameters
    ----------
    hidden : tuple of int
        Widths of the tanh layers.
    outputs : int, optional
        Width of the linear layer after them; None to take the last tanh layer itself.
    frequencies : int
        D.
    start : float, optional
        σ on the output to begin with; by default 1.5 times the median distance of the outputs.
        With less, learning is sometimes stuck on rows of one column; with more, patterns such as
        crossed mixtures are found later.
    scaled : bool
        Scale the columns robustly first.
    network : Module, optional
        A network (n, d) → (n, k) of your own in place of all this.
    """

    hidden: tuple[int, ...] = (64,)
    outputs: int | None = 4
    frequencies: int = 20
    start: float | None = None
    scaled: bool = True
    network: nn.Module | None = None
    learning_rate: float = 0.0075

    def build(self, pool: Tensor, rng: np.random.Generator) -> FourierLayer:
        network = self._network(pool) if self.network is None else self.network
        with torch.no_grad():
            outputs = network(pool)
        start = _WIDER * median_bandwidth(outputs) if self.start is None else self.start
        return FourierLayer(
            outputs.shape[1], self.frequencies, kernel=Gaussian(start), network=network, rng=rng
        )

    def _network(self, pool: Tensor) -> nn.Module:
        widths = [pool.shape[1], *self.hidden, *([] if self.outputs is None else [self.outputs])]
        inner = perceptron(widths, end=self.outputs is None).to(pool)
        return nn.Sequential(RobustScale(pool), inner) if self.scaled else inner
