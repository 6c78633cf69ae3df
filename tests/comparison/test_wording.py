"""What the numbers mean is said in the same words everywhere, and never too much."""

from dataclasses import replace

import numpy as np
import pytest

from comparisons import changed_shop, same_shop
from optional import need
from samelaw.comparison import wording
from samelaw.comparison.findings import Rule
from samelaw.results.words import percent


@pytest.fixture(autouse=True)
def _libraries():
    need("rich")


def test_no_words_make_a_share_of_rows_of_the_upper_end():
    """With .3 of the rows moved the interval can be .12 to .2: the upper end is an effect."""
    for found in (changed_shop(), same_shop(), changed_shop(reject=False, min_effect=0.1)):
        said = wording.meaning(found) + wording.effect_words(found)
        assert "rows changed" not in said
        assert percent(found.effect_interval[1]) not in said


def test_sameness_says_what_is_shown_and_how_many_rows_it_would_take():
    options = {"same_within": 0.02, "effect_limit": 0.015}
    shown_same = same_shop(verdict="the same within 0.02", same=True, **options)
    assert "No effect above 0.015 is left (95 % sure)" in wording.meaning(shown_same)
    options["effect_limit"] = 0.03
    more = same_shop(
        verdict="not shown to be the same", same=False, rows_needed=(1200, 900), **options
    )
    assert "About 1,200 v 900 rows like these would show" in wording.meaning(more)
    never = replace(more, rows_needed=None, effect=0.05)
    assert "0.05, is not below 0.02: more rows" in wording.meaning(never)


def test_pvalue_says_when_it_is_the_least_possible():
    assert "the least that 999 permutations can give" in wording.pvalue_and_level(changed_shop())
    assert "from 999 permutations" in wording.pvalue_and_level(same_shop())
    none = same_shop(null_distribution=np.empty(0))
    assert wording.pvalue_and_level(none) == "0.62 (level 0.05)"


def test_meaning_never_claims_more_than_the_interval():
    options = {"effect_interval": (0.0, 0.575)}
    few = wording.meaning(changed_shop(effect_of="all columns", **options))
    assert few == (
        "A difference was found, but not how many rows would have to change to turn A into B: the "
        "effect on all columns together may be anything up to 0.575 (95 % sure)."
    )
    assert "real" not in few
    less_than_a_row = changed_shop(effect_of="x", effect_interval=(0.00014, 0.1), sizes=(489, 489))
    said = few.replace("0.575", "0.1").replace("all columns together", "x")
    assert wording.meaning(less_than_a_row) == said
    assert wording.meaning(changed_shop(effect_interval=(0.999, 1.0))).startswith("Nearly all rows")


def test_a_difference_has_no_effect_of_0():
    """ "differs ... effect 0" contradicts itself: it is the estimate that is 0."""
    found = changed_shop(effect=0.0, effect_interval=(0.0, 0.03))
    assert wording.effect_words(found).startswith("below 0.03 on a scale from 0 (same law)")
    same = same_shop(effect=0.0, effect_interval=(0.0, 0.03))
    assert wording.effect_words(same).startswith("0 on a scale from 0 (same law)")


def test_a_rule_says_what_it_rests_on():
    rule = Rule("age > 60", ("age > 60",), ("age",), 0.05, 0.112, 0.004, 0.06)
    assert wording.rule_words(changed_shop(rule=rule)) == (
        "age > 60: 5 % of A, 11 % of B (p = 0.004 on rows that it was not found on)"
    )
    assert "(p < 0.0001 on" in wording.rule_words(changed_shop(rule=replace(rule, pvalue=1e-9)))
    assert wording.rule_words(changed_shop()) == ""
    chosen = replace(rule, share_a=0.3, share_b=0.56, expected_gap=0.21)
    assert wording.shares_of_rule(chosen, "a.csv", "b.csv") == (
        "30 % of a.csv, 56 % of b.csv; expect a gap of about 21 points among new rows"
    )
    one = replace(chosen, expected_gap=-0.01)
    assert wording.shares_of_rule(one, "a", "b").endswith("about 1 point among new rows")


def test_words_before_a_tiny_number_still_make_a_sentence():
    """ "At least < 0.1 % of the rows", "effects from about < 0.0001 on" were no English."""
    found = changed_shop(
        effect_interval=(0.00027, 0.00063), detectable_effect=0.000042, sizes=(40_000, 40_000)
    )
    assert wording.meaning(found).startswith("At least 0.027 % of the rows")
    assert wording.detectable_words(found).startswith(
        "effects from about 0.00004 on all columns together are found"
    )
    same = same_shop(effect_interval=(0.0, 0.00006), effect_limit=0.00006)
    assert "an effect up to 0.00006 may remain" in wording.meaning(same)
    assert all("<" not in wording.meaning(each) for each in (found, same))


def test_one_column_of_which_little_is_known_does_not_speak_for_all():
    """ "Up to 0.617 may remain" stood beside "detectable 0.030": one limit, two things."""
    found = same_shop(
        effect_interval=(0.0, 0.021),
        effect_limit=0.617,
        effect_limit_of="note",
        detectable_effect=0.0047,
        detectable_worst=0.036,
        detectable_worst_of="city",
    )
    assert wording.meaning(found).endswith(
        "up to 0.021 on all columns together, or 0.617 on note, where the limit is highest, may "
        "remain (95 % sure)."
    )
    assert wording.detectable_words(found).startswith(
        "effects from about 0.0047 on all columns together, or 0.036 on city, where they are "
        "hardest to find, are found 8 times in 10"
    )
    known = replace(found, effect_limit=0.02, detectable_worst=0.0047)
    assert "up to 0.021 may remain" in wording.meaning(known)
    assert wording.detectable_words(known).startswith(
        "effects from about 0.0047 on all columns together are found"
    )
