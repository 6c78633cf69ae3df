"""How the values of a column are written, as all tables together show it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

NEARLY = 0.9
"""Share of the values that must look alike: like times of day, or like numbers with decimal commas
where commas separate values."""

CLEAR = 0.05
"""Share of them that must not look like thousands: 1,5 is clear, 1,234 is not."""


MOSTLY_NUMBERS = 0.75
"""Share of the values that must be numbers, with a unit or without, to look for one."""

ONE_UNIT = 0.95
"""Share of the values with a unit that must have the same."""


class Commas(NamedTuple):
    """How many values there are, how many may have a decimal comma, and how many must."""

    known: int
    alike: int = 0
    clear: int = 0

    @property
    def decimal(self) -> bool:
        """Whether commas are decimal where they also separate values, so are not expected."""
        return bool(self.clear) and (
            self.alike >= NEARLY * self.known and self.clear >= CLEAR * self.alike
        )


class Clocks(NamedTuple):
    """How many values there are whose writing is known, and how many are times of day."""

    known: int = 0
    clocks: int = 0

    @property
    def are_times(self) -> bool:
        return self.clocks > 0 and self.clocks >= NEARLY * self.known


class Units(NamedTuple):
    """How many values are numbers without a unit, and how many have which: 76.3 kg."""

    known: int = 0
    plain: int = 0
    counts: Mapping[str, int] = {}

    @property
    def one(self) -> str:
        """The unit, if nearly all values with a unit have this one and most values are numbers.

        350 KB beside 1.2 MB are no numbers of one kind.
        """
        some = sum(self.counts.values())
        if not some or self.plain + some < MOSTLY_NUMBERS * self.known:
            return ""
        most = max(self.counts, key=lambda unit: (self.counts[unit], unit))
        return most if self.counts[most] >= ONE_UNIT * some else ""


class Dots(NamedTuple):
    """What stands after the dots of numbers: groups of three digits, as in 1.234, or others."""

    grouped: str = ""
    """A number whose dot may mark thousands."""
    other: bool = False
    whole: bool = False
    """Whether some number has no dot."""


@dataclass(frozen=True)
class Writing:
    """What one value leaves open and all of them may decide.

    Parameters
    ----------
    comma : bool, optional
        Whether numbers have decimal commas in files where commas separate no values; None where
        nothing looks like it.
    quoted : bool, optional
        The same in all other sources.
    orders : set of bool
        The orders that some date demands: True for the day first, False for the month first. A
        date such as 03/04/2025 demands neither.
    date : str
        A date whose order is open by itself, if there is one.
    dots : set of bool
        Where dots mark thousands: True for files where commas separate no values, False for all
        other sources.
    clock : bool, optional
        Whether the numbers are times of day, as 08:15; None where nothing looks like it.
    unit : str, optional
        What stands behind the numbers, as in "76.3 kg"; empty where it is not one and the same,
        None where nothing looks like it.
    notes : tuple of str
        What to say about it.
    """

    comma: bool | None = None
    quoted: bool | None = None
    orders: frozenset[bool] = frozenset()
    date: str = ""
    dots: frozenset[bool] = frozenset()
    clock: bool | None = None
    unit: str | None = None
    notes: tuple[str, ...] = ()

    def decimal(self, comma: bool) -> bool | None:
        """Whether commas are decimal in a source where they may be, or are not expected."""
        return self.comma if comma else self.quoted

    @property
    def day_first(self) -> bool | None:
        """The order of all dates; None if no date demands one, or they contradict each other."""
        return next(iter(self.orders)) if len(self.orders) == 1 else None


OPEN = Writing()
"""Nothing is decided."""
