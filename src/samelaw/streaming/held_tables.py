"""Rows of large tables that are held in memory: which they are, and of how many."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.pair import TablePair
from samelaw.tables.table import Table


@dataclass(frozen=True, eq=False)
class HeldTables:
    """Some rows of two tables.

    Parameters
    ----------
    tables : (Table, Table)
    numbers : (array, array)
        Of these rows in their tables.
    sizes : (int, int)
        Rows the tables have.
    notes : sequence of str
        How the rows were chosen.
    distinct : bool
        Whether repeats were left out.
    """

    tables: tuple[Table, Table]
    numbers: tuple[Matrix, Matrix] = field(repr=False)
    sizes: tuple[int, int]
    notes: Sequence[str] = ()
    distinct: bool = False

    def noting(self, *notes: str, distinct: bool = False) -> "HeldTables":
        """With what came before."""
        return replace(self, notes=(*notes, *self.notes), distinct=distinct)

    def numbered(self, pair: TablePair) -> TablePair:
        """A pair of these tables that knows which rows of the whole ones they are."""
        rows = np.concatenate([self.numbers[0], self.sizes[0] + self.numbers[1]])
        return replace(
            pair,
            chosen=rows if pair.chosen is None else rows[pair.chosen],
            all_sizes=self.sizes,
            notes=(*pair.notes, *self.notes),
        )
