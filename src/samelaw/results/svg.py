"""Figures of the report as small SVG text, drawn by matplotlib without pyplot.

The same numbers always give the same bytes. Colours are CSS variables with a light fallback, so a
page decides how they look; fonts are those of the page.
"""

import io
import re
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Literal

from samelaw.results.escape_controls import legible, legible_lines
from samelaw.results.plots import Palette
from samelaw.results.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import GraphicsContextBase
    from matplotlib.backends.backend_svg import RendererSVG
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text


WIDTH = 300  # units of the drawing; about as many pixels on a phone
TEXT = 10.5

_LIGHT = Palette()
# matplotlib wants colours, the page variables: each stands for one and is replaced in the text.
TOKENS = Palette(
    a="#010101",
    b="#010102",
    ink="#010103",
    faint="#010104",
    witness=tuple(f"#01020{place}" for place in range(len(_LIGHT.witness))),
)
_VARIABLES = {
    **{
        getattr(TOKENS, name): f"var(--{name},{getattr(_LIGHT, name)})"
        for name in ("a", "b", "ink", "faint")
    },
    **{
        token: f"var(--w{place},{color})"
        for place, (token, color) in enumerate(zip(TOKENS.witness, _LIGHT.witness, strict=True))
    },
}
_SURELY_DRAWN = 0x250  # Latin letters
_NOTHING = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_NUMBER = re.compile(r"-?\d+\.\d+")


def room_for(names: Sequence[str]) -> int:
    """Units left of the axes for labels; wide scripts take more."""
    widths = [sum(2 if ord(c) > 0x2E7F else 1 for c in shorten(name)) for name in names]
    return min(20 + round(5.6 * max(widths, default=0)), 150)


def figure_as_svg(
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
        spine.set(edgecolor=TOKENS.ink, linewidth=0.7)
        if side in ("top", "right"):
            spine.set_visible(False)
    # Marks of ticks would need shared definitions and ids.
    ax.tick_params(which="both", bottom=False, left=False, labelcolor=TOKENS.ink, labelsize=TEXT)
    for axis in (ax.xaxis, ax.yaxis):
        formatter = axis.get_major_formatter()
        if isinstance(formatter, ScalarFormatter):
            formatter.set_useOffset(False)  # it would be written outside of the drawing
            formatter.set_useMathText(False)
    for text in ax.findobj(Text):
        text.set(color=TOKENS.ink, fontsize=TEXT, parse_math=False)  # a name with $ is no formula


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
