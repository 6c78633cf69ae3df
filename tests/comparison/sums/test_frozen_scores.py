"""Scores against rows that were drawn: those of `row_scores`, in single precision."""

import numpy as np
import pytest

from samelaw.comparison.sums.frozen_scores import NAMES, PENALTIES, FrozenScores
from samelaw.testing.row_scores import (
    InDegree,
    KernelPurity,
    MeanDistance,
    NeighbourDistance,
    Surroundings,
    squared_distances,
)
from samelaw.testing.scales import View

SCORES = (
    MeanDistance(View.NORMAL),
    MeanDistance(View.RANKS),
    KernelPurity(),
    NeighbourDistance(1),
    InDegree(1),
)


@pytest.fixture(scope="module")
def rows():
    points = np.random.default_rng(0).normal(size=(300, 4)).astype(np.float32)
    return {view: view(points)(points).astype(np.float32) for view in FrozenScores.views}


def test_scores_are_those_of_rows_in_memory(rows):
    found = FrozenScores({view: own[:64] for view, own in rows.items()})(rows)
    for place, score in enumerate(SCORES):
        own = rows[score.view].astype(np.float64)
        inside = squared_distances(own[:64], own[:64])
        expected = score(Surroundings(squared_distances(own, own[:64]), inside))
        near = np.arange(300) >= 64  # a reference row is its own neighbour: rounding shows there
        np.testing.assert_allclose(found[near, place], expected[near], rtol=2e-3, atol=2e-3)
    assert len(NAMES) == len(PENALTIES) == found.shape[1]


def test_the_score_of_a_row_does_not_depend_on_the_rows_beside_it(rows):
    scores = FrozenScores({view: own[:64] for view, own in rows.items()})
    alone = scores({view: own[100:131] for view, own in rows.items()})
    np.testing.assert_allclose(alone, scores(rows)[100:131], rtol=1e-4, atol=1e-4)


def test_equal_rows_and_few_rows_have_finite_scores():
    for count in (1, 5):
        same = dict.fromkeys(FrozenScores.views, np.ones((count, 3), dtype=np.float32))
        assert np.isfinite(FrozenScores(same)(same)).all()
