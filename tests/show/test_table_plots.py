"""Both tables are in the drawing, on axes that can be read."""

from types import SimpleNamespace

import numpy as np
import pytest

from optional import need
from samelaw.show.table_plots import draw_panel, draw_picture


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
    draw_picture(ax, SimpleNamespace(axes=("from", "to"), dates=(True, True), **kinds), "A")
    words = ["1970-01-01", "1970-01-05", "1970-01-10"]
    assert [label.get_text() for label in ax.get_yticklabels()] == words
    assert [label.get_text() for label in ax.get_xticklabels()] == words
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("from", "to")


def test_skewed_amounts_in_a_picture_are_drawn_by_their_logarithm(ax):
    amounts = np.array([1.0, 10.0, 10.0, 20.0, 30.0, 5_000.0])
    kinds = {"table": "ABABAB", "witness": np.zeros(6), "dates": (False, False)}
    draw_picture(ax, SimpleNamespace(axes=("u", "v"), x=amounts, y=np.arange(6), **kinds), "A")
    assert ax.get_xlabel() == "u (log scale)"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100", "1,000"]
    assert ax.get_ylabel() == "v"
