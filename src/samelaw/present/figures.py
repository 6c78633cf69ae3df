"""Figures of the report as small SVG text, drawn by matplotlib without pyplot.

The same numbers always give the same bytes. Colours are CSS variables with a light fallback, so a
page decides how they look; fonts are those of the page.
"""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Literal

import numpy as np

from samelaw.comparison.findings import Panel, Picture
from samelaw.comparison.result import Comparison
from samelaw.monitor.history import DriftHistory
from samelaw.show.axes import power_of_ten
from samelaw.show.drift_plots import draw_evidence, draw_periods, draw_since
from samelaw.show.legible import legible, legible_lines
from samelaw.show.plots import Palette, draw_null
from samelaw.show.table_plots import draw_panel, draw_picture
from samelaw.show.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.backends.backend_svg import RendererSVG
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text

    from samelaw.manysamples.generators import GeneratorEvaluation

WIDTH = 300  # units of the drawing; about as many pixels on a phone
TEXT = 10.5
MOST_DOTS = 700
MOST_PERIODS = 60

_LIGHT = Palette()
# matplotlib wants colours, the page variables: each stands for one and is replaced in the text.
_TOKENS = Palette(
    a="#010101",
    b="#010102",
    ink="#010103",
    faint="#010104",
    witness=tuple(f"#01020{place}" for place in range(len(_LIGHT.witness))),
)
_VARIABLES = {
    **{
        getattr(_TOKENS, name): f"var(--{name},{getattr(_LIGHT, name)})"
        for name in ("a", "b", "ink", "faint")
    },
    **{
        token: f"var(--w{place},{color})"
        for place, (token, color) in enumerate(zip(_TOKENS.witness, _LIGHT.witness, strict=True))
    },
}
_SURELY_DRAWN = 0x250  # Latin letters
_NOTHING = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NUMBER = re.compile(r"-?\d+\.\d+")


def panel_figure(panel: Panel, label: str) -> str:
    """One column in both tables."""
    if not panel.categories:
        extra = 14 if panel.kind != "datetime" and power_of_ten(panel.edges) else 0
        return _figure(
            lambda ax: draw_panel(ax, panel, _TOKENS),
            label,
            132 + extra,
            left=14,
            bottom=22 + extra,
        )
    bars = min(len(panel.categories), 12)
    left = _room(panel.categories[:bars])
    return _figure(
        lambda ax: draw_panel(ax, panel, _TOKENS), label, 48 + 24 * bars, left=left, bottom=36
    )


def null_figure(comparison: Comparison, label: str) -> str:
    """The statistic among those of permuted rows."""

    def draw(ax: "Axes") -> None:
        values = (comparison.null_distribution, comparison.statistic, comparison.pvalue)
        draw_null(ax, *values, _TOKENS)
        ax.legend().remove()  # the caption says it

    return _figure(draw, label, 165, left=44, bottom=36)


def scores_figure(found: "GeneratorEvaluation", label: str) -> str:
    """RJSD of every generator, one below the other."""
    names = [one.name for one in found.generators]

    def draw(ax: "Axes") -> None:
        found.draw(ax, _TOKENS)

    return _figure(draw, label, 60 + 22 * len(names), left=_room(names), bottom=36, width=360)


def picture_figure(picture: Picture, table: str, label: str) -> str:
    """Rows of one table in the plane, coloured by the witness."""
    shown = thin(picture, MOST_DOTS)
    left = 86 if picture.dates[1] else 62
    return _figure(
        lambda ax: draw_picture(ax, shown, table, _TOKENS), label, 270, left=left, bottom=38
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


def evidence_figure(history: DriftHistory, label: str) -> str:
    """Evidence over rows of all runs: file by file of those that ended, row by row of the last."""
    reading = history.reading
    ended = [one for one in history.periods if one.rows and one.run < reading.run]
    points = [(one.first_row + one.rows, one.evidence) for one in ended]
    trail = np.concatenate([np.reshape(points, (-1, 2)), np.reshape(reading.trail, (-1, 2))])
    later = len(trail) - len(ended)
    lines = [one.threshold for one in ended] + [reading.threshold] * later

    def draw(ax: "Axes") -> None:
        draw_evidence(
            ax, trail[:, 0], trail[:, 1], lines if ended else reading.threshold, None, _TOKENS
        )
        for _, alarm in history.alarms:
            if alarm.since is not None and alarm.since_range is not None:
                draw_since(ax, alarm.since, alarm.since_range, _TOKENS)
        ax.set_xlim(0, max(reading.rows, 1))

    return _figure(draw, label, 210, left=50, bottom=38, width=360)


def periods_figure(history: DriftHistory, label: str) -> str:
    """The effect file by file, the last ones."""
    known = [one for one in history.periods if one.effect is not None][-MOST_PERIODS:]
    effects = np.array([(one.effect, one.effect_error) for one in known]).reshape(-1, 2)
    alarms = [one.alarm is not None for one in known]
    names = [one.name for one in known]
    return _figure(
        lambda ax: draw_periods(ax, names, effects, alarms, _TOKENS),
        label,
        210,
        left=50,
        bottom=38,
        width=360,
    )


def _room(names: Sequence[str]) -> int:
    """Units left of the axes for labels; wide scripts take more."""
    widths = [sum(2 if ord(c) > 0x2E7F else 1 for c in shorten(name)) for name in names]
    return min(20 + round(5.6 * max(widths, default=0)), 150)


def _figure(
    draw: Callable[["Axes"], None],
    label: str,
    height: int,
    *,
    left: int,
    bottom: int,
    width: int = WIDTH,
) -> str:
    from matplotlib.figure import Figure

    # Settings of matplotlib belong to the whole process: every property is set on the drawing.
    figure = Figure(figsize=(width / 72, height / 72), dpi=72, facecolor="none")
    box = (left / width, bottom / height, 1 - (left + 14) / width, 1 - (bottom + 8) / height)
    ax = figure.add_axes(box, facecolor="none")
    draw(ax)
    _calm(ax)  # before what makes the ticks: few of them take less time
    _ink(ax)
    text = io.StringIO()
    renderer = _renderer()(width, height, text, image_dpi=72, metadata=_NOTHING)
    figure.draw(renderer)
    renderer.finalize()
    return _slim(text.getvalue(), label, width, height)


@cache
def _renderer() -> "type[RendererSVG]":
    from matplotlib.backends.backend_svg import RendererSVG

    class TextRenderer(RendererSVG):
        """Text stays text: small, searchable, in the font of the page."""

        def draw_text(
            self,
            gc: "GraphicsContextBase",
            x: float,
            y: float,
            s: str,
            prop: "FontProperties",
            angle: float,
            ismath: bool | Literal["TeX"] = False,
            mtext: "Text | None" = None,
        ) -> None:
            RendererSVG._draw_text_as_text(self, gc, x, y, s, prop, angle, False, mtext)

        def get_text_width_height_descent(
            self, s: str, prop: "FontProperties", ismath: bool | Literal["TeX"]
        ) -> tuple[float, float, float]:
            """Measured with letters that matplotlib's own font has; the browser has the others."""
            known = "".join(sign if ord(sign) < _SURELY_DRAWN else "m" for sign in s)
            size: tuple[float, float, float]
            size = RendererSVG.get_text_width_height_descent(self, known, prop, False)
            return size

    return TextRenderer


def _ink(ax: "Axes") -> None:
    """Lines and letters in the colour and size of the page; no box, no marks of ticks."""
    from matplotlib.text import Text
    from matplotlib.ticker import ScalarFormatter

    ax.grid(False)
    for side, spine in ax.spines.items():
        spine.set(edgecolor=_TOKENS.ink, linewidth=0.7)
        if side in ("top", "right"):
            spine.set_visible(False)
    # Marks of ticks would need shared definitions and ids.
    ax.tick_params(which="both", bottom=False, left=False, labelcolor=_TOKENS.ink, labelsize=TEXT)
    for axis in (ax.xaxis, ax.yaxis):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, ScalarFormatter):
            formatter.set_useOffset(False)  # it would be written outside of the drawing
            formatter.set_useMathText(False)
    for text in ax.findobj(Text):
        text.set(color=_TOKENS.ink, fontsize=TEXT, parse_math=False)  # a name with $ is no formula


def _calm(ax: "Axes") -> None:
    """Few ticks, and nothing clipped: clipping needs ids, which must be unique in a page."""
    from matplotlib.ticker import AutoLocator, MaxNLocator

    for axis in (ax.xaxis, ax.yaxis):
        if type(axis.get_major_locator()) is AutoLocator:
            axis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
    for artist in (*ax.patches, *ax.lines, *ax.collections):
        artist.set_clip_on(False)
    ax.tick_params(pad=3)


def _slim(svg: str, label: str, width: int, height: int) -> str:
    """The drawing alone: no header, no ids, no fonts, one decimal."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<defs>.*?</defs>", "", body, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = re.sub(r' id="[^"]*"', "", body)
    body = re.sub(
        r"font: (?:\w+ )*([\d.]+)px [^;\"]*",
        lambda found: f"font-size: {float(found[1]):g}px",
        body,
    )
    for token, variable in _VARIABLES.items():
        body = body.replace(token, variable)
    body = re.sub(r'(?<= )(d|transform|x|y|style)="[^"]*"', _rounded, body)
    body = re.sub(r"\s*\n\s*", "\n", body)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(legible(label))}">'
    )
    return legible_lines(opening + body[body.index(">") + 1 :].strip())


def _rounded(attribute: re.Match[str]) -> str:
    """Coordinates to a tenth of a unit; a tenth of a pixel is nothing anyone sees."""
    text = _NUMBER.sub(lambda number: f"{round(float(number[0]), 1):g}", attribute[0])
    return re.sub(r"\s*\n?([MLHVCQz])\s*", r"\1", text) if text.startswith("d=") else text
