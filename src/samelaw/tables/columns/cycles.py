"""Cycles of the calendar that a column of dates spans: the time of day and the weekday."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

DAY = 86400.0
WEEK = 7
FULL_DAYS, FULL_WEEKS = 2, 2  # cycles a column must span before the cycle is worth comparing

HOURS = tuple(f"{hour:02d} h" for hour in range(24))
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

RADIUS = 0.41
"""Of the circle: two random points on it differ by about 2/3 in city blocks."""

_Floats = NDArray[np.float64]


def cycles(moments: _Floats) -> Iterator[tuple[str, _Floats]]:
    """Name and phase (N,) in [0, 1) of each cycle that seconds since 1970 (N,) span.

    Examples
    --------
    >>> [name for name, _ in cycles(np.arange(0.0, 15 * DAY, 3600.0))]
    ['time of day', 'weekday']
    """
    known = moments[np.isfinite(moments)]
    if len(known) == 0:
        return
    days = float(known.max() - known.min()) / DAY
    if days >= FULL_DAYS and bool(np.any(np.mod(known, DAY) != np.mod(known[0], DAY))):
        yield "time of day", phase_of("time of day", moments)
    if days >= FULL_WEEKS * WEEK:
        yield "weekday", phase_of("weekday", moments)


def phase_of(cycle: str, moments: _Floats) -> _Floats:
    """The phase (N,) in [0, 1) of a cycle, whether or not the moments span it; 0 at no end."""
    moments = np.where(np.isinf(moments), 0.0, moments)
    if cycle == "time of day":
        return np.asarray(np.mod(moments, DAY) / DAY)
    return np.asarray(np.mod(np.floor(moments / DAY) + 3, WEEK) / WEEK)  # 1970-01-01 was a Thursday


def waves_of(phase: _Floats) -> _Floats:
    """A wave around the circle and one of half its length, (N, 4)."""
    turns = [turn(2.0 * np.pi * k * phase) for k in (1, 2) for turn in (np.cos, np.sin)]
    return np.stack(turns, axis=1)


def on_circle(phase: _Floats) -> _Floats:
    """A phase (N,) as a point (N, 2) on a circle; missing ones are its centre."""
    angle = 2.0 * np.pi * phase
    points = RADIUS * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return np.asarray(np.nan_to_num(points, nan=0.0))
