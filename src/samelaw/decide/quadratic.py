"""Quadratic forms in the labels, for all permutations at once, with their exact moments.

A statistic of this family is T = (N/nm)² s̃ᵀQs̃ + 2g·s̃ + c, where s̃ is the 0/1 membership of the
first sample minus its mean. All permuted values come from one matrix product; the mean and the
variance over *all* permutations have closed forms.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class QuadraticForm:
    """sᵀWs + 2g·s + c for memberships s with ``sizes[0]`` ones.

    Parameters
    ----------
    centred : array (N, N)
        W, symmetric with rows summing to zero.
    linear : array (N,) or None
        g, summing to zero.
    constant : float
        c.
    sizes : tuple of int
        n and m.
    """

    centred: Matrix
    linear: Matrix | None
    constant: float
    sizes: tuple[int, int]

    @classmethod
    def of_signs(cls, matrix: Matrix, sizes: tuple[int, int]) -> "QuadraticForm":
        """vᵀQv with v = 1/n and −1/m (the V-form). ``matrix`` is overwritten."""
        n, m = sizes
        matrix *= (1.0 / n + 1.0 / m) ** 2
        return cls(centre(matrix), None, 0.0, sizes)

    @classmethod
    def of_pairs(cls, matrix: Matrix, sizes: tuple[int, int]) -> "QuadraticForm":
        """The U-form: means over pairs of different rows; its permutation mean is exactly 0."""
        n, m = sizes
        np.fill_diagonal(matrix, 0.0)
        within_x, within_y, across = 1 / (n * (n - 1)), 1 / (m * (m - 1)), 1 / (n * m)
        by_row = matrix.sum(axis=1, dtype=np.float64)
        total = by_row.sum()
        # sᵀQs, (1−s)ᵀQ(1−s) and sᵀQ(1−s) all follow from sᵀQs and s·Q1.
        quadratic = within_x + within_y + 2 * across
        linear = -(2 * within_y + 2 * across) * by_row
        linear += 2 * quadratic * (n / (n + m)) * by_row  # what centring Q takes out of sᵀQs
        constant = within_y * total - quadratic * (n / (n + m)) ** 2 * total
        constant += linear.sum() * n / (n + m)
        matrix *= quadratic
        return cls(centre(matrix), 0.5 * (linear - linear.mean()), float(constant), sizes)

    def evaluate(self, members: Matrix) -> Matrix:
        """Values (B,) for memberships (B, N) of the dtype of the matrix."""
        values = symmetric_forms(self.centred, members)
        if self.linear is not None:
            values += 2.0 * (members @ self.linear.astype(members.dtype)).astype(np.float64)
        return values + self.constant

    def moments(self) -> tuple[float, float]:
        """Mean and variance over all N!/(n!m!) relabellings, in closed form."""
        n, m = self.sizes
        count = n + m
        diagonal = np.diagonal(self.centred).astype(np.float64)
        trace = float(diagonal.sum())
        # moments of s̃ under sampling without replacement, with signs v = s̃·N/(nm)
        spread = n * m / count / (count - 1)
        mean = trace * spread + self.constant
        variance = self._quadratic_variance(trace, diagonal)
        if self.linear is not None:
            variance += 4.0 * spread * float(self.linear @ self.linear)
            variance += 4.0 * self._skew() * float(diagonal @ self.linear)
        return mean, max(variance, 0.0)

    def _quadratic_variance(self, trace: float, diagonal: Matrix) -> float:
        n, m = self.sizes
        count = n + m
        if count < 4:
            return float("nan")
        squares = float(np.einsum("ij,ij->", self.centred, self.centred, dtype=np.float64))
        own = float(diagonal @ diagonal)
        t, s = count / (n * m), 1 / n**3 + 1 / m**3
        pairs = 2 * ((count - 1) * squares - trace**2) * t**2 / ((count - 1) ** 2 * (count + 1))
        kurtosis = count * (count + 1) * s - 3 * (count - 1) * t**2
        excess = (count * (count + 1) * own - (count - 1) * (trace**2 + 2 * squares)) * kurtosis
        excess /= (count + 1) * count * (count - 1) * (count - 2) * (count - 3)
        return (pairs + excess) / t**4  # the formula is for v = t s̃

    def _skew(self) -> float:
        """Σ over index patterns of E[s̃_i s̃_j s̃_k] that the cross term picks up."""
        n, m = self.sizes
        count = n + m
        p = n / count
        third = p * (1 - p) * (1 - 2 * p)
        return third * (1 + 3 / (count - 1) + 4 / ((count - 1) * (count - 2)))


def centre(matrix: Matrix) -> Matrix:
    """HQH in place: rows and columns of a symmetric matrix sum to zero."""
    by_row = matrix.mean(axis=1, dtype=np.float64)
    matrix -= (by_row - 0.5 * by_row.mean()).astype(matrix.dtype)[:, None]
    matrix -= (by_row - 0.5 * by_row.mean()).astype(matrix.dtype)[None, :]
    return matrix


def symmetric_forms(matrix: Matrix, members: Matrix) -> Matrix:
    """sᵀWs for every row s of 0/1 memberships: half a matrix product, thanks to the symmetry."""
    from scipy.linalg.blas import dtrmm, strmm

    multiply = strmm if matrix.dtype == np.float32 else dtrmm
    lower = multiply(1.0, matrix.T, members.T, side=0, lower=1)  # L sᵀ, no copies
    halves = np.einsum("ji,ij->i", lower, members, dtype=np.float64)
    return np.asarray(2.0 * halves - (members @ np.diagonal(matrix)).astype(np.float64))
