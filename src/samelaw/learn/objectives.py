"""What a deep kernel is trained to maximise: functions of the Gram matrix of a labelled batch."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import torch
from torch import Tensor

from samelaw.core.array import take_square
from samelaw.core.entropies import Entropy, PowerSeries
from samelaw.core.operators import gram_entropy


class Criterion(ABC):
    """A differentiable function of a pooled Gram matrix; larger means easier to tell apart."""

    @abstractmethod
    def __call__(self, gram: Tensor, sizes: tuple[int, int], shuffles: list[Tensor]) -> Tensor:
        """The value for a Gram matrix (N, N) whose first ``sizes[0]`` rows are the first sample.

        ``shuffles`` are random orders of the rows, for criteria that look at relabellings.
        """

    @property
    def relabellings(self) -> int:
        """How many shuffles are wanted."""
        return 0


@dataclass(frozen=True)
class DivergenceGain(Criterion):
    """The power-series RJSD of a batch less its mean over random relabellings of the same rows.

    The plain divergence (``relabellings=0``), which the paper maximises, is largely bias at small
    bandwidths and pulls every kernel towards them; the difference has no such bias, and the
    entropy of the pool drops out.

    Examples
    --------
    >>> import torch
    >>> float(DivergenceGain(relabellings=0)(torch.eye(4), (2, 2), [])) > 0
    True
    """

    entropy: Entropy = field(default_factory=PowerSeries)
    relabellings: int = 2

    def __call__(self, gram: Tensor, sizes: tuple[int, int], shuffles: list[Tensor]) -> Tensor:
        own = self._within(gram, torch.arange(sum(sizes), device=gram.device), sizes)
        if not shuffles:
            pooled: Tensor = gram_entropy(gram, self.entropy)
            return pooled - own
        others = [self._within(gram, order, sizes) for order in shuffles]
        return torch.stack(others).mean() - own

    def _within(self, gram: Tensor, order: Tensor, sizes: tuple[int, int]) -> Tensor:
        """Σ π_s S(C_s) when the rows are dealt to the samples in this order."""
        total = gram.new_zeros(())
        for part in torch.split(order, list(sizes)):
            share = len(part) / sum(sizes)
            total = total + share * gram_entropy(take_square(gram, part), self.entropy)
        return total


@dataclass(frozen=True)
class TestPower(Criterion):
    """MMD² over its standard deviation under the alternative: the criterion of MMD-Deep.

    Liu et al. (2020). With h_ij = κ(x_i,x_j) + κ(y_i,y_j) − κ(x_i,y_j) − κ(x_j,y_i) over paired
    rows the variance is 4 (Σ_i h̄_i²/n − h̄²), plus a ridge.

    Examples
    --------
    >>> import torch
    >>> float(TestPower()(torch.eye(4), (2, 2), []))
    0.0
    """

    __test__ = False  # not a test case, whatever its name suggests to pytest

    ridge: float = 1e-8

    def __call__(self, gram: Tensor, sizes: tuple[int, int], shuffles: list[Tensor]) -> Tensor:
        count = min(sizes)
        cross = gram[:count, sizes[0] : sizes[0] + count]
        second = gram[sizes[0] : sizes[0] + count, sizes[0] : sizes[0] + count]
        h = gram[:count, :count] + second - cross - cross.T
        value = (h.sum() - h.diagonal().sum()) / (count * (count - 1))
        variance = 4.0 * h.mean(dim=1).var(unbiased=False)
        return value / torch.sqrt(variance + self.ridge)
