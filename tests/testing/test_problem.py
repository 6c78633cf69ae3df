"""A checked problem: what is taken, what is refused, and the result of a null distribution."""

import numpy as np
import pytest

from samelaw import Groups
from samelaw.testing import Sequential
from samelaw.testing.permuting.permutations import Evaluation, null_distribution
from samelaw.testing.problem import Problem, as_problem, as_units, row_bytes

RNG = np.random.default_rng
X, Y = np.split(RNG(0).normal(size=(20, 3)), [12])
OPTIONS = {
    "level": 0.05,
    "permutations": None,
    "rng": 0,
    "groups": None,
    "memory": None,
    "progress": None,
}


def problem(x=X, y=Y, **options):
    return as_problem(x, y, **{**OPTIONS, **options})


def test_rows_lie_under_each_other_and_are_labelled():
    found = problem()
    np.testing.assert_array_equal(found.pool.sample, np.concatenate([X, Y]))
    np.testing.assert_array_equal(found.labels.observed, np.arange(20) < 12)
    assert (found.sizes, found.left_out, found.seed) == ((12, 8), 0, 0)


def test_a_far_larger_sample_is_thinned_and_the_result_says_so():
    found = problem(np.zeros((1_000_000, 1)), np.zeros((5, 1)))
    assert found.sizes == (1_000_000, 5)
    assert found.pool.size == 1_000_005 - found.left_out < 300_000
    assert not found.short


def test_what_does_not_fit_memory_is_left_out():
    found = problem(np.zeros((600_000, 5)), np.zeros((600_000, 5)), memory=2**27)
    assert found.short
    assert found.pool.size * row_bytes(found.pool.sample) < 2**27
    first, second = found.labels.sizes
    assert abs(first - second) <= 1


def test_groups_are_never_thinned_to_fit():
    rows = np.zeros((600_000, 5))
    with pytest.raises(MemoryError, match="take fewer rows"):
        problem(rows, rows, memory=2**27, groups=np.arange(1_200_000) // 4)


@pytest.mark.parametrize(("x", "y"), [(2, 3), (2, 2)])
def test_too_few_rows_for_the_level_are_refused(x, y):
    with pytest.raises(ValueError, match=rf"{x} v {y} rows of x and y have only .* permutations"):
        problem(X[:x], Y[:y])


def test_no_problem_is_made_past_that_check():
    labelled = problem()
    with pytest.raises(ValueError, match="2 v 2 rows have only 6 permutations"):
        Problem(
            pool=labelled.pool,
            units=as_units(None, (2, 2), RNG(0)),
            level=0.05,
            permutations=99,
            rng=RNG(0),
            seed=0,
            sizes=(2, 2),
        )


def test_labels_and_groups_are_the_same():
    labels = np.r_[np.arange(12), np.arange(8)]
    plain, object_ = (as_units(given, (12, 8), RNG(0)) for given in (labels, Groups(labels)))
    np.testing.assert_array_equal(plain.unit, object_.unit)
    assert plain.ways == object_.ways != ""


def test_sequential_stopping_holds_a_batch_at_a_time():
    assert problem(permutations=199).memberships == 200
    assert problem(permutations=Sequential(20, 9_999)).memberships < 1_000


def test_the_result_is_that_of_the_null_distribution():
    found = problem(permutations=39)
    weights = RNG(1).normal(size=20)

    def statistic(members):
        return Evaluation(members @ weights, (("a", 1.0), ("b", 3.0)))

    null = null_distribution(statistic, found.labels, 39, found.rng)
    result = found.result(null, "by hand", settings={"own": 1})
    assert result.statistic == pytest.approx(weights[:12].sum())
    assert result.pvalue == np.mean(np.r_[True, result.null_distribution >= result.statistic])
    assert result.reject == (result.pvalue <= 0.05)
    assert result.method == "by hand"
    assert result.components == ({"name": "b", "value": 3.0}, {"name": "a", "value": 1.0})
    assert result.calibration.startswith("exact p-value from")
    assert result.settings == {"permutations": 39, "level": 0.05, "seed": 0, "own": 1}
