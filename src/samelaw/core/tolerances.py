"""What counts as rounding: the one home of every tolerance in the decisions.

Values that are equal in exact arithmetic come out different by rounding, in another way on every
processor. Standardised, such differences would look like evidence, so whatever has no spread
beyond rounding is taken as constant. Rounding is measured against the terms *before* they cancel:
the mean of the values says nothing about what was added up to get there.
"""

import numpy as np
from numpy.typing import DTypeLike

from samelaw.core.types import Matrix

TIE = 1e-5
"""Values closer than this share of their spread count as equal."""

NO_WEIGHT = 1e-9
"""Weights of rows below this share of the largest one count as 0."""

EQUAL_WEIGHTS = 1e-12
"""Weights with a mean of 1 that differ by less are equal but for rounding."""

_ERRORS = 64.0
"""Rounding errors of a term: those of the kernel, of its powers, of centring and of summing."""


def rounding(dtype: DTypeLike) -> float:
    """The relative error that may be expected of a term of a sum in this precision."""
    kind = np.dtype(dtype)
    return _ERRORS * float(np.finfo(kind if kind.kind == "f" else np.float64).eps)


def without_spread(values: Matrix, noise: float) -> bool:
    """Whether values are all equal but for rounding errors of the size ``noise``."""
    return len(values) == 0 or float(np.max(values)) - float(np.min(values)) <= noise


def tie(values: Matrix, noise: float = 0.0) -> float:
    """How far apart two of these values may lie and still count as equal."""
    if len(values) == 0:
        return noise
    last_digits = 4.0 * float(np.finfo(np.float64).eps) * float(np.abs(values).max())
    return max(TIE * float(values.std()), last_digits, noise)


def entropy_noise(dtype: DTypeLike, rows: int) -> float:
    """Rounding errors of a difference of entropies of operators of this many rows.

    Of rows that repeat, most eigenvalues are 0 and come out as some ε, of which an entropy makes
    ε log 1/ε: that is more than the errors of the eigenvalues that are there.
    """
    one = rounding(dtype) / 8.0  # one spectrum, no powers
    return one * (float(np.log(max(rows, 1))) - float(np.log(one)))


LARGEST = 1e300  # numbers beyond are taken for it, so that differences stay finite
