"""What a run keeps of the stream: sums of features over blocks of rows, and how it went."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.martingale import BLOCK

KEPT = 128
"""Closed blocks that are kept: as far back as a change can be dated."""

LONGEST_TRAIL = 512
MOST_BINS = 128
BIN = 100
"""Rows over which an effect is averaged at least; fewer say little."""


@dataclass(frozen=True, eq=False)
class Past:
    """The past of a run, as much of it as is kept.

    Parameters
    ----------
    sums : array (b, size)
        Sums of centred features over the last closed blocks, the oldest first.
    starts : array (b,)
        Row of the stream since which each of them may have changed, counted from 0.
    open_sum, open_start : the same of the block that is not full yet.
    trail : array (m, 2)
        Rows of the stream seen, and the evidence then, thinned.
    bins : array (c, 4)
        Rows of the stream seen; how many of them, the sum and the sum of squares of their effects
        since the bin before.
    """

    sums: Matrix
    starts: Matrix
    open_sum: Matrix
    open_start: int
    trail: Matrix
    bins: Matrix

    @classmethod
    def empty(cls, size: int) -> "Past":
        none = np.zeros(0, dtype=np.int64)
        nothing = np.zeros((0, size)), none, np.zeros(size)
        return cls(*nothing, 0, np.zeros((0, 2)), np.zeros((0, 4)))

    def with_open(self, touched: Matrix, starts: Matrix) -> tuple[Matrix, Matrix]:
        """Sums (b + B, size) and starts with those of new blocks.

        The first of them carries on the block that was open.
        """
        first = touched[:1] + self.open_sum
        sums = np.concatenate([self.sums, first, touched[1:]])
        return sums, np.concatenate([self.starts, starts])

    def closing(self, sums: Matrix, starts: Matrix, rows: int) -> "Past":
        """With so many rows, those of the open block included, of the blocks of `with_open`."""
        closed, part = divmod(rows, BLOCK)
        closed += len(self.sums)
        kept = slice(max(0, closed - KEPT), closed)
        return replace(
            self,
            sums=sums[kept].copy(),
            starts=starts[kept].copy(),
            open_sum=sums[closed].copy() if part else np.zeros(sums.shape[1]),
            open_start=int(starts[closed]) if part else 0,
        )

    def until_now(self, rows: int) -> tuple[Matrix, Matrix, Matrix]:
        """Sums (b, size), numbers of rows (b,) and starts (b,) of all blocks.

        The last one is the open block, which has ``rows``; it is none if it has none, or if it is
        the first, before which nothing was learnt.
        """
        if not rows or not len(self.sums):
            return self.sums, np.full(len(self.sums), float(BLOCK)), self.starts
        counts = np.append(np.full(len(self.sums), float(BLOCK)), float(rows))
        sums = np.concatenate([self.sums, self.open_sum[None]])
        return sums, counts, np.append(self.starts, self.open_start)

    def recording(self, rows: Matrix, evidence: Matrix) -> "Past":
        """With the evidence after some rows: every tenth one, and the last."""
        places = np.unique(np.append(np.arange(BLOCK - 1, len(rows), BLOCK), len(rows) - 1))
        added = np.column_stack([rows[places], evidence[places]])
        return replace(self, trail=thinned(np.concatenate([self.trail, added])))

    def measuring(self, rows: int, effects: Matrix) -> "Past":
        """With the effects (n,) of rows, after which the stream had so many."""
        if not len(effects):
            return self
        bins = self.bins.copy()
        squares = effects @ effects
        if len(bins) and bins[-1, 1] < BIN:
            bins[-1] += [0.0, len(effects), effects.sum(), squares]
            bins[-1, 0] = rows
            return replace(self, bins=bins)
        added = np.array([[rows, len(effects), effects.sum(), squares]])
        return replace(self, bins=merged(np.concatenate([bins, added])))

    @property
    def total(self) -> Matrix:
        """Rows, sum and sum of squares of all effects so far."""
        return np.asarray(self.bins[:, 1:].sum(axis=0))

    def state(self) -> dict[str, Matrix]:
        found = {name: value for name, value in vars(self).items() if name != "open_start"}
        return {f"past.{n}": v for n, v in found.items()} | {
            "past.open_start": np.array([self.open_start])
        }

    @classmethod
    def from_state(cls, arrays: Mapping[str, Matrix]) -> "Past":
        names = ("sums", "starts", "open_sum", "trail", "bins")
        return cls(
            open_start=int(arrays["past.open_start"][0]), **{n: arrays[f"past.{n}"] for n in names}
        )


def thinned(trail: Matrix) -> Matrix:
    """At most LONGEST_TRAIL points; of two neighbours the one with more evidence is kept.

    Examples
    --------
    >>> len(thinned(np.zeros((2000, 2))))
    500
    """
    while len(trail) > LONGEST_TRAIL:
        even = trail[: len(trail) // 2 * 2].reshape(-1, 2, 2)
        higher = even[np.arange(len(even)), even[..., 1].argmax(axis=1)]
        trail = np.concatenate([higher, trail[len(even) * 2 :]])
    return trail


def merged(bins: Matrix) -> Matrix:
    """At most MOST_BINS bins: two neighbours become one."""
    while len(bins) > MOST_BINS:
        even = bins[: len(bins) // 2 * 2].reshape(-1, 2, 4)
        both = np.concatenate([even[:, 1, :1], even[..., 1:].sum(axis=1)], axis=1)
        bins = np.concatenate([both, bins[len(even) * 2 :]])
    return bins


def effects_of(bins: Matrix) -> Matrix:
    """Rows seen, mean effect since the line before, its standard error: (c, 3).

    Examples
    --------
    >>> effects_of(np.array([[100.0, 100.0, 20.0, 13.0]])).round(3).tolist()
    [[100.0, 0.2, 0.03]]
    """
    rows, count, total, squares = bins.T
    mean = total / count
    spread = np.maximum(squares / count - mean * mean, 0.0)
    return np.column_stack([rows, mean, np.sqrt(spread / count)])
