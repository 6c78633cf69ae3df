"""Rows of the stream and their partners, block by block: the factors of all experts."""

from dataclasses import dataclass

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.martingale import BLOCK, pair_evidence
from samelaw.monitor.reference import Rows
from samelaw.monitor.score import EXPERTS, STAKES, Features, Score, Weights, window_means


@dataclass(frozen=True)
class Layout:
    """Where rows fall in blocks.

    Parameters
    ----------
    part : int
        Rows of the first block that came before.
    count : int
        Rows that come now.
    """

    part: int
    count: int

    @property
    def blocks(self) -> int:
        return (self.part + self.count - 1) // BLOCK + 1

    @property
    def edges(self) -> Matrix:
        """The first row (blocks,) of each block among those that come now."""
        return np.maximum(np.arange(self.blocks) * BLOCK - self.part, 0)

    @property
    def present(self) -> Matrix:
        """Which places (blocks, BLOCK) have one of the rows."""
        places = np.arange(self.blocks * BLOCK).reshape(self.blocks, BLOCK)
        return np.asarray((places >= self.part) & (places < self.part + self.count))

    def place(self, values: Matrix) -> Matrix:
        """Values (…, count, k) in their places (…, blocks, BLOCK · k), 0 elsewhere."""
        *before, _, k = values.shape
        placed: Matrix = np.zeros((*before, self.blocks * BLOCK, k), dtype=values.dtype)
        placed[..., self.part : self.part + self.count, :] = values
        return placed.reshape(*before, self.blocks, BLOCK * k)


def block_sums(score: Score, features: Features, layout: Layout) -> Matrix:
    """Sums (blocks, size) of centred features over the rows of each block."""
    ones = np.ones(BLOCK, dtype=np.float32)
    moments, wave = ((layout.place(one[..., None]) @ ones).astype(np.float64) for one in features)
    return score.standard(moments, wave, np.diff(layout.edges, append=layout.count)).T


def block_weights(score: Score, sums: Matrix, layout: Layout) -> Weights:
    """θ for every block, from the blocks before it.

    Parameters
    ----------
    sums : array (b + blocks, size)
        Of past blocks and of those that come now.
    """
    return score.weights(*window_means(sums, len(sums) - layout.blocks, layout.blocks))


def pair_factors(
    score: Score,
    weights: Weights,
    features: Features,
    partners: Rows,
    layout: Layout,
    counts: Matrix,
) -> Matrix:
    """L (blocks, BLOCK, experts) of every row against its partners; 1 where there is none.

    Parameters
    ----------
    weights : Weights
        Fixed before the partners are looked at.
    features : Features
        Of the rows.
    partners : Rows
        Those of the first row first.
    counts : array (count,), int
        Partners of each row; those of a block have the same.
    """
    factors: Matrix = np.ones((layout.blocks, BLOCK, EXPERTS))
    theirs = partners.features(score)
    block, place = np.divmod(layout.part + np.arange(layout.count), BLOCK)
    starts = np.cumsum(counts) - counts
    for pairs in np.unique(counts[counts > 0]):
        rows = np.flatnonzero(counts == pairs)
        met = starts[rows][:, None] + np.arange(pairs)
        blocks, which = np.unique(block[rows], return_inverse=True)
        places = which * BLOCK + place[rows]
        contrasts = score.contrasts(
            weights.take(blocks),
            _apart(_some(features.moments, rows), _some(theirs.moments, met), places),
            _apart(_some(features.waves, rows), _some(theirs.waves, met), places),
        )
        factors[blocks] = _evidence(contrasts, int(pairs))
    return factors


def _some(values: Matrix, places: Matrix) -> Matrix:
    """Columns of features (p, n) at places; all of them, as in quiet times, without a copy."""
    if places.size == values.shape[1]:
        return values.reshape(len(values), *places.shape)
    return np.asarray(values[:, places])


def _apart(ours: Matrix, theirs: Matrix, places: Matrix) -> Matrix:
    """Features of partners less those of rows (p, blocks, BLOCK · k), 0 where there is no row."""
    count, pairs = theirs.shape[1:]
    size = (places[-1] // BLOCK + 1) * BLOCK
    if count == size:
        found = theirs - ours[..., None]
    else:
        found = np.zeros((len(ours), size, pairs), dtype=ours.dtype)
        found[:, places] = theirs - ours[..., None]
    return np.asarray(found.reshape(len(ours), -1, BLOCK * pairs))


def _evidence(contrasts: Matrix, pairs: int) -> Matrix:
    """L (blocks, BLOCK, experts) from contrasts (blocks, scores, BLOCK · k)."""
    blocks, scores, _ = contrasts.shape
    by_pair = contrasts.reshape(blocks, scores, BLOCK, pairs).transpose(3, 0, 2, 1)
    staked = by_pair[..., None] * np.array(STAKES)
    return pair_evidence(staked.reshape(pairs, blocks, BLOCK, EXPERTS))
