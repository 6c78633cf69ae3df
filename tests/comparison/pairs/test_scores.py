"""Normal scores of classes: their moments, and the quantile they are made with."""

import numpy as np
from scipy.special import ndtri

from samelaw.comparison.pairs.scores import class_scores, normal_quantile, summed


def test_the_quantile_is_right_to_its_stated_error():
    ranks = np.linspace(1e-5, 1 - 1e-5, 2_001)
    np.testing.assert_allclose(normal_quantile(ranks), ndtri(ranks), atol=5e-4)


def test_scores_have_mean_0_in_their_table_and_the_variance_they_say():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(7), size=5).T  # (7, 5)
    for scores in class_scores(shares):
        np.testing.assert_allclose(summed(shares, scores.values), 0, atol=2e-3)
        variance = summed(shares, scores.values, scores.values)
        np.testing.assert_allclose(variance, scores.reliability, rtol=1e-10)
        assert (scores.reliability < 1).all()


def test_many_classes_keep_nearly_all_of_the_variance():
    normal, squares = class_scores(np.full((400, 1), 1 / 400))
    assert normal.reliability[0] > 0.99
    assert squares.reliability[0] > 0.95
    (few, _) = class_scores(np.array([[0.999], [0.001]]))
    assert few.reliability[0] < 0.05


def test_an_empty_class_scores_nothing():
    (scores, _) = class_scores(np.array([[0.5], [0.0], [0.5]]))
    assert scores.values[1, 0] == 0
    np.testing.assert_allclose(scores.values[0], -scores.values[2])
