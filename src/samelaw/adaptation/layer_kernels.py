"""Kernels of network layers: their widths follow the batch, are fixed, or are learnt.

A layer kernel is bound to a pair of batches before use: `LayerKernel.bind` gives an ordinary
kernel, `LayerKernel.frequencies` the Fourier frequencies of the same kernel.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core import linalg
from samelaw.core.array import check_positive
from samelaw.core.kernels import Gaussian, Kernel
from samelaw.core.types import Sample
from samelaw.estimate.fourier import draw_frequencies

FACTORS = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
"""σ² over the mean squared distance, as joint adaptation networks use them."""

CLASS_BANDWIDTH = 0.92
"""σ of the Gaussian kernel on class probabilities in published joint adaptation code."""

_REACH = 8.0  # a learnt factor stays between 1/8 and 8 times its start


@dataclass(frozen=True, eq=False)
class GaussianScales(Kernel):
    """The mean of Gaussian kernels exp(−‖x − y‖² / 2σ_k²), from one matrix of distances.

    Parameters
    ----------
    variances : tensor (k,)
        σ_k²; gradients flow to them.
    """

    variances: Tensor

    def __call__(self, x: Sample, y: Sample) -> Tensor:
        exponents: Tensor = linalg.gaussian_exponents(x, y)
        total = torch.exp(exponents / self.variances[0])
        for variance in self.variances[1:]:
            total = total + torch.exp(exponents / variance)
        return total / len(self.variances)


class LayerKernel(nn.Module, ABC):
    """The kernel of one layer."""

    @abstractmethod
    def bind(self, x: Tensor, y: Tensor) -> Kernel:
        """The kernel for batches (n, d) and (m, d) of this layer."""

    @abstractmethod
    def draw(self, dimension: int, count: int, rng: np.random.Generator) -> Tensor:
        """What is random about Fourier frequencies (d, D), drawn once."""

    @abstractmethod
    def frequencies(self, drawn: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Frequencies (d, D) of ``bind(x, y)`` from what was drawn."""


class AdaptiveGaussian(LayerKernel):
    """Gaussians whose widths follow the batch: σ_k² = factor_k × mean squared distance.

    The mean is over all pairs of the pooled batch, each with itself included, and no part of the
    gradient, as in joint adaptation networks (Long et al. 2017). Kernels are averaged, not
    summed, so that κ(x,x) = 1, which RJSD needs.

    Parameters
    ----------
    factors : sequence of float
        2^−3, …, 2^1 by default.
    learnable : bool
        Learn the factors, each within 1/8 to 8 times its start. Their gradient is reversed: they
        climb the divergence that the network descends, in the same optimiser step.

    Notes
    -----
    The mean squared distance is twice the trace of the covariance: O(Nd), no matrix of pairs.

    Examples
    --------
    >>> import torch
    >>> x, y = torch.zeros(1, 1), torch.full((1, 1), 2.0)  # mean squared distance 2
    >>> AdaptiveGaussian([1.0]).bind(x, y)(x, y)  # exp(-4 / (2 * 2))
    tensor([[0.3679]])
    """

    def __init__(self, factors: Sequence[float] = FACTORS, *, learnable: bool = False) -> None:
        super().__init__()
        if not len(factors):
            raise ValueError("factors is empty; expected at least one, such as 1.0.")
        for factor in factors:
            check_positive("factors", factor)
        self.factors: Tensor
        self.register_buffer("factors", torch.tensor([float(f) for f in factors]))
        self.tilt = nn.Parameter(torch.zeros(len(factors))) if learnable else None

    def variances(self, x: Tensor, y: Tensor) -> Tensor:
        """σ_k² (k,) for a pair of batches."""
        pool = torch.cat([x, y]).detach()
        centred = pool - pool.mean(dim=0)
        spread = 2.0 * centred.square().sum() / len(pool)
        # Equal rows have no scale: any width gives κ = 1, and 0/0 must not.
        scale = spread.clamp(min=torch.finfo(pool.dtype).tiny ** 0.5)
        factors = self.factors.to(pool)  # of its type, and where it is
        if self.tilt is None:
            return factors * scale
        reversed_tilt = 2.0 * self.tilt.detach() - self.tilt  # the value, minus the gradient
        return factors * scale * torch.exp(math.log(_REACH) * torch.tanh(reversed_tilt))

    def bind(self, x: Tensor, y: Tensor) -> Kernel:
        return GaussianScales(self.variances(x, y))

    def draw(self, dimension: int, count: int, rng: np.random.Generator) -> Tensor:
        return torch.as_tensor(draw_frequencies(Gaussian(1.0), dimension, count, rng=rng))

    def frequencies(self, drawn: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Every width in turn: equal shares of the frequencies, as the kernel is their mean."""
        variances = self.variances(x, y)
        turn = torch.arange(drawn.shape[1], device=drawn.device) % len(variances)
        return drawn / variances[turn].sqrt()

    def extra_repr(self) -> str:
        shown = ", ".join(f"{f:g}" for f in self.factors.tolist())
        return f"factors=({shown}), learnable={self.tilt is not None}"


class FixedKernel(LayerKernel):
    """A kernel of the library as it is, such as ``Gaussian(0.92)`` for class probabilities.

    A bandwidth that is an ``nn.Parameter`` is registered; its gradient is not reversed.

    Examples
    --------
    >>> import torch
    >>> FixedKernel(Gaussian(1.0)).bind(torch.zeros(1, 1), torch.ones(1, 1)).bandwidth
    1.0
    """

    def __init__(self, kernel: Kernel) -> None:
        super().__init__()
        self.kernel = kernel
        bandwidth = getattr(kernel, "bandwidth", None)
        if isinstance(bandwidth, nn.Parameter):
            self.bandwidth = bandwidth

    def bind(self, x: Tensor, y: Tensor) -> Kernel:
        return self.kernel

    def draw(self, dimension: int, count: int, rng: np.random.Generator) -> Tensor:
        return torch.as_tensor(draw_frequencies(self.kernel, dimension, count, rng=rng))

    def frequencies(self, drawn: Tensor, x: Tensor, y: Tensor) -> Tensor:
        return drawn

    def extra_repr(self) -> str:
        return repr(self.kernel)


def as_layer_kernel(kernel: object) -> LayerKernel:
    """A layer kernel, or a kernel of the library wrapped as one."""
    if isinstance(kernel, LayerKernel):
        return kernel
    if isinstance(kernel, Kernel):
        return FixedKernel(kernel)
    raise TypeError(
        f"a layer needs AdaptiveGaussian() or a kernel such as Gaussian(1.0), got {kernel!r}."
    )
