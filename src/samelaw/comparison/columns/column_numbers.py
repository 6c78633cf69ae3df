"""How the numbers of a column are written: with the digits that tell them apart.

Four digits do for most. They say nothing of timestamps within a minute, which share the first ten;
and thousands are marked, but not in the year 2020 or in the day 20240101.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.results.words import YEARS, are_years, clock, numbers
from samelaw.tables.columns.column import Column

_MOST_DIGITS = 15
_LOOKED_AT = 10_000  # values that tell whether all are years


@dataclass(frozen=True)
class Writing:
    """A way to write numbers.

    Parameters
    ----------
    digits : int
    calendar : bool
        Whether they are years or days in digits, whose thousands nobody marks.
    of_day : bool
        Whether they are times of day, in hours: 9.935 is 09:56.
    """

    digits: int = 4
    calendar: bool = False
    of_day: bool = False

    @classmethod
    def for_column(cls, column: Column, values: Matrix) -> "Writing":
        """The way for some values of a column of numbers."""
        return cls(of_day=True) if column.of_day else cls.of(values, column.name)

    @classmethod
    def of(cls, values: Matrix, name: str = "") -> "Writing":
        """The way for the values of a column with this name.

        Examples
        --------
        >>> Writing.of(np.array([1999.0, 2004.0, 2020.0]))(2020.0)
        '2020'
        >>> Writing.of(1.7e12 + np.arange(20.0))(1.7e12 + 7)
        '1,700,000,000,007'
        """
        known = values[np.isfinite(values)]
        if len(known) == 0:
            return cls()
        calendar = _whole(known) and (_are_years(known, name) or _are_days(known))
        return cls(max(_digits(known), 8 if calendar and known.max() > YEARS[1] else 4), calendar)

    def __call__(self, value: float) -> str:
        return self.each(value)[0]

    def each(self, *values: float) -> list[str]:
        """Numbers beside each other, in one style."""
        if self.of_day and all(map(math.isfinite, values)):
            return [*map(clock, values)]
        return numbers(values, self.digits, calendar=self.calendar)

    def both(self, a: float, b: float) -> tuple[str, str]:
        """Two numbers, with as many digits as it takes for them to differ if they do."""
        finer = [replace(self, digits=digits) for digits in range(self.digits, _MOST_DIGITS + 1)]
        for way in (*finer, self):
            one, other = way.each(a, b)
            if one != other:
                break
        return one, other


def _digits(known: Matrix) -> int:
    """Digits that show a hundredth of what the values are spread over."""
    known = 0.5 * known  # 1e308 less −1e308 is none
    low, high = np.quantile(known, [0.25, 0.75])
    spread, size = float(high - low) or float(np.ptp(known)), float(np.abs(known).max())
    if spread == 0.0:
        return 4
    ratio = min(size / spread, 10.0**_MOST_DIGITS)
    return min(max(4, math.ceil(math.log10(max(ratio, 1.0))) + 2), _MOST_DIGITS)


def _are_years(known: Matrix, name: str) -> bool:
    return are_years(name, float(known.min()), float(known.max()))


def _are_days(known: Matrix) -> bool:
    """Whether they read as 20240131."""
    low, high = (1e4 * year for year in YEARS)
    if not (low <= known.min() and known.max() <= high):
        return False
    day, month = known % 100, known // 100 % 100
    return bool(((day >= 1) & (day <= 31) & (month >= 1) & (month <= 12)).all())


def _whole(known: Matrix) -> bool:
    """A look at some spares one at all."""
    some = known[:_LOOKED_AT]
    return bool((some == np.rint(some)).all() and (known == np.rint(known)).all())
