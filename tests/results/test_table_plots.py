"""Both tables are in the drawing, on axes that can be read."""

from types import SimpleNamespace

import numpy as np
import pytest

from optional import need
from samelaw.results.table_plots import draw_panel, draw_picture


@pytest.fixture
def ax():
    return need("matplotlib.figure").Figure().add_subplot()


def test_bars_and_densities_show_both_tables(ax):
    panel = {"kind": "categorical", "shares_a": (0.5, 0.5), "shares_b": (0.9, 0.1)}
    draw_panel(ax, SimpleNamespace(**panel, edges=(), categories=("$x$", "no")))
    assert [round(bar.get_width()) for bar in ax.patches] == [50, 50, 90, 10]
    assert ax.get_yticklabels()[0].get_text() == "$x$"
    other = ax.figure.add_subplot()
    panel |= {"kind": "datetime"}
    draw_panel(other, SimpleNamespace(**panel, edges=(0.0, 864e3, 1728e3), categories=()))
    assert other.get_xticklabels()[0].get_text() == "1970-01-01"


def test_moments_in_a_picture_are_dates_on_both_axes(ax):
    days = 86_400.0 * np.arange(10)
    kinds = {"x": days, "y": days, "table": "AB" * 5, "witness": np.zeros(10)}
    kinds |= {"dates": (True, True), "of_day": (False, False)}
    draw_picture(ax, SimpleNamespace(axes=("from", "to"), **kinds), "A")
    words = ["1970-01-01", "1970-01-05", "1970-01-10"]
    assert [label.get_text() for label in ax.get_yticklabels()] == words
    assert [label.get_text() for label in ax.get_xticklabels()] == words
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("from", "to")


def test_skewed_amounts_in_a_picture_are_drawn_by_their_logarithm(ax):
    amounts = np.array([1.0, 10.0, 10.0, 20.0, 30.0, 5_000.0])
    neither = (False, False)
    kinds = {"table": "ABABAB", "witness": np.zeros(6), "dates": neither, "of_day": neither}
    draw_picture(ax, SimpleNamespace(axes=("u", "v"), x=amounts, y=np.arange(6), **kinds), "A")
    assert ax.get_xlabel() == "u (log scale)"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100", "1,000"]
    assert ax.get_ylabel() == "v"


def test_times_of_day_are_times_on_every_axis(ax):
    hours = np.linspace(8.25, 17.5, 10)
    panel = {"shares_a": (0.5, 0.5), "shares_b": (1.0, 0.0), "categories": ()}
    draw_panel(ax, SimpleNamespace(**panel, kind="time of day", edges=(8.25, 12.0, 17.5)))
    expected = ["10:00", "12:00", "14:00", "16:00"]
    assert [label.get_text() for label in ax.get_xticklabels()] == expected
    other = ax.figure.add_subplot()
    kinds = {"x": hours, "y": hours, "table": "AB" * 5, "witness": np.zeros(10)}
    marks = {"axes": ("from", "to"), "dates": (False, False), "of_day": (False, True)}
    draw_picture(other, SimpleNamespace(**marks, **kinds), "A")
    assert [label.get_text() for label in other.get_yticklabels()] == expected
