"""Gram matrices in pieces and whole, and means that never hold one."""

import numpy as np
import pytest

from samelaw import Gaussian, Laplace, PowerSeries, entropy, mmd, rjsd
from samelaw.kernels import Categorical, grams


def points(n, d=2, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


@pytest.mark.parametrize("n", [1, 31, 600, 1100])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplace(1.0)], ids=["Gaussian", "Laplace"])
def test_gram_in_pieces_is_the_whole_one_exactly_symmetric(n, kernel):
    x = points(n)
    gram = grams.gram(kernel, x)
    np.testing.assert_allclose(gram, kernel(x, x), atol=1e-12)
    np.testing.assert_array_equal(gram, gram.T)
    np.testing.assert_array_equal(np.diagonal(gram), 1.0)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("n", "m"), [(3, 5), (700, 20), (600, 1100)])
def test_kernel_mean_is_the_weighted_mean_of_the_matrix(n, m, squared):
    x, y = points(n), points(m, seed=1)
    rng = np.random.default_rng(2)
    a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    whole = Gaussian(1.0)(x, y) ** (2 if squared else 1)
    value = grams.kernel_mean(Gaussian(1.0), x, y, (a, b), squared=squared)
    assert value == pytest.approx(a @ whole @ b, abs=1e-13)
    plain = grams.kernel_mean(Gaussian(1.0), x, y, squared=squared)
    assert plain == pytest.approx(whole.mean(), abs=1e-13)


@pytest.mark.parametrize("n", [5, 1100])
def test_kernel_mean_within_one_sample_with_two_weightings(n):
    """The same object twice: only half of the pairs may be looked at, unless weights differ."""
    x = points(n)
    rng = np.random.default_rng(2)
    a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.full(n, 0.1))
    whole = Gaussian(0.3)(x, x)
    for pair in ((a, a), (a, b), (a, None)):
        left, right = (np.full(n, 1 / n) if w is None else w for w in pair)
        value = grams.kernel_mean(Gaussian(0.3), x, x, pair)
        assert value == pytest.approx(left @ whole @ right, abs=1e-13)


def test_first_order_divergence_of_one_sample_under_two_weightings():
    x = points(600)
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(600)), rng.dirichlet(np.full(600, 0.1))
    same, copy = (
        rjsd(x, y, kernel=Gaussian(0.3), entropy=PowerSeries(1), sample_weights=weights)
        for y in (x, x.copy())
    )
    assert same == pytest.approx(float(copy), abs=1e-13)


def test_quadratic_entropies_never_hold_a_gram_matrix():
    import tracemalloc

    x, y = points(3000, d=1), points(3000, d=1, seed=1)
    tracemalloc.start()
    rjsd(x, y, kernel=Categorical(), entropy=PowerSeries(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6000**2 * 8 / 10


def five_times(x, y):
    return 5.0 * Gaussian(1.0)(x, y)


def inner(x, y):
    return x @ y.T


@pytest.mark.parametrize("rows", [10, 700])  # in one piece and in several
def test_a_function_that_is_no_kernel_of_unit_diagonal_is_refused(rows, to_xp):
    pool = to_xp(np.random.default_rng(0).normal(size=(rows, 2)))
    with pytest.raises(ValueError, match=r"κ\(x, x\) = 1, and .*five_times.* has 5 for some row"):
        grams.gram(five_times, pool)
    for divergence in (
        lambda: rjsd(pool, pool + 1.0, kernel=five_times),
        lambda: rjsd(pool, pool + 1.0, kernel=five_times, entropy=1),
        lambda: entropy(pool, kernel=inner),
        lambda: mmd(pool, pool + 1.0, kernel=inner, unbiased=True),
    ):
        with pytest.raises(ValueError, match=r"κ\(x, x\) = 1, and .* divide it by √"):
            divergence()


def test_mmd_takes_the_inner_product(to_xp):
    """‖μ_X − μ_Y‖² holds for every kernel; only without the pairs (i, i) must κ(x,x) be 1."""
    x = points(30)
    found = mmd(to_xp(x), to_xp(x + 2.0), kernel=inner)
    assert float(found) == pytest.approx(8.0)


def test_a_kernel_times_a_number_is_refused():
    with pytest.raises(TypeError, match="unsupported operand"):
        Gaussian(1.0) * 3
