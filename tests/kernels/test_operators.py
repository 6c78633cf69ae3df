import math
from dataclasses import dataclass

import numpy as np
import pytest

from samelaw import (
    FourierEstimator,
    Gaussian,
    GramEstimator,
    PowerSeries,
    Renyi,
    VonNeumann,
    pairwise_divergence,
    rjsd,
)
from samelaw.core.arrays import namespace
from samelaw.kernels import Covariance, Tsallis
from samelaw.kernels.grams import spans
from samelaw.kernels.operators import (
    density_divergence,
    feature_density,
    gram_density,
    gram_divergence,
    jensen_difference,
    mixture,
    mixture_weights,
    pooled_weights,
    within_bounds,
)


def features(n, size=4, seed=0):
    phi = np.random.default_rng(seed).standard_normal((n, size))
    return phi / np.linalg.norm(phi, axis=1, keepdims=True)


@pytest.mark.parametrize("n", [2, 4, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_both_sides_have_the_same_spectrum(n, weighted, to_xp, to_numpy):
    phi = features(n)
    weights = np.random.default_rng(1).dirichlet(np.ones(n)) if weighted else None
    own = None if weights is None else to_xp(weights)
    gram = to_numpy(gram_density(to_xp(phi @ phi.T), own))
    small = to_numpy(feature_density(to_xp(phi), own))
    assert small.shape == (min(n, 4),) * 2
    size = min(n, 4)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(gram)[-size:], np.linalg.eigvalsh(small)[-size:], atol=1e-14
    )
    assert np.trace(small) == pytest.approx(1.0)


def test_covariance_with_weights_is_that_of_repeated_rows(to_xp, to_numpy):
    phi = features(3)
    weights = np.array([2.0, 1.0, 3.0])
    repeated = np.repeat(phi, [2, 1, 3], axis=0)
    weighted = Covariance.of(to_xp(phi), to_xp(weights))
    np.testing.assert_allclose(
        to_numpy(weighted.density), to_numpy(Covariance.of(to_xp(repeated)).density), atol=1e-14
    )
    assert float(weighted.weight) == 6.0


def test_mixture_weighs_densities():
    first, second = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    np.testing.assert_allclose(mixture([first, second], [0.3, 0.7]), np.diag([0.3, 0.7]))


SHARES = (0.3, 0.7)


def blocks_of(phi, sizes=(3, 6)):
    gram = phi @ phi.T
    return gram, [gram[span, span] for span in spans(sizes)]


@pytest.mark.parametrize("entropy", [VonNeumann(), PowerSeries(1), PowerSeries(10)], ids=repr)
def test_divergence_is_one_number_from_grams_from_densities_and_from_spectra(entropy, to_xp):
    phi = features(9)
    sides = [phi[:3], phi[3:]]
    densities = [side.T @ side / len(side) for side in sides]
    spectra = [np.linalg.eigvalsh(d) for d in (mixture(densities, SHARES), *densities)]
    mixed, *inner = (float(entropy(values)) for values in spectra)
    expected = mixed - 0.3 * inner[0] - 0.7 * inner[1]
    assert jensen_difference(mixed, inner, SHARES) == pytest.approx(expected, abs=1e-15)
    gram, blocks = blocks_of(to_xp(phi))
    assert float(gram_divergence(gram, blocks, entropy, SHARES)) == pytest.approx(
        expected, abs=1e-7
    )
    own = [to_xp(d) for d in densities]
    assert float(density_divergence(own, entropy, SHARES)) == pytest.approx(expected, abs=1e-7)


def test_weights_of_rows_in_the_mixture(to_xp, to_numpy):
    reference = to_xp(np.zeros((5, 5)))
    weights = mixture_weights((0.4, 0.6), (2, 3), reference)
    np.testing.assert_allclose(to_numpy(weights), [0.2] * 5)
    assert pooled_weights((0.4, 0.6), (2, 3), reference) is None  # all equal
    given = to_xp(np.array([0.9, 0.1]))
    weights = pooled_weights((0.5, 0.5), (2, 3), reference, (given, None))
    np.testing.assert_allclose(to_numpy(weights), [0.45, 0.05, 1 / 6, 1 / 6, 1 / 6])


ENTROPIES = [
    VonNeumann(),
    *map(PowerSeries, (1, 3, 10)),
    *map(Renyi, (0.3, 0.5, 1, 1 + 1e-7, 2, 3.5, math.inf)),
    *map(Tsallis, (0.5, 1, 1.5, 2, 3)),
]


def test_rounding_does_not_leave_the_bounds(to_xp, to_numpy):
    values = to_xp(np.array([-1e-7, 0.2, 0.8]))
    for entropy in (VonNeumann(), PowerSeries(3), Renyi(2), Tsallis(1.5)):
        held = to_numpy(within_bounds(values, entropy, (0.5, 0.5)))
        np.testing.assert_allclose(held, [0.0, 0.2, entropy.bound((0.5, 0.5))], rtol=1e-6)
        assert 0.2 < entropy.bound((0.5, 0.5)) < 0.8
    free = to_numpy(within_bounds(values, Tsallis(0.5), (0.5, 0.5)))  # no bound above
    np.testing.assert_allclose(free, [0.0, 0.2, 0.8], rtol=1e-6)


def raw_gap(densities, entropy, shares):
    """The divergence before anything is put back within bounds."""
    spectra = [np.linalg.eigvalsh(d).clip(0.0) for d in (mixture(densities, shares), *densities)]
    mixed, *inner = (entropy(spectrum) for spectrum in spectra)
    return float(mixed - entropy.mean(inner, shares))


def operators_of(rng, size):
    """Two unit-trace operators, from nearly pure to nearly even, with common directions or not."""
    rows = [
        rng.normal(size=(40, size)) * rng.uniform(0.01, 1, size) ** rng.integers(8) for _ in "xy"
    ]
    if rng.random() < 0.3:
        rows[0][:, : size // 2] = 0.0
        rows[1][:, size // 2 :] = 0.0
    return [r.T @ r / np.sum(r * r) for r in rows]


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_every_entropy_gives_a_divergence_within_its_bound(entropy):
    """S(½A + ½B) − ½S(A) − ½S(B) was −.93 for Renyi(2), and 1.8 for Renyi(.5), above log 2."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        share = rng.uniform(0.02, 0.98)
        shares = (share, 1.0 - share)
        pair = operators_of(rng, int(rng.integers(2, 12)))
        assert -1e-12 < raw_gap(pair, entropy, shares) < entropy.bound(shares) + 1e-12
        # with alpha = inf only the largest eigenvalues are seen
        assert math.isinf(getattr(entropy, "alpha", 1)) or raw_gap(pair, entropy, shares) > 1e-9
        assert raw_gap(pair[:1] * 2, entropy, shares) == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_bounds_are_attained(entropy):
    """By two pure states; Rényi's with unequal shares where the larger one is spread out."""
    first, second = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    if entropy.bound() == math.inf:
        wide = [np.kron(d, np.eye(700) / 700) for d in (first, second)]
        assert raw_gap(wide, entropy, (0.5, 0.5)) > 20.0
        return
    assert raw_gap([first, second], entropy, (0.5, 0.5)) == pytest.approx(entropy.bound(), rel=1e-6)
    if isinstance(entropy, Renyi) and entropy.alpha > 1.5:
        pure, wide = np.zeros(5001), np.r_[0.0, np.full(5000, 1 / 5000)]  # eigenvalues
        pure[0] = 1.0
        mixed, *inner = (entropy(d) for d in (0.2 * pure + 0.8 * wide, pure, wide))
        found = float(mixed - entropy.mean(inner, (0.2, 0.8)))
        assert found == pytest.approx(entropy.bound((0.2, 0.8)), rel=2e-3)


@pytest.mark.parametrize("alpha", [0.3, 0.9999, 1.0001, 2, 7, math.inf])
def test_mean_of_renyi_entropies_is_inside_the_logarithm(alpha, to_xp, to_numpy):
    traces = np.array([[0.9, 0.5], [0.3, 0.5]])
    entropy = Renyi(alpha)
    if math.isinf(alpha):
        inside, own = -np.log(traces.max(axis=0)), -np.log(traces)
    else:
        inside = np.log(traces.T @ [0.3, 0.7]) / (1 - alpha)
        own = np.log(traces) / (1 - alpha)
    found = to_numpy(entropy.mean([to_xp(row) for row in own], (0.3, 0.7)))
    np.testing.assert_allclose(found, inside, rtol=1e-5)


@dataclass(frozen=True)
class Logarithm(Tsallis):
    """An entropy with a link, of a user who did not think of the mean."""

    def link(self, total):
        return namespace(total).log(total)


def test_an_entropy_without_a_divergence_is_refused_everywhere():
    x = np.random.default_rng(0).normal(size=(20, 2))
    for make in (GramEstimator, FourierEstimator):
        with pytest.raises(TypeError, match=r"no mean\(\)"):
            make(entropy=Logarithm(1.5))(x, x + 1)


def test_unequal_disjoint_samples_stay_between_nought_and_log_2():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(100, 2)), 100 + 0.05 * rng.normal(size=(100, 2))
    for alpha in (0.5, 2, 5, math.inf):
        found = float(rjsd(x, y, kernel=Gaussian(0.3), entropy=Renyi(alpha)))
        expected = -math.log(0.5) if alpha < math.inf else 0.693  # at inf the larger norm counts
        assert found == pytest.approx(expected, abs=1e-6 if alpha < math.inf else 1e-3)


def test_no_estimate_documented_to_be_at_least_zero_is_below_it():
    """In single precision 21 of 200 such values were: rounding decided the sign."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.normal(size=(60, 3)).astype(np.float32)
        assert rjsd(x, x.copy(), entropy=5, kernel=Gaussian(1.0)) >= 0
        assert rjsd(x, x[::-1].copy()) >= 0
        assert GramEstimator(entropy=1)(x, x) >= 0
        assert FourierEstimator(frequencies=16)(x, x) >= 0
        assert pairwise_divergence([x, x]).min() >= 0
        assert rjsd(x[:30], x[30:]) > 0
