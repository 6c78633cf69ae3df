"""Split: gradients of every objective, what is learnt, and that no row is used twice."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, check_grad

from samelaw import Gaussian, PowerSeries, Split, VonNeumann, rjsd
from samelaw import two_sample_test as decide
from samelaw.kernels.grids import Pool
from samelaw.testing import MaximizePower, MaximizeRJSD, split

OBJECTIVES = [
    MaximizeRJSD(PowerSeries(1)),
    MaximizeRJSD(PowerSeries(10)),
    MaximizeRJSD(PowerSeries(4), permutations=0),
    MaximizeRJSD(VonNeumann(), permutations=2),
    MaximizePower(),
]
objectives = pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
sizes_of = pytest.mark.parametrize("sizes", [(7, 7), (5, 9)], ids=str)


def samples(n=7, m=9, width=3, seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((n, width)), rng.standard_normal((m, width))
    y[:, 0] *= 2.5
    return x, y


@objectives
@sizes_of
@pytest.mark.parametrize("dimensions", [0, 1, 2])
def test_gradients_are_those_of_finite_differences(objective, sizes, dimensions):
    points = np.concatenate(samples(*sizes))
    width = points.shape[1]

    def value(theta):
        factor = split._factor(theta, width, dimensions)
        return split._value(points @ factor, sizes, objective)[0]

    def slope(theta):
        factor = split._factor(theta, width, dimensions)
        by_point = 2.0 * points.T @ split._value(points @ factor, sizes, objective)[1]
        return split._pull_back(by_point, factor, dimensions)

    start = split._start(width, dimensions)
    theta = start + 0.1 * np.random.default_rng(1).standard_normal(start.shape)
    numeric = approx_fprime(theta, value, 1e-6)
    assert np.abs(numeric).max() > 1e-4
    np.testing.assert_allclose(slope(theta), numeric, atol=2e-4 * np.abs(numeric).max())
    assert check_grad(value, slope, theta) < 1e-3 * np.abs(numeric).max()


@pytest.mark.parametrize("order", [1, 4])
def test_the_plain_objective_is_rjsd(order):
    x, y = samples()
    pool = np.concatenate([x, y])
    entropy = PowerSeries(order)
    value, _ = MaximizeRJSD(entropy, permutations=0)(Gaussian(1.3)(pool, pool), (7, 9))
    assert value == pytest.approx(float(rjsd(x, y, kernel=Gaussian(1.3), entropy=entropy)))


def test_the_power_criterion_is_mmd_over_its_deviation():
    x, y = samples(8, 8)
    pool = np.concatenate([x, y])
    gram = Gaussian(1.0)(pool, pool)
    h = gram[:8, :8] + gram[8:, 8:] - gram[:8, 8:] - gram[:8, 8:].T
    mean = (h.sum() - np.trace(h)) / 56
    variance = 4 * (np.mean(h.mean(axis=1) ** 2) - h.mean() ** 2)
    value, _ = MaximizePower(ridge=1e-8)(gram, (8, 8))
    assert value == pytest.approx(mean / np.sqrt(variance + 1e-8))


@pytest.mark.parametrize("make", [Split, Split.mmd])
def test_learning_improves_the_objective(make):
    x, y = samples(40, 40)
    for dimensions in (0, 1, 2):
        strategy = make(dimensions=dimensions)
        objective = strategy.objective or MaximizeRJSD(PowerSeries(strategy.entropy))
        factor = strategy.learn(x, y)
        pool = Pool(np.concatenate([x, y]))
        width = float(np.median(pool.flat("sqeuclidean")))
        before, _ = split._value(pool.points / width, (40, 40), objective)
        after, _ = split._value(pool.points @ factor, (40, 40), objective)
        assert after > before


def test_the_feature_that_changed_gets_the_shortest_bandwidth():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 120, 4))
    y[:, 2] *= 3
    inverse = np.diagonal(Split(dimensions=1).learn(x, y))
    assert np.argmax(inverse) == 2
    assert inverse[2] > 2 * np.delete(inverse, 2).max()


def test_a_full_matrix_finds_a_rotated_direction():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 150, 2))
    direction = np.array([0.6, 0.8])
    y = y + np.outer(y @ direction, direction) * 2
    factor = Split(dimensions=2).learn(x, y)
    _, _, right = np.linalg.svd(factor.T)
    assert abs(right[0] @ direction) > 0.9


def test_learning_and_testing_rows_are_disjoint():
    """Two marks: a learning row that moves must not change the held-out pool."""
    seen = []

    class Watch(Split):
        def learn(self, x, y):
            seen.append((x, y))
            return np.eye(1)

    x, y = np.arange(20.0)[:, None], 100 + np.arange(31.0)[:, None]
    result = decide(x, y, strategy=Watch(), permutations=19, rng=0)
    learnt = [set(part.ravel()) for part in seen[0]]
    assert len(learnt[0]) == 10
    assert len(learnt[1]) == 15
    assert learnt[0] < set(x.ravel())
    assert learnt[1] < set(y.ravel())
    assert "learnt on 10 v 15 rows" in result.method
    rest = [sorted(set(z.ravel()) - used) for z, used in zip((x, y), learnt, strict=True)]
    expected = rjsd(*rest, kernel=Gaussian(1.0), entropy=PowerSeries(1))
    single = decide(x, y, strategy=Watch(entropy=1), permutations=19, rng=0)
    assert single.statistic == pytest.approx(float(expected))


def test_the_inverse_bandwidth_is_in_the_result():
    x, y = samples(30, 30)
    result = decide(x, y, strategy=Split(dimensions=1), permutations=19, rng=0)
    stored = np.array(result.settings["inverse_bandwidth"])
    assert stored.shape == (3, 3)
    assert np.all(np.diagonal(stored) > 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 1.0}, "share must lie strictly between 0 and 1"),
        ({"dimensions": 3}, "dimensions must be 0, 1 or 2"),
        ({"entropy": 0}, "order must be a whole number"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Split(**options)


def test_too_few_rows_are_refused():
    x, y = samples(30, 30)
    with pytest.raises(ValueError, match="at least four rows in each of x and y, got 3 and 30"):
        decide(x[:3], y, strategy=Split())
    with pytest.raises(ValueError, match=r"2 v 2 rows are left.*Lower share="):
        decide(x[:4], y[:4], strategy=Split())
    with pytest.raises(TypeError, match="no groups, weights or layers"):
        decide(x, y, strategy=Split(), groups=np.arange(60) // 2)


def test_published_is_the_plain_divergence_over_a_full_matrix():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)) * [1, 3]
    published = Split.published()
    assert published.objective == MaximizeRJSD(PowerSeries(10), permutations=0)
    found = decide(x, y, strategy=published, permutations=99, rng=0)
    assert np.shape(found.settings["inverse_bandwidth"]) == (2, 2)
    assert found.reject


@pytest.mark.parametrize("objective", [MaximizeRJSD(), MaximizePower()], ids=["rjsd", "mmd"])
@pytest.mark.parametrize("dimensions", [0, 1, 2])
@pytest.mark.parametrize(("far", "near"), [(1e150, 1.0), (1.0, 1e-300)])
def test_samples_of_very_different_scales_differ(objective, dimensions, far, near):
    """Slopes of rows far out were infinite, and the bandwidth NaN."""
    rng = np.random.default_rng(0)
    x, y = far * rng.integers(0, 3, (30, 2)), near * rng.standard_normal((30, 2))
    strategy = Split(dimensions=dimensions, objective=objective, iterations=5)
    assert decide(x, y, strategy=strategy, permutations=39, rng=0).reject
