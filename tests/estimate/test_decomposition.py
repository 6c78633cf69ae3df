"""Shares of the rows, and the derivative behind the standard error."""

import math

import numpy as np
import pytest

import samelaw
from samelaw import Gaussian, PowerSeries, Renyi, Tsallis, VonNeumann, contributions, rjsd

X = np.random.default_rng(0).standard_normal((8, 2))
Y = np.random.default_rng(1).standard_normal((6, 2)) + 0.7
ENTROPIES = [VonNeumann(), PowerSeries(1), PowerSeries(10), Tsallis(1.5)]


@pytest.mark.parametrize("weights", ["proportional", "balanced", 0.2])
@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
def test_shares_add_up_to_the_divergence(entropy, weights):
    options = {"kernel": Gaussian(1.0), "entropy": entropy, "weights": weights}
    first, second = contributions(X, Y, **options)
    assert first.shape == (8,)
    assert second.shape == (6,)
    assert first.sum() + second.sum() == pytest.approx(float(rjsd(X, Y, **options)), abs=1e-12)


def test_shares_are_the_same_on_every_library(to_xp, to_numpy):
    here, there = contributions(X, Y), contributions(to_xp(X), to_xp(Y))
    for mine, theirs in zip(here, there, strict=True):
        np.testing.assert_allclose(to_numpy(theirs), mine, atol=1e-9)


def test_rows_that_only_one_sample_has_carry_the_divergence():
    common = np.repeat(np.arange(5.0), 4)
    x, y = common, np.append(common, [100.0] * 5)
    _, second = contributions(x, y, kernel=Gaussian(0.1))
    assert second[-5:].min() > 5 * np.abs(second[:-5]).max()


@pytest.mark.parametrize("weights", ["proportional", "balanced"])
@pytest.mark.parametrize("entropy", ENTROPIES, ids=repr)
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
                values.append(rjsd(X, Y, sample_weights=tuple(rows), **options))
            slopes.append((values[0] - values[1]) / 2e-4)
        variance += np.var(slopes, ddof=1) / n
    options["weights"] = weights
    plain = float(rjsd(X, Y, **options))
    bias = plain - float(samelaw.rjsd_corrected(X, Y, **options))
    growth = variance / plain
    expected = math.sqrt(variance + growth * bias / 2 + growth**2 / 3)
    assert samelaw.standard_error(X, Y, **options) == pytest.approx(expected, rel=1e-4)


def test_standard_error_of_equal_samples_is_not_zero():
    """The derivative is zero there, what is not known of the laws is not."""
    plain = float(rjsd(X, X, kernel=Gaussian(1.0), entropy=PowerSeries(10)))
    bias = plain - float(samelaw.rjsd_corrected(X, X, kernel=Gaussian(1.0)))
    assert samelaw.standard_error(X, X, kernel=Gaussian(1.0)) > bias > 0


def test_standard_error_is_that_of_the_corrected_value_by_default():
    assert samelaw.standard_error(X, Y) == samelaw.standard_error(X, Y, entropy=PowerSeries(10))
    assert samelaw.rjsd_corrected(X, Y) == samelaw.rjsd_corrected(X, Y, entropy=PowerSeries(10))


def test_standard_error_is_the_same_on_every_library(to_xp):
    expected = samelaw.standard_error(X, Y)
    value = samelaw.standard_error(to_xp(X), to_xp(Y))
    assert isinstance(value, float)
    assert value == pytest.approx(expected, rel=1e-6)


def test_standard_error_of_different_constants_is_zero():
    assert samelaw.standard_error(np.zeros(5), np.ones(4), kernel=Gaussian(1.0)) < 1e-12


def test_rows_have_no_shares_in_an_entropy_that_is_no_sum():
    for function in (contributions, samelaw.standard_error, samelaw.rjsd_corrected):
        with pytest.raises(TypeError, match="not a sum over eigenvalues"):
            function(X, Y, entropy=Renyi(2))


def test_standard_error_needs_two_rows():
    with pytest.raises(ValueError, match="at least two rows in each of x and y"):
        samelaw.standard_error(X[:1], Y)
