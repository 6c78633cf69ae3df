"""What is compared and how: the tables, the questions, the randomness of each stage."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np

from samelaw.core.types import Matrix, Progress
from samelaw.tables.pairing.pair import TablePair
from samelaw.testing.permuting.group_units import Groups

RowReport: TypeAlias = Callable[[int], None]
"""Called with the number of rows of each piece that was read."""


@dataclass(frozen=True, eq=False)
class Streams:
    """A random stream for each stage, so that a draw more in one changes no number of another.

    Streams are told apart by their place: a new stage goes to the end.
    """

    rows: np.random.Generator
    """Which rows of a far larger table are compared."""
    units: np.random.Generator
    """Which rows of a group, and which groups, where there are too many."""
    joint: np.random.Generator
    """Blocks, landmarks and frequencies of the test of all columns together."""
    permutations: np.random.Generator
    column_effects: np.random.Generator
    joint_effect: np.random.Generator
    witness: np.random.Generator
    directions: np.random.Generator
    picture: np.random.Generator
    pair_effects: np.random.Generator
    rules: np.random.Generator
    """Which half of the rows a rule is found on."""
    sample: np.random.Generator
    """Which rows are compared where a sample was asked for."""
    target: np.random.Generator
    """Predictions from the inputs, and which rows they are made on."""
    known: np.random.Generator
    """Which rows change places so that each table keeps its number of known values."""

    @classmethod
    def spawned(cls, rng: np.random.Generator) -> "Streams":
        return cls(*rng.spawn(len(fields(cls))))


@dataclass(frozen=True, eq=False)
class Plan:
    """Two tables that passed all checks, and what is asked of them.

    Parameters
    ----------
    pair : TablePair
    level : float
    permutations : int
    streams : Streams
    groups : Groups, optional
        With the number of its group for every row.
    min_effect : float
    same_within : float, optional
    memory : float, optional
        Bytes for the test of all columns together.
    unique : bool
        Whether repeated rows were left out, so that no p-value is exact.
    target : str, optional
        The column that a model predicts from the others.
    allow_schema : bool
        Whether columns that vanished, appeared or changed their declared type are no difference.
    """

    pair: TablePair
    level: float
    permutations: int
    streams: Streams
    groups: Groups | None = None
    min_effect: float = 0.0
    same_within: float | None = None
    memory: float | None = None
    unique: bool = False
    allow_schema: bool = False
    target: str | None = None

    @property
    def group_of_row(self) -> Matrix:
        """The number of its group for every row (N,); rows are groups of their own without any."""
        if self.groups is None:
            return np.arange(sum(self.pair.sizes))
        return np.asarray(self.groups.labels)


def check_target(name: str, pair: TablePair) -> None:
    """Refuse a target whose values are not compared, or that has no inputs beside it."""
    found = [column for column in pair.columns if column.name == name]
    if not found or not found[0].compared:
        reasons = [out.reason for out in pair.left_out if out.column == name]
        why = reasons[0] if reasons else "it is not in both tables"
        raise ValueError(
            f"target (--target) {name!r} cannot be compared ({why}); name a column of numbers, "
            "dates or categories that both tables have."
        )
    if len(pair.columns) < 2:
        raise ValueError(
            f"target (--target) {name!r} is the only column compared; a target needs inputs."
        )


class Stages:
    """Progress over stages of unequal length, in hundredths."""

    ENDS: Mapping[str, int] = {"read": 8, "joint": 60, "columns": 75, "pairs": 90, "where": 100}

    def __init__(self, report: Progress | None) -> None:
        self.report = report
        self.start = 0

    def done(self, stage: str) -> None:
        self.start = self.ENDS[stage]
        if self.report is not None:
            self.report(self.start, 100)

    def within(self, stage: str) -> Progress | None:
        """Progress of what is inside a stage, as progress of all."""
        if self.report is None:
            return None
        report, start, end = self.report, self.start, self.ENDS[stage]
        return lambda done, total: report(start + (end - start) * done // max(total, 1), 100)

    def rows(self, stage: str, count: float) -> RowReport:
        """Progress of a pass over about so many rows that fills a stage."""
        inner, total, seen = self.within(stage), max(round(count), 1), 0

        def add(rows: int) -> None:
            nonlocal seen
            seen = min(seen + rows, total)
            if inner is not None:
                inner(seen, total)

        return add
