"""Row scores against rows that were drawn: one number per row, which needs no other row.

The scores of `estimate.row_scores` with a few reference rows, in single precision and in one look
at the distances. A score of a row is fixed once the reference rows are, so that its mean over a
block is exact whatever the number of rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from samelaw.core.types import Matrix
from samelaw.testing.scales import View

REFERENCE = 64
"""Rows that others are scored against: a row costs about a microsecond with so many."""

NAMES = (
    f"mean distance{View.NORMAL.of}",
    f"mean distance{View.RANKS.of}",
    "kernel purity",
    "distance to the nearest",
    "in-degree",
)
PENALTIES = (0.25, 0.25, 0.25, 0.25, 0.5)
"""As in `fuse.DEFAULT`, which has leverage, too: with so few reference rows it saw nothing that the
others did not, at a third of the cost of all."""

_NEAR = 1e-5  # squared, in median distances: nearer rows are the same, as far as rounding tells


@dataclass(frozen=True, eq=False)
class FrozenScores:
    """The scores of rows against reference rows.

    Parameters
    ----------
    reference : {View: array (R, k)}
        The same rows in all units that are looked at.
    """

    reference: Mapping[View, Matrix] = field(repr=False)
    names = NAMES
    views = (View.ROWS, View.NORMAL, View.RANKS)
    _median: float = field(init=False, repr=False)
    _means: Matrix = field(init=False, repr=False)
    _reach: Matrix = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = self.reference[View.ROWS]
        inside = _squared(rows, rows)
        others = inside[~np.eye(len(rows), dtype=bool)].reshape(len(rows), -1)
        positive = others[others > 0]
        median = float(np.median(positive)) if len(positive) else 1.0
        set_field = object.__setattr__
        set_field(self, "_median", median)
        set_field(self, "_means", np.exp(inside / (-2.0 * median)).mean(axis=1))
        nearest = others.min(axis=1) if others.size else np.zeros(len(rows), np.float32)
        set_field(self, "_reach", nearest * (1.0 + 1e-5) + _NEAR * median)

    def __call__(self, points: Mapping[View, Matrix]) -> Matrix:
        """Scores (n, s) of rows whose coordinates (n, k) are known in all units."""
        found = np.empty((len(NAMES), len(points[View.ROWS])), dtype=np.float32)
        count = len(self._reach)
        share = np.full(count, 1.0 / count, dtype=np.float32)  # a product is faster than a mean
        for place, view in enumerate((View.NORMAL, View.RANKS)):
            apart = _squared(self.reference[view], points[view])
            found[place] = share @ np.sqrt(apart, out=apart)
        apart = _squared(self.reference[View.ROWS], points[View.ROWS])
        nearest = np.maximum(apart.min(axis=0), _NEAR * self._median)
        found[3] = 0.5 * np.log(nearest)
        found[4] = np.add.reduce(apart <= self._reach[:, None], axis=0, dtype=np.uint8)
        apart *= -0.5 / self._median
        kernel = np.exp(apart, out=apart)
        kernel -= self._means[:, None]
        kernel -= share @ kernel
        found[2] = share @ np.multiply(kernel, kernel, out=kernel)
        return found.T


def _squared(rows: Matrix, others: Matrix) -> Matrix:
    """Squared distances (R, n)."""
    found = (-2.0 * rows) @ others.T
    found += np.einsum("ij,ij->i", rows, rows)[:, None]
    found += np.einsum("ij,ij->i", others, others)
    return np.asarray(np.maximum(found, 0.0, out=found))
