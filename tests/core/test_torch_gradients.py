"""The written-out gradients of Tr φ(A): right, differentiable twice, under torch.func too."""

import math

import pytest

from optional import need
from samelaw.kernels import spectra

torch = need("torch")
eigvalsh = torch.linalg.eigvalsh

from samelaw.core import linalg  # noqa: E402
from samelaw.core.torch_gradients import denormals_flushed, trace_polynomial  # noqa: E402
from samelaw.kernels.entropies import PowerSeries, Renyi, Tsallis, VonNeumann  # noqa: E402
from samelaw.kernels.torch_spectra import _Spectral, spectral_entropy  # noqa: E402

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
    value = spectra.spectral_sum(matrix, PowerSeries(3), 0.5)
    (gradient,) = torch.autograd.grad(value, matrix)
    used = {type(node).__name__ for node in _nodes(value.grad_fn)}
    assert "_PolynomialBackward" in used
    plain = spectra.spectral_sum(matrix.detach().numpy(), PowerSeries(3), 0.5)
    assert value.item() == pytest.approx(float(plain), rel=1e-12)
    assert gradient.shape == matrix.shape


ENTROPIES = [PowerSeries(10), VonNeumann(), Tsallis(0.5), Tsallis(1.5), Renyi(math.inf)]


def low_rank(n=140, rank=6, seed=0):
    """A density matrix with many empty directions, as a wide kernel gives."""
    root = torch.randn(n, rank, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return root @ root.T / torch.sum(root**2)


@pytest.mark.parametrize("rank", [6, 140])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_spectra_have_the_value_and_the_gradient_of_the_tape(entropy, dtype, rank):
    matrix = low_rank(rank=rank).to(dtype).requires_grad_()
    value, plain = spectral_entropy(matrix, entropy, 0.9), entropy(0.9 * eigvalsh(matrix))
    torch.testing.assert_close(value, plain)
    (found,), (expected,) = (torch.autograd.grad(v, matrix) for v in (value, plain))
    scale = float(torch.linalg.matrix_norm(expected, 2))
    torch.testing.assert_close(found, expected, rtol=0, atol=64 * torch.finfo(dtype).eps * scale)


def test_empty_directions_are_spared():
    matrix = low_rank().requires_grad_()
    _, vectors, excess, _ = _Spectral.apply(matrix, PowerSeries(10), 1.0)
    assert vectors.shape == (140, 6)
    assert excess.shape == (6,)


@pytest.mark.parametrize("before", [False, True])
def test_denormal_numbers_are_as_they_were(before):
    """Flushed while eigenvalues are computed, and not a moment longer."""
    half = torch.tensor(torch.finfo(torch.float32).tiny) / 2
    try:
        if not torch.set_flush_denormal(before):
            pytest.skip("this processor always keeps them")
        with denormals_flushed():
            assert float(half * 1.0) == 0.0
        assert (float(half * 1.0) == 0.0) is before
    finally:
        torch.set_flush_denormal(False)


def test_spectra_have_second_derivatives():
    matrix = low_rank(n=6).requires_grad_()

    def value(root):
        return _Spectral.apply((root + root.T) / 2, PowerSeries(10), 1.0)[0]

    assert torch.autograd.gradcheck(value, matrix)
    assert torch.autograd.gradgradcheck(value, matrix)


def test_transforms_of_spectra():
    matrices = torch.stack([low_rank(seed=s) for s in range(3)])

    def value(matrix):
        return spectra.spectral_sum(matrix, PowerSeries(10), 1.0)

    together = torch.func.vmap(torch.func.grad(value))(matrices)
    for matrix, gradient in zip(matrices, together, strict=True):
        torch.testing.assert_close(torch.func.grad(value)(matrix), gradient)


def test_nan_in_one_of_many_spectra_stays_there():
    """Eigenvalue routines stop at NaN in small matrices, and all would be lost."""
    matrices = torch.stack([low_rank(n=6, seed=s) for s in range(3)])
    matrices[1, 0, 0] = math.nan

    def value(matrix):
        return _Spectral.apply(matrix, PowerSeries(10), 1.0)[0]

    for found in (torch.vmap(value)(matrices), torch.vmap(torch.func.grad(value))(matrices)):
        assert [bool(one.isnan().any()) for one in found] == [False, True, False]


def _nodes(node):
    yield node
    for before, _ in node.next_functions:
        if before is not None:
            yield from _nodes(before)
