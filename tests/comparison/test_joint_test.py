"""One test over everything: the same memberships for all, enumerated when they are few."""

import numpy as np
import pytest

from mixed_tables import pooled, table
from samelaw.comparison.joint_test import JointTest
from samelaw.comparison.plan import Plan, Stages, Streams
from samelaw.testing.permuting.group_units import Groups


def run(a, b, permutations=39, **options):
    streams = Streams.spawned(np.random.default_rng(0))
    return JointTest.of(Plan(pooled(a, b), 0.05, permutations, streams, **options), Stages(None))


def test_all_families_see_the_same_memberships():
    rng = np.random.default_rng(0)
    found = run(table(rng, 60), table(rng, 50))
    assert found.memberships.shape == (40, 110)
    np.testing.assert_array_equal(found.memberships[0][found.units.unit], np.arange(110) < 60)
    assert (found.memberships.sum(axis=1) == 60).all()
    joint, alone, paired = found.steps.adjusted
    assert len(joint) == 1
    assert len(alone) == len(found.columns.views)
    assert len(paired) == len(found.columns.pairs)
    assert found.columns.alone.shape == (len(alone), 40)
    assert found.steps.pvalue == min(map(np.min, (joint, alone, paired)))


def test_few_rows_are_enumerated():
    found = run({"v": [1.0, 2, 3, 4]}, {"v": [11.0, 12, 13, 14]}, permutations=999)
    assert len({tuple(row) for row in found.memberships}) == len(found.memberships) == 70


def test_too_few_permutations_are_refused():
    with pytest.raises(ValueError, match="2 v 2 rows have only 6 permutations"):
        run({"v": [1.0, 2]}, {"v": [11.0, 12]})


def test_rows_of_a_group_stay_together():
    rng = np.random.default_rng(1)
    labels = np.arange(110) // 5
    found = run(table(rng, 60), table(rng, 50), groups=Groups(labels))
    assert found.units.count == 22
    assert found.memberships.shape == (40, 22)


@pytest.mark.parametrize("seed", range(3))
def test_nine_missing_values_where_there_were_none_are_named(seed):
    """Fisher's test over all columns finds them; as views among others they had p = .08 to .11."""
    rng = np.random.default_rng(seed)
    a, b = ({f"x{i}": rng.normal(size=173) for i in range(8)} for _ in "AB")
    b["x3"][:9] = np.nan
    found = run(a, b, permutations=199)
    names = [view.name for view in found.columns.views]
    pvalues = dict(zip(names, found.steps.adjusted[1], strict=True))
    assert pvalues["x3 (missing)"] <= 0.025
    assert min(p for name, p in pvalues.items() if name != "x3 (missing)") > 0.05


@pytest.mark.long
def test_missing_values_that_did_not_change_are_named_no_oftener_than_the_level():
    """One column moved; five have missing values as often in both tables."""
    from scipy.stats import binom

    runs, wrong = 100, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        a, b = ({f"x{i}": rng.normal(size=70) for i in range(5)} for _ in "AB")
        for name, share in zip(a, (0.03, 0.05, 0.1, 0.2, 0.4), strict=True):
            for side in (a, b):
                side[name][rng.random(70) < share] = np.nan
        b["x0"] += 1.5
        found = run(a, b, permutations=99)
        holes = np.array([view.missing for view in found.columns.views])
        wrong += bool((found.steps.adjusted[1][holes] <= 0.05).any())
    assert wrong <= binom.ppf(0.999, runs, 0.05)
