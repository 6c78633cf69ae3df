"""Row scores against their definitions: double loops, refits without a row, closed forms."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from samelaw import Gaussian, LogDet, VonNeumann
from samelaw.kernels.entropies import as_entropy
from samelaw.testing import (
    EntropyScore,
    InDegree,
    KernelPurity,
    Leverage,
    MeanDistance,
    NeighbourDistance,
)
from samelaw.testing.row_scores import Surroundings, squared_distances

ROWS = np.random.default_rng(0).normal(size=(30, 3))
APART = cdist(ROWS, ROWS)


def around(rows=ROWS):
    apart = squared_distances(rows, rows)
    return Surroundings(apart, apart)


def test_mean_distance():
    np.testing.assert_allclose(MeanDistance()(around()), APART.mean(axis=1))


@pytest.mark.parametrize("k", [1, 5, 20])
def test_neighbours_do_not_count_the_row_itself(k):
    expected = np.log(np.sort(APART, axis=1)[:, k])
    np.testing.assert_allclose(NeighbourDistance(k)(around()), expected, rtol=1e-9)


def test_in_degree_counts_the_rows_one_is_near_to():
    nearest = np.argsort(APART, axis=1)[:, 1:6]
    expected = np.bincount(nearest.ravel(), minlength=30)
    np.testing.assert_array_equal(InDegree(5)(around()), expected)


def test_purity_is_the_mean_of_squared_centred_kernels_with_the_others():
    median = np.median(APART[np.triu_indices(30, 1)])
    gram = np.exp(-(APART**2) / (2 * median**2))
    centring = np.eye(30) - 1 / 30
    centred = centring @ gram @ centring
    np.fill_diagonal(centred, 0.0)
    np.testing.assert_allclose(KernelPurity()(around()), (centred**2).sum(axis=1) / 29)


def test_leverage_is_the_residual_on_the_other_rows():
    width, ridge = 1.3, 1e-3
    median = np.median(APART[np.triu_indices(30, 1)])
    gram = np.exp(-(APART**2) / (2 * (width * median) ** 2)) / 30 + ridge * np.eye(30)
    found = Leverage(width, ridge)(around())
    for row in (0, 7, 29):
        others = np.delete(np.arange(30), row)
        inner, cross = gram[np.ix_(others, others)], gram[row, others]
        left = gram[row, row] - cross @ np.linalg.solve(inner, cross)
        assert found[row] == pytest.approx(np.log(left), rel=1e-6)


@pytest.mark.parametrize(
    "score",
    [MeanDistance(), NeighbourDistance(5), InDegree(5), KernelPurity(), Leverage(1.0, 1e-3)],
    ids=repr,
)
def test_scores_against_other_rows_follow_those_of_the_pool(score):
    """What sketches do: rows are scored against some of the pool."""
    rng = np.random.default_rng(1)
    pool = rng.normal(size=(600, 2)) * np.where(rng.random((600, 1)) < 0.5, 0.3, 1.0)
    reference = pool[:300]
    inside = squared_distances(reference, reference)
    apart = squared_distances(pool[300:], reference)
    some = score(Surroundings(apart, inside, 0.5))
    every = score(around(pool))[300:]
    least = 0.5 if isinstance(score, InDegree) else 0.8  # few whole numbers
    assert np.corrcoef(some, every)[0, 1] > least


@pytest.mark.parametrize(
    "score",
    [MeanDistance(), NeighbourDistance(), InDegree(), KernelPurity(), Leverage()],
    ids=repr,
)
@pytest.mark.parametrize("rows", [np.zeros((25, 2)), np.eye(25)], ids=["equal", "one-hot"])
def test_rows_that_are_all_alike_have_one_score(score, rows):
    found = score(around(rows))
    assert np.all(np.isfinite(found))
    np.testing.assert_allclose(found, found[0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("entropy", [1, 10, VonNeumann(), LogDet(0.01)], ids=repr)
def test_the_contrast_of_entropies_to_first_order(entropy):
    """S moves by ε Σ v_i ⟨φ_i, f′(C)φ_i⟩ when weights of rows move by ε v."""
    found, median = EntropyScore(entropy)(around()), around().median
    gram = Gaussian(median)(ROWS, ROWS)
    rng = np.random.default_rng(4)
    move = rng.normal(size=30)
    move -= move.mean()

    def value(step):
        root = np.sqrt(1 / 30 + step * move)
        return float(as_entropy(entropy)(np.linalg.eigvalsh(gram * np.outer(root, root))))

    step = 1e-4
    slope = (value(step) - value(-step)) / (2 * step)
    assert float(found @ move) == pytest.approx(slope, rel=1e-3)


def test_equal_rows_are_no_distance_apart_and_others_are():
    """Whatever is left of a difference of rounded products is not the distance of equal rows."""
    rng = np.random.default_rng(5)
    values = rng.normal(1e3, 1.0, size=(20, 7))
    values[0] += 1e6  # one row far out rounds no distance of the others away
    which = rng.integers(20, size=90)
    pool, reference = values[which], values[rng.permutation(20)]
    apart = squared_distances(pool, reference)
    exact = np.square(pool[:, None, :] - reference[None, :, :]).sum(axis=2)
    assert ((apart == 0.0) == (exact == 0.0)).all()
    np.testing.assert_allclose(apart, exact, rtol=1e-3)
    own = squared_distances(pool, pool)
    assert ((own == 0.0) == (which[:, None] == which[None, :])).all()
