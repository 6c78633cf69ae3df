"""A matrix of numbers as colours, each with its number."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from samelaw.results.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
