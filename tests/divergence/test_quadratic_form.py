"""The second-order form against RJSD itself, permutation by permutation."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from samelaw import Gaussian, GramEstimator, Laplace, LogDet, PowerSeries, Renyi, VonNeumann
from samelaw.divergence import quadratic_form as form_module
from samelaw.divergence.gram import GramState
from samelaw.divergence.quadratic_form import PooledGram, quadratic_form
from samelaw.kernels import Tsallis
from samelaw.kernels.grids import KernelCollection, Pool
from samelaw.testing.component_groups import KernelGroup
from samelaw.testing.fuse import DEFAULT


def gaussian(width):
    return lambda rng, n: rng.standard_normal((n, width))


def digits(rng, n):
    folder = os.environ.get("SAMELAW_DATA")
    if folder:
        for path in sorted(Path(folder).rglob("usps.npz")):
            with np.load(path) as stored:
                images = next(stored[name] for name in stored.files if stored[name].ndim > 1)
            rows = images.reshape(len(images), -1).astype(float)
            return rows[rng.choice(len(rows), n, replace=False)]
    datasets = pytest.importorskip("sklearn.datasets", reason="needs digits: SAMELAW_DATA, sklearn")
    rows = datasets.load_digits().data
    return rows[rng.choice(len(rows), n, replace=False)]


SOURCES = {"2-D": gaussian(2), "20-D": gaussian(20), "digits": digits}
sources = pytest.mark.parametrize(
    "source", ["2-D", pytest.param("20-D", marks=pytest.mark.heavy), "digits"]
)


def start_of(size):
    return np.random.default_rng(7).standard_normal((size, form_module.SUBSPACE))


def splits_of(n, m, count=40):
    return np.random.default_rng(3).permuted(np.tile(np.arange(n + m) < n, (count, 1)), axis=1)


def second(gram, entropy, splits, **options):
    """π(1−π) vᵀQv for every split."""
    n, total = splits[0].sum(), splits.shape[1]
    form = quadratic_form(PooledGram(gram, start_of(len(gram))), entropy, **options)
    signs = np.where(splits, 1 / n, -1 / (total - n))
    return n * (total - n) / total**2 * np.einsum("bi,ij,bj->b", signs, form, signs)


def exact(gram, entropy, splits):
    return GramEstimator(entropy=entropy).evaluate(GramState(gram, entropy), splits)


def pool_of(source, n, m, shift=0.5):
    rows = SOURCES[source](np.random.default_rng(0), n + m)
    rows[:n] += shift * rows.std()
    return Pool(rows)


def grams(pool, places=(1, 4, 8)):
    """Gram matrices of fine, middle and coarse kernels of both families."""
    kernels = KernelCollection()(pool)
    return [pool.gram(k).astype(float) for i, k in enumerate(kernels) if i % 10 in places]


@pytest.mark.parametrize("sizes", [(30, 30), (10, 50), (3, 57)])
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplace(2.0)], ids=repr)
def test_order_one_is_exact(kernel, sizes):
    gram = pool_of("2-D", *sizes).gram(kernel)
    splits = splits_of(*sizes)
    for entropy in (PowerSeries(1), Tsallis(2)):
        np.testing.assert_allclose(
            second(gram, entropy, splits), exact(gram, entropy, splits), atol=1e-12
        )


@sources
@pytest.mark.parametrize("order", [2, pytest.param(4, marks=pytest.mark.long), 10])
def test_relabellings_are_ranked_as_by_the_exact_statistic(source, order):
    for gram in grams(pool_of(source, 100, 100)):
        splits = splits_of(100, 100)
        first, other = (f(gram, PowerSeries(order), splits) for f in (second, exact))
        assert np.corrcoef(first, other)[0, 1] > 0.999
        assert np.abs(first - other).max() < 0.3 * other.std()


@sources
@pytest.mark.parametrize("entropy", [VonNeumann(), Renyi(2), Renyi(3)], ids=repr)
def test_other_entropies_are_followed_closely(source, entropy):
    for gram in grams(pool_of(source, 100, 100), places=(4, 8)):
        splits = splits_of(100, 100)
        first, other = second(gram, entropy, splits), exact(gram, entropy, splits)
        assert np.corrcoef(first, other)[0, 1] > 0.99


@sources
@pytest.mark.parametrize(
    ("order", "error"),
    [
        (3, 1e-2),
        *(
            pytest.param(*c, marks=pytest.mark.heavy)
            for c in ((2, 1e-6), (4, 1e-2), (10, 0.15), (20, 0.7))
        ),
    ],
)
def test_the_subspace_stands_for_the_higher_powers(source, order, error, monkeypatch):
    """Up to a constant, which standardising takes out."""
    splits = splits_of(110, 100)
    for gram in grams(pool_of(source, 110, 100)):
        largest = np.linalg.eigvalsh(gram)[-1] / len(gram)
        for scale in (1.0, 1.0 / largest):  # as it is, and as `Fuse` takes it
            quick = second(gram, PowerSeries(order), splits, scale=scale)
            monkeypatch.setattr(form_module, "_DIRECT_ROWS", 10_000)
            plain = second(gram, PowerSeries(order), splits, scale=scale)
            monkeypatch.undo()
            assert np.abs(quick - plain - np.mean(quick - plain)).max() < error * plain.std()
            assert np.corrcoef(quick, plain)[0, 1] > (0.999 if order <= 10 else 0.98)


@pytest.mark.parametrize(
    "width", [5, *(pytest.param(width, marks=pytest.mark.heavy) for width in (1, 50))]
)
def test_order_thirty_is_followed_closely_at_the_kernels_of_the_default(width, monkeypatch):
    pool = Pool(np.random.default_rng(width).standard_normal((300, width)))
    splits = splits_of(170, 130)
    wide = DEFAULT[0]
    assert isinstance(wide, KernelGroup)
    for kernel in wide.kernels_for(pool):
        gram = pool.gram(kernel)
        scale = len(gram) / float(np.linalg.eigvalsh(gram)[-1])
        quick = second(gram, PowerSeries(30), splits, scale=scale)
        monkeypatch.setattr(form_module, "_DIRECT_ROWS", 10_000)
        plain = second(gram.astype(float), PowerSeries(30), splits, scale=scale)
        monkeypatch.undo()
        assert (quick - plain).std() < 0.1 * plain.std()


@pytest.mark.parametrize(
    "entropy",
    [
        PowerSeries(1),
        PowerSeries(4),
        PowerSeries(10),
        VonNeumann(),
        Renyi(2),
        Renyi(1),
        Tsallis(3),
        LogDet(0.01),
    ],
    ids=repr,
)
@pytest.mark.parametrize("size", [40, 220])
def test_scale_is_a_factor_of_the_kernel(entropy, size):
    gram = pool_of("2-D", size // 2, size // 2).gram(Gaussian(1.0)).astype(float)
    scaled = quadratic_form(PooledGram(gram, start_of(size)), entropy, scale=1.7)
    direct = quadratic_form(PooledGram(1.7 * gram, start_of(size)), entropy)
    np.testing.assert_allclose(scaled, direct, rtol=1e-5, atol=1e-6 * np.abs(direct).max())


def test_high_orders_approach_von_neumann():
    gram = pool_of("2-D", 30, 30).gram(Gaussian(1.5))
    splits = splits_of(30, 30)
    target = second(gram, VonNeumann(), splits)
    gaps = [np.corrcoef(second(gram, PowerSeries(p), splits), target)[0, 1] for p in (1, 4, 20)]
    assert gaps == sorted(gaps)
    assert gaps[-1] > 0.95


@pytest.mark.parametrize("size", [60, 220, 600])
@pytest.mark.parametrize("order", [1, 4, 10, 20])
def test_rows_that_all_look_alike_give_a_constant_form(size, order):
    for dtype in (np.float32, np.float64):
        gram = np.ones((size, size), dtype=dtype)
        form = quadratic_form(PooledGram(gram, start_of(size)), PowerSeries(order))
        assert np.ptp(form) == 0.0


@pytest.mark.parametrize("entropy", [Renyi(0.5), Renyi(np.inf), Tsallis(1.5)], ids=repr)
def test_an_entropy_without_the_form_is_refused(entropy):
    with pytest.raises(TypeError, match=r"no second-order form; use statistic=Exact\(\)"):
        quadratic_form(PooledGram(np.eye(5), start_of(5)), entropy)


@dataclass(frozen=True)
class Own(Tsallis):
    """An entropy of a user's that calls its parameter as the power series does."""

    order: int = 7


@pytest.mark.parametrize("size", [60, 220])  # by the spectrum, and strip by strip
def test_a_parameter_called_order_makes_no_power_series(size):
    gram = pool_of("2-D", size // 2, size // 2).gram(Gaussian(1.0))
    forms = [
        quadratic_form(PooledGram(gram, start_of(size)), entropy)
        for entropy in (Own(3.0), Tsallis(3.0))
    ]
    np.testing.assert_allclose(*forms)


def test_the_largest_eigenvalue_is_found_on_both_routes():
    for size in (100, 300):
        gram = pool_of("2-D", size // 2, size // 2).gram(Gaussian(1.0))
        found = PooledGram(gram, start_of(size)).largest
        assert found == pytest.approx(np.linalg.eigvalsh(gram.astype(float))[-1] / size, rel=1e-4)
