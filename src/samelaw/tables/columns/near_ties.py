"""Numbers that differ by what arithmetic leaves behind are one number.

Three times 0.1 is 0.30000000000000004: beside a table that holds 0.3, a common value would be gone
and another one new.
"""

import numpy as np

from samelaw.tables.columns.raw_column import Floats

_LEFT = 4.0 * float(np.finfo(np.float64).eps)
"""What a few steps of arithmetic may leave of a number, as a share of it."""


def around(values: Floats) -> tuple[Floats, Floats]:
    """The least and the largest number that rounding may make of each of these."""
    with np.errstate(over="ignore"):
        return values - _LEFT * np.abs(values), values + _LEFT * np.abs(values)


def tied(values: Floats) -> Floats:
    """Numbers (n,) of all tables, each run of nearly equal ones as its least.

    Values so dense that such runs have no end are all that is known of them, and stay.

    Examples
    --------
    >>> tied(np.array([0.3, 3 * 0.1, 0.5, np.nan])).tolist()
    [0.3, 0.3, 0.5, nan]
    """
    known = np.sort(values[np.isfinite(values)])
    close = known[1:] <= around(known[:-1])[1]
    if not np.any(close & (known[1:] > known[:-1])):
        return values
    starts = np.flatnonzero(np.append(True, ~close))
    first, last = known[starts], known[np.append(starts[1:], len(known)) - 1]
    short = (last > first) & (last <= around(first)[1])
    first, last = first[short], last[short]
    if not len(first):
        return values
    at = np.searchsorted(first, values, side="right") - 1  # of NaN the last: it is in none
    inside = (at >= 0) & (values <= last[at])
    return np.where(inside, first[at], values)
