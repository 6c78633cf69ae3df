"""The first look at tables that are read piece by piece: how many rows, and some of them.

Every row gets a random number; those with the smallest ones are kept. So each table has a bounded
random sample of its rows, to show and to find words by, and the smallest numbers of both together
are a random sample of the pool: what is decided on it (kinds, bins, bandwidths) does not know which
row is whose, which is what keeps the test exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from samelaw.comparison.plan import RowReport
from samelaw.core.types import Matrix
from samelaw.tables.reading.arrow_batches import forget_pieces, stack
from samelaw.tables.reading.batches import Batches
from samelaw.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

DRAWN = 50_000
"""Rows of each table that are kept, and rows of the pool that bins are found on."""

FEWEST_DRAWN = 1_000
"""Rows of each table that are always kept."""

MOST_PIECES = 64
"""Pieces of which some rows are kept before they are put together: each holds on to its words."""


@dataclass(frozen=True, eq=False)
class Survey:
    """One table after the first look.

    Parameters
    ----------
    batches : Batches
    rows : int
    drawn : Table
        Some of its rows, in their order, which know their numbers.
    keys : array (k,)
        Their random numbers.
    """

    batches: Batches
    rows: int
    drawn: Table = field(repr=False)
    keys: Matrix = field(repr=False)


class Reservoir:
    """The rows with the smallest random numbers of all that were shown.

    Parameters
    ----------
    most : int
        So many; fewer if they take more than ``room``, which only shows when they are read.
    rng : Generator
    room : float
        Bytes.
    least : int
        So many are kept whatever they take.
    """

    def __init__(
        self,
        most: int,
        rng: np.random.Generator,
        room: float = np.inf,
        least: int = FEWEST_DRAWN,
    ) -> None:
        self.most, self.rng, self.room, self.least = most, rng, room, least
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
        if self._held > 2 * self.most or len(self._pieces) > MOST_PIECES or self._is_full:
            self._settle()

    @property
    def _is_full(self) -> bool:
        """Whether the rows at hand may take more than they should."""
        return self.room < np.inf and sum(piece.nbytes for piece, _, _ in self._pieces) > self.room

    def _settle(self) -> None:
        """Keep the rows with the smallest numbers, and only as many as there is room for."""
        self._pieces = [self.kept()]
        ((table, _, keys),) = self._pieces
        if table.nbytes > 0.5 * self.room and len(keys) > self.least:
            self.most = max(self.least, int(0.5 * self.room / (table.nbytes / len(keys))))
            self._pieces = [self.kept()]
            keys = self._pieces[0][2]
        self._held = len(keys)
        if self._held >= self.most:
            self._limit = float(keys.max())

    def kept(self) -> tuple["pa.Table", Matrix, Matrix]:
        """The rows, their numbers in the table and their random numbers."""
        tables, numbers, keys = zip(*self._pieces, strict=True)
        table, places, key = stack(tables), np.concatenate(numbers), np.concatenate(keys)
        if len(key) <= self.most:
            return table, places, key
        chosen = np.sort(np.argpartition(key, self.most)[: self.most])
        return table.take(chosen), places[chosen], key[chosen]


def survey(
    batches: Batches,
    rng: np.random.Generator,
    most: int = DRAWN,
    report: RowReport | None = None,
    room: float = np.inf,
) -> Survey:
    """Read a table once: count its rows and draw some, that take at most so many bytes."""
    reservoir = Reservoir(most, rng, room)
    for piece in batches.pieces():
        reservoir.show(piece)
        if report is not None:
            report(piece.num_rows)
    forget_pieces()
    if reservoir.rows == 0:
        raise ValueError(f"{batches.source} has columns but no rows; expected at least one row.")
    table, numbers, keys = reservoir.kept()
    drawn = replace(batches.table(table), whole=reservoir.rows, numbers=numbers)
    return Survey(batches, reservoir.rows, drawn, keys)


def changed(source: str) -> ValueError:
    """The error for a table that has other rows when it is read again."""
    return ValueError(f"{source} changed while it was read; wait until it is done.")


def drawn_from_pool(surveys: Sequence[Survey], most: int = DRAWN) -> list[Table]:
    """The rows of each table that are among the smallest random numbers of both."""
    keys = np.concatenate([survey.keys for survey in surveys])
    limit = np.inf if len(keys) <= most else np.partition(keys, most - 1)[most - 1]
    # a table that gave up rows has none of the numbers above the largest it kept
    full = [survey.keys.max() for survey in surveys if survey.rows > len(survey.keys)]
    limit = min([limit, *full])
    return [survey.drawn.taken(np.flatnonzero(survey.keys <= limit)) for survey in surveys]
