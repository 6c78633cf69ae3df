"""Rows of the stream and their partners, block by block: the factors of all experts."""

from dataclasses import dataclass

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.evidence import BLOCK, pair_evidence
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
    edges = layout.edges
    sums = [np.add.reduceat(one, edges, axis=1, dtype=np.float64) for one in features]
    return score.standard(sums[0], sums[1], np.diff(edges, append=layout.count)).T


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
    meeting: Matrix | None = None,
) -> Matrix:
    """L (blocks, BLOCK, experts) of every row against its partners; 1 where there is none.

    Parameters
    ----------
    weights : arrays (blocks, windows, features of a family)
        Fixed before the partners are looked at.
    features : Features
        Of the rows.
    partners : Rows
        k for each row, the first k for the first row.
    meeting : array (count,), bool, optional
        The rows that meet partners; without, all.
    """
    count = layout.count if meeting is None else int(meeting.sum())
    pairs = max(1, len(partners) // max(count, 1))
    apart = [
        layout.place(_apart(ours, theirs.reshape(len(ours), count, pairs), meeting))
        for theirs, ours in zip(partners.features(score), features, strict=True)
    ]
    contrasts = score.contrasts(weights, apart[0], apart[1])  # (blocks, scores, BLOCK · k)
    by_pair = contrasts.reshape(*contrasts.shape[:2], BLOCK, pairs).transpose(3, 0, 2, 1)
    staked = by_pair[..., None] * np.array(STAKES)
    factors = pair_evidence(staked.reshape(pairs, layout.blocks, BLOCK, EXPERTS))
    factors[~layout.present] = 1.0
    return factors


def _apart(ours: Matrix, theirs: Matrix, meeting: Matrix | None) -> Matrix:
    """Features of partners less those of the rows (p, count, k); 0 for rows that meet none."""
    if meeting is None:
        return np.asarray(theirs - ours[..., None])
    found: Matrix = np.zeros((*ours.shape, theirs.shape[-1]), dtype=ours.dtype)
    found[:, meeting] = theirs - ours[:, meeting, None]
    return found
