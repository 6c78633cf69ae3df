"""Divergences from counts: hardly any bias, where plain ones are half a row per class too large."""

import numpy as np
import pytest

from samelaw.comparison.effects.effect import _thinned, count_divergences, divergences


def exchanged(count, share):
    """Equal shares of so many categories, of which a share is exchanged for others."""
    gone = int(count * share)
    first, second = np.ones(count + gone), np.ones(count + gone)
    first[count:], second[:gone] = 0.0, 0.0
    return first / count, second / count


@pytest.mark.parametrize("sizes", [(1_500, 1_500), (6_000, 1_500)])
def test_categories_with_few_rows_have_hardly_any_bias(sizes):
    rng = np.random.default_rng(0)
    laws = exchanged(400, 0.2)
    first, second = (rng.multinomial(n, p, 60) * 1.0 for n, p in zip(sizes, laws, strict=True))
    assert count_divergences(first, second).mean() == pytest.approx(0.2, abs=0.012)
    plain = divergences(first / sizes[0], second / sizes[1])
    assert plain.mean() > 0.24


def test_the_order_of_the_tables_does_not_matter():
    rng = np.random.default_rng(1)
    first, second = (
        rng.multinomial(300, np.ones(20) / 20, 5),
        rng.multinomial(90, np.ones(20) / 20, 5),
    )
    found = count_divergences(first * 1.0, second * 1.0)
    np.testing.assert_allclose(found, count_divergences(second * 1.0, first * 1.0))


def test_the_mean_over_thinned_tables_is_that_of_thinning():
    """On either side of the number of rows from which an expansion is taken."""
    from scipy.special import digamma

    rng = np.random.default_rng(2)
    for a, b in ((3.0, 0.0), (9.0, 2.0), (150.0, 0.0), (90.0, 15.0), (200.0, 3.0)):
        total = rng.binomial(int(a), 0.25, 200_000) + b
        drawn = np.where(total > 0, total * digamma(np.maximum(total, 1.0)), 0.0)
        found = _thinned(np.array([[a]]), np.array([[b]]), 0.25)[0, 0]
        assert found == pytest.approx(drawn.mean(), abs=5 * drawn.std() / np.sqrt(200_000))
