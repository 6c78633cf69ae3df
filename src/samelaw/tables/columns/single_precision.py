"""Numbers of single precision as the numbers that they were written as.

As a float, the 19.99 of single precision is 19.989999771118164: beside a table that holds 19.99,
every price would be another one.
"""

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.raw_column import Floats, Mask

FEW = 7
"""Digits that prices and measurements have at most; of values that are not rounded two of three
need more."""

_DIGITS = range(6, 10)  # fewer are among six; nine tell all numbers of single precision apart
_EXACT = 22  # powers of ten that a float holds exactly
_LOOKED_AT = 1_000


def widened(values: Matrix) -> Floats:
    """Floats (n,) of any precision in double; single ones by their digits where most have few.

    Values that are not rounded stay as they are: they are in no other table, whatever their last
    digits, and wide tables of embeddings need no work.

    Examples
    --------
    >>> widened(np.array([19.99, 0.1, np.nan], dtype=np.float32)).tolist()
    [19.99, 0.1, nan]
    """
    wide: Floats = values.astype(np.float64, copy=False)
    if values.dtype != np.float32:
        return wide
    some = values[:: max(1, len(values) // _LOOKED_AT)]
    some = some[np.isfinite(some)]
    if 2 * np.count_nonzero(_of_digits(some, FEW)[1]) <= len(some):
        return wide
    return _of_digits(values, _DIGITS[-1])[0]


def _of_digits(values: Matrix, most: int) -> tuple[Floats, Mask]:
    """The decimals of at most so many digits that single numbers (n,) stand for; where there are.

    A whole number over a power of ten is rounded once, as the digits are when they are read.
    """
    found: Floats = values.astype(np.float64)
    known: Mask = ~np.isfinite(values) | (values == 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        leading = np.floor(np.log10(np.abs(found)))
        for digits in _DIGITS[: most - _DIGITS[0] + 1]:
            places = digits - 1 - leading
            power = 10.0 ** np.abs(places)
            near = np.where(places >= 0, np.rint(found * power) / power, found)
            near = np.where(places < 0, np.rint(found / power) * power, near)
            fits = ~known & (np.abs(places) <= _EXACT) & (near.astype(np.float32) == values)
            found[fits] = near[fits]
            known |= fits
    return found, known
