"""The sketch of a table that comes in numbered rows, in any parts and any order."""

from dataclasses import dataclass, replace

import numpy as np

from samelaw.core import threads
from samelaw.core.types import Array, Matrix
from samelaw.divergence.random_blocks import Deal
from samelaw.divergence.sketch import Sketch
from samelaw.divergence.summary import as_rows, check_same_map
from samelaw.kernels.features import FeatureMap


@dataclass(frozen=True, eq=False)
class DealtSketch:
    """Sums of blocks to which rows are dealt at random by their numbers.

    Whoever meets a row adds it to the same block, so parts of a table may be sketched in any
    order, by several machines, and added up; `whole` says if all rows came, and each once.

    Parameters
    ----------
    feature_map : FeatureMap
    deal : Deal
    totals : array (G, D, D)
        Σ φφᵀ of every block, so far.
    counts : array (G + 1,)
        Rows of every block so far; those left over last.

    Examples
    --------
    >>> from samelaw.kernels import FourierFeatures
    >>> x, features = np.random.default_rng(0).normal(size=(100, 1)), FourierFeatures([[1.0]])
    >>> empty = DealtSketch.empty(features, Deal(rows=100, block=10, seed=1))
    >>> late = empty.update(x[60:], np.arange(60, 100))
    >>> (late + empty.update(x[:60], np.arange(60))).whole().totals.shape
    (10, 2, 2)
    """

    feature_map: FeatureMap
    deal: Deal
    totals: Matrix
    counts: Matrix

    @classmethod
    def empty(cls, feature_map: FeatureMap, deal: Deal) -> "DealtSketch":
        """Of no rows, to begin with."""
        size = feature_map.size
        counts: Matrix = np.zeros(deal.count + 1, dtype=np.int64)
        return cls(feature_map, deal, np.zeros((deal.count, size, size)), counts)

    @property
    def rows(self) -> int:
        """Rows that came."""
        return int(self.counts.sum())

    @threads.single
    def update(self, x: Array, numbers: Matrix) -> "DealtSketch":
        """With these rows (n, d), of which the numbers (n,) in the whole table are given."""
        rows = as_rows(x)
        if len(numbers) != len(rows):
            raise ValueError(f"{len(rows)} rows came with {len(numbers)} numbers.")
        blocks = self.deal.blocks(numbers)
        order = np.argsort(blocks, kind="stable")
        found, starts = np.unique(blocks[order], return_index=True)
        totals, counts = self.totals.copy(), self.counts.copy()
        for block, some in zip(found, np.split(order, starts[1:]), strict=True):
            counts[block] += len(some)
            if block >= 0:
                features = np.asarray(self.feature_map.features(rows[some]))
                totals[block] += features.T @ features
        return replace(self, totals=totals, counts=counts)

    def __add__(self, other: "DealtSketch") -> "DealtSketch":
        """Of the rows of both; a row that is in both is found by `whole`."""
        check_same_map(self, other)
        if self.deal != other.deal:
            raise ValueError(f"parts of one table are dealt alike, got {self.deal}, {other.deal}.")
        totals, counts = self.totals + other.totals, self.counts + other.counts
        return replace(self, totals=totals, counts=counts)

    def whole(self) -> Sketch:
        """The sketch of the table, if all its rows came, and each once."""
        expected = np.full(len(self.counts), self.deal.block)
        expected[-1] = self.deal.rows - self.deal.count * self.deal.block
        if (self.counts != expected).any():
            raise ValueError(
                f"{self.rows:,} rows came of {self.deal.rows:,}; "
                f"{int(np.maximum(expected - self.counts, 0).sum()):,} are missing and "
                f"{int(np.maximum(self.counts - expected, 0).sum()):,} came more than once: a part "
                "was lost or counted twice."
            )
        return Sketch(self.feature_map, (self.totals,), self.deal.block, lost=int(expected[-1]))
