"""Rows that are worth comparing: how many of each table, which ones, and the words for it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.raw_column import Codes
from samelaw.tables.table import Table


class Sample(NamedTuple):
    """So many rows of each table, drawn at random before anything is looked at."""

    rows: int
    rng: np.random.Generator

    def drawn(self, tables: Sequence[Table]) -> list[Codes]:
        """Numbers of the rows of each table."""
        return [
            np.sort(self.rng.choice(t.rows, min(t.rows, self.rows), replace=False, shuffle=False))
            for t in tables
        ]


def draw_rows(sizes: tuple[int, int], counts: tuple[int, int], rng: np.random.Generator) -> Matrix:
    """Numbers of so many pooled rows of each table, drawn at random."""
    taken = [
        np.sort(rng.choice(size, count, replace=False, shuffle=False))
        for size, count in zip(sizes, counts, strict=True)
    ]
    return np.concatenate([taken[0], sizes[0] + taken[1]])


def thinning(sizes: tuple[int, int], counts: tuple[int, int], *, short: bool) -> str:
    """Why so many rows are compared: there is no room for more, or no use."""
    if short:
        return (
            f"{counts[0]:,} of the {sizes[0]:,} rows of A and {counts[1]:,} of the {sizes[1]:,} of "
            "B, drawn at random, are compared, to keep within the memory allowed."
        )
    side = "A" if counts[0] < sizes[0] else "B"
    return (
        f"{side}: {max(counts):,} of its {max(sizes):,} rows, drawn at random, are "
        f"compared; more would add nothing to what {min(counts):,} rows on the other side can show."
    )


def sampling(counts: tuple[int, int], sizes: tuple[int, int]) -> str:
    """That a sample was asked for."""
    return (
        f"{counts[0]:,} of the {sizes[0]:,} rows of A and {counts[1]:,} of the {sizes[1]:,} of B, "
        "drawn at random, are compared, as was asked."
    )
