"""The rows of a pool seen in other units: columns of one scale, by normal scores, by ranks.

A view is found on reference rows, the whole pool or some of its rows, without regard to which
sample they came from; whatever is computed from it may be permuted. Equal values stay equal.
"""

from collections.abc import Callable
from enum import Enum

import numpy as np

from samelaw.core.types import Matrix


class View(Enum):
    """What the columns of a pool are measured in."""

    ROWS = "rows as they are"
    STANDARD = "columns of unit variance"
    NORMAL = "normal scores"
    RANKS = "ranks"
    TIES = "ties"

    @property
    def of(self) -> str:
        """What a name says of it: nothing of rows as they are."""
        return "" if self is View.ROWS else f" of {self.value}"

    def __call__(self, reference: Matrix) -> Callable[[Matrix], Matrix]:
        """The map of rows (N, d) into these units, as the reference rows (R, d) have them."""
        if self is View.ROWS:
            return np.asarray
        if self is View.STANDARD:
            return _standard(reference)
        if self is View.TIES:
            return _ties(reference)
        places = _ranks(reference)
        return places if self is View.RANKS else lambda rows: _normal(places(rows))


def _standard(reference: Matrix) -> Callable[[Matrix], Matrix]:
    """Columns of mean 0 and variance 1; constant ones are 0."""
    size = np.abs(reference).max(axis=0)
    size = np.where(size > 0, size, 1.0)  # squares of any size stay in range
    scaled = reference / size
    mean = scaled.mean(axis=0)
    spread = (scaled - mean).std(axis=0)
    constant = spread <= 64 * np.finfo(np.float64).eps
    factor = np.where(constant, 0.0, 1.0 / np.where(constant, 1.0, spread))
    return lambda rows: np.asarray((rows / size - mean) * factor)


def _ranks(reference: Matrix) -> Callable[[Matrix], Matrix]:
    """Mid-ranks in (0, 1): equal values share the mean of their places."""
    ordered = np.sort(reference, axis=0).T.copy()
    half = 0.5 / len(reference)
    tied = [bool(np.any(column[1:] == column[:-1])) for column in ordered]

    def places(rows: Matrix) -> Matrix:
        found = np.empty(rows.shape)
        for number, (column, ties) in enumerate(zip(ordered, tied, strict=True)):
            values = np.ascontiguousarray(rows[:, number])
            first = np.searchsorted(column, values, side="left")
            last = np.searchsorted(column, values, side="right") if ties else first + 1
            found[:, number] = half * (first + last)
        return np.clip(found, half, 1.0 - half)

    return places


def _ties(reference: Matrix) -> Callable[[Matrix], Matrix]:
    """log(1 + k) of each value that k + 1 reference rows have; 0 of one that is alone or new."""
    ordered = np.sort(reference, axis=0).T.copy()

    def ties(rows: Matrix) -> Matrix:
        found = np.zeros(rows.shape)
        for number, column in enumerate(ordered):
            if np.any(column[1:] == column[:-1]):
                values = np.ascontiguousarray(rows[:, number])
                last = np.searchsorted(column, values, side="right")
                others = last - np.searchsorted(column, values, side="left") - 1
                found[:, number] = np.log1p(np.maximum(others, 0))
        return found

    return ties


def _normal(places: Matrix) -> Matrix:
    from scipy.special import ndtri

    return np.asarray(ndtri(places))
