"""The first look at tables that are read piece by piece: how many rows, and some of them.

Every row gets a random number; those with the smallest ones are kept. So each table has a bounded
random sample of its rows, to show and to find words by, and the smallest numbers of both together
are a random sample of the pool: what is decided on it (kinds, bins, bandwidths) does not know which
row is whose, which is what keeps the test exact.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from samelaw.core.types import Matrix
from samelaw.data.batches import Batches, stack
from samelaw.data.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

DRAWN = 50_000
"""Rows of each table that are kept, and rows of the pool that bins are found on."""

Report = Callable[[int], None]
"""Called with the number of rows of each piece that was read."""


@dataclass(frozen=True, eq=False)
class Survey:
    """One table after the first look.

    Parameters
    ----------
    batches : Batches
    rows : int
    drawn : Table
        Some of its rows, in their order.
    numbers : array (k,)
        Which rows those are.
    keys : array (k,)
        Their random numbers.
    """

    batches: Batches
    rows: int
    drawn: Table = field(repr=False)
    numbers: Matrix = field(repr=False)
    keys: Matrix = field(repr=False)


class Reservoir:
    """The rows with the smallest random numbers of all that were shown."""

    def __init__(self, most: int, rng: np.random.Generator) -> None:
        self.most, self.rng = most, rng
        self.rows, self._limit, self._held = 0, 1.0, 0
        self._pieces: list[tuple[pa.Table, Matrix, Matrix]] = []

    def show(self, piece: "pa.Table") -> None:
        """The next rows of the table."""
        keys = self.rng.random(piece.num_rows)
        own = np.flatnonzero(keys < self._limit)
        if len(own):
            self._pieces.append((piece.take(own), self.rows + own, keys[own]))
            self._held += len(own)
        self.rows += piece.num_rows
        if self._held > 2 * self.most:
            self._pieces = [self.kept("")]
            self._held = len(self._pieces[0][2])
            self._limit = float(self._pieces[0][2].max())

    def kept(self, source: str) -> tuple["pa.Table", Matrix, Matrix]:
        """The rows, their numbers in the table and their random numbers."""
        tables, numbers, keys = zip(*self._pieces, strict=True)
        table, places, key = stack(tables, source), np.concatenate(numbers), np.concatenate(keys)
        if len(key) <= self.most:
            return table, places, key
        chosen = np.sort(np.argpartition(key, self.most)[: self.most])
        return table.take(chosen), places[chosen], key[chosen]


def survey(
    batches: Batches, rng: np.random.Generator, most: int = DRAWN, report: Report | None = None
) -> Survey:
    """Read a table once: count its rows and draw some."""
    reservoir = Reservoir(most, rng)
    for piece in batches.pieces():
        reservoir.show(piece)
        if report is not None:
            report(piece.num_rows)
    if reservoir.rows == 0:
        raise ValueError(f"{batches.source} has columns but no rows; expected at least one row.")
    table, numbers, keys = reservoir.kept(batches.source)
    return Survey(batches, reservoir.rows, batches.table(table), numbers, keys)


def drawn_from_pool(surveys: Sequence[Survey], most: int = DRAWN) -> list[Table]:
    """The rows of each table that are among the smallest random numbers of both."""
    keys = np.concatenate([survey.keys for survey in surveys])
    limit = np.inf if len(keys) <= most else np.partition(keys, most - 1)[most - 1]
    # a table that gave up rows has none of the numbers above the largest it kept
    full = [survey.keys.max() for survey in surveys if survey.rows > len(survey.keys)]
    limit = min([limit, *full])
    return [survey.drawn.taken(np.flatnonzero(survey.keys <= limit)) for survey in surveys]
