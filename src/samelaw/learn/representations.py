"""Representations: kernels and feature maps with parameters, which rows are seen through.

A recipe makes one when the first rows are there: the starts follow the data (scales, median
distances), because a bandwidth that starts far off hardly learns.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.arrays import full_precision
from samelaw.core.linalg import waves
from samelaw.core.registry import register
from samelaw.core.types import Matrix, Sample, Seed
from samelaw.kernels.algebra import Kernel
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.entropies import Entropy, PowerSeries, VonNeumann
from samelaw.kernels.features import FeatureMap, draw_frequencies
from samelaw.kernels.formulas import Gaussian, ShiftInvariant
from samelaw.learn.distributed import gathered
from samelaw.learn.layer_kernels import median_distance
from samelaw.learn.layers import RobustScale, perceptron
from samelaw.learn.precision import widened

_GAUSSIAN = Gaussian(1.0)
_WIDER = 1.5  # than the median distance of a network's outputs: where its bandwidth starts


class EmbeddingKernel(Kernel):
    """A kernel that maps every row first and compares what came out.

    Losses embed a batch once instead of once for every pair of samples.
    """

    @abstractmethod
    def embed(self, x: Sample) -> Sample:
        """What comparing needs to know about the rows of x."""

    @abstractmethod
    def compare(self, x: Sample, y: Sample) -> Tensor:
        """κ (n, m) from what `embed` gave."""


class LearnedKernel(nn.Module, Kernel):
    """A shift-invariant kernel whose bandwidth is a parameter.

    κ(B⁻¹x, B⁻¹y), with log σ learnt for B = σI or diag(σ), so that σ stays positive and a step
    is a relative one; a full matrix (the form RJSD-Split learns) is learnt through its inverse.

    Parameters
    ----------
    kernel : Gaussian, Laplace, Matern or RationalQuadratic
        Its bandwidth (a number, one per feature, or for `Gaussian` a matrix) is the start.

    Notes
    -----
    Maximising the von Neumann form over the bandwidth drives σ to 0 and the divergence to log 2
    (figure 3 of the paper): learn with ``PowerSeries(order)``.

    Examples
    --------
    >>> import torch
    >>> kernel = LearnedKernel(Gaussian(2.0))
    >>> kernel(torch.zeros(1, 3), torch.zeros(2, 3)).shape
    torch.Size([1, 2])
    >>> kernel.frozen()
    Gaussian(bandwidth=2.0)
    """

    def __init__(self, kernel: ShiftInvariant = _GAUSSIAN) -> None:
        super().__init__()
        if not isinstance(kernel, ShiftInvariant):
            raise TypeError(f"only a kernel with a bandwidth can learn it, got {kernel!r}.")
        start = _parameter(kernel.bandwidth)
        self.shape = replace(kernel, bandwidth=1.0)  # type: ignore[type-var]
        self.log_bandwidth: nn.Parameter | None = None
        if start.ndim < 2:
            self.log_bandwidth = nn.Parameter(start.log())
        else:
            self.inverse = nn.Parameter(torch.linalg.inv(start))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        left = self._scaled(x)
        result: Tensor = self.shape.similarities(left, left if y is x else self._scaled(y))
        return result

    def _scaled(self, x: Tensor) -> Tensor:
        if self.log_bandwidth is None:
            turned: Tensor = x @ self.inverse.to(x.dtype).T
            return turned
        scaled: Tensor = x * torch.exp(-self.log_bandwidth).to(x.dtype)
        return scaled

    @property
    def bandwidth(self) -> Tensor:
        """The bandwidth at present, without gradient: (), (d,) or (d, d)."""
        if self.log_bandwidth is None:
            matrix: Tensor = torch.linalg.inv(self.inverse.detach())
            return matrix
        return self.log_bandwidth.detach().exp()

    def frozen(self) -> ShiftInvariant:
        """The kernel as it is now, for any array library and for tests."""
        numbers = self.bandwidth.double().cpu().numpy()
        found = float(f"{numbers:.7g}") if numbers.ndim == 0 else numbers  # what is known of it
        return replace(self.shape, bandwidth=found)  # type: ignore[type-var]


class FourierLayer(nn.Module, FeatureMap):
    """Fourier features [cos zW/σ, sin zW/σ]/√D of z = x, or of a network's output z = f(x).

    Section 4.2 of the paper. Rows have norm 1 whatever the parameters, so every covariance has
    unit trace. With learnt frequencies this is the representation of RJSD-FF, with a network that
    of RJSD-NN.

    Parameters
    ----------
    dimension : int
        Columns of z.
    frequencies : int or array (d, D)
        D, or the frequencies themselves at σ = 1.
    kernel : Gaussian, Laplace, Matern or RationalQuadratic, optional
        Distribution of the frequencies and start of the bandwidth (a number or one per column). By
        default a Gaussian at the median distance of the first batch the layer sees, σ = 1 for
        frequencies that you give as an array.
    network : Module, optional
        f, applied first.
    learn_frequencies, learn_bandwidth : bool
        What besides the network is learnt.
    rng : int or Generator
        Seed of the frequencies.

    Notes
    -----
    Fixed frequencies fewer than the columns of z cannot see differences in the directions that are
    orthogonal to all of them: take at least as many. `torch.func` transforms need a layer that has
    its bandwidth: from ``kernel=``, `at_median`, or a first batch. In a distributed run all
    processes must see their first batch, whose rows count together.

    Examples
    --------
    >>> import torch
    >>> FourierLayer(3, 16)(torch.zeros(5, 3)).shape
    torch.Size([5, 32])
    """

    def __init__(
        self,
        dimension: int,
        frequencies: int | Tensor | Matrix = 64,
        *,
        kernel: ShiftInvariant | None = None,
        network: nn.Module | None = None,
        learn_frequencies: bool = True,
        learn_bandwidth: bool = True,
        rng: Seed = 0,
    ) -> None:
        super().__init__()
        self.waits = kernel is None and isinstance(frequencies, int | np.integer)
        kernel = kernel or _GAUSSIAN
        start = _parameter(math.nan if self.waits else kernel.bandwidth)
        if start.ndim == 2:
            raise ValueError("Fourier layers take a bandwidth that is a number or a vector.")
        if isinstance(frequencies, int | np.integer):
            unit = replace(kernel, bandwidth=1.0)  # type: ignore[type-var]
            frequencies = draw_frequencies(unit, dimension, frequencies, rng=rng)
        self.network = network
        self.frequencies = nn.Parameter(_parameter(frequencies), learn_frequencies)
        self.log_bandwidth = nn.Parameter(start.log(), learn_bandwidth)
        if self.frequencies.shape[0] != dimension:
            raise ValueError(
                f"the frequencies are for {self.frequencies.shape[0]} columns, not {dimension}."
            )

    @classmethod
    def at_median(
        cls,
        sample: Sample,
        frequencies: int = 64,
        *,
        network: nn.Module | None = None,
        learn_frequencies: bool = True,
        learn_bandwidth: bool = True,
        rng: Seed = 0,
    ) -> "FourierLayer":
        """A layer for samples like this one (n, d): Gaussian at their median distance.

        With ``network=`` at that of its outputs, for items (n, …) as the network takes them.
        """
        with torch.no_grad():
            points = sample if network is None else network(sample).flatten(1)
        kernel = Gaussian(median_bandwidth(points))
        width = int(points.shape[1]) if points.ndim > 1 else 1
        return cls(
            width,
            frequencies,
            kernel=kernel,
            network=network,
            learn_frequencies=learn_frequencies,
            learn_bandwidth=learn_bandwidth,
            rng=rng,
        )

    @property
    def size(self) -> int:
        return 2 * int(self.frequencies.shape[1])

    @property
    def bandwidth(self) -> Tensor:
        """The bandwidth at present, without gradient: () or (d,); NaN before the first batch."""
        return self.log_bandwidth.detach().exp()

    def forward(self, x: Tensor) -> Tensor:
        found = x if self.network is None else in_own_type(self.network, x).flatten(1)
        with full_precision(found):
            z = widened(found)
            self._check_width(z.shape[-1])
            if self.waits:
                self._start_at(gathered(z.detach()))
            log_width = self.log_bandwidth.nan_to_num() if self.waits else self.log_bandwidth
            z = z * torch.exp(-log_width).to(z.dtype)
            result: Tensor = waves(z @ self.frequencies.to(z.dtype))
        return result

    def _check_width(self, width: int) -> None:
        expected = self.frequencies.shape[0]
        if width != expected:
            seen = "rows have" if self.network is None else "the network gives"
            raise ValueError(
                f"{seen} {width} columns, the layer takes {expected}: FourierLayer({width}, …), or "
                "FourierLayer.at_median(rows, …), which looks."
            )

    @torch.no_grad()
    def _start_at(self, rows: Tensor) -> None:
        """Take the median distance of a first batch, unless a bandwidth was written in by hand."""
        found = median_distance(rows).log().to(self.log_bandwidth)
        own = self.log_bandwidth
        own.copy_(torch.where(own.isnan(), torch.where(found.isfinite(), found, math.nan), own))
        unseen = torch.compiler.is_compiling() or rows.is_meta  # NaN from the next batch on
        self.waits = not (unseen or bool(own.isfinite()))

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *arguments: Any
    ) -> None:
        super()._load_from_state_dict(state_dict, prefix, *arguments)
        found = state_dict.get(f"{prefix}log_bandwidth")
        if found is not None and not found.is_meta:
            self.waits = bool(found.isnan().any())

    def extra_repr(self) -> str:
        return "{}, frequencies={}".format(*self.frequencies.shape)


class Recipe(ABC):
    """How to make a kernel or a feature map with parameters for rows of this width and scale."""

    entropy: ClassVar[Entropy] = VonNeumann()
    learning_rate: float

    @abstractmethod
    def build(self, pool: Tensor, rng: np.random.Generator) -> "LearnedKernel | FourierLayer":
        """A `LearnedKernel` or a `FourierLayer` for rows like those of the pool (N, d)."""


@register("recipe")
@dataclass(frozen=True)
class Bandwidth(Recipe):
    """RJSD-p: a Gaussian kernel whose bandwidth is learnt (section 5.2 of the paper).

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
        width: float | Matrix = start * np.eye(pool.shape[1]) if self.matrix else start
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
        A network (n, …) → (n, k) of your own in place of all this; it sees items as they come.
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
            outputs = network(pool).flatten(1)
        start = _WIDER * median_bandwidth(outputs) if self.start is None else self.start
        return FourierLayer(
            outputs.shape[1], self.frequencies, kernel=Gaussian(start), network=network, rng=rng
        )

    def _network(self, pool: Tensor) -> nn.Module:
        widths = [pool.shape[1], *self.hidden, *([] if self.outputs is None else [self.outputs])]
        inner = perceptron(widths, end=self.outputs is None).to(pool)
        return nn.Sequential(RobustScale(pool), inner) if self.scaled else inner


def in_own_type(network: nn.Module, x: Tensor) -> Tensor:
    """What a network makes of items, in the type of its weights, as numbers of the items' type.

    Weights may be in half precision, which losses do not compute in, and estimates take double.
    """
    if not x.is_floating_point():
        found: Tensor = network(x)
        return found
    own = next((p.dtype for p in network.parameters() if p.is_floating_point()), x.dtype)
    found = network(x.to(own))
    return found.to(widened(x).dtype)


def seen_together(module: nn.Module | FeatureMap, x: Sample, y: Sample) -> tuple[Tensor, Tensor]:
    """What a module makes of two batches, in one pass: half the calls for small ones."""
    see = module.features if isinstance(module, FeatureMap) else module
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        return see(x), see(y)
    found = see(torch.cat([x, y]))
    return found[: len(x)], found[len(x) :]


def _parameter(values: object) -> Tensor:
    """Numbers of any kind as a tensor of torch's default type, ready to be learnt."""
    numbers = values.detach().clone() if isinstance(values, Tensor) else np.array(values)
    return torch.as_tensor(numbers, dtype=torch.get_default_dtype())
