"""Explicit features of rows: what their squared distances are, and that rows do not disturb."""

import numpy as np
import pytest

from samelaw import Gaussian, VonNeumann
from samelaw.divergence.sketch import CompressedFeatures
from samelaw.kernels.features import FourierFeatures, NystromFeatures
from samelaw.kernels.operators import Covariance, density_divergence
from samelaw.testing.row_features import (
    CovarianceColumns,
    Leading,
    MeanColumns,
    MomentColumns,
    RowFeatures,
    RowPart,
    ScoreColumns,
    curvature,
    products_of,
)
from samelaw.testing.row_scores import MeanDistance, NeighbourDistance
from samelaw.testing.scales import View

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(300, 3))


def test_products_are_those_of_all_pairs_of_columns():
    first, second = np.triu_indices(3)
    factor = np.where(first == second, 1.0, 2.0)
    assert np.allclose(products_of(ROWS, 2.0), ROWS[:, first] * ROWS[:, second] * factor)


def test_squared_distances_of_means_are_divergences_to_second_order():
    """Exact in the limit of alike samples: half of the rows against the other half."""
    full = NystromFeatures(Gaussian(2.0), ROWS[:40])
    features = np.asarray(full(ROWS))
    values, vectors = np.linalg.eigh(features.T @ features / len(ROWS))
    kept = values > 3e-2  # small ones leave the second order first
    entries = products_of(features @ vectors[:, kept]) * curvature(values[kept], VonNeumann(), 1.0)
    sides = (slice(0, 150), slice(150, 300))
    shift = entries[sides[0]].mean(axis=0) - entries[sides[1]].mean(axis=0)
    turned = features @ vectors[:, kept]
    densities = [Covariance.of(turned[side]).density for side in sides]
    exact = float(density_divergence(densities, VonNeumann(), (0.5, 0.5)))
    assert 0.25 * shift @ shift == pytest.approx(exact, rel=0.05)


def test_leading_directions_keep_distances_and_take_off_the_mean():
    numbers = ROWS @ RNG.normal(size=(3, 7))
    found = Leading.of(numbers)
    assert found.size == 3
    turned = found(numbers)
    assert np.allclose(turned.mean(axis=0), 0.0, atol=1e-4)
    for i, j in ((0, 1), (5, 9)):
        apart = np.linalg.norm(numbers[i] - numbers[j])
        assert np.linalg.norm(turned[i] - turned[j]) == pytest.approx(apart, rel=1e-4)


def test_constant_numbers_have_one_direction_and_a_floor_above_rounding():
    constant = np.full((50, 4), 3.0)
    found = Leading.of(constant)
    assert found.size == 1
    assert float((found(constant) ** 2).sum(axis=1).max()) <= found.floor


def test_a_reference_row_is_not_its_own_neighbour():
    columns = ScoreColumns([NeighbourDistance(1)], ROWS[:100], 1.0)
    (scores,) = columns(ROWS)
    assert scores[:100].mean() == pytest.approx(scores[100:].mean(), abs=0.2)


def test_a_row_has_the_same_features_in_any_company():
    compressed = CompressedFeatures.of(NystromFeatures(Gaussian(1.5), ROWS[:20]), ROWS)
    waves = FourierFeatures(RNG.normal(size=(3, 8)).astype(np.float32))
    view = View.NORMAL(ROWS)
    sets = (
        CovarianceColumns([compressed]),
        MeanColumns([waves]),
        MomentColumns(2),
        ScoreColumns([MeanDistance(View.ROWS)], ROWS[:50], 0.2),
    )
    parts = []
    for columns in sets:
        (numbers,) = columns(view(ROWS).astype(np.float32))
        parts.append(RowPart(view, columns, [[Leading.of(numbers)]]))
    features = RowFeatures(parts)
    whole = features(ROWS)
    assert whole.shape == (300, features.size)
    order = RNG.permutation(300)
    assert np.allclose(features(ROWS[order[:7]]), whole[order[:7]], atol=1e-4)
