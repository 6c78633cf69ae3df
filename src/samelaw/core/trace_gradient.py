"""Σ c_k Tr A^k with its gradient Σ k c_k A^{k−1} written out: torch only, loaded when needed.

Left to the tape, the powers are differentiated one by one: a product more for every product
forward and a pass over the matrix for every moment. The gradient is a polynomial of A itself, so
one product on top of A² is all that degree 4 (order 3) takes.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

MOST_DEGREE = 4


class _Polynomial(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(matrix: Tensor, coefficients: tuple[float, ...]) -> tuple[Tensor, Tensor]:
        first, second, third, fourth = coefficients
        flat = matrix.reshape(-1)
        total = first * matrix.diagonal().sum() + second * torch.dot(flat, flat)
        if not (third or fourth):
            return total, matrix.new_zeros(())
        square = matrix @ matrix.T
        over = square.reshape(-1)
        return total + third * torch.dot(flat, over) + fourth * torch.dot(over, over), square

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        matrix, ctx.coefficients = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(matrix, output[1])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, _: Tensor) -> tuple[Tensor, None]:
        matrix, square = ctx.saved_tensors
        first, second, third, fourth = ctx.coefficients
        slope = 2.0 * second * matrix
        if third or fourth:
            if torch.is_grad_enabled():
                square = matrix @ matrix.T  # a second derivative must see how A² depends on A
            slope = torch.addmm(slope, square, matrix, alpha=4.0 * fourth) + 3.0 * third * square
        slope = slope + first * torch.eye(len(matrix), dtype=matrix.dtype, device=matrix.device)
        return gradient * slope, None


def trace_polynomial(matrix: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Σ c_k Tr A^k of a symmetric matrix (n, n), k = 1 … 4 at most; differentiable twice.

    Cost: one product forward, one backward for degrees 3 and 4; none below.
    """
    padded = (*coefficients, 0.0, 0.0, 0.0)[:MOST_DEGREE]
    total: Tensor = _Polynomial.apply(matrix, padded)[0]  # type: ignore[no-untyped-call]
    return total
