import numpy as np
import pytest

from samelaw.core.operators import feature_density, gram_density, mixture
from samelaw.kernels import Covariance


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
