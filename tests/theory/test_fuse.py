"""A5: the grid of RJSD-Fuse on the Mixture, and the divergence over it (figure 8 of the paper)."""

import numpy as np
import pytest

from samelaw import Gaussian, Laplace, PowerSeries, rjsd
from samelaw.kernels import quantile_bandwidths
from samelaw.problems import FourGaussians

CLUSTERS = {  # distances of the four centres at (±20, ±20), per metric; a quarter is within one
    "euclidean": (40.0, 40 * np.sqrt(2)),
    "cityblock": (40.0, 80.0),
}


@pytest.mark.parametrize("metric", CLUSTERS)
def test_a5_ten_bandwidths_are_quantiles_of_distances_within_and_between_clusters(metric):
    pool = np.concatenate(FourGaussians(deviation=2.0).draw(250, rng=0))
    apart = np.abs(pool[:, None] - pool)
    apart = apart.sum(-1) if metric == "cityblock" else np.sqrt((apart**2).sum(-1))
    expected = np.quantile(apart[np.triu_indices(len(pool), 1)], np.arange(5, 100, 10) / 100)
    found = quantile_bandwidths(pool, metric=metric)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    side, diagonal = CLUSTERS[metric]
    assert np.all(found[:2] < 5)
    np.testing.assert_allclose(found[3:7], side, rtol=0.1)
    np.testing.assert_allclose(found[8:], diagonal, rtol=0.1)


def heights(kernel, metric, deviation):
    pair = FourGaussians(deviation=deviation).draw(250, rng=0)
    grid = quantile_bandwidths(np.concatenate(pair), metric=metric)
    return np.array([rjsd(*pair, kernel=kernel(b), entropy=PowerSeries(10)) for b in grid])


@pytest.mark.parametrize(("kernel", "metric"), [(Gaussian, "euclidean"), (Laplace, "cityblock")])
def test_a5_the_divergence_is_largest_at_the_bandwidths_within_clusters(kernel, metric):
    seen = heights(kernel, metric, 2.0)
    assert np.argmax(seen) < 2
    assert np.all(seen[3:] < 0.25 * seen.max())


def test_a5_gaussians_as_wide_as_clusters_are_apart_do_not_see_that_one_is_wider():
    ratio = heights(Gaussian, "euclidean", 2.0) / heights(Gaussian, "euclidean", 1.0)
    assert np.all(ratio[:2] > 1.8)
    np.testing.assert_allclose(ratio[3:], 1, atol=0.1)
