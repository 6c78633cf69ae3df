"""Limits that hold for all effects at once, from effects made by hand."""

from dataclasses import replace

import pytest
from scipy.stats import norm

from samelaw.comparison.effect_limits import Effects
from samelaw.comparison.findings import ColumnFinding, PairFinding
from samelaw.twotables.effect_intervals import Effect


def effect(value, spread=0.001):
    return Effect(value, spread, skewness=0.0, growth=0.0, unseen=0.0)


def finding(name, one, score):
    return ColumnFinding(name, "numeric", False, True, 0.01, one.value, one.interval(score), "")


def pair_finding(one, score, changed=True):
    names = ("x", "y")
    return PairFinding(names, names, changed, 0.01, "", True, one.value, one.interval(score))


def test_the_score_is_bonferronis_and_pairs_share_what_one_view_has():
    effects = Effects(effect(0.1), [effect(0.1)] * 9, 0.05)
    assert effects.score == pytest.approx(norm.ppf(1 - 0.025 / 10))
    paired = Effects(effect(0.1), [effect(0.1)] * 9, 0.05, {3: effect(0.2)}, 45)
    assert paired.score == pytest.approx(norm.ppf(1 - 0.025 / 11))
    assert paired.pair_score == pytest.approx(norm.ppf(1 - 0.025 / 11 / 45))


def test_the_largest_effect_has_the_limits_of_all():
    effects = Effects(effect(0.1), [effect(0.3, 0.05), effect(0.28)], 0.05)
    marginals = [
        finding(name, one, effects.score)
        for name, one in zip(("x", "y"), effects.views, strict=True)
    ]
    largest = effects.largest(marginals, [], significant=True)
    assert (largest.value, largest.of) == (0.3, "x")
    assert largest.interval[0] == pytest.approx(0.28, abs=0.005)  # the lower limit of y
    assert largest.interval[1] == marginals[0].effect_interval[1]
    assert effects.largest(marginals, [], significant=False).interval[0] == 0.0
    assert Effects(effect(0.4), [], 0.05).largest([], [], True).of == "all columns"


def test_only_what_is_named_is_quoted_and_everything_counts_in_the_upper_limit():
    effects = Effects(effect(0.01), [effect(0.3, 0.02)], 0.05)
    unnamed = replace(finding("x", effects.views[0], effects.score), changed=False)
    largest = effects.largest([unnamed], [], significant=True)
    assert (largest.value, largest.of) == (0.01, "all columns")
    assert largest.interval[0] < 0.01
    assert largest.interval[1] == unnamed.effect_interval[1] > 0.3


def test_a_pair_that_changed_enters_the_maximum_and_one_that_did_not_does_not():
    effects = Effects(effect(0.01), [effect(0.0)], 0.05, {0: effect(0.2)}, 1)
    pair = pair_finding(effects.pairs[0], effects.pair_score)
    largest = effects.largest([], [pair], significant=True)
    assert (largest.value, largest.of) == (0.2, "x × y")
    assert largest.interval == pair.effect_interval
    alone = effects.largest([], [replace(pair, changed=False)], significant=True)
    assert (alone.value, alone.of) == (0.01, "all columns")
    assert alone.interval[1] == pytest.approx(0.2 + norm.ppf(0.975) * 0.001, rel=1e-3)


def test_tables_with_a_pair_that_changed_are_not_the_same():
    assert Effects(effect(0.0), [], 0.05).sameness(0.02, (9, 9)).same
    assert not Effects(effect(0.0), [], 0.05, {0: effect(0.2)}, 1).sameness(0.02, (9, 9)).same


def test_what_is_detectable_stands_out_of_the_noisiest_look():
    effects = Effects(effect(0.0, 0.01), [effect(0.5, 0.002)], 0.05)
    assert effects.detectable == pytest.approx((effects.score + norm.ppf(0.8)) * 0.01, rel=1e-4)
    assert Effects(effect(0.0, 0.9), [], 0.05).detectable == 1.0


def test_sameness_needs_every_limit_below_the_bound():
    effects = Effects(effect(0.01), [effect(0.0), effect(0.015)], 0.05)
    assert effects.sameness(None, (100, 100)).same is None
    near = effects.sameness(0.02, (100, 100))
    assert near.same
    assert near.limit == pytest.approx(0.015 + norm.ppf(0.975) * 0.001, rel=1e-3)
    open_ = effects.sameness(0.016, (100, 60))
    assert open_.same is False
    assert open_.rows_needed[0] > 100
    assert open_.rows_needed[0] / open_.rows_needed[1] == pytest.approx(100 / 60, rel=0.1)
    assert effects.sameness(0.012, (100, 100)).rows_needed is None  # it is above
