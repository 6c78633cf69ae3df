"""Rows that depend on their neighbours: how long a stretch of them is nearly independent."""

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.score import STEADY

FEW = 0.1
"""A correlation of neighbouring stretches below which they are taken for independent."""

LEAST_STRETCHES = 200
LONGER = 1.25
"""Each try is longer by this factor."""


def long_enough(points: Matrix) -> int:
    """The shortest stretch of rows (n, k), in the order of time, that hardly knows the next.

    Tries longer and longer stretches until there would be too few of them.

    Examples
    --------
    >>> long_enough(np.random.default_rng(0).normal(size=(4000, 2)))
    1
    """
    stretch = 1
    while neighbours(points, stretch) > max(FEW, 3.0 * (stretch / len(points)) ** 0.5):
        longer = max(stretch + 1, int(stretch * LONGER))
        if len(points) // longer < LEAST_STRETCHES:
            break
        stretch = longer
    return stretch


def neighbours(points: Matrix, stretch: int) -> float:
    """The largest correlation, over columns and their squares, of a stretch with the next.

    Examples
    --------
    >>> neighbours(np.repeat(np.random.default_rng(0).normal(size=(500, 1)), 2, axis=0), 1) > 0.4
    True
    """
    z = points - points.mean(axis=0)
    values = np.concatenate([z, z * z], axis=1)
    whole = len(values) // stretch * stretch
    means = values[:whole].reshape(-1, stretch, values.shape[1]).mean(axis=1)
    means -= means.mean(axis=0)
    least = np.maximum(STEADY**2 * values.var(axis=0), 1e-30)
    spread = np.maximum((means * means).mean(axis=0), least)
    return float(((means[1:] * means[:-1]).mean(axis=0) / spread).max())
