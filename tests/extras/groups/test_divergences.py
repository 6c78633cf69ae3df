"""How far groups are apart, from their covariances alone: exact where it can be, without bias."""

import numpy as np
import pytest

from samelaw import PowerSeries
from samelaw.extras.groups.divergences import symmetric
from samelaw.extras.groups.sketches import GroupSketches

RNG = np.random.default_rng(0)
LABELS = np.array(["a", "b", "c"]).repeat([300, 200, 40])
ROWS = RNG.normal(size=(540, 2)) + 1.5 * (LABELS == "b")[:, None]


def whole():
    return GroupSketches.of(ROWS, LABELS, frequencies=8, rng=3)


def test_a_symmetric_matrix_comes_back_from_its_upper_half():
    matrix = RNG.normal(size=(4, 4))
    matrix = matrix + matrix.T
    assert np.array_equal(symmetric(matrix[np.triu_indices(4)], 4), matrix)


def test_order_one_is_exact_up_to_the_bias():
    """Rows have norm 1, so the bias of ‖C_X − C_Y‖² is known: (1 − ‖C‖²)/(n − 1) each."""
    found = whole()
    matrix = found.divergences(entropy=1)
    sides = [found.covariance(name) for name in "ab"]
    bias = sum((1 - np.sum(s.density**2)) / (s.weight - 1) for s in sides)
    biased = found.divergence("a", "b", entropy=PowerSeries(1))
    scale = biased / np.sum((sides[0].density - sides[1].density) ** 2)
    assert matrix[0, 1] == pytest.approx(biased - scale * bias, rel=1e-3)
    assert np.array_equal(matrix, matrix.T)
    assert found.divergences(["b", "a"], entropy=1)[0, 1] == pytest.approx(matrix[0, 1], rel=1e-5)


def test_distances_have_no_bias_at_equal_laws():
    """With it they would be 0.1 and more at 30 rows."""
    rng = np.random.default_rng(1)
    labels = np.repeat([f"g{i}" for i in range(61)], [30] * 60 + [600])
    found = GroupSketches.of(rng.normal(size=(2400, 3)), labels, rng=0).distances("g60")
    assert found[60] == 0.0
    assert abs(found[:60].mean()) < 0.005
    assert found[:60].std() < 0.05


def test_distance_is_one_for_laws_without_common_ground():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 1)) * 0.01 + np.repeat([0.0, 1.0], 1000)[:, None]
    found = GroupSketches.of(x, np.repeat(["a", "b"], 1000), rng=0).distances("a")
    assert found[1] > 0.3
