"""Σ c_k Tr A^k with its gradient Σ k c_k A^{k−1} written out, for losses that need both.

Left to the tape, the powers are differentiated one by one: a product more for every product
forward and a pass over the matrix for every moment. The gradient is a polynomial of A itself: with
A² and A³ at hand one more product gives it up to degree 6 (order 5).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

MOST_DEGREE = 6


class _Polynomial(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(matrix: Tensor, coefficients: tuple[float, ...]) -> tuple[Tensor, Tensor, Tensor]:
        square, cube = _powers(matrix, coefficients)
        flats = [power.reshape(-1) for power in (matrix, square, cube)]
        total = coefficients[0] * matrix.diagonal().sum()
        for k, c in enumerate(coefficients[1:], start=2):
            if c:
                total = total + c * torch.dot(flats[k // 2 - 1], flats[(k + 1) // 2 - 1])
        return total, square, cube

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        matrix, ctx.coefficients = inputs
        ctx.mark_non_differentiable(*output[1:])
        ctx.save_for_backward(matrix, *output[1:])

    @staticmethod
    def backward(ctx: Any, gradient: Tensor, *_: Tensor) -> tuple[Tensor, None]:
        matrix, square, cube = ctx.saved_tensors
        if torch.is_grad_enabled():  # a second derivative must see how the powers depend on A
            square, cube = _powers(matrix, ctx.coefficients)
        c1, c2, c3, c4, c5, c6 = (k * c for k, c in enumerate(ctx.coefficients, start=1))
        slope = c2 * matrix
        if c5 or c6:  # c4 A³ + c5 A⁴ + c6 A⁵ = c4 A³ + (c5 A + c6 A²) A³
            slope = torch.addmm(slope, c5 * matrix + c6 * square, cube) + c3 * square + c4 * cube
        elif c3 or c4:
            slope = torch.addmm(slope, square, matrix, alpha=c4) + c3 * square
        slope = slope + c1 * torch.eye(len(matrix), dtype=matrix.dtype, device=matrix.device)
        return gradient * slope, None


def _powers(matrix: Tensor, coefficients: tuple[float, ...]) -> tuple[Tensor, Tensor]:
    """A² and A³ as far as the gradient and the moments need them, empty matrices otherwise."""
    none = matrix.new_zeros(())
    if not any(coefficients[2:]):
        return none, none
    square = matrix @ matrix.T
    return square, square @ matrix if any(coefficients[4:]) else none


def trace_polynomial(matrix: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Σ c_k Tr A^k of a symmetric matrix (n, n), k = 1 … 6 at most; differentiable twice.

    Cost: for degrees 3 and 4 one product forward and one backward, for 5 and 6 two and one.
    """
    padded = (*coefficients, *(0.0,) * MOST_DEGREE)[:MOST_DEGREE]
    total: Tensor = _Polynomial.apply(matrix, padded)[0]  # type: ignore[no-untyped-call]
    return total
