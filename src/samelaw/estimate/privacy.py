"""Differential privacy for sums over rows: how much noise, where it comes from, what remains.

Two tables are neighbours if one row of the same number of rows is another one. A mechanism is
(ε, δ)-private if no event is more than e^ε times as likely for one neighbour as for the other, plus
δ. Normal noise of the right size makes it so (Balle & Wang 2018).
"""

import math
import os
from dataclasses import dataclass, field

import numpy as np

from samelaw.core.types import Matrix

_GRID = 2.0**-20  # of the noise: what is written keeps no digits that only the rows have


@dataclass(frozen=True)
class Budget:
    """What may become known of a single row.

    Parameters
    ----------
    epsilon : float
        How many times likelier an event may become, as a logarithm.
    delta : float
        The probability of a worse event; far below one over the number of rows.

    Examples
    --------
    >>> round(Budget(1.0, 1e-6).scale, 3)
    4.225
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not (0.0 < self.epsilon < math.inf and 0.0 < self.delta < 1.0):
            raise ValueError(
                f"private is ({self.epsilon:g}, {self.delta:g}); expected ε > 0 and δ between 0 "
                "and 1, such as (1, 1e-6)."
            )

    @property
    def scale(self) -> float:
        """The standard deviation of the noise for a sum that one row moves by 1."""
        from scipy.optimize import brentq

        ends = (-30.0, 30.0)
        found = brentq(
            lambda log: spent_delta(math.exp(log), self.epsilon) - self.delta, *ends, xtol=1e-13
        )
        return math.exp(found) * (1.0 + 1e-9)  # on the safe side of the root


def spent_delta(scale: float, epsilon: float) -> float:
    """The smallest δ with which normal noise of this scale is (ε, δ)-private, if a row moves 1.

    Φ(1/2σ − εσ) − e^ε Φ(−1/2σ − εσ), which is exact (Balle & Wang 2018).
    """
    from scipy.special import log_ndtr

    shift, half = epsilon * scale, 0.5 / scale
    high = float(log_ndtr(half - shift))
    return math.exp(high) * -math.expm1(epsilon + float(log_ndtr(-half - shift)) - high)


def system_normals(count: int) -> Matrix:
    """Standard normal numbers from the entropy of the operating system, which nobody can redraw.

    The state of a usual generator could be found from the noise of rows that are known.
    """
    from scipy.special import ndtri

    bits = np.frombuffer(os.urandom(8 * count), dtype=np.uint64) >> np.uint64(11)
    return np.asarray(ndtri((bits + 0.5) * 2.0**-53))


@dataclass(frozen=True, eq=False)
class Noise:
    """The law of the noise in the sums of a reference: all of it but its values.

    Parameters
    ----------
    budgets : tuple of Budget
        One for each of the tables that were added up.
    matrix : float
        Standard deviation in the diagonal of Σ φφᵀ; that beside it is √2 times smaller.
    columns : array (k,)
        Standard deviations in the sums of coordinates.
    """

    budgets: tuple[Budget, ...]
    matrix: float
    columns: Matrix = field(repr=False)

    @classmethod
    def of(cls, budget: Budget, ranges: Matrix) -> "Noise":
        """Of one table whose coordinates have these ranges (k,), from rules and not from rows.

        Replacing a row moves Σ φφᵀ by at most √2, as ‖φ‖ = 1. Coordinates are weighed so that
        together they move by as much: 2 in all, under one budget.
        """
        scale = 2.0 * budget.scale
        return cls((budget,), scale, scale * ranges * math.sqrt(0.5 * max(1, len(ranges))))

    def __add__(self, other: "Noise") -> "Noise":
        """That of the sums of both: variances add up."""
        return Noise(
            (*self.budgets, *other.budgets),
            math.hypot(self.matrix, other.matrix),
            np.hypot(self.columns, other.columns),
        )

    def matrices(self, normals: Matrix, size: int) -> Matrix:
        """Symmetric noise (B, D, D) from standard normal numbers (B, D (D + 1) / 2)."""
        first, second = np.triu_indices(size)
        values = normals * np.where(first == second, self.matrix, self.matrix / math.sqrt(2.0))
        found: Matrix = np.empty((len(normals), size, size))
        found[:, first, second] = found[:, second, first] = values
        return found

    def added(self, total: Matrix, sums: Matrix) -> tuple[Matrix, Matrix]:
        """Σ φφᵀ (D, D) and sums of coordinates (k,) that may be shown."""
        size = len(total)
        count = size * (size + 1) // 2
        drawn = system_normals(count + len(sums))
        shown = total + self.matrices(drawn[None, :count], size)[0]
        return _rounded(shown, self.matrix), _rounded(sums + drawn[count:] * self.columns, 1.0)

    def error(self, size: int, rows: int) -> float:
        """The mean squared distance of the density that is shown from that of the rows."""
        return 0.5 * size * (size + 1) * (self.matrix / rows) ** 2


def _rounded(values: Matrix, scale: float) -> Matrix:
    grid = 2.0 ** math.floor(math.log2(scale * _GRID))
    return np.asarray(np.round(values / grid) * grid)


def nearest_density(matrices: Matrix) -> Matrix:
    """The operators (B, D, D) of trace 1 without negative eigenvalues that are nearest to these.

    Trace and sign are known without rows, so that nothing is spent on them.
    """
    values, vectors = np.linalg.eigh(matrices)
    falling = values[:, ::-1]
    over = (np.cumsum(falling, axis=1) - 1.0) / np.arange(1, falling.shape[1] + 1)
    last = np.count_nonzero(falling > over, axis=1) - 1
    cut = np.take_along_axis(over, last[:, None], axis=1)
    kept = np.maximum(values - cut, 0.0)
    return np.asarray((vectors * kept[:, None, :]) @ vectors.swapaxes(1, 2))
