"""Signs that a reader cannot see are written out, all others stay."""

import json

from hypothesis import given
from hypothesis import strategies as st

from samelaw.results.escape_controls import escape_json, legible, legible_lines

CONTROLS = [
    *map(chr, range(32)),
    *map(chr, range(127, 160)),
    "\u202e",
    "\u2066",
    "\ud800",
    "\u2028",
]
TEXT = st.text(st.one_of(st.characters(), st.sampled_from(CONTROLS)))


@given(TEXT)
def test_no_control_is_left_and_what_is_printable_stays(text):
    shown = legible(text)
    assert not any(sign in shown for sign in CONTROLS)
    assert shown.encode().decode() == shown  # halves of letters would raise
    if all(sign.isprintable() for sign in text):
        assert shown == text
    assert legible(shown) == shown
    assert legible_lines(text).count("\n") == text.count("\n")


@given(st.dictionaries(TEXT, TEXT))
def test_json_means_the_same_with_its_controls_escaped(value):
    for options in ({}, {"indent": 1}, {"ensure_ascii": True}):
        text = escape_json(json.dumps(value, **{"ensure_ascii": False, **options}))
        assert json.loads(text) == value
        assert not any(sign in text.replace("\n", "") for sign in CONTROLS)
