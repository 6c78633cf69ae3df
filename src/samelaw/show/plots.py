"""What results look like: drawings on given matplotlib axes.

Results use them in `plot()`, the report with a palette of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from samelaw.show.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Vector = np.ndarray[Any, np.dtype[Any]]

DAY = 86_400.0
FEW_DAYS = 3
LAST_SECOND = 253402300799.0  # of the year 9999, after which ISO dates have no ten signs
MOST_BARS = 12
LEAST_EVIDENCE = 1e-3  # drawn: below, evidence is nothing however little it is


@dataclass(frozen=True)
class Palette:
    """Colours of table A, of table B, of text and lines, and of what matters less.

    Blue and vermilion of Okabe and Ito (2008): told apart by all kinds of colour vision. The
    witness colours go from "more of A" to "more of B".
    """

    a: str = "#0072b2"
    b: str = "#d55e00"
    ink: str = "#444444"
    faint: str = "#9a9a9a"
    witness: tuple[str, ...] = (
        "#00568a",
        "#2f86bd",
        "#85b9dc",
        "#c4c4c4",
        "#f0ac7d",
        "#de7a33",
        "#b04a00",
    )


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


def draw_null(
    ax: "Axes", values: ArrayLike, observed: float, pvalue: float, palette: Palette | None = None
) -> None:
    """Histogram of the values under permutation, with the observed one as a line."""
    palette = palette or Palette()
    ax.hist(values, bins="auto", color=palette.faint, label="permuted")
    label = f"observed (p = {pvalue:.3g})"
    ax.axvline(observed, color=palette.b, lw=2, label=label)
    ax.set_xlabel("statistic")
    ax.set_ylabel("permutations")
    ax.legend(frameon=False)


def draw_power(
    ax: "Axes",
    values: Sequence[Any],
    power: Vector,
    intervals: Vector,
    level: float,
    **options: Any,
) -> None:
    """Power against the value, with intervals, and the level as a dotted line.

    Values that are no single numbers or words stand side by side, in their own words.
    """
    single = np.ndim(values[0]) == 0
    places = values if single else range(len(values))
    ax.errorbar(places, power, yerr=np.abs(intervals.T - power), **{"capsize": 2, **options})
    if not single:
        ax.set_xticks(places, [shorten(str(value)) for value in values], parse_math=False)
    ax.axhline(level, color=Palette.faint, lw=0.8, ls=":")
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("power")


def draw_pvalues(
    ax: "Axes",
    names: Sequence[str],
    pvalues: Sequence[float],
    level: float,
    palette: Palette | None = None,
) -> None:
    """p-values under each other on a logarithmic scale, with the level as a dotted line."""
    palette = palette or Palette()
    places = range(len(names))
    colors = [palette.b if p <= level else palette.faint for p in pvalues]
    ax.scatter(pvalues, places, c=colors)
    ax.axvline(level, color=palette.faint, lw=0.8, ls=":")
    ax.set_xscale("log")
    ax.set_yticks(places, [shorten(name) for name in names], parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel("adjusted p-value")


def draw_estimate(
    ax: "Axes", value: float, interval: tuple[float, float], palette: Palette | None = None
) -> None:
    """A divergence with its interval."""
    palette = palette or Palette()
    low, high = interval
    reach = [[value - low], [high - value]]
    ax.errorbar([value], [0.0], xerr=reach, fmt="o", capsize=3, color=palette.a)
    ax.set_yticks([])
    ax.set_xlabel("divergence")


def draw_scores(
    ax: "Axes",
    names: Sequence[str],
    values: Sequence[float],
    errors: Sequence[float],
    palette: Palette | None = None,
) -> None:
    """Scores, one below the other, with 1.96 standard errors on either side."""
    palette = palette or Palette()
    places = np.arange(len(names))[::-1]
    middle, reach = np.asarray(values), 1.96 * np.asarray(errors)
    ax.hlines(places, middle - reach, middle + reach, color=palette.a)
    draw_dots(ax, middle, places, palette.a, 7.0)
    ax.set_ylim(-0.6, len(names) - 0.4)
    ax.set_yticks(places, names)
    ax.set_xlabel("score")


def draw_steps(
    ax: "Axes",
    steps: ArrayLike,
    values: ArrayLike,
    *,
    kept: float,
    name: str,
    palette: Palette | None = None,
) -> None:
    """A number step by step, with the step that was kept as a line."""
    palette = palette or Palette()
    ax.plot(np.asarray(steps), np.asarray(values), color=palette.a, lw=1.4)
    ax.axvline(kept, color=palette.b, lw=1, ls=":")
    ax.set_xlabel("step")
    ax.set_ylabel(name)


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
        _date_axis(ax, float(edges[0]), float(edges[-1]))


def power_of_ten(values: ArrayLike) -> int:
    """The power of ten in which values are short to write; 0 for everyday sizes.

    Examples
    --------
    >>> power_of_ten([1.5, 200.0]), power_of_ten([0.0, 2.5e9]), power_of_ten([3e-7])
    (0, 9, -7)
    """
    known = np.abs(np.asarray(values, dtype=float))
    largest = float(np.max(known[np.isfinite(known)], initial=0.0))
    power = int(np.floor(np.log10(largest))) if largest > 0 else 0
    return max(power, -307) if not -4 < power < 6 else 0


def _date_axis(ax: "Axes", first: float, last: float) -> None:
    """Three ISO dates, or times where the days are few: short ranges give other ticks no room."""
    ax.set_xticks(*_date_ticks(first, last))
    _align_dates(ax)


def _align_dates(ax: "Axes") -> None:
    """The first and the last stay within the axes."""
    for label, side in zip(ax.get_xticklabels(), ("left", "center", "right"), strict=True):
        label.set(horizontalalignment=side)


def _date_ticks(first: float, last: float) -> tuple[list[float], list[str]]:
    part = slice(0, 10) if last - first > FEW_DAYS else slice(5, 16)
    places = [first, (first + last) / 2, last]
    return places, [_date_word(place * DAY, part) for place in places]


def _date_word(seconds: float, part: slice) -> str:
    if abs(seconds) > LAST_SECOND:
        return f"{seconds:.2g} s"
    return str(np.datetime64(round(seconds), "s"))[part].replace("T", " ")


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
        _axis(values, name, date)
        for values, name, date in zip(
            (picture.x, picture.y), picture.axes, picture.dates, strict=True
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
        _align_dates(ax)


class _Axis(NamedTuple):
    """Coordinates as they are drawn, what their axis is called, and its ticks if they are odd."""

    values: Vector
    label: str
    ticks: Callable[[float, float], tuple[list[float], list[str]]] | None


def _axis(values: ArrayLike, name: str, date: bool) -> _Axis:
    """Moments in days, skewed amounts by their logarithm, others in the power of ten that suits."""
    known, name = np.asarray(values, dtype=float), shorten(name, 30)
    if date:
        return _Axis(known / DAY, name, _date_ticks)
    if is_skewed(known):
        return _Axis(np.log10(known), f"{name} (log scale)", _power_ticks)
    power = power_of_ten(known)
    return _Axis(known / 10.0**power, f"{name} (1e{power})" if power else name, None)


def is_skewed(values: ArrayLike) -> bool:
    """Whether values are positive and most of them crowd near 0.

    Examples
    --------
    >>> is_skewed([1, 2, 3, 200]), is_skewed([0, 2, 3, 200]), is_skewed([100, 120, 150])
    (True, False, False)
    """
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known)]
    if not len(known) or known.min() <= 0.0:
        return False
    return bool(known.max() >= 10.0 * np.median(known) and known.max() >= 100.0 * known.min())


def _power_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    """Powers of ten between two logarithms, at most five of them."""
    powers = np.arange(np.ceil(low), np.floor(high) + 1)
    powers = powers[:: max(1, -(-len(powers) // 5))]
    return powers.tolist(), [f"{10.0**k:,.0f}" if 0 <= k < 6 else f"{10.0**k:g}" for k in powers]


def draw_dots(ax: "Axes", x: ArrayLike, y: ArrayLike, color: str, size: float = 4.2) -> None:
    """Dots as one path of round-capped strokes of no length: a tenth of the bytes of markers."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = np.repeat(np.column_stack([x, y]), 2, axis=0)
    codes = np.tile([Path.MOVETO, Path.LINETO], len(points) // 2)
    path = Path(points, codes)
    path.should_simplify = False
    ax.add_patch(PathPatch(path, fill=False, ec=color, lw=size, alpha=0.85, capstyle="round"))


def witness_levels(witness: Sequence[float], count: int) -> Vector:
    """The place of each value of [−1, 1] among ``count`` colours; 0 is in the middle one."""
    values = np.clip(np.asarray(witness, dtype=float), -1, 1)
    return np.asarray(np.rint((values + 1) / 2 * (count - 1)), dtype=int)
