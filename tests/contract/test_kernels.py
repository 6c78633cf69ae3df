"""What every kernel promises, on every array library."""

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, Laplace
from samelaw.core.registry import members
from samelaw.kernels import Columns, Matern, Mixture, RationalQuadratic, grams
from samelaw.kernels.formulas import ShiftInvariant

samelaw.Gaussian  # noqa: B018 - loading the module fills the registry

MATRIX = np.array([[1.0, 0.2, 0.0], [0.0, 0.8, 0.1], [0.3, 0.0, 1.5]])
KERNELS = {
    **{name: cls() for name, cls in members("kernel").items()},
    "Gaussian vector": Gaussian(np.array([0.5, 1.0, 2.0])),
    "Gaussian matrix": Gaussian(MATRIX),
    "Laplace vector": Laplace(np.array([0.5, 1.0, 2.0])),
    "Matern 1/2": Matern(1.3, 0.5),
    "Matern 5/2": Matern(np.array([0.5, 1.0, 2.0]), 2.5),
    "RationalQuadratic vector": RationalQuadratic(np.array([0.5, 1.0, 2.0]), 0.5),
    "product": Gaussian(2.0) * Laplace(1.0),
    "mixture": Mixture([Gaussian(0.5), Matern(1.0)], [1, 3]),
    "columns": Columns(Gaussian(1.0), [0, 2]) * Columns(samelaw.kernels.Hamming(), [1]),
}
SMOOTH = [name for name in KERNELS if name not in ("Hamming", "Categorical")]
SHIFTABLE = [name for name, kernel in KERNELS.items() if isinstance(kernel, ShiftInvariant)]


def points(n, seed=0):
    """Half steps, so that values repeat and categories agree; the last row repeats the first."""
    x = np.round(2 * np.random.default_rng(seed).standard_normal((n, 3))) / 2
    x[:, 0] += 0.25  # no row of zeros
    x[-1] = x[0]
    return x


X, Y = points(9, 0), points(7, 1)


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


def test_similarity_of_a_point_to_itself_is_one(kernel, to_xp, to_numpy):
    x = to_xp(X)
    np.testing.assert_allclose(np.diagonal(to_numpy(kernel(x, x))), 1.0, atol=1e-14)


def test_values_are_symmetric(kernel, to_xp, to_numpy):
    x, y = to_xp(X), to_xp(Y)
    forth, back = to_numpy(kernel(x, y)), to_numpy(kernel(y, x))
    assert forth.shape == (9, 7)
    np.testing.assert_allclose(forth, back.T, atol=1e-13)


def test_gram_matrix_is_positive_semidefinite(kernel, to_xp, to_numpy):
    gram = to_numpy(grams.gram(kernel, to_xp(X)))
    np.testing.assert_allclose(gram, gram.T, atol=1e-14)
    assert np.linalg.eigvalsh(gram).min() > -1e-12
    assert np.abs(gram).max() <= 1 + 1e-14


def test_every_library_gives_the_numbers_of_numpy(kernel, to_xp, to_numpy):
    value = kernel(to_xp(X), to_xp(Y))
    np.testing.assert_allclose(to_numpy(value), kernel(X, Y), atol=1e-14)


def test_gram_is_the_kernel_of_the_sample_with_itself(kernel, to_xp, to_numpy):
    x = to_xp(X)
    np.testing.assert_allclose(to_numpy(grams.gram(kernel, x)), to_numpy(kernel(x, x)), atol=1e-13)


def test_gram_in_blocks_is_the_dense_one(kernel):
    x = points(500)
    np.testing.assert_allclose(grams.gram(kernel, x), kernel(x, x), atol=1e-7)


def test_single_precision_stays_single_and_close(kernel, xp, to_xp, to_numpy):
    single = kernel(to_xp(X, "float32"), to_xp(Y, "float32"))
    assert single.dtype == xp.float32
    np.testing.assert_allclose(to_numpy(single), kernel(X, Y), atol=2e-6)


def test_rows_are_treated_alike(kernel):
    order = np.random.default_rng(0).permutation(len(X))
    np.testing.assert_allclose(kernel(X[order], Y), kernel(X, Y)[order], atol=1e-13)


@pytest.mark.parametrize("name", SHIFTABLE)
def test_shift_of_both_samples_changes_nothing(name, to_xp, to_numpy):
    kernel = KERNELS[name]
    moved = kernel(to_xp(X + 1e6), to_xp(Y + 1e6))
    np.testing.assert_allclose(to_numpy(moved), kernel(X, Y), atol=1e-8)


@pytest.mark.parametrize("name", SHIFTABLE)
@pytest.mark.parametrize("scale", [1e-3, 7.0, 1e5])
def test_bandwidth_and_data_scale_together(name, scale):
    kernel = KERNELS[name]
    options = {k: v for k, v in vars(kernel).items() if k != "bandwidth"}
    wider = type(kernel)(kernel.bandwidth * scale, **options)
    np.testing.assert_allclose(wider(X * scale, Y * scale), kernel(X, Y), atol=1e-12)


@pytest.mark.parametrize("name", SHIFTABLE)
def test_similarity_falls_with_the_bandwidth(name):
    kernel = KERNELS[name]
    options = {k: v for k, v in vars(kernel).items() if k != "bandwidth"}
    wider = type(kernel)(kernel.bandwidth * 2.0, **options)
    assert np.all(wider(X, Y) >= kernel(X, Y) - 1e-15)


@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_is_finite_with_duplicated_points_in_torch(name):
    torch = need("torch")
    for dtype in (torch.float32, torch.float64):
        x = torch.asarray(X, dtype=dtype).requires_grad_()
        y = torch.cat([x.detach()[:3], torch.asarray(Y, dtype=dtype)])
        torch.sum(KERNELS[name](x, x) ** 2).backward()
        torch.sum(KERNELS[name](x, y) ** 2).backward()
        assert bool(torch.all(torch.isfinite(x.grad)))
        assert float(torch.sum(torch.abs(x.grad))) > 0


@pytest.mark.parametrize("name", SMOOTH)
def test_gradient_in_jax_is_that_of_torch(name):
    jax, torch = need("jax"), need("torch")
    kernel = KERNELS[name]
    free, fixed = np.random.default_rng(0).standard_normal((2, 5, 3))  # no ties: |x − y| has kinks
    x = torch.asarray(free).requires_grad_()
    torch.sum(kernel(x, torch.asarray(fixed)) ** 2).backward()
    y = jax.numpy.asarray(fixed)
    gradient = jax.grad(lambda z: jax.numpy.sum(kernel(z, y) ** 2))(jax.numpy.asarray(free))
    np.testing.assert_allclose(np.asarray(gradient), x.grad.numpy(), atol=1e-10)


def test_memory_does_not_grow_with_rows_times_rows_times_columns(kernel):
    import tracemalloc

    n, d = 300, 90
    wide = np.tile(points(n), (1, d // 3))
    if getattr(getattr(kernel, "bandwidth", None), "shape", ()):
        pytest.skip("a bandwidth for three columns")
    tracemalloc.start()
    kernel(wide, wide[::-1])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n * 8  # eight (n, n) arrays; (n, n, d) would be ninety
