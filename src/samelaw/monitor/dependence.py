"""Rows that depend on their neighbours: how long a stretch of them is nearly independent."""

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.score import STEADY

FEW = 0.1
"""A correlation of neighbouring stretches below which they are taken for independent."""

LEAST_STRETCHES = 200
MOST_ROWS = 200_000
"""Of a reference whose order is looked at: more would cost memory."""

SURE = 4.5
"""Standard errors beyond which a correlation of neighbours is no chance, of any of some hundred."""
LONGER = 1.25
"""Each try is longer by this factor."""


def long_enough(points: Matrix) -> int:
    """The shortest stretch of rows (n, k), in the order of time, that hardly knows the next.

    Tries longer and longer stretches until there would be too few of them, from the longest that
    is known to depend: rows of one day may hardly correlate, and their means all the more.

    Examples
    --------
    >>> long_enough(np.random.default_rng(0).normal(size=(4000, 2)))
    1
    """
    stretch = max(1, dependence(points)[0])
    while neighbours(points, stretch) > max(FEW, 3.0 * (stretch / len(points)) ** 0.5):
        longer = max(stretch + 1, int(stretch * LONGER))
        if len(points) // longer < LEAST_STRETCHES:
            break
        stretch = longer
    return stretch


def dependence(points: Matrix) -> tuple[int, float]:
    """The longest stretch, of 1, 2, 4, … rows, that certainly knows the next, and how well.

    Of rows (n, k) in the order of time, the last MOST_ROWS of them; (0, 0.0) if none does. The
    correlation is the largest, over columns and their squares, that is certain.

    Examples
    --------
    >>> dependence(np.random.default_rng(0).normal(size=(4000, 2)))
    (0, 0.0)
    """
    found, values, stretch = (0, 0.0), with_squares(points[-MOST_ROWS:]), 1
    least = np.maximum(STEADY**2 * values.var(axis=0), 1e-30)
    while len(values) >= LEAST_STRETCHES:
        z = values - values.mean(axis=0)
        products = z[1:] * z[:-1]
        # By its own spread: two neighbours with a rare value are no evidence.
        certain = products.sum(axis=0) > SURE * np.sqrt((products * products).sum(axis=0))
        known = products.mean(axis=0) / np.maximum((z * z).mean(axis=0), least)
        if np.any(certain & (known > FEW)):
            found = stretch, float(known[certain].max())
        values = values[: len(values) // 2 * 2].reshape(-1, 2, values.shape[1]).mean(axis=1)
        stretch *= 2
    return found


def with_squares(points: Matrix) -> Matrix:
    """Centred columns, and their squares."""
    z = points - points.mean(axis=0)
    return np.concatenate([z, z * z], axis=1)


def neighbours(points: Matrix, stretch: int) -> float:
    """The largest correlation, over columns and their squares, of a stretch with the next.

    Examples
    --------
    >>> neighbours(np.repeat(np.random.default_rng(0).normal(size=(500, 1)), 2, axis=0), 1) > 0.4
    True
    """
    values = with_squares(points)
    whole = len(values) // stretch * stretch
    means = values[:whole].reshape(-1, stretch, values.shape[1]).mean(axis=1)
    means -= means.mean(axis=0)
    least = np.maximum(STEADY**2 * values.var(axis=0), 1e-30)
    spread = np.maximum((means * means).mean(axis=0), least)
    return float(((means[1:] * means[:-1]).mean(axis=0) / spread).max())
