"""What a stream looks like: evidence row by row, where a change began, effects by period."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from samelaw.results.axes import Vector
from samelaw.results.plots import Palette, draw_dots
from samelaw.results.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_EVIDENCE = 1e-3  # drawn: below, evidence is nothing however little it is


def draw_evidence(
    ax: "Axes",
    rows: ArrayLike,
    evidence: ArrayLike,
    threshold: ArrayLike,
    since: float | None = None,
    palette: Palette | None = None,
) -> None:
    """Evidence row by row on a log scale, the line of the alarm, and where the change began.

    ``threshold`` is one number, or what it was up to each of the rows.
    """
    palette = palette or Palette()
    places, lines = np.asarray(rows), np.asarray(threshold)
    ax.plot(places, np.maximum(evidence, LEAST_EVIDENCE), color=palette.a, lw=1.4)
    if lines.ndim and len(lines):
        steps = np.append(0, places), np.append(lines[:1], lines)
        ax.plot(*steps, color=palette.b, lw=1.4, drawstyle="steps-pre")
    elif not lines.ndim:
        ax.axhline(float(lines), color=palette.b, lw=1.4)
    if since is not None:
        ax.axvline(since, color=palette.b, lw=1, ls=":")
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")  # 0.01, not a formula
    ax.yaxis.set_minor_formatter(lambda value, _: "")
    ax.set_xlabel("rows")
    ax.set_ylabel("evidence")


def draw_since(
    ax: "Axes", since: float, span: tuple[float, float], palette: Palette | None = None
) -> None:
    """Where a change began, and where else it may have begun."""
    palette = palette or Palette()
    ax.axvspan(span[0], max(span[1], span[0] + 1), color=palette.b, alpha=0.15, lw=0)
    ax.axvline(since, color=palette.b, lw=1, ls=":")


def draw_periods(
    ax: "Axes",
    names: Sequence[str],
    effects: Vector,
    alarms: Sequence[bool],
    palette: Palette | None = None,
) -> None:
    """Effects (n, 2) of periods, mean and standard error, with twice the error on either side."""
    palette = palette or Palette()
    places = np.arange(len(names))
    for place, (effect, error), alarm in zip(places, effects, alarms, strict=True):
        color = palette.b if alarm else palette.a
        ax.plot([place, place], [effect - 2 * error, effect + 2 * error], color=color, lw=2)
        draw_dots(ax, [place], [effect], color, size=6)
    ax.axhline(0.0, color=palette.faint, lw=0.8, ls=":")
    shown = np.unique(np.linspace(0, max(len(names) - 1, 0), min(len(names), 3)).round())
    labels = [shorten(names[int(place)], 14) for place in shown]
    ax.set_xticks(shown, labels, parse_math=False)
    ax.set_xlim(-0.6, max(len(names) - 0.4, 0.6))
    ax.set_ylabel("effect")
