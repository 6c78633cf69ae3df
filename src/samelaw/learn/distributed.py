"""Sums over the processes of a distributed run, with gradients.

Under data parallelism every process sees a part of the batch. A divergence is no mean over rows,
so averaging the losses of the parts is not the loss of the whole; summing their covariances (or
gathering their rows) first is.

The backward pass of a sum adds the gradients of all processes, and data parallelism then averages
them over the processes: together the gradient of the global loss, counted once.
"""

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.autograd.function import FunctionCtx

from samelaw.core.types import Sample

_KEPT = "_samelaw_kept_alike"  # on a parameter, which a copy of it is not


def processes() -> int:
    """How many processes take part; 1 outside a distributed run."""
    if dist.is_available() and dist.is_initialized():
        return int(dist.get_world_size())
    return 1


class _Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: FunctionCtx, values: Tensor) -> Tensor:
        total = values.clone(memory_format=torch.contiguous_format)
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: FunctionCtx, gradient: Tensor) -> Tensor:
        total = gradient.clone(memory_format=torch.contiguous_format)
        dist.all_reduce(total)
        return total


def summed(values: Tensor) -> Tensor:
    """The sum over all processes; the same tensor outside a distributed run."""
    if processes() == 1:
        return values
    total: Tensor = _Sum.apply(values)  # type: ignore[no-untyped-call]
    return total


def gathered(sample: Sample) -> Sample:
    """The rows of all processes under each other, in the order of their ranks.

    Every process puts its rows in their place among zeros and the results are summed: one
    primitive for equal and unequal sizes, forward and backward.
    """
    if processes() == 1:
        return sample
    if isinstance(sample, tuple):
        return tuple(gathered(layer) for layer in sample)
    counts = torch.zeros(processes(), dtype=torch.int64, device=sample.device)
    counts[dist.get_rank()] = len(sample)
    dist.all_reduce(counts)
    sizes = counts.tolist()
    before = sum(sizes[: dist.get_rank()])
    after = sum(sizes) - before - len(sample)
    return summed(torch.nn.functional.pad(sample, (0, 0, before, after)))


def kept_alike(module: nn.Module) -> None:
    """Let the parameters of a loss start and stay the same in all processes.

    Data parallelism looks after the network it wraps, but the loss is usually left outside: each
    process would learn a bandwidth, or frequencies, of its own and compare what is not comparable.
    Values come from the first process; gradients are averaged as data parallelism would do (and if
    it does so as well, the mean of equal numbers is no other).
    """
    if processes() == 1:
        return
    new = [p for p in module.parameters() if not hasattr(p, _KEPT)]
    for parameter in new:
        dist.broadcast(parameter.detach(), src=0)
        if parameter.requires_grad:
            parameter.register_hook(_mean_over_processes)  # type: ignore[no-untyped-call]
        setattr(parameter, _KEPT, True)


def _mean_over_processes(gradient: Tensor) -> Tensor:
    total = gradient.clone(memory_format=torch.contiguous_format)
    dist.all_reduce(total)
    return total / processes()
