"""What numbers of results look like: drawings on given matplotlib axes.

Results use them in `plot()`, the report with a palette of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from samelaw.results.axes import Vector
from samelaw.results.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


def draw_dots(ax: "Axes", x: ArrayLike, y: ArrayLike, color: str, size: float = 4.2) -> None:
    """Dots as one path of round-capped strokes of no length: a tenth of the bytes of markers."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = np.repeat(np.column_stack([x, y]), 2, axis=0)
    codes = np.tile([Path.MOVETO, Path.LINETO], len(points) // 2)
    path = Path(points, codes)
    path.should_simplify = False
    ax.add_patch(PathPatch(path, fill=False, ec=color, lw=size, alpha=0.85, capstyle="round"))


MOST_NUMBERS = 12  # rows or columns beyond which numbers would touch each other


def draw_matrix(ax: "Axes", values: ArrayLike, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Values (L, M), light to dark, the first row on top; names at the sides."""
    numbers = np.asarray(values, dtype=float)
    ax.imshow(numbers, cmap="Blues", aspect="auto")
    for axis, names in ((ax.yaxis, rows), (ax.xaxis, columns)):
        axis.set_ticks(range(len(names)), [shorten(name, 20) for name in names], parse_math=False)
    if max(numbers.shape) > MOST_NUMBERS:
        return
    known = numbers[np.isfinite(numbers)]
    middle = (known.min() + known.max()) / 2 if known.size else 0.0
    for (i, j), value in np.ndenumerate(numbers):
        color = "white" if value > middle else "black"
        ax.text(j, i, f"{value:.2g}", ha="center", va="center", color=color)
