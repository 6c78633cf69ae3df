"""What people look for first in a column that changed: a difference in its own units.

The effect of a column is a number between 0 and 1 without a unit. Beside it stands the share of
the answer that moved most, in points, or the difference of the medians and of the means, each
with an interval of its own that takes rows of one unit (a customer, a day) as one.
"""

import math
from collections.abc import Sequence

import numpy as np

from samelaw.comparison.findings import Measure
from samelaw.core.types import Matrix
from samelaw.results.words import hours_apart, points, quoted, signed
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.scales import median as middle_of
from samelaw.tables.columns.views import ColumnView

DAY = 86_400.0


def measures(
    view: ColumnView, n: int, unit: Matrix, level: float, worth: float = 1.0
) -> tuple[Measure, ...]:
    """The plain differences B − A of a column view; none where a table has no values.

    Parameters
    ----------
    n : int
        Rows of A, which come first.
    unit : array (N,)
        Unit of each row: its number, or that of its group.
    level : float
        1 − level is the confidence of each interval.
    worth : float
        How many rows each row stands for.
    """
    column, missing = view.column, view.missing
    known = np.full(len(unit), True) if missing else ~column.missing
    if not missing and column.kind in (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME):
        known &= np.isfinite(column.values)
    values = column.missing if missing else column.values
    first = np.arange(len(unit)) < n
    sides = [_Side(values[known & part], unit[known & part]) for part in (first, ~first)]
    if min(side.units for side in sides) < 2:
        return ()
    if missing:
        return (_share("missing", sides, 1, _score(level, worth)),)
    if column.kind is Kind.BOOLEAN:
        return (_share("true", sides, 1, _score(level, worth)),)
    if column.kind is Kind.CATEGORICAL:
        return (_most_moved(column, sides, level, worth),)
    scale = DAY if column.kind is Kind.DATETIME else 1.0
    kind = "days" if column.kind is Kind.DATETIME else "hours" if column.of_day else "value"
    parts = [("median", _Side.median)] if kind == "days" else [*_AVERAGES]
    return tuple(
        _difference(name, kind, [average(s) for s in sides], scale, _score(level, worth))
        for name, average in parts
    )


def _score(level: float, worth: float) -> float:
    """Standard errors on either side, in those of so many rows less."""
    from scipy.special import ndtri

    return float(ndtri(1.0 - 0.5 * level)) / math.sqrt(worth)


class _Side:
    """The values of one table and the units they come in."""

    def __init__(self, values: Matrix, unit: Matrix) -> None:
        self.values = values
        seen = np.bincount(unit) > 0
        self.units = int(np.count_nonzero(seen))
        self.unit = (np.cumsum(seen) - 1)[unit]

    def mean(self) -> tuple[float, float]:
        """The mean and its standard error, from the sums of the units."""
        power = self._power
        values = self.values / power
        mean = float(values.mean())
        sums = np.bincount(self.unit, weights=values - mean)
        scale = self.units / (self.units - 1)
        return power * mean, power * math.sqrt(scale * float(sums @ sums)) / len(values)

    @property
    def _power(self) -> float:
        """A size of the values, in units of which neither sums nor differences overflow."""
        return 2.0 ** (int(np.frexp(float(np.abs(self.values).max()))[1]) - 1)

    def share(self, code: int) -> tuple[float, float]:
        """The share of a code, and of how many independent rows it is worth."""
        share, error = _Side(self.values == code, self.unit).mean()
        if error == 0.0:
            return share, float(self.units)
        worth = share * (1.0 - share) / error**2 * self.units / (self.units - 1)
        return share, min(worth, float(len(self.values)))

    def median(self) -> tuple[float, float]:
        """The median and its standard error, from how far apart the values around it lie."""
        power = self._power
        values = np.sort(self.values / power)
        middle = power * middle_of(values)
        _, worth = _Side((self.values <= middle).astype(np.int64), self.unit).share(1)
        reach = _REACH * 0.5 / math.sqrt(max(worth, 1.0))
        low, high = np.quantile(values, [max(0.5 - reach, 0.0), min(0.5 + reach, 1.0)])
        return middle, power * (float(high - low) / (2.0 * _REACH))


_REACH = 1.96  # standard errors of a rank on either side, as in the usual interval of a median
_AVERAGES = (("median", _Side.median), ("mean", _Side.mean))


def _difference(
    name: str, kind: str, sides: Sequence[tuple[float, float]], scale: float, score: float
) -> Measure:
    (a, error_a), (b, error_b) = sides
    shift, reach = (b - a) / scale, score * math.hypot(error_a, error_b) / scale
    return Measure(name, kind, a, b, shift, (shift - reach, shift + reach))


def _share(name: str, sides: Sequence[_Side], code: int, score: float) -> Measure:
    """The difference of two shares; Newcombe's interval, which never leaves [−1, 1]."""
    (a, worth_a), (b, worth_b) = (side.share(code) for side in sides)
    (low_a, high_a), (low_b, high_b) = (wilson(a, worth_a, score), wilson(b, worth_b, score))
    low = b - a - math.hypot(b - low_b, high_a - a)
    high = b - a + math.hypot(high_b - b, a - low_a)
    return Measure(name, "share", a, b, b - a, (low, high))


def wilson(share: float, worth: float, score: float) -> tuple[float, float]:
    """Wilson's interval of a share seen in so many independent rows.

    Examples
    --------
    >>> low, high = wilson(0.5, 100, 1.96)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    square = score**2 / worth
    middle = (share + 0.5 * square) / (1.0 + square)
    reach = math.sqrt(square * (share * (1.0 - share) + 0.25 * square)) / (1.0 + square)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def _most_moved(column: Column, sides: Sequence[_Side], level: float, worth: float) -> Measure:
    """The category whose share moved most; the interval holds for all of them at once."""
    size = len(column.categories)
    counts = [np.bincount(side.values.astype(np.int64), minlength=size) for side in sides]
    shares = [count / count.sum() for count in counts]
    code = int(np.argmax(np.abs(shares[1] - shares[0])))
    seen = int(np.count_nonzero(counts[0] + counts[1]))
    return _share(quoted(column.categories[code]), sides, code, _score(level / max(seen, 1), worth))


def clearest(measures: Sequence[Measure]) -> Measure | None:
    """The one that lies farthest from 0 by the width of its interval; None if all may be 0.

    A median that stays is passed over for the mean that moved.
    """

    def clear(measure: Measure) -> float:
        low, high = measure.interval
        return abs(measure.difference) / (high - low) if high > low else math.inf

    telling = [one for one in measures if one.interval[0] > 0 or one.interval[1] < 0]
    return max(telling, key=clear, default=None)


def _signed_hours(hours: float) -> str:
    return ("−" if hours < 0 else "+") + hours_apart(hours)


def measure_words(measure: Measure) -> str:
    """A measure in a few words: "median +5.52 (+2.1 to +8.9)".

    Examples
    --------
    >>> measure_words(Measure("true", "share", 0.2, 0.36, 0.16, (0.11, 0.21)))
    'true +16 points (+11 to +21)'
    """
    show = {"share": points, "hours": _signed_hours}.get(measure.kind, signed)
    shift, low, high = map(show, (measure.difference, *measure.interval))
    unit = {"share": " points", "days": " days", "hours": " h"}.get(measure.kind, "")
    return f"{measure.of} {shift}{unit} ({low} to {high})"
