"""Which block a row goes to: a random permutation of row numbers that takes no memory.

Blocks are exchangeable only if rows are dealt to them at random and all have the same size. A table
that is read in parts, by several machines, in any order, needs the same answer for a row wherever
it is met: the permutation is computed from the number of the row (a Feistel network), not drawn.
"""

from dataclasses import dataclass, replace

import numpy as np

from samelaw.core import threads
from samelaw.core.arrays import to_numpy
from samelaw.core.checks import as_count
from samelaw.core.types import Array, Matrix
from samelaw.divergence.sketch import Sketch
from samelaw.divergence.summary import as_rows, check_same_map
from samelaw.kernels.features import FeatureMap

_ROUNDS = 8
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))


@dataclass(frozen=True)
class Deal:
    """Rows 0 … rows − 1 dealt at random to blocks of equal size.

    Parameters
    ----------
    rows : int
        Of the whole table.
    block : int
        Rows of a block; rows beyond the last full one are in none.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> deal = Deal(rows=10, block=3, seed=0)
    >>> blocks = deal.blocks(np.arange(10))
    >>> np.unique(blocks, return_counts=True)
    (array([-1,  0,  1,  2]), array([1, 3, 3, 3]))
    """

    rows: int
    block: int
    seed: int

    def __post_init__(self) -> None:
        as_count("rows", self.rows)
        as_count("block", self.block)

    @property
    def count(self) -> int:
        """Full blocks."""
        return self.rows // self.block

    def blocks(self, numbers: Matrix) -> Matrix:
        """The block of each of these rows (n,), −1 for those left over."""
        found = self.places(numbers) // self.block
        return np.where(found < self.count, found, -1)

    def places(self, numbers: Matrix) -> Matrix:
        """Where each of these rows (n,) goes: another number below ``rows`` for each."""
        numbers = to_numpy(numbers)
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= self.rows):
            raise ValueError(
                f"row numbers run from {numbers.min()} to {numbers.max()}; the table was said to "
                f"have {self.rows} rows, numbered from 0."
            )
        found = self._permuted(numbers.astype(np.uint64))
        while (outside := np.flatnonzero(found >= self.rows)).size:
            found[outside] = self._permuted(found[outside])  # walk on until it falls inside
        return found.astype(np.int64)

    def _permuted(self, numbers: Matrix) -> Matrix:
        """A permutation of all numbers of as many bits as the last row has."""
        bits = max(2, int(self.rows - 1).bit_length())
        low, high = bits // 2, bits - bits // 2
        keys = np.random.SeedSequence(self.seed).generate_state(_ROUNDS, np.uint64)
        with np.errstate(over="ignore"):
            for key in keys:
                left, right = numbers >> np.uint64(low), numbers & _mask(low)
                left = left ^ (_mixed(right + key) & _mask(high))
                numbers = (right << np.uint64(high)) | left  # halves change places, and lengths
                low, high = high, low
        return numbers


def _mask(bits: int) -> np.uint64:
    return np.uint64((1 << bits) - 1)


def _mixed(numbers: Matrix) -> Matrix:
    """Numbers of 64 bits, each bit of which depends on all bits of the given ones (SplitMix64)."""
    numbers = numbers * _STEP
    for factor, shift in zip(_MIX, _SHIFTS, strict=False):
        numbers = (numbers ^ (numbers >> shift)) * factor
    return np.asarray(numbers ^ (numbers >> _SHIFTS[2]))


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
