"""Gradients of RJSD: right, the same in torch and jax, and finite where spectra degenerate."""

import numpy as np
import pytest

import samelaw
from samelaw import Gaussian, Laplace, PowerSeries, Renyi, VonNeumann, rjsd
from samelaw.kernels import Cosine, Matern, Polynomial, RationalQuadratic, Tsallis

torch = pytest.importorskip("torch")

X = np.random.default_rng(0).standard_normal((6, 2))
Y = np.random.default_rng(1).standard_normal((5, 2)) + 0.5
ENTROPIES = [
    VonNeumann(),
    *map(PowerSeries, (1, 2, 3, 10, 50)),
    *map(Renyi, (0.5, 1, 2, 3.5)),
    *map(Tsallis, (0.7, 2, 3)),
]
KERNELS = {
    "Gaussian": Gaussian,
    "Laplace": Laplace,
    "Matern 1/2": lambda b: Matern(b, 0.5),
    "Matern 3/2": lambda b: Matern(b, 1.5),
    "Matern 5/2": lambda b: Matern(b, 2.5),
    "RationalQuadratic": RationalQuadratic,
    "product": lambda b: Gaussian(b) * Laplace(2.0),
}
BANDWIDTHS = {"number": np.array(1.2), "vector": np.array([0.8, 1.7])}


def tensors(*arrays, dtype=torch.float64):
    return [torch.asarray(array, dtype=dtype).requires_grad_() for array in arrays]


@pytest.mark.parametrize("weights", ["proportional", "balanced"])
@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_gradient_in_the_samples_passes_gradcheck(entropy, weights):
    def value(x, y):
        return rjsd(x, y, kernel=Gaussian(1.0), entropy=entropy, weights=weights)

    assert torch.autograd.gradcheck(value, tensors(X, Y), fast_mode=True)


@pytest.mark.parametrize("shape", BANDWIDTHS)
@pytest.mark.parametrize("name", KERNELS)
def test_gradient_in_samples_and_bandwidth_passes_gradcheck(name, shape):
    def value(x, bandwidth):
        return rjsd(x, torch.asarray(Y), kernel=KERNELS[name](bandwidth))

    assert torch.autograd.gradcheck(value, tensors(X, BANDWIDTHS[shape]), fast_mode=True)


@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(3), PowerSeries(10)], ids=repr)
def test_gradient_in_a_bandwidth_matrix_passes_gradcheck(entropy):
    def value(x, bandwidth):
        return rjsd(x, torch.asarray(Y), kernel=Gaussian(bandwidth), entropy=entropy)

    matrix = np.array([[1.0, 0.3], [-0.2, 0.8]])
    assert torch.autograd.gradcheck(value, tensors(X, matrix), fast_mode=True)


@pytest.mark.parametrize("kernel", [Cosine(), Polynomial(2)], ids=repr)
def test_gradient_of_kernels_without_bandwidth_passes_gradcheck(kernel):
    def value(x):
        return rjsd(x, torch.asarray(Y), kernel=kernel)

    assert torch.autograd.gradcheck(value, tensors(X), fast_mode=True)


def test_gradient_at_a_row_without_direction_is_finite():
    (x,) = tensors(np.vstack([X, np.zeros(2)]))
    rjsd(x, torch.asarray(Y), kernel=Cosine()).backward()
    assert torch.isfinite(x.grad).all()


def test_gradient_in_the_row_weights_passes_gradcheck():
    def value(a, b):
        x, y = torch.asarray(X), torch.asarray(Y)
        return rjsd(x, y, kernel=Gaussian(1.0), weights="balanced", sample_weights=(a, b))

    assert torch.autograd.gradcheck(value, tensors(np.arange(1.0, 7), np.arange(2.0, 7)))


@pytest.mark.parametrize("entropy", ENTROPIES[:6], ids=repr)
def test_gradient_of_layers_flows_to_every_layer(entropy):
    x = tensors(X[:, :1], X[:, 1:])
    y = (torch.asarray(Y[:, :1]), torch.asarray(Y[:, 1:]))
    rjsd(tuple(x), y, entropy=entropy).backward()
    assert all(float(layer.grad.abs().sum()) > 0 for layer in x)


@pytest.mark.parametrize("name", KERNELS)
def test_jax_agrees_with_torch(name):
    jax = pytest.importorskip("jax")
    x, y, bandwidth = tensors(X, Y, np.array(1.2))
    rjsd(x, y, kernel=KERNELS[name](bandwidth), entropy=PowerSeries(10)).backward()

    def value(x, y, bandwidth):
        return rjsd(x, y, kernel=KERNELS[name](bandwidth), entropy=PowerSeries(10))

    arrays = [jax.numpy.asarray(array) for array in (X, Y, np.array(1.2))]
    gradients = jax.jit(jax.grad(value, argnums=(0, 1, 2)))(*arrays)
    for mine, theirs in zip(gradients, (x, y, bandwidth), strict=True):
        np.testing.assert_allclose(np.asarray(mine), theirs.grad.numpy(), atol=1e-10)


@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(3), Renyi(1.5)], ids=repr)
def test_jax_agrees_with_torch_for_every_kind_of_entropy(entropy):
    jax = pytest.importorskip("jax")
    (x,) = tensors(X)
    rjsd(x, torch.asarray(Y), kernel=Gaussian(1.0), entropy=entropy).backward()
    y = jax.numpy.asarray(Y)
    gradient = jax.jit(jax.grad(lambda z: rjsd(z, y, kernel=Gaussian(1.0), entropy=entropy)))
    np.testing.assert_allclose(
        np.asarray(gradient(jax.numpy.asarray(X))), x.grad.numpy(), atol=1e-10
    )


DEGENERATE = {
    "copies of one point": (np.ones((6, 2)), np.ones((5, 2))),
    "duplicated points": (np.repeat(X[:3], 2, axis=0), np.repeat(X[:2], 3, axis=0)),
    "strangers": (1e3 * np.arange(12.0).reshape(6, 2), -1e3 * np.arange(1.0, 11).reshape(5, 2)),
    "two tight groups": (np.repeat([[0.0, 0.0], [1e-9, 0.0]], 3, axis=0), np.zeros((4, 2))),
    "more rows than rank": (np.linspace(0, 1e-3, 60).reshape(30, 2), np.zeros((30, 2))),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("name", DEGENERATE)
def test_gradient_is_finite_and_moderate_where_spectra_degenerate(name, entropy, dtype):
    """Repeated and zero eigenvalues; −log of the rounding noise is the largest slope there is."""
    x, y = tensors(*DEGENERATE[name], dtype=dtype)
    rjsd(x, y, kernel=Gaussian(1.0), entropy=entropy).backward()
    for gradient in (x.grad, y.grad):
        assert bool(torch.all(torch.isfinite(gradient)))
        assert float(gradient.abs().max()) < 50


def test_gradient_vanishes_for_equal_samples():
    x, y = tensors(X, X[::-1].copy())
    rjsd(x, y, kernel=Gaussian(1.0)).backward()
    assert float(x.grad.abs().max()) < 1e-10


def test_gradient_in_single_precision_is_close():
    double, single = tensors(X), tensors(X, dtype=torch.float32)
    for entropy in (VonNeumann(), PowerSeries(10)):
        for leaf, dtype in ((double[0], torch.float64), (single[0], torch.float32)):
            leaf.grad = None
            y = torch.asarray(Y, dtype=dtype)
            rjsd(leaf, y, kernel=Gaussian(1.0), entropy=entropy).backward()
        np.testing.assert_allclose(single[0].grad.numpy(), double[0].grad.numpy(), atol=2e-5)


def test_default_bandwidth_is_no_part_of_the_gradient():
    (x,) = tensors(X)
    y = torch.asarray(Y)
    rjsd(x, y).backward()
    with_median = x.grad.clone()
    x.grad = None
    bandwidth = samelaw.kernels.median_bandwidth(np.concatenate([X, Y]))
    rjsd(x, y, kernel=Gaussian(bandwidth)).backward()
    np.testing.assert_allclose(with_median.numpy(), x.grad.numpy(), atol=1e-12)


@pytest.mark.parametrize("order", [1, 3, 5])
def test_corrected_divergence_is_differentiable_up_to_order_five(order):
    def value(x, y):
        return samelaw.rjsd(x, y, kernel=Gaussian(1.0), entropy=order, corrected=True)

    assert torch.autograd.gradcheck(value, tensors(X, Y), fast_mode=True)


def test_information_is_differentiable():
    def value(x, y):
        return samelaw.mutual_information(x, y[:, :1], kernels=[Gaussian(1.0), Laplace(1.0)])

    assert torch.autograd.gradcheck(value, tensors(X[:5], Y), fast_mode=True)
