"""Deep kernels: those of RJSD-Deep and MMD-Deep, and how they are trained for a test."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.arrays import is_numpy
from samelaw.core.checks import as_count, as_progress, as_rng, as_share, check_rows, shown
from samelaw.core.types import Matrix, Progress, Sample, Seed
from samelaw.divergence.objectives import divergence_gain, power
from samelaw.kernels.bandwidths import median_bandwidth
from samelaw.kernels.entropies import Entropy, PowerSeries
from samelaw.kernels.formulas import Gaussian
from samelaw.learn.batches import as_pair, dealt, divide
from samelaw.learn.layers import evaluating, tabular_network
from samelaw.learn.representations import EmbeddingKernel, LearnedKernel, in_own_type
from samelaw.learn.training import History, Learns, Loop, Plan


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


_GAIN = DivergenceGain()

_CHUNK = 1024  # rows the network sees at a time when nothing is learnt
_SCALAR_SPEED = 10.0  # bandwidths and ε are few and in log space: they may move faster than weights
_VALIDATION_SHUFFLES = 8  # more than in training: the choice of the best weights rests on them


class DeepKernel(nn.Module, EmbeddingKernel):
    """κ(x, y) = [(1−ε) κ₁(f(x), f(y)) + ε] κ₂(x, y) with a network f and Gaussian κ₁, κ₂.

    The kernel of RJSD-Deep (section 5.3 of the paper; Liu et al. 2020). The part ε κ₂ keeps it
    characteristic whatever the network does. Network, ε and both bandwidths are learnt.

    Parameters
    ----------
    network : Module
        f: rows (n, d) to features (n, k); `tabular_network`, `image_network` or your own. Without
        batch normalisation, which would make κ depend on the company a row is in.
    feature_bandwidth, input_bandwidth : float
        Start of the bandwidths of κ₁ and κ₂; `at_median` takes them from data.
    epsilon : float
        Start of ε, between 0 and 1.

    Notes
    -----
    Tensors in, tensor out, with gradients. NumPy arrays in, NumPy array out, in evaluation mode
    and without gradients: so it serves any test of `samelaw` on rows it was not trained on.

    Examples
    --------
    >>> import numpy as np
    >>> from samelaw import Fuse, two_sample_test
    >>> from samelaw.testing import KernelGroup
    >>> from samelaw.learn import fit_kernel
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) * [1, 1, 2]
    >>> kernel = DeepKernel.at_median(x[:100])
    >>> _ = fit_kernel(kernel, x[:100], y[:100], steps=10)
    >>> strategy = Fuse([KernelGroup([kernel], (1, 30))])
    >>> two_sample_test(x[100:], y[100:], strategy=strategy, rng=0).reject
    True
    """

    ready: ClassVar[bool] = True  # in one piece: every call runs the network on its rows again

    def __init__(
        self,
        network: nn.Module,
        feature_bandwidth: float = 1.0,
        input_bandwidth: float = 1.0,
        *,
        epsilon: float = 0.1,
    ) -> None:
        super().__init__()
        self.network = network
        self.features = LearnedKernel(Gaussian(feature_bandwidth))
        self.inputs = LearnedKernel(Gaussian(input_bandwidth))
        self.logit = nn.Parameter(torch.logit(torch.tensor(as_share("epsilon", epsilon))))

    @classmethod
    def at_median(
        cls, sample: Tensor | Matrix, network: nn.Module | None = None, *, epsilon: float = 0.1
    ) -> "DeepKernel":
        """With both bandwidths at the median distances of a sample (n, …), for instance a half."""
        rows = as_tensor(sample, torch.get_default_dtype(), torch.device("cpu"))
        network = network or tabular_network(rows.flatten(1).shape[1])
        with torch.no_grad(), evaluating(network):
            features = network(rows)
        widths = [median_bandwidth(values.flatten(1)) for values in (features, rows)]
        return cls(network, *widths, epsilon=epsilon)

    @property
    def epsilon(self) -> float:
        """ε at present."""
        return float(torch.sigmoid(self.logit.detach()))

    def forward(self, x: Any, y: Any) -> Any:
        if is_numpy(x):
            with torch.no_grad():
                left = self._embed_numpy(x)
                right = left if y is x else self._embed_numpy(y)
                return self.compare(left, right).numpy(force=True).astype(x.dtype, copy=False)
        left = self.embed(x)
        return self.compare(left, left if y is x else self.embed(y))

    def embed(self, x: Sample) -> tuple[Tensor, Tensor]:
        """f(x) beside x itself: everything about a row that comparing needs."""
        return in_own_type(self.network, x).flatten(1), x.flatten(1)

    def compare(self, x: Sample, y: Sample) -> Tensor:
        """κ (n, m) from what `embed` gave."""
        share = torch.sigmoid(self.logit)
        near = self.features(x[0], y[0])
        result: Tensor = ((1.0 - share) * near + share) * self.inputs(x[1], y[1])
        return result

    def _embed_numpy(self, x: Matrix) -> tuple[Tensor, Tensor]:
        rows = as_tensor(x, self.logit.dtype, self.logit.device)
        with evaluating(self):
            pieces = [self.embed(piece) for piece in torch.split(rows, _CHUNK)]
        first, second = (torch.cat(column) for column in zip(*pieces, strict=True))
        return first, second


def as_tensor(x: Tensor | Matrix, dtype: torch.dtype, device: torch.device) -> Tensor:
    """NumPy arrays and tensors as a tensor (n, …) of this type on this device."""
    rows = x if isinstance(x, Tensor) else torch.as_tensor(np.array(x))
    rows = rows if rows.ndim > 1 else rows[:, None]
    return rows.to(device=device, dtype=dtype)


def fit_kernel(
    kernel: nn.Module,
    x: Tensor | Matrix,
    y: Tensor | Matrix,
    *,
    criterion: Criterion = _GAIN,
    steps: int = 200,
    batch: int = 250,
    learning_rate: float = 1e-3,
    patience: int = 5,
    validation: float = 0.25,
    rng: Seed = 0,
    progress: Progress | bool | None = None,
) -> History:
    """Train a `DeepKernel` or `LearnedKernel` to tell two samples apart.

    A part of these rows is held out; every ten steps the criterion is measured on it, and the
    best weights are restored at the end. Rows for the test must not be among these.

    Parameters
    ----------
    kernel : DeepKernel or LearnedKernel
        Changed in place, left in evaluation mode.
    x, y : arrays or tensors (n, …) and (m, …)
    criterion : Criterion
        `DivergenceGain` (RJSD) or `TestPower` (MMD-Deep).
    steps : int
        At most.
    batch : int
        Rows of each sample per step.
    learning_rate : float
        Of Adam, for the network; bandwidths and ε take ten times as much.
    patience : int
        Measurements without a better one before it stops.
    validation : float
        Share of the rows held out.
    rng : int or Generator
        Seed of the split, the batches and the permutations.
    progress : callable or True, optional
        Called with (steps done, steps).

    Returns
    -------
    History
        ``objective`` per step, ``validation`` as (step, value), ``best_step``.

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn import LearnedKernel, fit_kernel
    >>> _ = torch.manual_seed(0)
    >>> kernel = LearnedKernel()
    >>> history = fit_kernel(kernel, torch.randn(80, 2), torch.randn(80, 2) + 1, steps=30)
    >>> [step for step, _ in history.validation]
    [10, 20, 30]
    """
    generator = as_rng(rng)
    parameter = _learnt(kernel)[0]
    first, second = as_pair(x, y, parameter, flat=False)
    trained, held = divide((first, second), validation, "validation", generator)
    trainee = _Trainee(kernel, criterion, len(held[0]) + len(held[1]), generator)
    optimiser = torch.optim.Adam(_groups(kernel, learning_rate))
    batch, patience = as_count("batch", batch), as_count("patience", patience)
    steps = as_count("steps", steps)
    plan = Plan(steps, patience, 0, learning_rate, False, as_progress(progress))
    loop = Loop(cast(Learns, trainee), optimiser, plan, held)
    kernel.train()
    history = loop.run(dealt(trained, batch, generator))
    kernel.eval()
    return history


class _Trainee(nn.Module):
    """A kernel under a criterion, as the training loop wants it."""

    def __init__(
        self, kernel: nn.Module, criterion: Criterion, held: int, generator: np.random.Generator
    ) -> None:
        super().__init__()
        self.kernel, self.criterion, self.generator = kernel, criterion, generator
        many = _VALIDATION_SHUFFLES if criterion.permutations else 0
        self.held_shuffles = self._shuffles(held, many)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        shuffles = self._shuffles(len(x) + len(y), self.criterion.permutations)
        return self.criterion(self._gram(x, y), (len(x), len(y)), shuffles)

    def score(self, x: Tensor, y: Tensor) -> float:
        """The criterion on held-out rows, under the same permutations every time."""
        return float(self.criterion(self._gram(x, y), (len(x), len(y)), self.held_shuffles))

    def _gram(self, x: Tensor, y: Tensor) -> Tensor:
        pool = torch.cat([x, y])
        if isinstance(self.kernel, EmbeddingKernel):
            embedded = self.kernel.embed(pool)
            return self.kernel.compare(embedded, embedded)
        gram: Tensor = self.kernel(pool, pool)
        return gram

    def _shuffles(self, rows: int, count: int) -> list[Tensor]:
        device = next(self.kernel.parameters()).device
        orders = [self.generator.permutation(rows) for _ in range(count)]
        return [torch.as_tensor(order, device=device) for order in orders]


def _learnt(kernel: object) -> list[nn.Parameter]:
    """What there is to learn of a kernel, at least one parameter."""
    found = list(kernel.parameters()) if isinstance(kernel, nn.Module) else []
    learnt = [parameter for parameter in found if parameter.requires_grad]
    if not learnt:
        raise TypeError(
            "kernel must have parameters to learn, as LearnedKernel(Gaussian(1.0)) and DeepKernel "
            f"have, got {shown(kernel)}."
        )
    return learnt


def _groups(kernel: nn.Module, rate: float) -> list[dict[str, object]]:
    learnt = _learnt(kernel)
    groups = [
        {"params": [p for p in learnt if p.ndim > 0], "lr": rate},
        {"params": [p for p in learnt if p.ndim == 0], "lr": rate, "speed": _SCALAR_SPEED},
    ]
    return [group for group in groups if group["params"]]
