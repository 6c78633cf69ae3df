"""Columns of text fit, whatever is in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samelaw.results.text_columns import cells, columns, wrapped

words = st.text(alphabet="ab 价é%×\u0301", max_size=60)


@given(words, st.integers(2, 40))
def test_no_line_is_wider_and_no_letter_is_lost(text, width):
    lines = wrapped(text, width)
    assert max(map(cells, lines)) <= max(width, 4)  # a number keeps its %
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.lists(st.tuples(words, words, st.just("0.001")), min_size=1, max_size=4))
def test_a_table_fits_and_its_numbers_end_below_each_other(rows):
    lines = columns(rows, 60, ("Changed", "How", "p"))
    assert max(map(cells, lines)) <= 60
    ends = {cells(line) for line in lines if line.endswith("0.001")}
    assert len(ends) == 1


@pytest.mark.parametrize("width", [30, 80])
def test_the_first_column_takes_at_most_half(width):
    lines = columns([("n" * 100, "how " * 30)], width)
    assert max(map(len, lines)) <= width
    assert "how" in lines[0]


def test_percent_signs_stay_with_their_numbers():
    assert wrapped("moved from 12 % to 5 %", 13) == ["moved from", "12 % to 5 %"]


def test_a_row_may_have_lines_of_its_own():
    assert columns([("x", "one\ntwo")], 20) == ["x  one", "   two"]
    assert columns([], 20) == []


def test_the_rule_is_below_a_head_of_two_lines():
    lines = columns([["x × y", "median", "0.1"]], 24, ["Changed together", "How", "effect"])
    assert lines[0].startswith("Changed")
    assert lines[1].startswith("together")
    assert set(lines[2]) == {"─"}


def test_many_columns_of_numbers_are_made_narrower_to_fit():
    head = ["measure", "better", "generator_one.npy", "generator_two.npy"]
    lines = columns([["RJSD", "lower", "0.01 ± 0.001", "0.02 ± 0.001"]], 40, head)
    assert max(map(cells, lines)) <= 40
