"""Shares of the rows in the divergence."""

import numpy as np
import pytest

from samelaw import Gaussian, PowerSeries, Renyi, VonNeumann, rjsd
from samelaw.divergence import contributions
from samelaw.kernels import Tsallis

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


def test_shares_add_up_to_the_default_divergence():
    assert sum(part.sum() for part in contributions(X, Y)) == pytest.approx(float(rjsd(X, Y)))


def test_rows_have_no_shares_in_an_entropy_that_is_no_sum():
    with pytest.raises(TypeError, match="not a sum over eigenvalues"):
        contributions(X, Y, entropy=Renyi(2))
