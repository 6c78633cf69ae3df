"""Numbers that differ by what arithmetic leaves behind are one number.

Three times 0.1 is 0.30000000000000004: beside a table that holds 0.3, a common value would be gone
and another one new.
"""

import numpy as np

from samelaw.columns.raw_column import Floats

ULPS = 4.0
"""Steps in the last place of a float that a few steps of arithmetic may leave."""


def tied(values: Floats) -> Floats:
    """Numbers (n,) of all tables, each run of nearly equal ones as its least.

    Values so dense that such runs have no end are all that is known of them, and stay.

    Examples
    --------
    >>> tied(np.array([0.3, 3 * 0.1, 0.5, np.nan])).tolist()
    [0.3, 0.3, 0.5, nan]
    """
    known = np.sort(values[np.isfinite(values)])
    close = np.diff(known) <= ULPS * np.spacing(np.abs(known[1:]))
    if not np.any(close & (np.diff(known) > 0.0)):
        return values
    starts = np.flatnonzero(np.append(True, ~close))
    first, last = known[starts], known[np.append(starts[1:], len(known)) - 1]
    short = (last > first) & (last - first <= ULPS * np.spacing(np.abs(last)))
    first, last = first[short], last[short]
    if not len(first):
        return values
    at = np.searchsorted(first, values, side="right") - 1  # of NaN the last: it is in none
    inside = (at >= 0) & (values <= last[at])
    return np.where(inside, first[at], values)
