"""The terminal answer: what is said first, that it fits, and that names are only text."""

import io
from dataclasses import replace

import pytest

from comparisons import changed_shop, same_shop
from optional import need
from samelaw.present.terminal import answer


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


def test_a_pair_has_an_effect_and_dates_are_named_once_as_unchanged():
    found = changed_shop()
    hours = replace(found.marginals[-1], part="hour of day", changed=False)
    pair = replace(found.pairs[0], effect=0.31)
    text = shown(replace(found, pairs=(pair,), marginals=(*found.marginals, hours)))
    assert "0.31" in text
    names = text.split("No change found in ")[1].split(".\n")[0].replace("\n", " ").split(", ")
    assert len(names) == len(set(names))


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


def test_a_comparison_shows_itself():
    found = changed_shop()
    lines = str(found).splitlines()
    assert lines[0] == found.sentence
    assert "changed: amount, device, minutes_on_site × pages_seen" in lines
    html = replace(found, sentence="<script>")._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
