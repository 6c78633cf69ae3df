"""How the memory of a comparison that keeps no rows is shared out.

Nothing here grows with the rows of the tables; all of it with their columns, and some with the
number of blocks. Where there is little memory fewer rows are drawn, pieces are shorter and blocks
are fewer: the level stays exact, and ``method`` says how many blocks there were.
"""

from dataclasses import dataclass

from samelaw.comparison.sums.reservoir import DRAWN, FEWEST_DRAWN
from samelaw.core.memory import Budget
from samelaw.tables.reading.arrow_batches import ROWS
from samelaw.testing.sketch_backend import FEWEST_BLOCKS, MOST_BLOCKS

# Shares of the memory
_RESERVOIRS, _DRAWN, _PIECE, _BLOCKS, _PAIRS, _TESTS = 0.06, 0.24, 0.15, 0.25, 0.2, 0.1

# Bytes, as measured on ten mixed columns
_ROW, _VALUE = 150.0, 130.0  # of a row drawn: by itself, and of each column in all its views
_PASSING_ROW, _PASSING_VALUE = 64.0, 80.0  # of a row that is counted and summed
_UNIT = 16.0  # of a unit in one permutation: its membership, and contrasts of it

_FEWEST_AT_ONCE = 2**12


@dataclass(frozen=True)
class StreamRoom:
    """What there is room for.

    Parameters
    ----------
    budget : Budget
    columns : int
        Of the wider table.
    """

    budget: Budget
    columns: int

    @property
    def reservoir(self) -> float:
        """Bytes for the rows drawn of one table as they were read."""
        return 0.5 * _RESERVOIRS * self.budget.total

    @property
    def drawn(self) -> int:
        """Rows of each table that are drawn."""
        each = _ROW + _VALUE * self.columns
        return int(min(DRAWN, max(FEWEST_DRAWN, 0.5 * _DRAWN * self.budget.total / each)))

    @property
    def rows_at_once(self) -> int:
        """Rows of a piece that are counted and summed together."""
        each = _PASSING_ROW + _PASSING_VALUE * self.columns
        return int(min(ROWS, max(_FEWEST_AT_ONCE, _PIECE * self.budget.total / each)))

    @property
    def pairs(self) -> float:
        """Bytes for the counts of pairs."""
        return _PAIRS * self.budget.total

    @property
    def tests(self) -> float:
        """Bytes for what the tests of pairs keep."""
        return _TESTS * self.budget.total

    def blocks(self, each: float, permutations: int) -> int:
        """Blocks of both tables, of which each takes so many bytes."""
        of_units = _UNIT * (permutations + 1)
        most = min(
            MOST_BLOCKS,
            int(_BLOCKS * self.budget.total / each),
            int(_TESTS * self.budget.total / of_units),
        )
        fewest = 2 * FEWEST_BLOCKS
        if most >= fewest:
            return most
        need = max(fewest * each / _BLOCKS, fewest * of_units / _TESTS)
        raise MemoryError(
            f"sums over {fewest} blocks of {self.columns} columns and {permutations:,} "
            f"permutations of them need memory={need:.0f} ({need / 2**20:.0f} MiB), and it is "
            f"{self.budget.total:.0f}. Raise memory (--memory), name fewer columns (--columns), or "
            "take fewer permutations."
        )
