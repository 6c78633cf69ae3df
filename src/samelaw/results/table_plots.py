"""What two tables look like: a column in both, effects of many, rows in the plane."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from samelaw.results.axes import (
    DAY,
    Vector,
    align_dates,
    date_axis,
    drawn_axis,
    hour_ticks,
    power_of_ten,
)
from samelaw.results.plots import Palette, draw_dots
from samelaw.results.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 12


class PanelLike(Protocol):
    """The values of one column in both tables (`comparison.findings.Panel`)."""

    @property
    def kind(self) -> str: ...
    @property
    def shares_a(self) -> Sequence[float]: ...
    @property
    def shares_b(self) -> Sequence[float]: ...
    @property
    def edges(self) -> Sequence[float]: ...
    @property
    def categories(self) -> Sequence[str]: ...


class PictureLike(Protocol):
    """Rows of both tables in the plane (`comparison.findings.Picture`)."""

    @property
    def axes(self) -> tuple[str, str]: ...
    @property
    def x(self) -> Sequence[float]: ...
    @property
    def y(self) -> Sequence[float]: ...
    @property
    def table(self) -> Sequence[str]: ...
    @property
    def witness(self) -> Sequence[float]: ...
    @property
    def dates(self) -> tuple[bool, bool]: ...
    @property
    def of_day(self) -> tuple[bool, bool]: ...


def draw_panel(ax: "Axes", panel: PanelLike, palette: Palette | None = None) -> None:
    """Both tables in one column: densities over each other, or a pair of bars per category."""
    palette = palette or Palette()
    if panel.categories:
        _draw_bars(ax, panel, palette)
    else:
        _draw_densities(ax, panel, palette)


def _draw_densities(ax: "Axes", panel: PanelLike, palette: Palette) -> None:
    dates = panel.kind == "datetime"
    power = 0 if dates else power_of_ten(panel.edges)
    edges = np.asarray(panel.edges, dtype=float) / (DAY if dates else 10.0**power)
    for shares, color, label in (
        (panel.shares_a, palette.a, "A"),
        (panel.shares_b, palette.b, "B"),
    ):
        heights = np.asarray(shares, dtype=float) / np.diff(edges)
        ax.stairs(heights, edges, color=color, fill=True, alpha=0.28, lw=0)
        ax.stairs(heights, edges, color=color, lw=1.4, label=label, baseline=None)
    ax.set_ylim(bottom=0)
    ax.set_yticks([])
    ax.set_xlim(edges[0], edges[-1])
    ax.spines["left"].set_visible(False)
    if power:
        ax.set_xlabel(f"in units of 1e{power}")
    if dates:
        date_axis(ax, float(edges[0]), float(edges[-1]))
    if panel.kind == "time of day":
        ax.set_xticks(*hour_ticks(float(edges[0]), float(edges[-1])))


def _draw_bars(ax: "Axes", panel: PanelLike, palette: Palette) -> None:
    names = [shorten(name) for name in panel.categories[:MOST_BARS]]
    places = np.arange(len(names))
    for shares, color, label, offset in (
        (panel.shares_a, palette.a, "A", -0.2),
        (panel.shares_b, palette.b, "B", 0.2),
    ):
        percent = 100 * np.asarray(shares[:MOST_BARS], dtype=float)
        ax.barh(places + offset, percent, 0.36, color=color, label=label)
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)  # the first on top
    ax.set_xlim(left=0)
    ax.set_xlabel("% of known values")


def draw_effects(
    ax: "Axes",
    names: Sequence[str],
    effects: Sequence[float],
    intervals: Sequence[tuple[float, float]],
    changed: Sequence[bool],
    palette: Palette | None = None,
) -> None:
    """Effects with their intervals under each other; those that changed are filled."""
    palette = palette or Palette()
    for place, (effect, (low, high), hit) in enumerate(
        zip(effects, intervals, changed, strict=True)
    ):
        color = palette.b if hit else palette.faint
        ax.plot([low, high], [place, place], color=color, lw=2.5 if hit else 1.5, alpha=0.7)
        ax.plot([effect], [place], "o", color=color, ms=7 if hit else 4)
    ax.set_yticks(range(len(names)), [shorten(name, 40) for name in names], parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(left=0)
    ax.set_xlabel("effect (0 same law, 1 nothing in common)")


def draw_picture(
    ax: "Axes", picture: PictureLike, table: str, palette: Palette | None = None
) -> None:
    """Rows of one table in the plane, coloured by which table has more rows around them."""
    palette = palette or Palette()
    level = witness_levels(picture.witness, len(palette.witness))
    across, up = (
        drawn_axis(values, name, date=date, of_day=of_day)
        for values, name, date, of_day in zip(
            (picture.x, picture.y), picture.axes, picture.dates, picture.of_day, strict=True
        )
    )
    x, y = across.values, up.values
    ax.set_xlabel(across.label, parse_math=False)
    ax.set_ylabel(up.label, parse_math=False)
    finite = np.isfinite(x) & np.isfinite(y)
    mine = (np.asarray(picture.table) == table) & finite
    for place, color in enumerate(palette.witness):
        chosen = mine & (level == place)
        if chosen.any():
            draw_dots(ax, x[chosen], y[chosen], color)
    for axis, limit, set_ticks in (  # the same for both tables
        (across, ax.set_xlim, ax.set_xticks),
        (up, ax.set_ylim, ax.set_yticks),
    ):
        values = axis.values[finite] if finite.any() else np.zeros(1)
        low, high = float(values.min()), float(values.max())
        margin = 0.04 * (high - low or 1.0)
        if axis.ticks is not None:
            set_ticks(*axis.ticks(low, high))
        limit(low - margin, high + margin)
    if picture.dates[0]:
        align_dates(ax)


def witness_levels(witness: Sequence[float], count: int) -> Vector:
    """The place of each value of [−1, 1] among ``count`` colours; 0 is in the middle one."""
    values = np.clip(np.asarray(witness, dtype=float), -1, 1)
    return np.asarray(np.rint((values + 1) / 2 * (count - 1)), dtype=int)
