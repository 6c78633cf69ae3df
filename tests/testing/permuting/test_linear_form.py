"""Contrasts of row scores: their values, and exact moments over all permutations."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from samelaw import Fuse, Groups, two_sample_test
from samelaw.testing import Leverage, NeighbourDistance, NormalScores, ScoreGroup
from samelaw.testing.permuting.components import contrasts_of
from samelaw.testing.permuting.group_units import units_of_groups
from samelaw.testing.permuting.units import Units

RNG = np.random.default_rng


def only(units, scores):
    (component,) = contrasts_of("score", scores, units)
    return component


@pytest.mark.parametrize("sizes", [(3, 6), (5, 5), (2, 7)])
def test_value_and_moments_are_those_of_all_permutations(sizes):
    count = sum(sizes)
    scores = RNG(0).normal(size=count) ** 3 + 5.0
    component = only(Units.of_rows(sizes), scores)
    every = np.zeros((len(list(combinations(range(count), sizes[0]))), count))
    for row, chosen in enumerate(combinations(range(count), sizes[0])):
        every[row, list(chosen)] = 1.0
    found = component.evaluate(every)
    direct = [scores[s > 0].mean() - scores[s == 0].mean() for s in every]
    np.testing.assert_allclose(found, direct, atol=1e-12)
    moments = component.moments()
    assert moments.mean == pytest.approx(found.mean(), abs=1e-12)
    assert moments.deviation == pytest.approx(found.std())
    cubes = np.mean((found - found.mean()) ** 3) / found.std() ** 3
    assert moments.skewness == pytest.approx(cubes, abs=1e-9)
    assert component.two_sided


def test_the_long_tail_of_few_rows_is_no_evidence():
    """5 rows against 100: scores with one long tail reach far on that side by chance."""
    scores = RNG(3).exponential(size=105) ** 2
    units = Units.of_rows((5, 100))
    values = only(units, scores)
    found = NormalScores().fit(values)(values.evaluate(units.labels.draw(RNG(4), 20_000)))
    plain = np.abs(values.evaluate(units.labels.draw(RNG(4), 20_000))) / values.moments().deviation
    normal = norm.isf(0.001)  # of the p-values of both tails
    assert np.mean(found > normal) < 0.5 * np.mean(plain > norm.isf(0.0005))


def test_strata_are_compared_within():
    codes = np.r_[np.repeat([0, 1, 2], 4), np.repeat([0, 1, 2], 3)]
    units = units_of_groups(Groups(codes), (12, 9), RNG(0))
    scores = RNG(1).normal(size=21) + 100.0 * codes  # the mix of groups makes no difference
    component = only(units, scores[units.rows])
    drawn = units.labels.draw(RNG(2), 20_000).astype(float)
    found = component.evaluate(drawn)
    assert abs(found).max() < 5.0
    assert component.moments().deviation == pytest.approx(found.std(), rel=0.03)


def test_whole_groups_are_standardised_by_their_sizes():
    sizes = np.array([1, 9, 2, 8, 3, 7, 1, 9, 2, 8])
    codes = np.repeat(np.arange(10), sizes)
    units = units_of_groups(Groups(codes), (int(sizes[:5].sum()), int(sizes[5:].sum())), RNG(0))
    component = only(units, RNG(1).normal(size=len(codes)))
    assert component.moments() is None
    drawn = units.labels.draw(RNG(2), 5_000).astype(float)
    found = component.evaluate(drawn)
    rows = drawn @ sizes
    small, large = found[rows < np.median(rows)], found[rows >= np.median(rows)]
    assert small.std() == pytest.approx(large.std(), rel=0.25)


def test_equal_scores_say_nothing():
    component = only(Units.of_rows((6, 7)), np.full(13, 0.1 + 0.2))
    assert component.moments().deviation == 0.0


@pytest.mark.parametrize("sketches", [False, True])
def test_a_change_of_spread_in_many_columns_is_seen(sketches):
    """Equicorrelation .5 → .58 in 100 columns, where the divergence itself is blind."""
    rng = RNG(3)

    def drawn(count, rho):
        common, own = rng.normal(size=(count, 1)), rng.normal(size=(count, 100))
        return np.sqrt(rho) * common + np.sqrt(1 - rho) * own

    x, y = drawn(150, 0.5), drawn(150, 0.58)
    scores = Fuse([ScoreGroup([Leverage(), NeighbourDistance(20)])], sketches=sketches)
    found = two_sample_test(x, y, strategy=scores, permutations=199, rng=0)
    assert found.pvalue <= 0.01
    assert (
        two_sample_test(x, drawn(150, 0.5), strategy=scores, permutations=199, rng=0).pvalue > 0.05
    )
