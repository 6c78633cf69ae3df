"""Training a kernel on two samples, so that a test on other rows tells them apart."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from samelaw.core.array import as_rng, as_share
from samelaw.estimate.running import as_progress
from samelaw.learn.criteria import Criterion, DivergenceGain
from samelaw.learn.deep import as_tensor
from samelaw.learn.representations import EmbeddingKernel

_GAIN = DivergenceGain()
_SCALAR_SPEED = 10.0  # bandwidths and ε are few and in log space: they may move faster than weights
_VALIDATION_SHUFFLES = 8  # more than in training: the choice of the best epoch rests on them


@dataclass(frozen=True)
class KernelHistory:
    """How a training went: the criterion after every epoch, on both parts of the rows.

    Parameters
    ----------
    training, validation : tuple of float
        Per epoch; larger is better.
    best : int
        The epoch whose weights the kernel has now.
    """

    training: tuple[float, ...]
    validation: tuple[float, ...]
    best: int


def fit_kernel(
    kernel: nn.Module,
    x: Any,
    y: Any,
    *,
    criterion: Criterion = _GAIN,
    epochs: int = 200,
    batch: int = 250,
    learning_rate: float = 1e-3,
    patience: int = 20,
    validation: float = 0.25,
    rng: Any = 0,
    progress: Any = None,
) -> KernelHistory:
    """Train a `DeepKernel` or `LearnedKernel` to tell two samples apart.

    A part of these rows is held out; after every epoch the criterion is measured on it, and the
    weights of the best epoch are restored at the end. Rows for the test must not be among these.

    Parameters
    ----------
    kernel : DeepKernel or LearnedKernel
        Changed in place, left in evaluation mode.
    x, y : arrays or tensors (n, …) and (m, …)
    criterion : Criterion
        `DivergenceGain` (RJSD) or `TestPower` (MMD-Deep).
    epochs : int
        At most.
    batch : int
        Rows of each sample per step.
    learning_rate : float
        Of Adam, for the network; bandwidths and ε take ten times as much.
    patience : int
        Epochs without a better validation value before it stops.
    validation : float
        Share of the rows held out.
    rng : int or Generator
        Seed of the split, the batches and the relabellings.
    progress : callable or True, optional
        Called with (epochs done, epochs).

    Returns
    -------
    KernelHistory

    Examples
    --------
    >>> import torch
    >>> from samelaw.learn import LearnedKernel, fit_kernel
    >>> _ = torch.manual_seed(0)
    >>> kernel = LearnedKernel()
    >>> history = fit_kernel(kernel, torch.randn(80, 2), torch.randn(80, 2) + 1, epochs=5)
    >>> len(history.validation)
    5
    """
    generator = as_rng(rng)
    parameter = next(kernel.parameters())
    samples = [as_tensor(z, parameter.dtype, parameter.device) for z in (x, y)]
    parts = [_held_out(z, validation, generator) for z in samples]
    trained, held = [p[0] for p in parts], [p[1] for p in parts]
    shuffles = _shuffles(held, _VALIDATION_SHUFFLES * bool(criterion.relabellings), generator)
    optimizer = torch.optim.Adam(_groups(kernel, learning_rate))
    report = as_progress(progress)
    curves: tuple[list[float], list[float]] = ([], [])
    best, weights = 0, copy.deepcopy(kernel.state_dict())
    for epoch in range(epochs):
        curves[0].append(_epoch(kernel, trained, criterion, batch, optimizer, generator))
        curves[1].append(_measure(kernel, held, criterion, shuffles))
        if curves[1][-1] > curves[1][best] or epoch == 0:
            best, weights = epoch, copy.deepcopy(kernel.state_dict())
        if report is not None:
            report(epoch + 1, epochs)
        if epoch - best >= patience:
            break
    kernel.load_state_dict(weights)
    kernel.eval()
    return KernelHistory(tuple(curves[0]), tuple(curves[1]), best)


def _held_out(
    sample: Tensor, share: float, generator: np.random.Generator
) -> tuple[Tensor, Tensor]:
    count = round(as_share("validation", share) * len(sample))
    if min(count, len(sample) - count) < 2:
        raise ValueError(f"{len(sample)} rows are too few to hold out {share:.0%} for validation.")
    order = torch.as_tensor(generator.permutation(len(sample)), device=sample.device)
    return sample[order[count:]], sample[order[:count]]


def _groups(kernel: nn.Module, rate: float) -> list[dict[str, Any]]:
    learnt = [p for p in kernel.parameters() if p.requires_grad]
    return [
        {"params": [p for p in learnt if p.ndim > 0], "lr": rate},
        {"params": [p for p in learnt if p.ndim == 0], "lr": _SCALAR_SPEED * rate},
    ]


def _epoch(
    kernel: nn.Module,
    samples: list[Tensor],
    criterion: Criterion,
    batch: int,
    optimizer: torch.optim.Optimizer,
    generator: np.random.Generator,
) -> float:
    """One pass over the rows; the mean of the criterion over its batches."""
    kernel.train()
    values = []
    for pair in _batches(samples, batch, generator):
        shuffles = _shuffles(pair, criterion.relabellings, generator)
        value = criterion(_gram(kernel, pair), (len(pair[0]), len(pair[1])), shuffles)
        optimizer.zero_grad(set_to_none=True)
        (-value).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        values.append(float(value.detach()))
    return float(np.mean(values))


def _measure(
    kernel: nn.Module, samples: list[Tensor], criterion: Criterion, shuffles: list[Tensor]
) -> float:
    kernel.eval()
    with torch.no_grad():
        sizes = (len(samples[0]), len(samples[1]))
        return float(criterion(_gram(kernel, samples), sizes, shuffles))


def _gram(kernel: nn.Module, samples: list[Tensor]) -> Tensor:
    pool = torch.cat(samples)
    if isinstance(kernel, EmbeddingKernel):
        embedded = kernel.embed(pool)
        return kernel.compare(embedded, embedded)
    gram: Tensor = kernel(pool, pool)
    return gram


def _batches(
    samples: list[Tensor], batch: int, generator: np.random.Generator
) -> Iterator[list[Tensor]]:
    """The rows of both samples in random order, dealt to equally many batches of even sizes."""
    count = max(1, round(min(map(len, samples)) / batch))
    orders = [torch.as_tensor(generator.permutation(len(z)), device=z.device) for z in samples]
    for index in range(count):
        yield [z[order[index::count]] for z, order in zip(samples, orders, strict=True)]


def _shuffles(samples: list[Tensor], count: int, generator: np.random.Generator) -> list[Tensor]:
    total = sum(map(len, samples))
    device = samples[0].device
    return [torch.as_tensor(generator.permutation(total), device=device) for _ in range(count)]
