"""Exact gradients of spectral sums for torch."""

from typing import Any

import torch
from torch import Tensor

from samelaw.core.torch_gradients import WORTH_IT, denormals_flushed, eigenvalues, sound
from samelaw.kernels.entropies import Entropy


class _Spectral(torch.autograd.Function):
    @staticmethod
    def forward(matrix: Tensor, entropy: Entropy, scale: float) -> tuple[Tensor, ...]:
        with denormals_flushed():
            values, vectors = torch.linalg.eigh(torch.nan_to_num(matrix))
        values = scale * sound(matrix) * values
        base, excess = _slopes(entropy, values)
        told = excess.abs() > 4.0 * torch.finfo(excess.dtype).eps * (excess + base).abs().max()
        return entropy.phi(values).sum(), vectors[:, told], excess[told], base

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], matrix: Tensor, entropy: Entropy, scale: float
    ) -> tuple[tuple[Tensor, ...], tuple[int, ...]]:
        """Matrices side by side have no common number of directions: all of them are kept."""
        matrices = matrix.movedim(in_dims[0] or 0, 0)
        values, vectors = torch.linalg.eigh(torch.nan_to_num(matrices))
        values = scale * sound(matrices)[:, None] * values
        base, excess = _slopes(entropy, values)
        return (entropy.phi(values).sum(dim=-1), vectors, excess, base), (0, 0, 0, 0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        matrix, ctx.entropy, ctx.scale = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(matrix, *output[1:])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor, None, None]:
        matrix, vectors, excess, base = ctx.saved_tensors
        if torch.is_grad_enabled():  # a second derivative must see how the spectrum depends on A
            values, vectors = torch.linalg.eigh(torch.nan_to_num(matrix))
            base, excess = _slopes(ctx.entropy, ctx.scale * sound(matrix) * values)
        weight = gradient * ctx.scale
        slope = (vectors * (weight * excess)) @ vectors.T
        slope.diagonal().add_(weight * base)
        return slope, None, None


def _slopes(entropy: Entropy, values: Tensor) -> tuple[Tensor, Tensor]:
    """φ′ of the smallest eigenvalue (…, 1), and what the others have beyond it (…, n)."""
    base = entropy.derivative(values[..., :1].clamp(min=0.0))
    return base, entropy.derivative(values) - base


def spectral_entropy(matrix: Tensor, entropy: Entropy, scale: float) -> Tensor:
    """The entropy of scale · A, symmetric (n, n), from its eigenvalues; differentiable twice.

    Cost: the eigenvectors, and backward O(n² r) for the r eigenvalues above the rounding error.
    """
    own = type(entropy)
    written = own.__call__ is Entropy.__call__ and own.of_spectrum is Entropy.of_spectrum
    # How many directions are empty is a value: a device would be waited for in every step.
    plain = not written or torch.compiler.is_compiling() or matrix.device.type != "cpu"
    if plain or len(matrix) < WORTH_IT or not matrix.requires_grad:
        result: Tensor = entropy(scale * eigenvalues(matrix))
        return result
    total: Tensor = entropy.link(_Spectral.apply(matrix, entropy, scale)[0])  # type: ignore[no-untyped-call]
    return total
