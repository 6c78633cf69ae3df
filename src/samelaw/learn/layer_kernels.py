"""Kernels of batches: their widths follow the batch, are fixed, or are learnt.

A layer kernel is bound to a pair of batches before use: `LayerKernel.bind` gives an ordinary
kernel, `LayerKernel.frequencies` the Fourier frequencies of the same kernel.
"""

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core import linalg
from samelaw.core.arrays import parts
from samelaw.core.checks import check_positive, shown
from samelaw.core.types import Sample
from samelaw.kernels.algebra import Kernel, Product
from samelaw.kernels.features import draw_frequencies
from samelaw.kernels.formulas import Gaussian
from samelaw.learn.batches import Rows

FACTORS = (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0)
"""σ² over the mean squared distance, as joint adaptation networks use them."""

CLASS_BANDWIDTH = 0.92
"""σ of the Gaussian kernel on class probabilities in published joint adaptation code."""

Scale: TypeAlias = Literal["batch", "ema", "frozen"] | float
"""Where widths come from: each batch, the last ones, the first one, or a number."""

_POLICIES = get_args(get_args(Scale)[0])
_KEEP = 0.99  # of the scale, from batch to batch

_FAR = 100.0  # times the frozen scale, or a part of it: no kernel at such widths sees a batch

_MOST_ROWS = 512  # of a batch, for the median of its distances

_REACH = 8.0  # a learnt factor stays between 1/8 and 8 times its start


@dataclass(frozen=True, eq=False)
class GaussianScales(Kernel):
    """The mean of Gaussian kernels exp(−‖x − y‖² / 2σ_k²), from one matrix of distances.

    Parameters
    ----------
    variances : tensor (k,)
        σ_k²; gradients flow to them.
    unit : tensor () or 1.0
        What σ_k and rows are measured in, where their squares would overflow.
    """

    variances: Tensor
    unit: Tensor | float = linalg.ONE

    def __call__(self, x: Sample, y: Sample) -> Tensor:
        exponents: Tensor = linalg.gaussian_exponents(x, y, unit=self.unit)
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


class SquaredDistance(nn.Module):
    """The mean squared distance of a batch, of the batches so far, or of the first one.

    Over all pairs of rows, each with itself included: twice the trace of the covariance, O(Nd) and
    no matrix of pairs. No part of the gradient, and nothing waits for the device. What is
    remembered is part of the state and changes in training mode only; batches that are not finite
    or have no spread leave no trace in it. The scale of the first batch gives way to that of one
    out of its reach, with a warning if the batch is on the host. Rows come divided by a unit, and
    so does the mean, by its square.
    """

    mean: Tensor
    weight: Tensor

    def __init__(self, policy: str) -> None:
        super().__init__()
        self.policy = policy
        if policy != "batch":
            self.register_buffer("mean", torch.zeros(()))
            self.register_buffer("weight", torch.zeros(()))

    def forward(self, x: Tensor, y: Tensor, unit: Tensor | float = linalg.ONE) -> Tensor:
        pool = torch.cat([x, y]).detach()
        centred = pool - pool.mean(dim=0)
        now = 2.0 * centred.square().sum() / len(pool)
        if self.policy == "batch":
            return now
        if self.training:
            self._remember(now * unit * unit)
        known = self.mean.to(now) / self.weight.to(now) / unit / unit
        return torch.where(self.weight > 0, known, now)

    def _remember(self, now: Tensor) -> None:
        sound = now.isfinite() & (now > 0)
        gain = 1.0 - _KEEP if self.policy == "ema" else self._starts(now, sound).to(self.mean)
        gain = gain * sound.to(self.mean)
        self.mean.lerp_(now.nan_to_num().to(self.mean), gain)
        self.weight.lerp_(torch.ones_like(self.weight), gain)

    def _starts(self, now: Tensor, sound: Tensor) -> Tensor:
        """Whether the frozen scale is taken from this batch: the first, or out of its reach."""
        known = self.mean / self.weight  # NaN before the first batch
        far = sound & ((now > _FAR * known) | (_FAR * now < known))
        if now.device.type == "cpu" and not torch.compiler.is_compiling() and bool(far):
            warnings.warn(
                f"the mean squared distance of a batch is {float(now):.3g}, that of the batch with "
                f'the widths of bandwidth="frozen" {float(known):.3g}: the widths are taken anew, '
                "and values before and after do not compare. Start with a batch like the later "
                'ones, or take bandwidth="ema".',
                stacklevel=2,
            )
        return far | (self.weight == 0)


class AdaptiveGaussian(LayerKernel):
    """Gaussians whose widths follow the batch: σ_k² = factor_k × mean squared distance.

    The mean is over all pairs of the pooled batch, each with itself included, and no part of the
    gradient, as in joint adaptation networks (Long et al. 2017). Kernels are averaged, not
    summed, so that κ(x,x) = 1, which RJSD needs.

    Parameters
    ----------
    factors : sequence of float
        2^−3, …, 2^1 by default.
    scale : "batch", "ema", "frozen" or float
        What they multiply: the mean squared distance of each batch, its moving average, that of
        the first batch (taken anew, with a warning, from a batch whose distance is more than 100
        times as large or less than a hundredth), or a number.
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

    def __init__(
        self,
        factors: Sequence[float] = FACTORS,
        *,
        scale: Scale = "batch",
        learnable: bool = False,
    ) -> None:
        super().__init__()
        if not len(factors):
            raise ValueError("factors is empty; expected at least one, such as 1.0.")
        for factor in factors:
            check_positive("factors", factor)
        self.scale = _as_scale(scale)
        self.distance = None if isinstance(self.scale, float) else SquaredDistance(self.scale)
        self.factors: Tensor
        self.register_buffer("factors", torch.tensor([float(f) for f in factors]))
        self.tilt = nn.Parameter(torch.zeros(len(factors))) if learnable else None

    def variances(self, x: Tensor, y: Tensor, unit: Tensor | float = linalg.ONE) -> Tensor:
        """σ_k² (k,) for a pair of batches that were divided by a unit, over its square."""
        factors = self.factors.to(x)  # of its type, and where it is
        floor = torch.finfo(x.dtype).tiny
        if self.distance is None:
            scale = factors.new_tensor(self.scale) / unit / unit
        else:
            # Equal rows have no scale: any width gives κ = 1, and 0/0 must not.
            scale = self.distance(x, y, unit).clamp(min=floor**0.5)
        variances = (factors * scale).clamp(min=floor)
        if self.tilt is None:
            return variances
        reversed_tilt = 2.0 * self.tilt.detach() - self.tilt  # the value, minus the gradient
        return variances * torch.exp(math.log(_REACH) * torch.tanh(reversed_tilt))

    def bind(self, x: Tensor, y: Tensor) -> Kernel:
        unit = linalg.unit_of(x, y)
        return GaussianScales(self.variances(*linalg.in_unit(x, y, unit), unit), unit)

    def draw(self, dimension: int, count: int, rng: np.random.Generator) -> Tensor:
        return torch.as_tensor(draw_frequencies(Gaussian(1.0), dimension, count, rng=rng))

    def frequencies(self, drawn: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Every width in turn: equal shares of the frequencies, as the kernel is their mean."""
        unit = linalg.unit_of(x, y)
        variances = self.variances(*linalg.in_unit(x, y, unit), unit)
        turn = torch.arange(drawn.shape[1], device=drawn.device) % len(variances)
        return drawn / variances[turn].sqrt() / unit

    def extra_repr(self) -> str:
        known = [] if self.factors.is_meta else self.factors.tolist()
        factors = ", ".join(f"{f:g}" for f in known) or "on the meta device"
        options = f"scale={self.scale!r}, learnable={self.tilt is not None}"
        return f"factors=({factors}), {options}"

    @property
    def remembers(self) -> bool:
        """Whether earlier batches count."""
        return self.scale in ("ema", "frozen")


def _as_scale(scale: Scale) -> Scale:
    if isinstance(scale, str):
        if scale not in _POLICIES:
            named = ", ".join(map(repr, _POLICIES))
            raise ValueError(
                f"scale (bandwidth of RJSDLoss) must be one of {named} or a number, got "
                f"{shown(scale)}."
            )
        return scale
    check_positive("scale", scale)
    return float(scale)


class FixedKernel(LayerKernel):
    """A kernel of the library as it is, such as ``Gaussian(0.92)`` for class probabilities.

    A bandwidth that is an ``nn.Parameter`` is registered, and frozen in `JointAdaptationLoss`; one
    that learns there is ``AdaptiveGaussian(learnable=True)``.

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


def median_distance(rows: Tensor) -> Tensor:
    """The median distance () between rows that differ, of up to 512 of them; NaN without any."""
    some = rows[:: -(-len(rows) // _MOST_ROWS)]
    squared = linalg.squared_distances(some, some)
    median: Tensor = torch.where(squared > 0, squared, math.nan).nanmedian().sqrt()
    return median


def warn_of_blindness(frequencies: object, advice: str) -> None:
    """Warn of fixed frequencies (d, D) that are fewer than the columns, and say what to take.

    What is no matrix, the method of a kernel say, or is learnt is none of its business.
    """
    shape: tuple[int, ...] = getattr(frequencies, "shape", ())
    learnt = isinstance(frequencies, Tensor) and frequencies.requires_grad
    if len(shape) == 2 and shape[1] < shape[0] and not learnt:
        warnings.warn(
            f"{shape[1]} fixed frequencies see at most {shape[1]} of the {shape[0]} directions of "
            f"these columns; a difference in the others gives 0. {advice}",
            stacklevel=3,
        )


def as_layer_kernel(kernel: object) -> LayerKernel:
    """A layer kernel, or a kernel of the library wrapped as one."""
    if isinstance(kernel, LayerKernel):
        return kernel
    if isinstance(kernel, Kernel):
        return FixedKernel(kernel)
    raise TypeError(
        f"a layer needs AdaptiveGaussian() or a kernel such as Gaussian(1.0), got {kernel!r}."
    )


def joint_kernel(kernels: Sequence[LayerKernel], x: Rows, y: Rows) -> Product:
    """The product of the kernels of all layers, each for its own."""
    layers = zip(kernels, parts(x), parts(y), strict=True)
    return Product(tuple(kernel.bind(a, b) for kernel, a, b in layers))
