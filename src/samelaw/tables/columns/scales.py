"""Numbers on a scale without units: ranks, and values with their tails tamed.

Both grow with the value and look at the pool alone.
"""

import numpy as np
from numpy.typing import NDArray

TAME = 0.73
"""Makes the tamed values of a Gaussian column differ by 2/3 on average, as its ranks do."""

FARTHEST = 1e6
"""Scales from the median beyond which values no longer count as farther away."""

NORMAL_IQR = 1.349

_Floats = NDArray[np.float64]


def monotone(values: _Floats) -> _Floats:
    """Numbers (N,) with NaN for missing, as z = (u + w)/2; missing ones at the median, 0.

    Examples
    --------
    >>> monotone(np.array([1.0, 2.0, 3.0, np.inf, np.nan])).round(2)
    array([-0.81, -0.3 ,  0.3 ,  5.67,  0.  ])
    """
    known = ~np.isnan(values)
    some = values if bool(known.all()) else values[known]
    order = np.argsort(some)
    ordered = some[order]
    placed = np.empty(len(some))
    placed[order] = 0.5 * (_mid_ranks(ordered) + TAME * np.arcsinh(_standard(ordered)))
    if len(some) == len(values):
        return placed
    result = np.zeros(len(values))
    result[known] = placed
    return result


def ranks(values: _Floats, weights: _Floats | None = None) -> _Floats:
    """Mid-ranks (N,) in (0, 1) of the known numbers among themselves; NaN stays NaN.

    With weights each value counts as so many, and no two values are equal.

    Examples
    --------
    >>> ranks(np.array([3.0, 1.0, np.nan, 1.0]))
    array([0.83333333, 0.33333333,        nan, 0.33333333])
    """
    known = ~np.isnan(values)
    some = values if bool(known.all()) else values[known]
    order = np.argsort(some)
    result = np.full(len(values), np.nan)
    places = order if len(some) == len(values) else np.flatnonzero(known)[order]
    if weights is None:
        result[places] = 0.5 * (_mid_ranks(some[order]) + 1.0)
    else:
        own = weights[places]
        result[places] = (np.cumsum(own) - 0.5 * own) / max(float(own.sum()), 1e-300)
    return result


def _mid_ranks(ordered: _Floats) -> _Floats:
    """Ranks of sorted values in (−1, 1), equal ones sharing their mean rank."""
    size = len(ordered)
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    last = np.append(first[1:], size)
    return np.repeat((first + last) / size - 1.0, last - first)


def _standard(ordered: _Floats) -> _Floats:
    """Sorted values, less their median, in units of their spread; never farther than FARTHEST."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        centre = _quantile(ordered, 0.5)
        scaled = (ordered - centre) / spread(ordered)
    return np.clip(np.nan_to_num(scaled, nan=0.0), -FARTHEST, FARTHEST)


def spread(ordered: _Floats) -> float:
    """IQR on the scale of a normal law; wider ranges while it is 0 (mostly one value)."""
    for tail, normal in ((0.25, NORMAL_IQR), (0.05, 3.29), (0.01, 4.653), (0.0, 1.0)):
        width = _quantile(ordered, 1.0 - tail) - _quantile(ordered, tail)
        if 0 < width < np.inf:
            return float(width / normal)
    return 1.0


def median(values: _Floats) -> float:
    """The median; the mean of the two in the middle stays in range, however large they are."""
    return 2.0 * float(np.median(0.5 * np.asarray(values, dtype=np.float64)))


def _quantile(ordered: _Floats, level: float) -> float:
    """Mean of the two values around a level: symmetric, and no sort as the values are sorted."""
    place = level * (len(ordered) - 1)
    low, high = float(ordered[int(np.floor(place))]), float(ordered[int(np.ceil(place))])
    return low if low == high else 0.5 * low + 0.5 * high
