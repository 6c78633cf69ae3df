"""Training a kernel on two samples, so that a test on other rows tells them apart."""

from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.array import as_rng
from samelaw.core.checks import as_progress
from samelaw.learn.deep_kernel import as_tensor
from samelaw.learn.objectives import Criterion, DivergenceGain
from samelaw.learn.representations import EmbeddingKernel
from samelaw.learn.streams import dealt, divide
from samelaw.learn.training import History, Loop, Plan

_GAIN = DivergenceGain()
_SCALAR_SPEED = 10.0  # bandwidths and ε are few and in log space: they may move faster than weights
_VALIDATION_SHUFFLES = 8  # more than in training: the choice of the best weights rests on them


def fit_kernel(
    kernel: nn.Module,
    x: Any,
    y: Any,
    *,
    criterion: Criterion = _GAIN,
    steps: int = 200,
    batch: int = 250,
    learning_rate: float = 1e-3,
    patience: int = 5,
    validation: float = 0.25,
    rng: Any = 0,
    progress: Any = None,
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
        Seed of the split, the batches and the relabellings.
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
    parameter = next(kernel.parameters())
    first, second = (as_tensor(z, parameter.dtype, parameter.device) for z in (x, y))
    trained, held = divide((first, second), validation, "validation", generator)
    trainee = _Trainee(kernel, criterion, len(held[0]) + len(held[1]), generator)
    optimiser = torch.optim.Adam(_groups(kernel, learning_rate))
    plan = Plan(steps, patience, 0, learning_rate, False, as_progress(progress))
    loop = Loop(cast(Any, trainee), optimiser, plan, held)
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
        many = _VALIDATION_SHUFFLES if criterion.relabellings else 0
        self.held_shuffles = self._shuffles(held, many)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        shuffles = self._shuffles(len(x) + len(y), self.criterion.relabellings)
        return self.criterion(self._gram(x, y), (len(x), len(y)), shuffles)

    def score(self, x: Tensor, y: Tensor) -> float:
        """The criterion on held-out rows, under the same relabellings every time."""
        self.kernel.eval()
        value = self.criterion(self._gram(x, y), (len(x), len(y)), self.held_shuffles)
        self.kernel.train()
        return float(value)

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


def _groups(kernel: nn.Module, rate: float) -> list[dict[str, Any]]:
    learnt = [p for p in kernel.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in learnt if p.ndim > 0], "lr": rate},
        {"params": [p for p in learnt if p.ndim == 0], "lr": rate, "speed": _SCALAR_SPEED},
    ]
    return [group for group in groups if group["params"]]
