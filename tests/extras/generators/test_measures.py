"""Measures of generated features: closed forms, torchmetrics, and errors that are those seen."""

import math

import numpy as np
import pytest

from optional import need
from samelaw import Gaussian
from samelaw.extras.generators.measures import (
    frechet_distance,
    kernel_inception_distance,
    neighbour_scores,
    vendi_score,
)
from samelaw.kernels import Categorical

RNG = np.random.default_rng(0)
MIX = RNG.normal(size=(4, 4)) / 2


def real(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 4))


def generated(n, seed=0):
    return np.random.default_rng(seed + 10_000).normal(size=(n, 4)) @ MIX + 0.5


def exact_frechet():
    """Of N(0, 1) and N(½, MᵀM): the singular values of M are the roots of the covariance."""
    return 4 * 0.25 + np.sum((1 - np.linalg.svd(MIX)[1]) ** 2)


def test_frechet_is_that_of_the_gaussians():
    found = frechet_distance(real(40_000), generated(40_000))
    assert found.value == pytest.approx(exact_frechet(), abs=4 * found.standard_error)
    assert found.standard_error < 0.02
    x = real(50)
    assert frechet_distance(x, x).value == pytest.approx(0.0, abs=1e-10)
    assert frechet_distance(x, x[:, ::-1] * 3.0).value == pytest.approx(
        frechet_distance(x[:, ::-1] * 3.0, x).value, rel=1e-9
    )


def test_frechet_of_fewer_rows_than_features():
    x = np.random.default_rng(0).normal(size=(10, 30))
    found = frechet_distance(x, x[:8] + 1.0)
    assert 25 < found.value < 60
    assert math.isfinite(found.standard_error)


def polynomial(x, y):
    return (x @ y.T / 4 + 1) ** 3


def test_kid_is_the_plain_formula():
    x, y = real(20), generated(15)
    xx, yy, xy = polynomial(x, x), polynomial(y, y), polynomial(x, y)
    expected = (xx.sum() - np.trace(xx)) / 380 + (yy.sum() - np.trace(yy)) / 210 - 2 * xy.mean()
    assert kernel_inception_distance(x, y).value == pytest.approx(expected, rel=1e-10)


def test_kid_error_is_the_jackknife():
    x, y = real(12), generated(9)
    without = [
        [kernel_inception_distance(np.delete(x, i, 0), y).value for i in range(12)],
        [kernel_inception_distance(x, np.delete(y, j, 0)).value for j in range(9)],
    ]
    variance = sum((len(w) - 1) * np.var(w) for w in without)
    found = kernel_inception_distance(x, y).standard_error
    assert found == pytest.approx(math.sqrt(variance), rel=1e-9)


MEASURES = {
    "Fréchet": lambda s: frechet_distance(real(400, s), generated(300, s)),
    "KID": lambda s: kernel_inception_distance(real(200, s), generated(150, s)),
    "Vendi": lambda s: vendi_score(generated(80, s), kernel=Gaussian(1.0)),
    "Vendi 2": lambda s: vendi_score(generated(80, s), kernel=Gaussian(1.0), order=2),
    "Vendi 0.5": lambda s: vendi_score(generated(80, s), kernel=Gaussian(2.0), order=0.5),
    "Vendi inf": lambda s: vendi_score(generated(80, s), kernel=Gaussian(1.0), order=math.inf),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MEASURES)
def test_standard_errors_are_those_of_repetitions(name):
    found = [MEASURES[name](seed) for seed in range(150)]
    spread = np.std([score.value for score in found])
    assert np.mean([score.standard_error for score in found]) == pytest.approx(spread, rel=0.25)


@pytest.mark.parametrize("order", [0.3, 1, 2, 7, math.inf])
def test_vendi_of_even_groups_counts_them(order):
    groups = np.repeat(np.arange(6.0), 10)[:, None]
    found = vendi_score(groups, kernel=Categorical(), order=order)
    assert found.value == pytest.approx(6.0, rel=1e-4 if order < 1 else 1e-9)  # rounding, to λ^.3
    assert found.standard_error < 1e-3 or math.isinf(order)


def test_vendi_orders_weigh_rare_groups_differently():
    uneven = np.r_[np.zeros(90), np.arange(1.0, 11.0)][:, None]
    scores = [
        vendi_score(uneven, kernel=Categorical(), order=q).value for q in (0.5, 1, 2, math.inf)
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == pytest.approx(1 / 0.9)


def balls_by_hand(x, y, k):
    def apart(a, b):
        return np.linalg.norm(a[:, None] - b[None], axis=2)

    radius = [np.sort(apart(z, z), axis=1)[:, k] for z in (x, y)]
    held = apart(x, y) <= radius[0][:, None]
    recalled = apart(x, y) <= radius[1][None, :]
    return held.any(0).mean(), recalled.any(1).mean(), held.sum(0).mean() / k, held.any(1).mean()


def test_neighbours_are_those_counted_by_hand(monkeypatch):
    monkeypatch.setattr("samelaw.extras.generators.measures._TILE", 13)
    x, y = real(60), generated(50)
    found = neighbour_scores(x, y, neighbours=3)
    assert list(found.scores) == ["precision", "recall", "density", "coverage"]
    assert [s.value for s in found.scores.values()] == pytest.approx(
        list(balls_by_hand(x, y, 3)), abs=1e-12
    )


def test_density_and_coverage_of_equal_laws():
    n, m, k = 60, 40, 4
    found = [neighbour_scores(real(n, s), real(m, s + 999), neighbours=k) for s in range(200)]
    outside = math.prod((n - 1 - i) / (n + m - 1 - i) for i in range(k))
    for name, expected in (("density", 1.0), ("coverage", 1 - outside)):
        values = [one[name].value for one in found]
        assert abs(np.mean(values) - expected) < 4 * np.std(values) / math.sqrt(200)


def test_torchmetrics_agrees():
    torch = need("torch")
    fid = need("torchmetrics.image.fid")
    kid = need("torchmetrics.image.kid")
    x, y = real(300), generated(200)
    moments = [
        part for z in (x, y) for part in (torch.tensor(z.mean(0)), torch.tensor(np.cov(z.T)))
    ]
    theirs = fid._compute_fid(moments[0], moments[1], moments[2], moments[3])
    assert frechet_distance(x, y).value == pytest.approx(float(theirs), rel=1e-8)
    ours = kernel_inception_distance(x[:200], y)
    assert ours.value == pytest.approx(
        float(kid.poly_mmd(torch.tensor(x[:200]), torch.tensor(y))), rel=1e-8
    )


def test_bad_features_are_named():
    with pytest.raises(ValueError, match="generated has 2 row"):
        kernel_inception_distance(real(5), real(2))
    with pytest.raises(ValueError, match="real has 5 row"):
        neighbour_scores(real(5), real(50))
    with pytest.raises(ValueError, match="columns"):
        frechet_distance(real(5), real(5)[:, :2])
