"""A column and the kinds it can be of."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from samelaw.core.types import Matrix
from samelaw.tables.columns.parse import OF_DAY
from samelaw.tables.columns.raw_column import Mask

DRAWN_IN = (
    "values beyond the quantiles of the reference count as its ends: means, medians, shares and "
    "rules fall short of them"
)
"""Of a column whose values a reference does not tell apart: they only look as if all were alike."""

ENDS = ("(or less)", "(or more)")
"""Marks, which nobody reads, of a column whose lowest or highest value stands for all beyond."""

AS_WRITTEN = "as written"
"""The part of numbers and dates: plain, with a sign, or a word in their place."""

PRESENT = "(a value)"
"""What a reference writes for values of which it keeps only that they were there."""


class Kind(StrEnum):
    """What the values of a column are."""

    NUMERIC = "numeric"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CATEGORICAL = "categorical"
    DATETIME = "datetime"
    TEXT = "text"
    CONSTANT = "constant"
    IDENTIFIER = "identifier"
    EMPTY = "empty"


COMPARED = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME, Kind.BOOLEAN, Kind.CATEGORICAL)
"""Kinds whose values are compared; of others what is missing and their parts are."""


class Features(NamedTuple):
    """Numbers (n, r) beside the values of a column that rows are told apart by, and their names.

    ``finer`` says whether they tell rows apart that have one value.
    """

    values: Matrix
    names: tuple[str, ...] = ()
    finer: bool = True

    def taken(self, rows: Matrix) -> "Features":
        return self._replace(values=self.values[rows])


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table, or of two tables under each other.

    Parameters
    ----------
    values : array (n,)
        float64 with NaN for missing (numeric, integer, boolean, datetime in seconds since 1970),
        or codes with −1 for missing (all other kinds).
    missing : array (n,)
        True where there is no value.
    categories : tuple of str
        The words the codes stand for, sorted; empty for numbers.
    notes : tuple of str
        What was done to the values that a reader should know.
    parts : {part: Column}
        What else of its values is compared, as columns of the same rows and name.
    features : Features, optional
        Of categories, numbers that are compared with them: waves of hours, shares of letters.
    set_aside : str
        Why its values are not compared although values of its kind are; empty if they are.
    """

    name: str
    kind: Kind
    values: Matrix = field(repr=False)
    missing: Mask = field(repr=False)
    categories: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    parts: Mapping[str, "Column"] = field(default_factory=dict, repr=False)
    features: Features | None = field(default=None, repr=False)
    set_aside: str = ""

    @property
    def compared(self) -> bool:
        """Whether its values are compared, not only their absence and its parts."""
        return self.kind in COMPARED and not self.set_aside

    @property
    def absent(self) -> Mask:
        """True where there is nothing at all, not even a word in the place of a number."""
        written = self.parts.get(AS_WRITTEN)
        return self.missing if written is None else written.missing

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes that people read."""
        return tuple(note for note in self.notes if note not in ENDS)

    @property
    def drawn_in(self) -> tuple[bool, bool]:
        """Whether its lowest and its highest value stand for all beyond a reference."""
        return ENDS[0] in self.notes, ENDS[1] in self.notes

    @cached_property
    def of_day(self) -> bool:
        """Whether it holds times of day, in hours; beside them a table may hold other numbers."""
        if OF_DAY not in self.notes:
            return False
        known = self.values[~self.missing]
        return bool(((known >= 0.0) & (known <= 24.0)).all())

    def taken(self, rows: Matrix) -> "Column":
        """Some of the rows."""
        return replace(
            self,
            values=self.values[rows],
            missing=self.missing[rows],
            parts={name: part.taken(rows) for name, part in self.parts.items()},
            features=None if self.features is None else self.features.taken(rows),
        )
