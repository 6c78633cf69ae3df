"""Axes that people can read: dates, powers of ten and logarithms where they are shorter."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from samelaw.results.words import clock, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Vector = np.ndarray[Any, np.dtype[Any]]

DAY = 86_400.0
FEW_DAYS = 3
LAST_SECOND = 253402300799.0  # of the year 9999, after which ISO dates have no ten signs


class DrawnAxis(NamedTuple):
    """Coordinates as they are drawn, what their axis is called, and its ticks if they are odd."""

    values: Vector
    label: str
    ticks: Callable[[float, float], tuple[list[float], list[str]]] | None


def drawn_axis(
    values: ArrayLike, name: str, *, date: bool = False, of_day: bool = False
) -> DrawnAxis:
    """Moments in days, skewed amounts by their logarithm, others in the power of ten that suits."""
    known, name = np.asarray(values, dtype=float), shorten(name, 30)
    if date:
        return DrawnAxis(known / DAY, name, _date_ticks)
    if of_day:
        return DrawnAxis(known, name, hour_ticks)
    if is_skewed(known):
        positive = np.where(known > 0.0, known, np.nan)  # what is not is infinite
        return DrawnAxis(np.log10(positive), f"{name} (log scale)", _power_ticks)
    power = power_of_ten(known)
    return DrawnAxis(known / 10.0**power, f"{name} (1e{power})" if power else name, None)


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


def hour_ticks(first: float, last: float) -> tuple[list[float], list[str]]:
    """Hours between two times of day, at most five of them; the ends where there is none."""
    hours = np.arange(np.ceil(first), np.floor(last) + 1)
    step = next((k for k in (1, 2, 3, 6) if len(hours) <= 5 * k), 6)
    places = hours[hours % step == 0].tolist() or [first, last]
    return places, [clock(place) for place in places]


def date_axis(ax: "Axes", first: float, last: float) -> None:
    """Three ISO dates, or times where the days are few: short ranges give other ticks no room."""
    ax.set_xticks(*_date_ticks(first, last))
    align_dates(ax)


def align_dates(ax: "Axes") -> None:
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
