"""Numbers of which floats do not hold all digits: whole ones beyond 2⁵³, and decimals as long."""

import math
from decimal import Decimal

import numpy as np

from samelaw.core.types import Matrix

MOST_EXACT = 2.0**53  # whole numbers below have all their digits as floats
_MERGED = 0.01  # share of the numbers that may become equal to others
_DIGITS = 2.0**20  # steps of the values that floats must be able to tell apart


def check_told_apart(name: str, exact: Matrix, floats: Matrix) -> None:
    """Raise for numbers that become equal as floats, or nearly so."""
    if digits_lost(exact, floats):
        raise ValueError(f"{told_apart(name, floats)}.")


def told_apart(name: str, floats: Matrix) -> str:
    """What to say of numbers that become equal as floats."""
    largest = float(np.nanmax(np.abs(floats)))
    size = f"up to {largest:.6g}" if largest < math.inf else "beyond 1e308"
    return (
        f"{name} holds whole numbers {size} that lie closer to each other than floats can tell: "
        "subtract what they have in common first"
    )


def digits_matter(values: Matrix) -> bool:
    """Whether whole numbers, given as floats, lie closer than floats of their size tell apart.

    Nanoseconds since 1970 lose their last digits and hardly anything with them; keys that differ
    in those digits alone become one.

    Examples
    --------
    >>> import numpy as np
    >>> digits_matter(2.0**60 + np.arange(50)), digits_matter(np.arange(50.0))
    (True, False)
    """
    largest = float(np.abs(values).max())
    if not MOST_EXACT <= largest < math.inf:
        return False
    half = 0.5 * float(values.max()) - 0.5 * float(values.min())  # 1e308 less −1e308 is none
    return half < 0.5 * _DIGITS * math.ulp(largest)


def digits_lost(exact: Matrix, floats: Matrix) -> bool:
    """Whether numbers (n,), here with all their digits, are too few different ones as floats.

    Either all of them lie close to each other, or more than a few become equal to others: beside
    a 0 that stands for nothing, keys are far from being all alike, and still become one.

    Examples
    --------
    >>> import numpy as np
    >>> keys = np.append(2**60 + np.arange(50), 0)
    >>> digits_lost(keys, keys.astype(float)), digits_lost(1000 * keys[:1], keys[:1] * 1000.0)
    (True, False)
    """
    large = np.abs(floats) >= MOST_EXACT
    if exact.dtype.kind == "f" or not large.any():
        return False
    distinct, counts = np.unique(exact[large], return_counts=True)
    if len(distinct) < 2 or all(map(_is_kept, distinct.tolist())):
        return False
    return digits_matter(floats) or _merged(distinct, counts) > _MERGED * len(exact)


def _is_kept(value: int | Decimal) -> bool:
    """Whether a number is that of its float, or written as it."""
    near = _nearest(value)
    return value == near or (isinstance(value, Decimal) and value == Decimal(repr(near)))


def _merged(distinct: Matrix, counts: Matrix) -> int:
    """How many of these numbers become equal, as floats, to one that is more frequent."""
    floats = as_floats(distinct)
    starts = np.flatnonzero(np.append(True, floats[1:] > floats[:-1]))
    return int(counts.sum() - np.maximum.reduceat(counts, starts).sum())


def as_floats(exact: Matrix) -> Matrix:
    """Numbers (n,) of any type as the nearest floats; those beyond them are infinite."""
    if exact.dtype != object:
        return exact.astype(np.float64, copy=False)
    return np.fromiter(map(_nearest, exact), np.float64, len(exact))


def _nearest(value: int | float | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
