"""Estimates with their errors, from features and from Gram matrices."""

import math
from functools import partial

import numpy as np
import pytest

import samelaw
from optional import need
from samelaw import Gaussian, PowerSeries, Renyi, VonNeumann
from samelaw.divergence import contributions, estimate_from_features
from samelaw.kernels import Tsallis
from samelaw.kernels.algebra import Precomputed
from samelaw.problems.closed_forms import FiniteFeatures

ENTROPIES = [samelaw.VonNeumann(), samelaw.PowerSeries(3), samelaw.PowerSeries(10)]


@pytest.fixture
def features():
    rng = np.random.default_rng(0)
    waves = samelaw.kernels.FourierFeatures(rng.normal(size=(2, 6)))
    return waves(rng.normal(size=(60, 2))), waves(0.7 + rng.normal(size=(40, 2)))


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.3])
def test_agrees_with_the_gram_side(features, entropy, weights):
    first, second = features
    pool = np.concatenate(features)
    kernel = Precomputed(pool @ pool.T)
    x, y = np.arange(60)[:, None], np.arange(60, 100)[:, None]
    options = {"kernel": kernel, "entropy": entropy, "weights": weights}
    found = estimate_from_features(first, second, entropy=entropy, weights=weights)
    assert found.value == pytest.approx(float(samelaw.rjsd(x, y, **options)), abs=1e-12)
    # Power series of low order take another exact route there.
    assert found.corrected == pytest.approx(
        float(samelaw.rjsd(x, y, **options, corrected=True)), abs=1e-7
    )


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_error_is_that_of_the_jackknife(features, entropy):
    def leave_out(side, row):
        kept = [np.delete(f, row, axis=0) if k == side else f for k, f in enumerate(features)]
        return estimate_from_features(*kept, entropy=entropy, weights="balanced").value

    variance = 0.0
    for side, sample in enumerate(features):
        values = [leave_out(side, row) for row in range(len(sample))]
        variance += (len(sample) - 1) ** 2 * np.var(values, ddof=1) / len(sample)
    found = estimate_from_features(*features, entropy=entropy, weights="balanced")
    tolerance = 0.05 if isinstance(entropy, samelaw.VonNeumann) else 0.01
    assert found.standard_error == pytest.approx(np.sqrt(variance), rel=tolerance)


@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
@pytest.mark.parametrize("weights", ["balanced", 0.3])
def test_exact_leaves_the_rows_out_that_fill_a_direction_alone(entropy, weights):
    rng = np.random.default_rng(3)
    waves = samelaw.kernels.FourierFeatures(rng.normal(size=(2, 6)))
    close = [waves(0.02 * rng.normal(size=(n, 2)) + s) for n, s in ((30, 0.0), (20, 0.5))]
    far = waves(np.array([[2.0, -1.0], [-3.0, 1.0]]))
    features = [np.concatenate([close[0], far[:1]]), np.concatenate([close[1], far[1:]])]
    value = estimate_from_features(*features, entropy=entropy, weights=weights).value
    bias, variance = 0.0, 0.0
    for side, sample in enumerate(features):
        kept = [
            [np.delete(f, row, axis=0) if k == side else f for k, f in enumerate(features)]
            for row in range(len(sample))
        ]
        options = {"entropy": entropy, "weights": weights}
        without = [estimate_from_features(*pair, **options).value for pair in kept]
        bias += (len(sample) - 1) * (np.mean(without) - value)
        variance += (len(sample) - 1) ** 2 * np.var(without, ddof=1) / len(sample)
    quick, exact = (
        estimate_from_features(*features, entropy=entropy, weights=weights, exact=exact)
        for exact in (False, True)
    )
    assert exact.value == quick.value
    for found, wanted in (
        (exact.value - exact.corrected, bias),
        (exact.standard_error, np.sqrt(variance)),
    ):
        assert found == pytest.approx(wanted, rel=0.02)
    if isinstance(entropy, samelaw.VonNeumann):  # what the expansion gets wrong
        assert abs(quick.value - quick.corrected - bias) > 0.1 * abs(bias)


def test_correction_and_error_over_repetitions():
    laws = FiniteFeatures.random(12, 5, rng=1)
    truth = laws.rjsd()
    founds = []
    for seed in range(400):
        x, y = laws.draw(80, rng=seed)
        rows = [laws.features[sample[:, 0].astype(int)] for sample in (x, y)]
        founds.append(estimate_from_features(*rows))
    plain = np.array([r.value for r in founds])
    corrected = np.array([r.corrected for r in founds])
    errors = np.array([r.standard_error for r in founds])
    noise = corrected.std(ddof=1) / 20
    assert abs(corrected.mean() - truth) < 0.15 * abs(plain.mean() - truth) + 3 * noise
    assert errors.mean() == pytest.approx(corrected.std(ddof=1), rel=0.12)
    covered = np.mean(abs(corrected - truth) < 1.96 * errors)
    assert 0.91 < covered < 0.985


def test_reads_tensors_of_any_library(xp, features):
    first, second = (xp.asarray(f) for f in features)
    expected = estimate_from_features(*features)
    assert estimate_from_features(first, second) == expected


def test_one_row_is_not_enough(features):
    with pytest.raises(ValueError, match="first has shape"):
        estimate_from_features(features[0][:1], features[1])


# From Gram matrices

X = np.random.default_rng(0).standard_normal((8, 2))
Y = np.random.default_rng(1).standard_normal((6, 2)) + 0.7
SUMS = [VonNeumann(), PowerSeries(1), PowerSeries(10), Tsallis(1.5)]
FEATURES = samelaw.kernels.FourierFeatures(np.random.default_rng(2).standard_normal((2, 5)))


def evaluated(estimator):
    return float(estimator.evaluate(estimator.prepare(X), np.arange(8) < 3)[0])


@pytest.mark.parametrize("weights", ["proportional", "balanced"])
@pytest.mark.parametrize("entropy", SUMS, ids=repr)
def test_standard_error_is_the_infinitesimal_jackknife_and_what_it_misses(entropy, weights):
    """The derivative of RJSD in the weight of each row, by finite differences."""
    share = {"proportional": 8 / 14, "balanced": 0.5}[weights]
    options = {"kernel": Gaussian(1.0), "entropy": entropy, "weights": share}
    variance = 0.0
    for k, n in enumerate((8, 6)):
        slopes = []
        for row in range(n):
            values = []
            for step in (1e-4, -1e-4):
                rows = [np.full(8, 1 / 8), np.full(6, 1 / 6)]
                rows[k] = (1 - step) * rows[k] + step * np.eye(n)[row]
                values.append(samelaw.rjsd(X, Y, sample_weights=tuple(rows), **options))
            slopes.append((values[0] - values[1]) / 2e-4)
        variance += np.var(slopes, ddof=1) / n
    options["weights"] = weights
    plain = float(samelaw.rjsd(X, Y, **options))
    bias = plain - float(samelaw.rjsd(X, Y, **options, corrected=True))
    growth = variance / plain
    expected = math.sqrt(variance + growth * bias / 2 + growth**2 / 3)
    assert samelaw.standard_error(X, Y, **options) == pytest.approx(expected, rel=1e-4)


def test_standard_error_of_equal_samples_is_not_zero():
    """The derivative is zero there, what is not known of the laws is not."""
    options = {"kernel": Gaussian(1.0), "entropy": 10}
    bias = samelaw.rjsd(X, X, **options) - samelaw.rjsd(X, X, **options, corrected=True)
    assert samelaw.standard_error(X, X, **options) > bias > 0


def test_functions_used_together_have_the_same_defaults():
    """Value, corrected value, error and shares are of one entropy and one weighting."""
    spelled = {"entropy": VonNeumann(), "weights": "proportional"}
    assert samelaw.rjsd(X, Y) == samelaw.rjsd(X, Y, **spelled)
    corrected = samelaw.rjsd(X, Y, corrected=True)
    assert corrected == samelaw.rjsd(X, Y, corrected=True, **spelled)
    assert samelaw.standard_error(X, Y) == samelaw.standard_error(X, Y, **spelled)
    for own, same in zip(contributions(X, Y), contributions(X, Y, **spelled), strict=True):
        np.testing.assert_array_equal(own, same)


@pytest.mark.parametrize(("order", "entropy"), [(10, PowerSeries(10)), (math.inf, VonNeumann())])
def test_an_order_is_an_entropy_everywhere(order, entropy):
    together = [X[:6], Y]
    for function in (
        lambda e: samelaw.rjsd(X, Y, entropy=e),
        lambda e: samelaw.rjsd(X, Y, entropy=e, corrected=True),
        lambda e: samelaw.standard_error(X, Y, entropy=e),
        lambda e: contributions(X, Y, entropy=e)[0][0],
        lambda e: samelaw.generalized_divergence([X, Y], entropy=e),
        lambda e: samelaw.pairwise_divergence([X, Y], entropy=e)[0, 1],
        lambda e: estimate_from_features(FEATURES(X), FEATURES(Y), entropy=e).corrected,
        lambda e: samelaw.entropy(X, entropy=e),
        lambda e: samelaw.joint_entropy(*together, entropy=e),
        lambda e: samelaw.conditional_entropy(*together, entropy=e),
        lambda e: samelaw.mutual_information(*together, entropy=e),
        lambda e: samelaw.total_correlation(*together, entropy=e),
        lambda e: samelaw.GramEstimator(entropy=e)(X, Y),
        lambda e: samelaw.FourierEstimator(entropy=e, frequencies=4)(X, Y),
        lambda e: samelaw.NystromEstimator(entropy=e, landmarks=4)(X, Y),
        lambda e: evaluated(samelaw.GramEstimator(entropy=e)),
        lambda e: evaluated(samelaw.FourierEstimator(entropy=e, frequencies=4)),
    ):
        assert function(order) == function(entropy)


def test_standard_error_is_the_same_on_every_library(to_xp):
    expected = samelaw.standard_error(X, Y)
    value = samelaw.standard_error(to_xp(X), to_xp(Y))
    assert isinstance(value, float)
    assert value == pytest.approx(expected, rel=1e-6)


def test_standard_error_of_tensors_with_a_gradient_warns_of_nothing():
    torch = need("torch")
    x, y = (torch.tensor(sample, requires_grad=True) for sample in (X, Y))
    assert samelaw.standard_error(x, y) == pytest.approx(samelaw.standard_error(X, Y), rel=1e-6)


def test_standard_error_of_different_constants_is_zero():
    assert samelaw.standard_error(np.zeros(5), np.ones(4), kernel=Gaussian(1.0)) < 1e-12


def test_entropy_that_is_no_sum_has_no_standard_error():
    for function in (samelaw.standard_error, partial(samelaw.rjsd, corrected=True)):
        with pytest.raises(TypeError, match="not a sum over eigenvalues"):
            function(X, Y, entropy=Renyi(2))


def test_standard_error_needs_two_rows():
    with pytest.raises(ValueError, match="at least 2 rows in x, got 1"):
        samelaw.standard_error(X[:1], Y)
