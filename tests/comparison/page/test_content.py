"""What a page holds of a comparison, before it is arranged."""

from dataclasses import replace
from typing import Any

import pytest

from comparisons import changed_shop, same_shop
from optional import need
from samelaw.comparison.page.content import (
    MOST_LINES,
    MOST_PANELS,
    SHOWN_LINES,
    SHOWN_PAIRS,
    Cut,
    content,
)


@pytest.fixture(autouse=True)
def _libraries():
    need("jinja2")
    need("matplotlib")


def drawn(found):
    """With one column drawn, for time."""
    return replace(found, panels=found.panels[:1])


def test_a_list_is_cut_and_says_how_much_is_left():
    assert Cut.of(range(5), 3) == Cut((0, 1, 2), 2)
    assert Cut.of(range(2), 3) == Cut((0, 1), 0)


@pytest.mark.parametrize(
    ("found", "tone"),
    [
        ({}, "differ"),
        ({"reject": False, "verdict": "different, but too little to matter"}, "little"),
        ({"reject": False, "verdict": "no difference found"}, "none"),
        ({"same": True, "same_within": 0.1, "effect_limit": 0.05}, "none"),
        ({"same": False, "same_within": 0.1, "effect_limit": 0.2}, "little"),
    ],
)
def test_the_tone_is_what_was_found(found, tone):
    assert content(drawn(changed_shop(**found)), ())["tone"] == tone


def test_every_list_is_bounded():
    found = changed_shop()
    many = tuple(replace(found.marginals[1], column=f"c{i}") for i in range(3 * MOST_LINES))
    panels = tuple(replace(found.panels[1], column=f.column) for f in many)
    held = content(replace(found, marginals=many, panels=panels), ())
    assert (len(held["columns"].shown), held["columns"].left) == (MOST_LINES, 2 * MOST_LINES)  # type: ignore[attr-defined]
    panels_drawn = held["panels_drawn"]
    count = len(panels_drawn.changed) + len(panels_drawn.others)  # type: ignore[attr-defined]
    assert count == MOST_PANELS
    assert panels_drawn.left == 3 * MOST_LINES - MOST_PANELS  # type: ignore[attr-defined]


def test_few_lines_are_shown_and_the_others_folded():
    found = drawn(changed_shop())
    many = tuple(replace(found.marginals[1], column=f"c{i}", changed=True) for i in range(40))
    pairs = tuple(replace(found.pairs[0], effect=0.01 * i) for i in range(31))
    held = content(replace(found, marginals=many, pairs=pairs, pairs_changed=69), ())
    lines, told = held["lines"], held["pairs"]
    assert (len(lines.shown), len(lines.folded)) == (SHOWN_LINES, 40 - SHOWN_LINES)  # type: ignore[attr-defined]
    assert (len(told.shown), told.kept) == (SHOWN_PAIRS, 31)  # type: ignore[attr-defined]
    assert told.shown[0].effect == 0.3  # type: ignore[attr-defined]
    assert held["pairs_changed"] == 69


def test_rows_are_gone_only_if_each_has_a_value_that_b_lacks():
    found = drawn(changed_shop())
    assert list(content(found, ())["rows"]) == [  # type: ignore[call-overload]
        "Rows of B least like A",
        "Rows of A that are rarer in B",
    ]
    gone = replace(found, rows=tuple(replace(row, unseen=("device",)) for row in found.rows))
    assert "Rows of A no longer seen in B" in content(gone, ())["rows"]  # type: ignore[operator]


def test_the_command_is_a_line_to_paste():
    assert content(drawn(same_shop()), ("samelaw", "compare", "a b.csv"))["command"] == (
        "samelaw compare 'a b.csv'"
    )


def test_settings_that_are_off_are_left_out_and_zeros_are_not():
    found = changed_shop(
        settings={"unique": False, "min_effect": 0.0, "columns": None, "thin": True}
    )
    names = [name for name, _ in content(drawn(found), ())["settings"]]  # type: ignore[attr-defined]
    assert names == ["min_effect", "thin", "rng", "method"]


def test_patterns_that_read_alike_are_shown_once():
    found = changed_shop()
    one = replace(found.directions[0], columns=(("c", 0.9), ("c", 0.8)), words=("high c", "high c"))
    other = replace(one, strength=-one.strength)
    shown: Any = content(replace(found, directions=(one, one, other)), [])["patterns"]
    assert [words for words, _ in shown] == ["high c", "high c"]
    assert [direction for _, direction in shown] == [one, other]
