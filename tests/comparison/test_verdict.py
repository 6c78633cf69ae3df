"""Verdict, sentence and names, from findings made by hand."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from samelaw.comparison.effects.limits import Sameness
from samelaw.comparison.findings import ColumnFinding, PairFinding, Rule
from samelaw.comparison.verdict import (
    ALIKE,
    DIFFERENT,
    NOT_SHOWN,
    TOO_LITTLE,
    changed_columns,
    column_groups,
    schema_words,
    sentence_of,
    verdict_of,
)
from samelaw.tables.pairing.left_out import LeftOut
from samelaw.tables.pairing.rewritten import Cause
from samelaw.tables.pairing.schema_changes import Change, SchemaChange

NOT_ASKED = Sameness(0.1, None, None)


def plan(same_within=None, min_effect=0.0, left_out=()):
    pair = SimpleNamespace(sources=("old/may.csv", "new/june.csv"), left_out=left_out)
    return SimpleNamespace(pair=pair, same_within=same_within, min_effect=min_effect, level=0.05)


def column(name, changed=True, missing=False):
    return ColumnFinding(name, "numeric", missing, changed, 0.01, 0.1, (0.0, 0.2), "median 1 → 2")


def pair(one, other, changed=True):
    return PairFinding((one, other), (one, other), changed, 0.01, "rank correlation")


@pytest.mark.parametrize(
    ("significant", "matters", "verdict"),
    [(False, False, ALIKE), (True, False, TOO_LITTLE), (True, True, DIFFERENT)],
)
def test_a_difference_is_asked_for(significant, matters, verdict):
    assert verdict_of(significant, matters, NOT_ASKED, plan()) == verdict


def test_sameness_is_asked_for():
    shown, open_ = Sameness(0.015, True, None), Sameness(0.03, False, (10, 20))
    asked = plan(same_within=0.02)
    assert verdict_of(True, True, shown, asked) == "the same within 0.02"
    assert verdict_of(False, False, open_, asked) == NOT_SHOWN
    assert sentence_of("", asked, [], [], shown) == (
        "june.csv is the same as may.csv within 0.02: no effect is above 0.015 (95 % sure)."
    )
    assert "an effect up to 0.03 may be there" in sentence_of("", asked, [], [], open_)
    wide = sentence_of("", asked, [], [], Sameness(0.617, False, None))
    assert "an effect up to 0.617 may be there" in wide, "as in the lines below"


def test_sentences_name_columns_and_pairs():
    columns = [column("x"), column("age", missing=True), column("y", changed=False)]
    assert sentence_of(ALIKE, plan(), [], [], NOT_ASKED) == (
        "No difference found between may.csv and june.csv."
    )
    assert sentence_of(DIFFERENT, plan(), columns, [pair("u", "v")], NOT_ASKED) == (
        "june.csv differs from may.csv: x and age (missing) changed, and u and v no longer go "
        "together as before."
    )
    two = [pair("u", "v"), pair("v", "w"), pair("a", "b", changed=False)]
    assert "u with v and v with w no longer" in sentence_of(DIFFERENT, plan(), [], two, NOT_ASKED)
    nowhere = sentence_of(TOO_LITTLE, plan(min_effect=0.2), [], [], NOT_ASKED)
    assert "overall, but no single column or pair stands out. Its effect" in nowhere
    assert "not shown to reach 0.2, so it may not matter" in nowhere


def test_columns_that_were_not_compared_are_told_where_nothing_was_found():
    columns = [column(name, changed=False) for name in ("x", "y")]
    columns += [column("id", changed=False, missing=True)]
    key, same = LeftOut("id", "an identifier"), LeftOut("c", "every value is the same", same=True)
    text = LeftOut("note", "free text", in_part=True)

    def said(left, found=columns, verdict=ALIKE, **options):
        return sentence_of(verdict, plan(left_out=left), found, [], NOT_ASKED, **options)

    alike = "No difference found between may.csv and june.csv"
    assert said([same]) == f"{alike}."
    assert said([key, same]) == f"{alike} in the 2 columns compared; 1 was not (id)."
    assert said([key, text], columns[:1]) == (
        f"{alike} in the one column compared; 1 was not (id), 1 only in part (note)."
    )
    assert said([text]) == f"{alike} in the 2 columns compared; 1 was only in part (note)."
    many = [LeftOut(f"k{i}", "") for i in range(6)]
    assert said(many).endswith("compared; 6 were not (k0, k1, k2, k3 and 2 more).")
    assert said([key], columns[2:]) == f"{alike}; no column was compared as a whole (id)."
    other = said([key], verdict=DIFFERENT, schema=[gone("z")], significant=False)
    assert other.endswith("no other difference found in the 2 columns compared; 1 was not (id).")
    asked = plan(same_within=0.02, left_out=[key])
    shown = sentence_of("", asked, columns, [], Sameness(0.015, True, None))
    assert shown.endswith("(95 % sure) in the 2 columns compared; 1 was not (id).")


def gone(name):
    return SchemaChange(Change.ONLY_IN_A, name, f"{name}: only in A.", difference=True)


def test_a_changed_schema_is_a_difference_and_said_first():
    new = SchemaChange(Change.ONLY_IN_B, "z", "z: only in B.", difference=True)
    typed = SchemaChange(Change.TYPE, "q", "", difference=True, types=("numbers", "text"))
    schema = [gone("y"), new, typed]
    assert verdict_of(False, False, NOT_ASKED, plan(), schema) == DIFFERENT
    assert sentence_of(DIFFERENT, plan(), [], [], NOT_ASKED, schema, significant=False) == (
        "june.csv differs from may.csv: y is gone, z is new, q is text, not numbers; no other "
        "difference found."
    )
    both = sentence_of(DIFFERENT, plan(), [column("x")], [], NOT_ASKED, [gone("u"), gone("v")])
    assert both == "june.csv differs from may.csv: u and v are gone; x changed."
    many = schema_words([typed] * 5)
    assert many.endswith("q is text, not numbers, 2 more columns are of another type")


def test_other_columns_are_never_the_same():
    shown = Sameness(0.015, True, None)
    asked = plan(same_within=0.02)
    assert shown.unless(False) is shown
    assert shown.unless(True).same is False
    assert Sameness(0.1, None, None).unless(True).same is None
    said = sentence_of(NOT_SHOWN, asked, [], [], shown.unless(True), [gone("y")])
    assert said == "june.csv is not the same as may.csv: y is gone."


def test_sentences_say_where_and_what_else_to_look_at():
    rule = Rule("age > 60", ("age > 60",), ("age",), 0.05, 0.112, 0.001, 0.06)
    seen = ["x reaches 1e+09 in B (1 row), 3 in A", "one row makes up 20 % of B", "y is always 5"]
    text = sentence_of(DIFFERENT, plan(), [column("x")], [], NOT_ASKED, (), seen, rule)
    assert text == (
        "june.csv differs from may.csv: x changed. Clearest where age > 60: 5 % of may.csv, 11 % "
        "of june.csv. Worth a look: x reaches 1e+09 in B (1 row), 3 in A; one row makes up 20 % "
        "of B; and 1 more below."
    )
    alike = sentence_of(ALIKE, plan(), [], [], NOT_ASKED, (), seen[1:2])
    assert alike.endswith("june.csv. Worth a look: one row makes up 20 % of B.")


def test_causes_come_before_the_columns_they_move():
    moved = Cause("one row occurs 51 times in B, never in A", "row 5 of B")
    cut = Cause("values of w are cut after 7 characters in B", "all of them", ("w",))
    rule = Rule("w = 'a'", ("w = 'a'",), ("w",), 0.05, 0.112, 0.001, 0.06)
    columns, pairs = [column("w"), column("x")], [pair("w", "x")]

    def said(causes, found=columns, verdict=DIFFERENT, **more):
        return sentence_of(verdict, plan(), found, pairs, NOT_ASKED, causes=causes, **more)

    assert said([moved, cut], rule=rule) == (
        "june.csv differs from may.csv: one row occurs 51 times in B, never in A; values of w are "
        "cut after 7 characters in B; x changed."
    )
    assert said([cut], columns[:1], rule=rule) == (
        "june.csv differs from may.csv: values of w are cut after 7 characters in B."
    )
    assert "Clearest where w" in said([moved], rule=rule)
    assert "; 2 more causes below; " in said([moved, moved, moved, cut])
    assert said([cut], verdict=ALIKE, seen=["x reaches 9"]).endswith(
        "june.csv. Worth a look: values of w are cut after 7 characters in B; x reaches 9."
    )


def test_the_largest_effect_is_named_first():
    large = replace(pair("u", "v"), effect=0.155)
    said = sentence_of(DIFFERENT, plan(), [column("x")], [large], NOT_ASKED)
    assert said == (
        "june.csv differs from may.csv: u and v no longer go together as before, and x changed."
    )


def test_names_come_once_and_groups_are_connected():
    pairs = [pair("a", "b"), pair("c", "d"), pair("b", "c"), pair("x", "y"), pair("y", "z", False)]
    columns = [column("x"), column("x", missing=True), column("q", changed=False)]
    assert changed_columns(columns, pairs) == ("x", "a", "b", "c", "d", "y")
    assert column_groups(pairs) == (("a", "b", "c", "d"), ("x", "y"))


def test_names_come_by_effect_and_the_count_is_that_of_columns_changed_by_themselves():
    columns = [replace(column(f"x{i}"), effect=0.5 - 0.05 * i) for i in range(6)]
    columns += [column(name, changed=False) for name in ("still", "u", "v")]
    pairs = [replace(pair("u", "v"), effect=0.47)]
    names = changed_columns(columns, pairs)
    assert names == ("x0", "u", "v", "x1", "x2", "x3", "x4", "x5")
    said = sentence_of(DIFFERENT, plan(), columns, pairs, NOT_ASKED)
    assert said == (
        "june.csv differs from may.csv: 6 of 9 columns changed, most of all x0, x1, x2 and x3, and "
        "u and v no longer go together as before."
    )


def test_no_more_names_are_told_than_columns_are_counted():
    """ "3 of 8 columns changed, most of all" was followed by four names."""
    columns = [replace(column("x"), part=part) for part in ("", "length", "words")]
    columns += [column("y"), column("y", missing=True), column("z", missing=True)]
    columns += [column(name, changed=False) for name in "uvw"]
    said = sentence_of(DIFFERENT, plan(), columns, [], NOT_ASKED)
    assert said == "june.csv differs from may.csv: x, y and z (missing) changed."


def test_one_more_is_singular():
    pairs = [pair("u", name) for name in "vwx"]
    said = sentence_of(DIFFERENT, plan(), [], pairs, NOT_ASKED)
    assert "u with v, u with w and 1 more pair no longer go together" in said
    typed = SchemaChange(Change.TYPE, "q", "", difference=True, types=("numbers", "text"))
    assert schema_words([typed] * 4).endswith("1 more column is of another type")


def test_many_pairs_are_counted():
    pairs = [pair("u", name) for name in "vwxyz"]
    columns = [column(name, changed=False) for name in "uvwxyzt"]
    assert sentence_of(DIFFERENT, plan(), columns, pairs, NOT_ASKED) == (
        "june.csv differs from may.csv: u with v, u with w and 3 more pairs no longer go together "
        "as before."
    )
