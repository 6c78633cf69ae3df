"""Limits that hold for all effects at once, from effects made by hand."""

import math
from dataclasses import replace

import pytest
from scipy.stats import norm

from samelaw.comparison.effects.intervals import Effect
from samelaw.comparison.effects.limits import Effects
from samelaw.comparison.findings import ColumnFinding, PairFinding


def effect(value, spread=0.001):
    return Effect(value, spread, skewness=0.0, growth=0.0, unseen=0.0)


def effects_of(joint, views, pairs=None, pair_count=0):
    """Effects with names: x, y, … of the views, "pair 3" of the third pair."""
    pairs = pairs or {}
    names = ["all columns", *"xyzuvwabcd"[: len(views)], *(f"pair {k}" for k in pairs)]
    return Effects(joint, views, 0.05, names, pairs, pair_count)


def finding(name, one, score):
    return ColumnFinding(name, "numeric", False, True, 0.01, one.value, one.interval(score), "")


def pair_finding(one, score, changed=True):
    names = ("x", "y")
    return PairFinding(names, names, changed, 0.01, "", True, one.value, one.interval(score))


def test_the_score_is_bonferronis_and_pairs_share_what_one_view_has():
    effects = effects_of(effect(0.1), [effect(0.1)] * 9)
    assert effects.score == pytest.approx(norm.ppf(1 - 0.025 / 10))
    paired = effects_of(effect(0.1), [effect(0.1)] * 9, {3: effect(0.2)}, 45)
    assert paired.score == pytest.approx(norm.ppf(1 - 0.025 / 11))
    assert paired.pair_score == pytest.approx(norm.ppf(1 - 0.025 / 11 / 45))


def test_the_largest_effect_has_the_limits_of_all():
    effects = effects_of(effect(0.1), [effect(0.3, 0.05), effect(0.28)])
    marginals = [
        finding(name, one, effects.score)
        for name, one in zip(("x", "y"), effects.views, strict=True)
    ]
    largest = effects.largest(marginals, [], significant=True)
    assert (largest.value, largest.of) == (0.3, "x")
    assert largest.interval[0] == pytest.approx(0.28, abs=0.005)  # the lower limit of y
    assert largest.interval[1] == marginals[0].effect_interval[1]
    assert effects.largest(marginals, [], significant=False).interval[0] == 0.0
    assert effects_of(effect(0.4), []).largest([], [], True).of == "all columns"


def test_only_what_is_named_is_quoted_with_its_own_limits():
    """The upper end was that of everything: one column of rare values spoiled that of the rest."""
    effects = effects_of(effect(0.01), [effect(0.3, 0.02)])
    unnamed = replace(finding("x", effects.views[0], effects.score), changed=False)
    largest = effects.largest([unnamed], [], significant=True)
    assert (largest.value, largest.of) == (0.01, "all columns")
    assert largest.interval == (effects.joint.interval(effects.score))
    assert effects.widest.of == "x"
    assert effects.widest.value == pytest.approx(0.3 + norm.ppf(0.975) * 0.02, rel=1e-3)


def test_of_effects_that_are_0_the_one_with_the_highest_limit_is_told():
    """ "Anything up to 0.059" on all columns stood above the only pair, which had "≤ 0.102"."""
    effects = effects_of(effect(0.0), [effect(0.0)], {0: effect(0.0, 0.004)}, 1)
    pair = pair_finding(effects.pairs[0], effects.pair_score)
    largest = effects.largest([], [pair], significant=True)
    assert largest == (0.0, "x × y", pair.effect_interval)
    assert largest.interval[1] > effects.joint.upper(effects.score)
    lower = replace(pair, effect_interval=(0.0, 1e-9))
    assert effects.largest([], [lower], significant=True).of == "all columns"
    unknown = replace(pair, effect=math.nan, effect_interval=(0.0, 1.0))
    assert effects.largest([], [unknown], significant=True).of == "all columns"


def test_a_pair_that_changed_enters_the_maximum_and_one_that_did_not_does_not():
    effects = effects_of(effect(0.01), [effect(0.0)], {0: effect(0.2)}, 1)
    pair = pair_finding(effects.pairs[0], effects.pair_score)
    largest = effects.largest([], [pair], significant=True)
    assert (largest.value, largest.of) == (0.2, "x × y")
    assert largest.interval == pair.effect_interval
    alone = effects.largest([], [replace(pair, changed=False)], significant=True)
    assert (alone.value, alone.of) == (0.01, "all columns")
    assert alone.interval[1] == pytest.approx(0.01 + effects.score * 0.001, rel=1e-3)
    assert effects.widest == ("pair 0", pytest.approx(0.2 + norm.ppf(0.975) * 0.001, rel=1e-3))


def test_tables_with_a_pair_that_changed_are_not_the_same():
    assert effects_of(effect(0.0), []).sameness(0.02, (9, 9)).same
    assert not effects_of(effect(0.0), [], {0: effect(0.2)}, 1).sameness(0.02, (9, 9)).same


def test_what_is_detectable_is_told_of_all_columns_and_of_the_noisiest_look():
    effects = effects_of(effect(0.0, 0.002), [effect(0.5, 0.01), effect(0.0, 0.001)])
    assert effects.detectable == pytest.approx((effects.score + norm.ppf(0.8)) * 0.002, rel=1e-4)
    assert effects.hardest == ("x", pytest.approx(5 * effects.detectable))
    assert effects_of(effect(0.0, 0.9), []).hardest == ("all columns", 1.0)


def test_sameness_needs_every_limit_below_the_bound():
    effects = effects_of(effect(0.01), [effect(0.0), effect(0.015)])
    assert effects.sameness(None, (100, 100)).same is None
    near = effects.sameness(0.02, (100, 100))
    assert near.same
    assert near.limit == pytest.approx(0.015 + norm.ppf(0.975) * 0.001, rel=1e-3)
    open_ = effects.sameness(0.016, (100, 60))
    assert open_.same is False
    assert open_.rows_needed[0] > 100
    assert open_.rows_needed[0] / open_.rows_needed[1] == pytest.approx(100 / 60, rel=0.1)
    assert effects.sameness(0.012, (100, 100)).rows_needed is None  # it is above
