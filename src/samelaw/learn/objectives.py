"""What a deep kernel is trained to make large, from `samelaw.divergence.objectives`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from torch import Tensor

from samelaw.core.checks import check_rows
from samelaw.divergence.objectives import divergence_gain, power
from samelaw.kernels.entropies import Entropy, PowerSeries


class Criterion(ABC):
    """A differentiable function of a pooled Gram matrix; larger means easier to tell apart."""

    mmd: ClassVar[bool] = False
    """Whether `Deep` tests what was learnt by MMD², not by the divergence of its entropy."""

    @abstractmethod
    def __call__(self, gram: Tensor, sizes: tuple[int, int], shuffles: list[Tensor]) -> Tensor:
        """The value for a Gram matrix (N, N) whose first ``sizes[0]`` rows are the first sample.

        ``shuffles`` are random orders of the rows, for criteria that compare with permutations.
        """

    @property
    def permutations(self) -> int:
        """How many shuffles are wanted."""
        return 0


@dataclass(frozen=True)
class DivergenceGain(Criterion):
    """The power-series RJSD of a batch less its mean over random permutations of the same rows.

    The plain divergence (``permutations=0``), which the paper maximises, is largely bias at small
    bandwidths and pulls every kernel towards them; the difference has no such bias, and the
    entropy of the pool drops out.

    Examples
    --------
    >>> import torch
    >>> float(DivergenceGain(permutations=0)(torch.eye(4), (2, 2), [])) > 0
    True
    """

    entropy: Entropy = field(default_factory=PowerSeries)
    permutations: int = 2

    def __call__(self, gram: Tensor, sizes: tuple[int, int], shuffles: list[Tensor]) -> Tensor:
        value: Tensor = divergence_gain(gram, sizes, self.entropy, shuffles)
        return value


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

    mmd: ClassVar[bool] = True

    ridge: float = 1e-8

    def __call__(self, gram: Tensor, sizes: tuple[int, int], shuffles: list[Tensor]) -> Tensor:
        check_rows("the power of MMD", sizes)
        value: Tensor = power(gram, sizes, self.ridge)
        return value
