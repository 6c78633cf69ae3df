"""Tolerances follow the precision and the size of the data, never a fixed number."""

import numpy as np
import pytest

from samelaw.core import tolerances


def test_rounding_follows_the_precision():
    single, double = (tolerances.rounding(kind) for kind in (np.float32, np.float64))
    assert single / double == np.finfo(np.float32).eps / np.finfo(np.float64).eps
    assert tolerances.rounding(np.int64) == tolerances.rounding(bool) == double


def test_a_sum_of_terms_that_cancel_stays_within_rounding_of_the_terms():
    rng = np.random.default_rng(0)
    terms = rng.normal(size=2_000).astype(np.float32)
    whole = np.concatenate([terms, -terms])
    sums = np.array([rng.permutation(whole).sum() for _ in range(50)])
    noise = tolerances.rounding(np.float32) * float(np.abs(terms).max())
    assert 0.0 < np.abs(sums).max() <= noise
    assert tolerances.without_spread(sums, 2 * noise)
    assert not tolerances.without_spread(sums, 0.0)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_ties_are_told_by_the_spread_of_the_values(scale):
    values = scale * np.arange(11.0)
    assert tolerances.tie(values) == pytest.approx(scale * tolerances.tie(np.arange(11.0)))
    assert tolerances.tie(values) < 1e-4 * scale


def test_a_tie_is_never_below_the_last_digits_or_the_noise():
    far = 1e9 + np.array([0.0, 1e-7])
    assert tolerances.tie(far) >= np.spacing(1e9)
    assert tolerances.tie(np.zeros(3), noise=0.5) == tolerances.tie(np.empty(0), noise=0.5) == 0.5


def test_entropies_of_equal_operators_differ_by_no_more_than_their_noise():
    """S(K/n) of the same rows in another order, in single precision."""
    from samelaw import Gaussian, VonNeumann
    from samelaw.kernels.operators import gram_entropy

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2)).astype(np.float32)
    orders = (rng.permutation(60) for _ in range(10))
    grams = (Gaussian(1.0)(rows[order], rows[order]) for order in orders)
    values = np.array([gram_entropy(gram, VonNeumann()) for gram in grams])
    assert tolerances.without_spread(values, tolerances.entropy_noise(np.float32, 60))
