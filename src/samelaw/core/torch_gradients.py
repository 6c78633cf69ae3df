"""Tr φ(A) of a torch matrix with its gradient φ′(A) written out: the one file of core with torch.

`samelaw.kernels.spectra.spectral_sum` imports it when a tensor arrives, never before.

Polynomials: left to the tape, the powers are differentiated one by one, a product more for every
product forward and a pass over the matrix for every moment. The gradient is a polynomial of A
itself: with A² and A³ at hand one more product gives it up to degree 6 (order 5).

Spectra: V φ′(Λ) Vᵀ costs a full product, though φ′ is one and the same number in all the
directions that A leaves empty. φ′(λ_min) I stands for them and the product takes the others.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

MOST_DEGREE = 6
_SMALLEST, _HALF = 2.2250738585072014e-308, 0.5  # the smallest normal number, and what halves it
WORTH_IT = 128  # rows from which the product that is spared weighs more than looking for it


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """Let numbers below the normal range become 0 on this thread, then as it was before.

    A narrow kernel has many of them, and each costs a processor a hundred operations: in single
    precision an eigenvalue problem takes up to eight times as long.
    """
    before = _SMALLEST * _HALF == 0.0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def eigenvalues(matrix: Tensor) -> Tensor:
    """Eigenvalues (…, n) of symmetric matrices, ascending; NaN where there is one inside."""
    values: Tensor = torch.linalg.eigvalsh(torch.nan_to_num(matrix))
    return values * sound(matrix)[..., None]


def sound(matrix: Tensor) -> Tensor:
    """1 for each matrix (…, n, n), NaN if there is one inside, without waiting for the device.

    Losses do not look at the values of a batch, but eigenvalue routines stop at NaN with an error
    that names nothing: they get zeros instead, and what they give is multiplied by this.
    """
    return 1.0 + 0.0 * matrix.detach().sum(dim=(-2, -1))


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
    if not any(coefficients[2:]):
        return matrix.new_zeros(()), matrix.new_zeros(())  # two: compilers drop a repeated output
    square = matrix @ matrix.T
    return square, square @ matrix if any(coefficients[4:]) else matrix.new_zeros(())


def trace_polynomial(matrix: Tensor, coefficients: Sequence[float]) -> Tensor:
    """Σ c_k Tr A^k of a symmetric matrix (n, n), k = 1 … 6 at most; differentiable twice.

    Cost: for degrees 3 and 4 one product forward and one backward, for 5 and 6 two and one.
    """
    padded = (*coefficients, *(0.0,) * MOST_DEGREE)[:MOST_DEGREE]
    total: Tensor = _Polynomial.apply(matrix, padded)[0]  # type: ignore[no-untyped-call]
    return total
