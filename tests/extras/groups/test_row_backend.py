"""Components from explicit features are nearly those of the Gram matrix, and frozen."""

import numpy as np
import pytest

from many_groups import FEW, components
from samelaw import Fuse, Gaussian
from samelaw.extras.groups.row_backend import RowBackend, row_features
from samelaw.kernels import Cosine
from samelaw.kernels.grids import Pool
from samelaw.testing import KernelGroup, MomentGroup
from samelaw.testing.backends import GramBackend
from samelaw.testing.permuting.units import Units
from samelaw.testing.problem import Problem
from samelaw.testing.standardize import NormalScores
from samelaw.testing.statistics import SecondOrder

ROWS = np.random.default_rng(0).normal(size=(120, 2))


def over_pairs(plan):
    problem = Problem(
        pool=Pool(ROWS), units=Units.of_rows((60, 60)), sizes=(60, 60), level=0.05,
        permutations=99, rng=np.random.default_rng(0), seed=0,
    )  # fmt: skip
    backend = GramBackend.of(problem, SecondOrder(), NormalScores())
    groups = [group.resolve(backend) for group in plan.components]
    return backend, [one for group in groups for one in group.components(backend)]


def test_values_go_with_those_of_all_pairs_of_rows():
    backend, pairs = over_pairs(FEW)
    memberships = backend.units.labels.draw(np.random.default_rng(1), 200)
    mine = memberships[:, backend.units.unit]
    for ours, theirs in zip(components(ROWS), pairs, strict=True):
        one, other = ours.evaluate(mine * 1.0), theirs.evaluate(memberships.astype(np.float64))
        if theirs.two_sided:
            other = other**2
        assert np.corrcoef(one, other)[0, 1] > 0.9, ours.name


def test_components_have_the_names_of_all_pairs():
    assert [one.name for one in components(ROWS)] == [one.name for one in over_pairs(FEW)[1]]


def test_features_of_all_components_lie_beside_each_other():
    found = components(ROWS)
    maps = row_features(found)
    features = maps(ROWS)
    for one, place in zip(found, maps.slices, strict=True):
        assert np.allclose(features[:, place], one.form.features, atol=1e-4)


@pytest.mark.parametrize(
    "group",
    [KernelGroup([Cosine()]), KernelGroup([Gaussian(1.0)], (1, 5, float("inf"))), MomentGroup(1)],
)
def test_any_kernel_and_entropy_has_features(group):
    found = components(ROWS, Fuse([group]))
    assert len(found) == len(getattr(group, "entropies", (1,)))
    assert row_features(found)(ROWS).shape[0] == 120


def test_many_columns_are_mixed_before_products_are_taken():
    wide = np.random.default_rng(0).normal(size=(60, 50))
    (found,) = components(wide, Fuse([MomentGroup(2)]))
    assert found.form.features.shape[1] <= 60


def test_it_says_where_the_features_come_from():
    assert "learnt from 120 rows" in RowBackend.of(ROWS, 0).describe()


def test_the_largest_change_of_one_column_is_for_pairs():
    with pytest.raises(ValueError, match="leave it out of the strategy, or use group_tests"):
        components(ROWS, Fuse())
