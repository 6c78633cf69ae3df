"""What is special to a feature map; what all of them promise is in contract/test_feature_maps."""

import numpy as np
import pytest

from samelaw import Gaussian, Laplace
from samelaw.kernels import FourierFeatures, NystromFeatures

ROWS = np.random.default_rng(0).standard_normal((8, 2))


def test_fourier_features_are_the_cosine_of_the_difference():
    waves = np.array([[1.0, -0.5, 2.0], [0.3, 0.0, -1.0]])
    features = FourierFeatures(waves)(ROWS)
    apart = (ROWS[:, None] - ROWS[None]) @ waves
    np.testing.assert_allclose(features @ features.T, np.cos(apart).mean(axis=2), atol=1e-12)


def test_nystrom_is_exact_on_its_landmarks():
    features = NystromFeatures(Laplace(1.0), ROWS, ridge=1e-12)(ROWS)
    np.testing.assert_allclose(features @ features.T, Laplace(1.0)(ROWS, ROWS), atol=1e-9)


def test_rows_far_from_every_landmark_keep_norm_one():
    """Their similarities are about 1e-200, and squares of them nothing."""
    far = NystromFeatures(Laplace(1.0), ROWS)(np.array([[460.0, 0.0]]))
    assert np.linalg.norm(far) == pytest.approx(1.0)


def test_projecting_similarities_is_what_calling_does():
    features = NystromFeatures(Gaussian(1.0), ROWS[:3])
    projected = features.project(Gaussian(1.0)(ROWS, ROWS[:3]))
    np.testing.assert_allclose(projected, features(ROWS), atol=1e-12)


@pytest.mark.parametrize(
    ("features", "words"),
    [
        (FourierFeatures(np.ones((3, 4))), "the frequencies are for 3"),
        (NystromFeatures(landmarks=np.ones((4, 3))), "the landmarks have 3"),
    ],
)
def test_columns_that_do_not_fit_are_counted(features, words):
    with pytest.raises(ValueError, match=f"x has 2 columns, {words}"):
        features(ROWS)


def test_what_defines_a_map_is_a_matrix():
    with pytest.raises(ValueError, match="frequencies must be a matrix, got shape"):
        FourierFeatures(np.ones(3))
    with pytest.raises(ValueError, match="landmarks must be a matrix, got shape"):
        NystromFeatures(landmarks=np.ones(3))


def test_features_of_a_row_do_not_depend_on_the_rows_it_comes_with():
    """One row far out rounded all others of its batch, in single precision."""
    rows = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    features = NystromFeatures(Gaussian(1.0), rows[:8])
    with_far = features(np.concatenate([rows, np.full((1, 3), 1e7, dtype=np.float32)]))
    np.testing.assert_allclose(with_far[:-1], features(rows), atol=1e-5)
