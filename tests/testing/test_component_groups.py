"""Groups of components: what is fused, as values; levels on both backends."""

import numpy as np
import pytest

from levels import check, runs_to_see
from samelaw import Fuse, Gaussian, two_sample_test
from samelaw.testing import (
    ComponentGroup,
    InDegree,
    KernelGroup,
    KernelPurity,
    LargestGroup,
    Leverage,
    MeanDistance,
    MomentGroup,
    NeighbourDistance,
    RowScore,
    ScoreGroup,
    View,
)

SCORES = [MeanDistance(), NeighbourDistance(5), InDegree(5), KernelPurity(), Leverage()]
EVERYTHING: list[ComponentGroup] = [
    KernelGroup([Gaussian(1.0)], (1, 10)),
    KernelGroup([Gaussian(1.0)], (30,), view=View.NORMAL),
    MomentGroup(),
    MomentGroup(2, penalty=0.25),
    LargestGroup(),
    LargestGroup(2, penalty=0.5),
    ScoreGroup(SCORES, 0.25),
]


@pytest.mark.parametrize("sketches", [False, True])
def test_all_groups_are_fused_and_named(sketches):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(120, 3)), rng.normal(size=(100, 3)) + 0.7
    strategy = Fuse(EVERYTHING, sketches=sketches)
    found = two_sample_test(x, y, strategy=strategy, permutations=99, rng=0)
    assert found.reject
    names = [component["name"] for component in found.components]
    assert len(names) == 2 + 1 + 2 + 2 + len(SCORES)
    assert "means of columns" in names
    assert "row scores" in found.method


def test_the_difference_of_means_is_that_of_standard_columns():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(40, 2)), rng.normal(size=(30, 2)) + np.array([0.0, 3.0])
    scaled = two_sample_test(x * [1, 1e6], y * [1, 1e6], strategy=Fuse([MomentGroup()]), rng=0)
    plain = two_sample_test(x, y, strategy=Fuse([MomentGroup()]), rng=0)
    assert scaled.statistic == pytest.approx(plain.statistic, rel=1e-5)
    assert plain.reject


def test_second_moments_see_a_rotation_that_means_do_not():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(150, 2)), rng.normal(size=(150, 2))
    y = y @ np.array([[1.0, 0.8], [0.0, 0.6]])
    options = {"permutations": 199, "rng": 0}
    assert two_sample_test(x, y, strategy=Fuse([MomentGroup(2)]), **options).pvalue == 0.005
    with pytest.raises(ValueError, match="degree must be 1 or 2"):
        MomentGroup(3)


class Farthest(RowScore):
    """A score of one's own."""

    view = View.STANDARD

    def __call__(self, around):
        return around.apart.max(axis=1)


@pytest.mark.parametrize("sketches", [False, True])
@pytest.mark.parametrize("degree", [1, 2])
def test_moments_of_rows_do_not_depend_on_their_unit(sketches, degree):
    x, y = np.random.default_rng(0).normal(size=(2, 200, 2)) * [[[1.0]], [[1.5]]]
    group = MomentGroup(degree, view=View.ROWS)

    def found(unit, origin=0.0):
        moved = ((z + origin) * unit for z in (x, y))
        strategy = Fuse([group], sketches=sketches)
        return two_sample_test(*moved, strategy=strategy, permutations=39, rng=0)

    expected = found(1.0)
    assert degree == 1 or expected.reject
    for other in (found(1e-12), found(1e12), found(1.0, origin=1e4)):
        assert other.pvalue == expected.pvalue
        assert other.statistic == pytest.approx(expected.statistic, rel=1e-3)


def test_a_score_of_ones_own():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(60, 2)), 2.0 * rng.normal(size=(60, 2))
    strategy = Fuse([ScoreGroup([Farthest()])])
    assert two_sample_test(x, y, strategy=strategy, permutations=199, rng=0).reject


@pytest.mark.long
@pytest.mark.parametrize("sketches", [False, True])
def test_new_components_keep_the_level(sketches):
    """Null pairs at level .1, ties among them: so many that three times the level is seen.

    Of sketches, which take longer, four times the level.
    """
    strategy, hits = Fuse(EVERYTHING, sketches=sketches), 0
    runs = runs_to_see(0.4 if sketches else 0.3, 0.1)
    for run in range(runs):
        rng = np.random.default_rng([4, run])
        rows = np.round(rng.standard_t(3, size=(72, 3)), 1)
        found = two_sample_test(
            rows[:42], rows[42:], strategy=strategy, permutations=19, rng=run, level=0.1
        )
        hits += found.reject
    check(hits, runs, 0.1, exact=False)
