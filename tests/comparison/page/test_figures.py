"""Figures: small, the same every time, safe to put into a page, true to the numbers."""

import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from comparisons import changed_shop, picture_of
from optional import need
from samelaw.results.plots import Palette
from samelaw.results.table_plots import witness_levels
from samelaw.results.words import shorten
from samelaw.tables.columns.panels import Panel

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def _libraries():
    need("matplotlib")


def figures():
    from samelaw.comparison.page import figures

    return figures


def draw():
    """Every kind of figure of the shop."""
    found, module = changed_shop(), figures()
    svgs = {panel.column: module.panel_figure(panel, panel.column) for panel in found.panels}
    svgs["null"] = module.null_figure(found, "null")
    svgs["picture"] = module.picture_figure(found.picture, "A", "rows of A")
    return svgs


drawn = cache(draw)


def test_every_figure_is_small_well_formed_and_labelled():
    for name, svg in drawn().items():
        root = ET.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert len(svg) < 15_000, name
        assert list(root.iter(f"{SVG}path")), name


def test_figures_share_a_page_without_ids_styles_or_addresses():
    for svg in drawn().values():
        assert not re.search(r"\sid=|<style|<defs|href|url\(|<metadata|<!|<\?", svg)
        assert set(re.findall(r"https?://[^\"]*", svg)) == {"http://www.w3.org/2000/svg"}


def test_the_same_numbers_give_the_same_bytes():
    assert draw() == drawn()


def test_colours_are_variables_of_the_page():
    colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", " ".join(drawn().values())))
    assert all(colour == "none" or colour.startswith("var(--") for colour in colours), colours


def test_no_global_state_of_matplotlib_is_touched():
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    loaded = "matplotlib.pyplot" in sys.modules
    draw()
    assert dict(mpl.rcParams) == before
    assert ("matplotlib.pyplot" in sys.modules) == loaded


HOSTILE = ("<script>alert(1)</script>", "{{ 7 * 7 }}", "$x^2$", "价格", "a\nb", "", "&amp;", '"')


def test_category_names_are_text():
    shares = tuple(np.full(len(HOSTILE), 1 / len(HOSTILE)))
    panel = Panel("c", "categorical", shares, shares, categories=HOSTILE)
    svg = figures().panel_figure(panel, 'a "label" with <b>')
    texts = [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]
    assert [shorten(name) for name in HOSTILE] == [t for t in texts if t in map(shorten, HOSTILE)]
    assert ET.fromstring(svg).get("aria-label") == 'a "label" with <b>'


def heights(svg):
    """Heights of the filled steps: per table, one number per bin."""
    paths = re.findall(r'd="([^"]*)" style="fill: var\(--(a|b)', svg)
    for path, table in paths:
        points = np.array([p.split() for p in re.findall(r"[ML]([\d. -]+)", path)], dtype=float)
        yield table, points[0, 1] - points[1:-1:2, 1]


def test_densities_have_the_heights_of_the_shares():
    panel = Panel("x", "numeric", (0.2, 0.5, 0.3), (0.6, 0.3, 0.1), edges=(0.0, 1.0, 2.0, 3.0))
    found = dict(heights(figures().panel_figure(panel, "x")))
    np.testing.assert_allclose(found["a"] / found["a"][1], [0.4, 1.0, 0.6], atol=0.02)
    np.testing.assert_allclose(found["b"] / found["b"][0], [1.0, 0.5, 1 / 6], atol=0.02)


def test_unequal_bins_are_drawn_as_densities():
    panel = Panel("x", "numeric", (0.5, 0.5), (0.5, 0.5), edges=(0.0, 1.0, 5.0))
    found = dict(heights(figures().panel_figure(panel, "x")))
    np.testing.assert_allclose(found["a"][1] / found["a"][0], 0.25, atol=0.02)


@pytest.mark.parametrize(
    ("days", "labels"),
    [
        ((20_000.0, 20_100.0), {"2024-10-04", "2024-11-23", "2025-01-12"}),
        ((20_000.0, 20_001.0), {"10-04 00:00", "10-04 12:00", "10-05 00:00"}),
    ],
)
def test_dates_are_written_as_dates(days, labels):
    edges = tuple(86_400 * np.linspace(*days, 3))
    panel = Panel("d", "datetime", (0.5, 0.5), (0.1, 0.9), edges=edges)
    svg = figures().panel_figure(panel, "d")
    assert labels <= {element.text for element in ET.fromstring(svg).iter(f"{SVG}text")}


def test_witness_colours_are_symmetric():
    levels = witness_levels([-1.0, -0.5, 0.0, 0.5, 1.0], 7)
    assert levels.tolist() == [0, 2, 3, 4, 6] or levels.tolist() == [0, 1, 3, 5, 6]
    assert witness_levels([5.0, -5.0], 7).tolist() == [6, 0]


def test_every_row_of_a_small_picture_is_drawn_in_its_colour():
    picture = picture_of(200)
    svgs = [figures().picture_figure(picture, table, "") for table in "AB"]
    dots = sum(path.count("M") for svg in svgs for path in re.findall(r'd="([^"]*)"[^>]*--w', svg))
    assert dots == 200


def test_large_pictures_are_thinned_evenly():
    thin = figures().thin(picture_of(10_000), 700)
    assert {table: thin.table.count(table) for table in "AB"} == {"A": 625, "B": 625}
    assert len(figures().picture_figure(picture_of(10_000), "A", "")) < 30_000


def test_constant_pictures_and_single_bins_are_drawn():
    flat = replace(picture_of(4), x=(1.0,) * 4, y=(2.0,) * 4)
    assert "<path" in figures().picture_figure(flat, "B", "")
    assert "<path" in figures().panel_figure(Panel("x", "integer", (1.0,), (1.0,), (0.5, 1.5)), "")


def test_infinite_rows_do_not_break_a_picture():
    odd = replace(picture_of(4), x=(1.0, np.inf, 3.0, np.nan), y=(2.0, 1.0, -np.inf, 0.0))
    svgs = [figures().picture_figure(odd, table, "") for table in "AB"]
    dots = [path for svg in svgs for path in re.findall(r'd="([^"]*)"[^>]*--w', svg)]
    assert len(dots) == 1
    none = replace(odd, x=(np.inf,) * 4)
    assert "--w" not in figures().picture_figure(none, "A", "")


@pytest.mark.parametrize("size", [1e308, 1e9, 1e-9, 5e-324])
def test_numbers_of_any_size_are_drawn(size):
    edges = tuple(size * np.array([-1.0, 0.0, 1.0]))
    panel = Panel("x", "numeric", (0.5, 0.5), (0.4, 0.6), edges=edges)
    svg = figures().panel_figure(panel, "x")
    assert "<path" in svg
    assert "in units of 1e" in svg
    far = replace(picture_of(4), x=(size, -size, size, 0.0))
    assert "minutes_on_site (1e" in figures().picture_figure(far, "A", "")


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_tables_differ_in_hue_and_can_be_told_apart_in_grey():
    palette = Palette()
    light, dark = sorted((luminance(palette.a), luminance(palette.b)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) > 1.2


def test_a_comparison_plots_itself():
    need("matplotlib").use("svg")
    from matplotlib.figure import Figure

    found = changed_shop()
    ax = Figure().add_subplot()
    assert found.plot(ax=ax).get_xlabel().startswith("effect (0 same law")
    named = [label.get_text() for label in ax.get_yticklabels()]
    assert named[:2] == ["amount", "device"]  # where they differ comes first
    assert "minutes_on_site × pages_seen" in named
    ax = Figure().add_subplot()
    assert found.plot(ax, column="amount").get_title() == "amount"
    with pytest.raises(ValueError, match="column 'nope' was not compared; there are 'ordered_at'"):
        found.plot(ax, column="nope")


def test_dates_beyond_any_calendar_are_drawn():
    panel = Panel("never", "datetime", (0.5, 0.5), (0.2, 0.8), edges=(-1e15, 0.0, 1.8e19))
    svg = figures().panel_figure(panel, "never")
    assert "1.8e+19 s" in svg
    ET.fromstring(svg)
