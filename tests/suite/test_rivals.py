"""The rivals of the suite against closed forms, other code and published power."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from experiments import problems
from experiments.suite import classifiers, kernel_means, likelihood_ratio, tuning_laws
from experiments.suite.classifiers import Classifier
from experiments.suite.energy import Energy, energy_distance
from experiments.suite.methods import METHODS, ONE_COLUMN, RIVALS
from experiments.suite.ranks import AndersonDarling, KolmogorovSmirnov
from scipy.stats import binom, ks_2samp, norm

from optional import need
from samelaw import two_sample_test

QUICK = {"forest": lambda: Classifier(partial(classifiers.forest, trees=8), "forest")}


def _every(n, m):
    chosen = [np.isin(np.arange(n + m), rows) for rows in combinations(range(n + m), n)]
    return np.array(chosen)


@pytest.mark.long
@pytest.mark.parametrize("name", RIVALS)
def test_level(name):
    """40 runs on skewed columns with ties, 24 v 16 rows."""
    if name in ("logistic", "forest"):
        need("sklearn")
    make, columns = QUICK.get(name, RIVALS[name]), 1 if name in ONE_COLUMN else 2
    found = 0
    for seed in range(40):
        rng = np.random.default_rng([7, seed])
        pool = np.round(rng.exponential(size=(40, columns)), 1)
        test = two_sample_test(pool[:24], pool[24:], strategy=make(), permutations=39, rng=seed)
        found += test.reject
    assert found <= binom.isf(1e-3, 40, 0.05)


@pytest.mark.parametrize("name", METHODS)
def test_strong_change_is_found(name):
    rng = np.random.default_rng(1)
    columns = 1 if name in ONE_COLUMN else 3
    x, y = rng.normal(size=(60, columns)), 2 + 3 * rng.normal(size=(60, columns))
    test = two_sample_test(x, y, strategy=METHODS[name](), permutations=99, rng=0)
    assert test.pvalue <= 0.02


def test_energy_is_twice_the_integrated_square_in_one_column():
    """2 ∫ (F − G)² dt, exactly, for empirical distribution functions."""
    rng = np.random.default_rng(2)
    pool = rng.normal(size=30)
    first = np.arange(30) < 11
    at = np.sort(pool)
    f = np.searchsorted(np.sort(pool[first]), at, side="right") / 11
    g = np.searchsorted(np.sort(pool[~first]), at, side="right") / 19
    exact = 2 * np.sum((f - g)[:-1] ** 2 * np.diff(at))
    apart = np.abs(pool[:, None] - pool)
    assert energy_distance(apart, first[None])[0] == pytest.approx(exact)
    test = two_sample_test(pool[:11, None], pool[11:, None], strategy=Energy(), rng=0)
    assert test.statistic == pytest.approx(exact)


def test_kernel_means_have_their_moments_over_all_permutations():
    rng = np.random.default_rng(3)
    raw = rng.random((7, 7))
    gram = kernel_means.without_diagonal(raw + raw.T)
    found = kernel_means.within_means(gram, _every(3, 4))
    first = gram[:3, :3].sum() / 6, gram[3:, 3:].sum() / 12
    assert found[0] == pytest.approx(first)
    mean, covariance = kernel_means.permutation_moments(gram, 3, 4)
    np.testing.assert_allclose(found.mean(0), mean)
    np.testing.assert_allclose(np.cov(found.T, bias=True), covariance)


@pytest.mark.parametrize("sizes", [(4, 9), (9, 4), (6, 6)])
def test_likelihood_ratio_is_the_relative_entropy_of_gaussian_laws(sizes):
    """With three features the operators are matrices and everything can be written out."""
    rng, ridge = np.random.default_rng(4), 0.05
    features = rng.normal(size=(sum(sizes), 3))
    side = np.arange(sum(sizes)) < sizes[0]
    found = likelihood_ratio.relative_entropies(features @ features.T, ridge, side[None])
    moment = {}
    for name, rows in (("x", features[side]), ("y", features[~side]), ("z", features)):
        moment[name] = rows.T @ rows / len(rows) + ridge * np.eye(3), rows.mean(0)
    for name, values in zip("xy", found, strict=True):
        ratio = moment[name][0] @ np.linalg.inv(moment["z"][0])
        moved = moment[name][1] - moment["z"][1]
        shift = moved @ np.linalg.solve(moment["z"][0], moved)
        exact = 0.5 * (np.trace(ratio) - 3 - np.linalg.slogdet(ratio)[1] + shift)
        assert values[0] == pytest.approx(exact)


def test_ranks_agree_with_scipy_and_with_the_definition():
    rng = np.random.default_rng(5)
    x, y = np.round(rng.normal(size=23), 1), np.round(rng.normal(size=31), 1)
    ks = two_sample_test(x[:, None], y[:, None], strategy=KolmogorovSmirnov(), rng=0)
    assert ks.statistic == pytest.approx(ks_2samp(x, y).statistic)
    pool, total = np.concatenate([x, y]), 54
    exact = 0.0
    for value in np.unique(pool)[:-1]:
        f, g, h = ((sample <= value).mean() for sample in (x, y, pool))
        exact += 23 * 31 / total * (f - g) ** 2 / (h * (1 - h)) * np.mean(pool == value)
    ad = two_sample_test(x[:, None], y[:, None], strategy=AndersonDarling(), rng=0)
    assert ad.statistic == pytest.approx(exact)
    with pytest.raises(ValueError, match="one column"):
        two_sample_test(np.eye(9), np.eye(9), strategy=KolmogorovSmirnov())


def test_logistic_has_the_power_of_a_z_test_along_a_learnt_direction():
    """Given a direction w from 60 v 60 rows, 60 v 60 others have power Φ(√30 w·δ/‖w‖ − 1.645)."""
    need("sklearn")
    delta, rng = np.array([0.3, 0.0]), np.random.default_rng(6)
    learnt = delta + rng.normal(size=(100_000, 2)) * np.sqrt(2 / 60)
    along = learnt @ delta / np.linalg.norm(learnt, axis=1)
    power = norm.cdf(np.sqrt(30) * along - norm.ppf(0.95)).mean()
    found = 0
    for seed in range(80):
        draw = np.random.default_rng([6, seed])
        x, y = draw.normal(size=(120, 2)), draw.normal(size=(120, 2)) + delta
        strategy = RIVALS["logistic"]()
        found += two_sample_test(x, y, strategy=strategy, permutations=99, rng=seed).reject
    assert binom.ppf(1e-3, 80, power) <= found <= binom.isf(1e-3, 80, power)


def test_forest_sees_what_a_line_cannot():
    """Signs that multiply to plus: no direction tells the samples apart, two cuts do."""
    need("sklearn")
    found = {"forest": 0, "logistic": 0}
    for seed in range(8):
        rng = np.random.default_rng([8, seed])
        x, y = rng.normal(size=(2, 80, 2))
        x[:, 1] = np.abs(x[:, 1]) * np.sign(x[:, 0])
        for name in found:
            strategy = RIVALS[name]() if name == "logistic" else QUICK[name]()
            found[name] += two_sample_test(
                x, y, strategy=strategy, permutations=39, rng=seed
            ).reject
    assert found["forest"] >= 7
    assert found["logistic"] <= 4


@pytest.mark.heavy
@pytest.mark.parametrize(("name", "published"), [("MMD-FUSE", 0.51), ("MMDAgg", 0.46)])
def test_published_power_on_the_mixture(name, published):
    """Mixture, σ = .7, n = m = 500; the curves of the MMD-FUSE paper have 200 draws."""
    found = 0
    for seed in range(40):
        x, y = problems.mixture(np.random.default_rng([9, seed]), 0.7, 500, 500)
        test = two_sample_test(x, y, strategy=RIVALS[name](), permutations=199, rng=seed)
        found += test.reject
    error = np.sqrt(published * (1 - published) * (1 / 40 + 1 / 200))
    assert abs(found / 40 - published) <= 3.3 * error


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("law", "strength", "published"),
    [
        (tuning_laws.equicorrelation(500, 0.5), 0.025, 0.92),
        (tuning_laws.autoregression(500, 0.5), 0.1, 0.94),
    ],
    ids=["equicorrelation", "autoregression"],
)
def test_published_power_of_the_likelihood_ratio(law, strength, published):
    """Normal columns in 500 dimensions, n = m = 100: at least the published power."""
    found = 0
    for seed in range(20):
        rng = np.random.default_rng([10, seed])
        x, y = law(rng, 0.0, 100), law(rng, strength, 100)
        strategy = RIVALS["likelihood ratio"]()
        found += two_sample_test(x, y, strategy=strategy, permutations=99, rng=seed).reject
    assert found >= binom.ppf(1e-3, 20, published)
