"""All columns together, from sums over blocks: which components there are and what they see."""

import numpy as np

from samelaw.comparison.sums.joint import component_values, draw_features
from samelaw.testing.scales import View
from streaming_tables import mixed, summed


def values_of(change, seed=3):
    _, units, tests = summed(mixed(900, seed), mixed(700, seed + 1, **change), 20)
    rng = np.random.default_rng(0)
    memberships = np.concatenate([units.labels.observed[None], units.labels.draw(rng, 60)])
    return component_values(tests.sums, tests.units, memberships, rng)


def test_components_are_comparable():
    found = values_of({})
    assert len(found) == 12
    for values in found.values():
        assert abs(np.mean(values[1:])) < 1.2
        assert 0.4 < np.std(values[1:]) < 1.8


def test_a_shift_is_seen_by_means_of_ranks_and_normal_scores():
    found = values_of({"shift": 0.7})
    for name in ("means of ranks", f"order 1{View.NORMAL.of}"):
        assert found[name][0] > found[name][1:].max()


def test_means_of_ranks_follow_from_the_counts_of_bins():
    _, _, tests = summed(mixed(300, 0), mixed(300, 1), 30)
    sums = tests.sums
    ranks = [own @ table for own, table in
             zip(sums.bins, sums.scheme.tables(View.RANKS), strict=True)]  # fmt: skip
    points = sums.scheme.points(sums.scheme.drawn, View.RANKS)
    np.testing.assert_allclose(np.concatenate(ranks, axis=1).sum(0), points.sum(0), rtol=1e-4)


def test_features_depend_on_the_seed_alone():
    _, _, tests = summed(mixed(300, 0), mixed(300, 1), 30)
    draws = [draw_features(tests.sums.scheme, np.random.default_rng(s)) for s in (1, 1, 2)]
    first = [draw.means[0].frequencies for draw in draws]
    np.testing.assert_array_equal(first[0], first[1])
    assert not np.array_equal(first[0], first[2])
