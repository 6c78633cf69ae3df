"""The written-out gradient of Σ c_k Tr A^k: right, differentiable twice, under torch.func too."""

import pytest

from optional import need

torch = need("torch")

from samelaw.core import linalg  # noqa: E402
from samelaw.core.entropies import PowerSeries  # noqa: E402
from samelaw.learn.trace_gradient import trace_polynomial  # noqa: E402

COEFFICIENTS = [
    (0.7,),
    (1.0, -2.0),
    (1.5, -2.0, 0.5),
    (1.8, -3.0, 1.5, -1 / 3),
    (0.0, 0.0, 0.0, 0.0, 1.0),
    (2.3, -5.0, 5.0, -10 / 3, 1.25, -0.2),
]


def symmetric(n=5, seed=0):
    root = torch.randn(n, n, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (root + root.T) / 2


def of(coefficients):
    return lambda root: trace_polynomial((root + root.T) / 2, coefficients)


@pytest.mark.parametrize("coefficients", COEFFICIENTS, ids=len)
def test_value_is_the_sum_of_trace_moments(coefficients):
    matrix = symmetric()
    moments = linalg.trace_moments(matrix, len(coefficients))
    expected = sum(c * m for c, m in zip(coefficients, moments, strict=True))
    torch.testing.assert_close(trace_polynomial(matrix, coefficients), expected)


@pytest.mark.parametrize("coefficients", COEFFICIENTS, ids=len)
def test_first_and_second_derivatives(coefficients):
    matrix = symmetric().requires_grad_()
    assert torch.autograd.gradcheck(of(coefficients), matrix)
    assert torch.autograd.gradgradcheck(of(coefficients), matrix)


def test_transforms_of_functions():
    matrices = torch.stack([symmetric(seed=s) for s in range(3)])
    value = of(COEFFICIENTS[-1])
    batched = torch.func.vmap(torch.func.grad(value))(matrices)
    for matrix, gradient in zip(matrices, batched, strict=True):
        torch.testing.assert_close(torch.func.grad(value)(matrix), gradient)
    hessian = torch.func.jacrev(torch.func.grad(value))(matrices[0])
    assert hessian.shape == (5, 5, 5, 5)


def test_losses_take_the_written_gradient():
    """What `samelaw.learn` adds to core is used, and changes no number."""
    matrix = symmetric().requires_grad_()
    value = linalg.spectral_sum(matrix, PowerSeries(3), 0.5)
    (gradient,) = torch.autograd.grad(value, matrix)
    used = {type(node).__name__ for node in _nodes(value.grad_fn)}
    assert "_PolynomialBackward" in used
    plain = linalg.spectral_sum(matrix.detach().numpy(), PowerSeries(3), 0.5)
    assert value.item() == pytest.approx(float(plain), rel=1e-12)
    assert gradient.shape == matrix.shape


def _nodes(node):
    yield node
    for before, _ in node.next_functions:
        if before is not None:
            yield from _nodes(before)
