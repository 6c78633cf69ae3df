"""The terminal answer: what is said first, that it fits, and that names are only text."""

import io
from dataclasses import replace

import numpy as np
import pytest

from comparisons import changed_shop, same_shop
from optional import need
from samelaw.present import wording
from samelaw.present.terminal import answer
from samelaw.show.words import percent


@pytest.fixture(autouse=True)
def _libraries():
    need("rich")


def shown(comparison, width=80):
    from rich.console import Console

    file = io.StringIO()
    Console(file=file, width=width, highlight=False).print(answer(comparison))
    return file.getvalue()


def test_the_sentence_then_the_numbers_then_the_columns():
    found = changed_shop()
    text = shown(found)
    assert text.startswith(found.sentence)
    places = [text.index(part) for part in ("p-value", "effect", "meaning", "Changed", "amount  ")]
    assert places == sorted(places)
    assert "0.061 on a scale from 0 (same law) to 1" in text
    assert "interval 0.034 to 0.092" in " ".join(text.split())
    said = " ".join(text.split())
    assert "At least 3.4 % of the rows would have to change to turn A into B (95 % sure)." in said
    assert "median +4.8 (+2.5 to +7.1)" in said


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    wide = replace(
        changed_shop(),
        sentence="word " * 60,
        notes=("n" * 500, "a note"),
        columns_changed=("x" * 300,),
    )
    lines = shown(wide, width).splitlines()
    assert max(map(len, lines)) <= width


def test_no_difference_is_not_sameness():
    text = " ".join(shown(same_shop()).split())
    assert "does not prove that there is none" in text
    assert "up to 0.021 may remain (95 % sure)" in text
    assert "Changed" not in text
    assert "No change found in ordered_at, amount" in text


def test_too_little_to_matter_says_what_matters():
    little = changed_shop(
        verdict="different, but too little to matter", reject=False, min_effect=0.1
    )
    assert "not shown to reach 0.1" in " ".join(shown(little).split())


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


def test_names_are_text_not_markup():
    found = changed_shop()
    column = replace(found.marginals[1], column="[red]x[/red]", changed=True)
    text = shown(replace(found, marginals=(column,), notes=("[link=file:///]here[/link]",)))
    assert "[red]x[/red]" in text
    assert "[link=file:///]here[/link]" in text


def test_control_characters_reach_no_terminal():
    found = changed_shop(notes=("evil \x1b[2J note",), sentence="B differs: \x1b[31mx changed.")
    column = replace(found.marginals[1], column="a\x1b]0;title\x07b", changed=True)
    assert "\x1b" not in shown(replace(found, marginals=(column,)))


def test_missing_values_are_never_silent():
    text = shown(changed_shop())
    assert "Missing values" in text
    assert "6.4 % → 5.2 %" in text


def test_ten_thousand_columns_give_a_short_answer():
    found = changed_shop()
    many = tuple(replace(found.marginals[1], column=f"c{i}", changed=True) for i in range(10_000))
    text = shown(replace(found, marginals=many, columns_changed=tuple(f.column for f in many)))
    assert len(text.splitlines()) < 100
    assert "and 9,981 more" in text


def test_pvalue_says_when_it_is_the_least_possible():
    assert "the least that 999 permutations can give" in wording.pvalue_words(changed_shop())
    assert "from 999 permutations" in wording.pvalue_words(same_shop())
    none = same_shop(null_distribution=np.empty(0))
    assert wording.pvalue_words(none) == "0.62 (level 0.05)"


def test_meaning_never_claims_more_than_the_interval():
    assert "too small to say" in wording.meaning(changed_shop(effect_interval=(0.0, 0.1)))
    assert wording.meaning(changed_shop(effect_interval=(0.999, 1.0))).startswith("Nearly all rows")


def test_a_comparison_shows_itself():
    found = changed_shop()
    lines = str(found).splitlines()
    assert lines[0] == found.sentence
    assert "changed: amount, device, minutes_on_site × pages_seen" in lines
    html = replace(found, sentence="<script>")._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
