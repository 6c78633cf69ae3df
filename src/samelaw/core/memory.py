"""How much memory a test may take beyond the samples it was given.

Three things grow: copies of rows, operators (Gram matrices, sketches) and memberships. Rows get at
most half of the budget, operators and the memberships of all permutations what is left. Whatever is
computed in passing goes piece by piece, and the pieces do not depend on the budget: a larger one
gives the same numbers, unless it allows another route, which the result names.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from samelaw.core.free_memory import machine_memory

DEFAULT = 4.0 * 2**30
LEAST = 128.0 * 2**20
"""Bytes below which some route has no room for its fixed parts."""
UNLIMITED = 2.0**60
"""Bytes that no machine has, which ``memory=inf`` stands for: counts of them stay finite."""
PASSING = 48.0 * 2**20
"""Bytes for what is computed in passing: pieces of permutations, features of some rows."""
PIECE = 1 << 20
"""Entries of an array (permutations, units) that are worked on at a time."""


@dataclass(frozen=True)
class Budget:
    """Bytes for everything beyond the samples, and what of them is taken already."""

    total: float = DEFAULT
    taken: float = 0.0

    @classmethod
    def of(cls, memory: float | None) -> "Budget":
        """The budget a user gave as ``memory=``, checked; 4 GiB if none."""
        if memory is None:
            return cls()
        try:
            total = float(memory)
        except (TypeError, ValueError):
            raise TypeError(f"memory must be a number of bytes, got {memory!r}.") from None
        if not total >= LEAST:
            raise ValueError(
                f"memory is {total:.4g} bytes; the least that works is {LEAST:.0f} "
                f"({LEAST / 2**20:.0f} MiB)."
            )
        return cls(min(total, UNLIMITED))

    @classmethod
    def of_machine(cls, memory: float | None) -> "Budget":
        """The same; a quarter of the memory of this machine if none was given."""
        if memory is not None:
            return cls.of(memory)
        quarter = 0.25 * machine_memory()
        return cls(max(LEAST, quarter) if quarter < float("inf") else DEFAULT)

    @property
    def room(self) -> float:
        """Bytes for operators and memberships."""
        return self.total - PASSING - self.taken

    def without(self, taken: float) -> "Budget":
        """What is left when so many bytes are taken."""
        return Budget(self.total, self.taken + taken)

    def rows(self, each: float) -> int:
        """How many rows of ``each`` bytes may be copied."""
        return int(0.5 * (self.total - PASSING) / each)

    def fits(self, each: float) -> int:
        """How many operators or permutations of ``each`` bytes there is room for."""
        return max(0, int(self.room / each))

    def side(self, each: float) -> int:
        """The side of the largest square matrix of ``each`` bytes per entry."""
        return int((max(self.room, 0.0) / each) ** 0.5)

    def refuse(self, what: str, need: float, otherwise: str) -> MemoryError:
        """The error for ``what`` takes ``need`` bytes of room and has no other route."""
        least = need + PASSING + self.taken
        return MemoryError(
            f"{what} about {need / 2**20:.0f} MiB, and memory={self.total:.0f} has room for "
            f"{max(self.room, 0.0) / 2**20:.0f} MiB of that. Raise memory= to at least "
            f"{least:.0f}, or {otherwise}."
        )


def pieces(count: int, width: int) -> Iterator[slice]:
    """Some of ``count`` permutations of ``width`` units at a time."""
    step = max(1, PIECE // max(width, 1))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


MOST_ROWS_OF_ONE = 200_000
"""Rows of the larger table that are always compared, however small the other one is."""


def worth_taking(sizes: tuple[int, int]) -> tuple[int, int]:
    """How many rows of each table can add something to those of the other.

    The error of a comparison is that of the smaller table; a hundred times its rows on the other
    side come within half a percent of it.
    """
    n, m = sizes
    return min(n, max(MOST_ROWS_OF_ONE, 100 * m)), min(m, max(MOST_ROWS_OF_ONE, 100 * n))


def within(sizes: tuple[int, int], most: float) -> tuple[int, int]:
    """Rows of each table when only so many can be held: the larger one gives first."""
    n, m = sizes
    if n + m <= most:
        return sizes
    few = min(n, m, int(most) // 2)
    return (min(n, int(most) - few), few) if n > m else (few, min(m, int(most) - few))
