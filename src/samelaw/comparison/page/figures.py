"""Figures of the page of a comparison."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from samelaw.comparison.findings import Picture
from samelaw.comparison.result import Comparison
from samelaw.results.axes import power_of_ten
from samelaw.results.plots import draw_null
from samelaw.results.svg import TOKENS, figure_as_svg, room_for
from samelaw.results.table_plots import draw_panel, draw_picture
from samelaw.tables.columns.panels import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


MOST_DOTS = 700


def panel_figure(panel: Panel, label: str) -> str:
    """One column in both tables."""
    if not panel.categories:
        extra = 14 if panel.kind != "datetime" and power_of_ten(panel.edges) else 0
        return figure_as_svg(
            lambda ax: draw_panel(ax, panel, TOKENS),
            label,
            132 + extra,
            left=14,
            bottom=22 + extra,
        )
    bars = min(len(panel.categories), 12)
    left = room_for(panel.categories[:bars])
    return figure_as_svg(
        lambda ax: draw_panel(ax, panel, TOKENS), label, 48 + 24 * bars, left=left, bottom=36
    )


def null_figure(comparison: Comparison, label: str) -> str:
    """The statistic among those of permuted rows."""

    def draw(ax: "Axes") -> None:
        values = (comparison.null_distribution, comparison.statistic, comparison.pvalue)
        draw_null(ax, *values, TOKENS)
        ax.legend().remove()  # the caption says it

    return figure_as_svg(draw, label, 165, left=44, bottom=36)


def picture_figure(picture: Picture, table: str, label: str) -> str:
    """Rows of one table in the plane, coloured by the witness."""
    shown = thin(picture, MOST_DOTS)
    left = 86 if picture.dates[1] else 62
    return figure_as_svg(
        lambda ax: draw_picture(ax, shown, table, TOKENS), label, 270, left=left, bottom=38
    )


def thin(picture: Picture, most: int) -> Picture:
    """Every k-th row of each table, so that at most ``most`` per table are drawn."""
    table = np.asarray(picture.table)
    keep: list[int] = []
    for name in "AB":
        places = np.flatnonzero(table == name)
        keep += places[:: max(1, -(-len(places) // most))].tolist()
    return replace(
        picture,
        x=tuple(picture.x[i] for i in keep),
        y=tuple(picture.y[i] for i in keep),
        table=tuple(picture.table[i] for i in keep),
        witness=tuple(picture.witness[i] for i in keep),
    )
