"""Exact expectations: every possible sample of a small law, weighted by its probability."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

import samelaw
from samelaw import Gaussian, PowerSeries, VonNeumann, rjsd
from samelaw.divergence.bias import unbiased_divergence
from samelaw.kernels import Tsallis
from samelaw.problems.closed_forms import FiniteFeatures

TWO_ATOMS = FiniteFeatures([[1.0, 0.0], [0.6, 0.8]], [0.3, 0.7], [0.8, 0.2])
X = np.random.default_rng(0).standard_normal((13, 2))
Y = np.random.default_rng(1).standard_normal((9, 2)) + 0.5


def expectation(estimate, problem, n, m):
    """E of an estimate over all samples of n and m atoms."""
    atoms, total = range(len(problem.first)), 0.0
    for x in itertools.product(atoms, repeat=n):
        for y in itertools.product(atoms, repeat=m):
            chance = np.prod(problem.first[list(x)]) * np.prod(problem.second[list(y)])
            total += chance * estimate(np.array(x, float), np.array(y, float))
    return total


@pytest.mark.parametrize("weights", ["proportional", "balanced"])
@pytest.mark.parametrize(
    ("n", "m", "order"), [(2, 2, 1), (2, 5, 1), (3, 4, 2), (4, 3, 2), (4, 4, 3)]
)
def test_unbiased_estimate_has_the_population_value_as_its_mean(n, m, order, weights):
    share = n / (n + m) if weights == "proportional" else 0.5

    def estimate(x, y):
        samples, shares = (x[:, None], y[:, None]), (share, 1 - share)
        kernel, entropy = TWO_ATOMS.kernel(), PowerSeries(order)
        return unbiased_divergence(samples, kernel, entropy, shares, orderings=1)

    mean = expectation(estimate, TWO_ATOMS, n, m)
    assert mean == pytest.approx(TWO_ATOMS.rjsd(PowerSeries(order), share), abs=1e-12)


def test_plain_estimate_has_a_mean_above_the_population_value():
    """E4 of the paper, exactly; and the correction removes the leading part of it."""
    options = {"kernel": TWO_ATOMS.kernel(), "entropy": PowerSeries(2)}
    truth = TWO_ATOMS.rjsd(PowerSeries(2))
    plain = expectation(lambda x, y: rjsd(x, y, **options), TWO_ATOMS, 4, 4)
    corrected = expectation(lambda x, y: rjsd(x, y, **options, corrected=True), TWO_ATOMS, 4, 4)
    assert plain - truth > 0.02
    assert abs(corrected - truth) < 0.15 * (plain - truth)


def test_first_order_correction_is_exact():
    """Tr C² has no bias beyond 1/n, so order 1 corrected is order 1 unbiased."""
    options = {"kernel": TWO_ATOMS.kernel(), "entropy": PowerSeries(1)}
    for n, m in ((2, 2), (3, 5)):
        mean = expectation(lambda x, y: rjsd(x, y, **options, corrected=True), TWO_ATOMS, n, m)
        assert mean == pytest.approx(TWO_ATOMS.rjsd(PowerSeries(1), n / (n + m)), abs=1e-12)


def test_first_order_unbiased_is_unbiased_mmd_with_the_squared_kernel():
    """Equal sizes and all orderings together; one ordering pairs the rows of x and y."""
    kernel = Gaussian(1.0)
    value = unbiased_divergence((X[:9], Y), kernel, PowerSeries(1), (0.5, 0.5), orderings=2000)
    expected = samelaw.mmd(X[:9], Y, kernel=kernel * kernel, unbiased=True) / 4
    assert value == pytest.approx(float(expected), abs=3e-4)


@dataclass(frozen=True)
class NoPolynomial(PowerSeries):
    """A power series that hides its coefficients, so that eigenvectors are used."""

    def coefficients(self):
        return None


@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.2])
@pytest.mark.parametrize("order", [1, 2, 5])
def test_powers_and_eigenvectors_give_the_same_correction(order, weights):
    options = {"kernel": Gaussian(1.0), "weights": weights}
    moments = rjsd(X, Y, entropy=PowerSeries(order), **options, corrected=True)
    spectral = rjsd(X, Y, entropy=NoPolynomial(order), **options, corrected=True)
    assert moments == pytest.approx(float(spectral), abs=1e-7)


def test_correction_of_order_k_follows_the_formula_of_one_sample():
    """bias_k = k/(2(n−1)) [Σ_r mean_i d_r(i) d_{k−2−r}(i) − (k−1) Tr C^k] for S = 1 − Tr C²."""
    n = len(X)
    gram = Gaussian(1.0)(X, X)
    bias = 2 / (2 * (n - 1)) * (1.0 - np.sum((gram / n) ** 2))  # d_0 = 1: k = 2
    own = 1 - np.sum((gram / n) ** 2) + bias
    far = X + 1e3
    value = rjsd(X, far, kernel=Gaussian(1.0), entropy=PowerSeries(1), corrected=True)
    pooled = 1 - np.sum((gram / n) ** 2) / 2 + bias / 2
    assert value == pytest.approx(pooled - own, abs=1e-9)


@pytest.mark.parametrize("entropy", [PowerSeries(3), PowerSeries(10), VonNeumann()], ids=repr)
def test_corrected_is_the_same_on_every_library(entropy, to_xp):
    options = {"kernel": Gaussian(1.0), "entropy": entropy}
    x, y = X[:9], Y  # of one size: JAX compiles every shape anew
    expected = float(rjsd(x, y, **options, corrected=True))
    value = rjsd(to_xp(x), to_xp(y), **options, corrected=True)
    assert float(value) == pytest.approx(expected, abs=1e-7)


def test_unbiased_is_the_same_on_every_library(to_xp):
    options = {"entropy": 4, "corrected": "unbiased"}
    value = rjsd(to_xp(X), to_xp(Y), **options)
    assert float(value) == pytest.approx(float(rjsd(X, Y, **options)), abs=1e-10)


def test_unbiased_repeats_itself_for_a_seed_and_varies_with_it():
    def estimate(seed):
        return unbiased_divergence((X, Y), Gaussian(1.0), PowerSeries(4), (0.6, 0.4), rng=seed)

    assert estimate(1) == estimate(1) != estimate(2)
    options = {"kernel": Gaussian(1.0), "entropy": 4, "weights": 0.6, "corrected": "unbiased"}
    assert rjsd(X, Y, **options) == rjsd(X, Y, **options) == estimate(0)


def test_unbiased_form_of_another_polynomial():
    """Tsallis 2 is the power series of order 1."""
    options = {"kernel": Gaussian(1.0), "corrected": "unbiased"}
    expected = float(rjsd(X, Y, entropy=1, **options))
    assert rjsd(X, Y, entropy=Tsallis(2), **options) == pytest.approx(expected, abs=1e-12)


def test_both_may_be_negative_when_samples_are_alike():
    values = [
        [
            rjsd(X[order[:6]], X[order[6:]], kernel=Gaussian(1.0), entropy=k, corrected=form)
            for k, form in ((10, True), (2, "unbiased"))
        ]
        for order in (np.random.default_rng(s).permutation(13) for s in range(20))
    ]
    assert np.all(np.min(values, axis=0) < 0)


def test_too_few_rows_are_named():
    with pytest.raises(ValueError, match="needs at least 11 rows in y, got 9"):
        rjsd(X, Y, entropy=10, corrected="unbiased")
    with pytest.raises(ValueError, match="needs at least 2 rows in x, got 1"):
        rjsd(X[:1], Y, corrected=True)


def test_at_least_one_ordering_is_needed():
    with pytest.raises(ValueError, match="orderings must be a whole number of at least 1, got 0"):
        unbiased_divergence((X, Y), Gaussian(1.0), PowerSeries(2), (0.5, 0.5), orderings=0)


@pytest.mark.parametrize("entropy", [21, VonNeumann()], ids=repr)
def test_entropy_without_an_unbiased_form_is_refused(entropy):
    with pytest.raises(ValueError, match=r"no exactly unbiased estimate: .* \(entropy=10\)"):
        rjsd(X, Y, entropy=entropy, corrected="unbiased")


def test_what_cannot_be_corrected_is_refused():
    with pytest.raises(ValueError, match="corrected takes no sample_weights"):
        rjsd(X, Y, sample_weights=(np.ones(13), None), corrected=True)
    with pytest.raises(ValueError, match="must be True, False or \"unbiased\", got 'jackknife'"):
        rjsd(X, Y, corrected="jackknife")
