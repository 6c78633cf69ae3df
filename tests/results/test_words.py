"""Numbers and lists in words: their edges."""

import math

import pytest

from samelaw.results import words
from samelaw.results.escape_controls import legible


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (-0.0, "0"), (1234.5, "1,234"), (0.00123, "0.00123"), (12.0, "12"),
     (-3.14159, "−3.142"), (1e7, "10,000,000"), (1e15, "1e+15"), (5e-5, "0.00005"),
     (1.2e-7, "1.2e-07"), (math.inf, "inf"), (-math.inf, "−inf"), (math.nan, "nan")],
)  # fmt: skip
def test_values_of_columns(value, text):
    assert words.number(value) == text


def test_numbers_beside_each_other_have_one_style():
    """A median went "5,400,000 → 1.3e+07"."""
    assert words.numbers([5.4e6, 1.3e7]) == ["5,400,000", "13,000,000"]
    assert words.numbers([0.0, 2e-9, 31.0]) == ["0", "2e-09", "3.1e+01"]
    assert words.numbers([math.inf, 2.0]) == ["inf", "2"]


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (1e-6, "< 0.1 %"), (0.05, "5 %"), (0.123, "12 %"), (0.95, "95 %"),
     (0.999999, "> 99.9 %"), (1.0, "100 %")],
)  # fmt: skip
def test_shares(share, text):
    assert words.percent(share) == text


def test_lists_of_one_and_none():
    assert words.listed([]) == words.in_a_row([]) == ""
    assert words.listed(["x"]) == words.in_a_row(["x"]) == "x"
    assert words.listed(["x", "y"], 1) == "x and 1 more"
    assert words.in_a_row([str(i) for i in range(2_000)], 1) == "0 and 1,999 more"


def test_rows_are_rounded_up():
    assert [words.two_digits(n) for n in (1.0, 9.1, 10.0, 101.0, 99_001)] == [
        1,
        10,
        10,
        110,
        100_000,
    ]


def test_times_beyond_the_calendar_are_seconds():
    assert words.moment(1e20) == "1e+20 s"
    assert words.moment(-86_400.0) == "1969-12-31"


def test_long_categories_are_cut():
    assert words.quoted("a" * 50) == repr("a" * 39 + "…")
    assert words.shorten("\n\t") == "(blank)"
    assert words.shorten("am\x1b[2Jount\u202e", 60) == legible("am\x1b[2Jount\u202e"), (
        "one spelling"
    )


def test_sources_of_one_name_keep_their_folders():
    assert words.source_names(("a/x.csv", "b/x.csv")) == ("a/x.csv", "b/x.csv")
    assert words.source_names(("x.csv", "x.csv")) == ("A", "B")
    may, june = (f"duckdb:///shop.db?table={name}" for name in ("may", "shop.june"))
    assert words.source_names((may, june)) == ("may", "shop.june")
    assert words.source_names((may, may.replace("shop", "new")))[0] == may
    assert words.source_names((may, "duckdb:///shop.db?query=select x from may")) == ("A", "B")


def test_long_names_that_start_alike_stay_apart():
    names = [f"sensor_of_the_northern_plant_{end}" for end in ("left", "right")]
    assert words.shorten(names[0]) == "sensor_of…ant_left"
    assert len({words.shorten(name) for name in names}) == 2
    assert words.shorten("word " * 60, 120).endswith(" word word…"), "a sentence is cut at its end"
