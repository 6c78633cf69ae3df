"""Quadratic forms in the labels, for all permutations at once, with their exact moments.

A statistic of this family is a·sᵀWs + 2g·s + c, where s is the 0/1 membership of the first sample
and W, g are centred. All permuted values come from one matrix product; the mean and the variance
over *all* permutations have closed forms.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class QuadraticForm:
    """a·sᵀWs + 2g·s + c for memberships s with ``sizes[0]`` ones.

    Parameters
    ----------
    centred : array (N, N)
        W, symmetric with rows summing to zero.
    linear : array (N,) or None
        g, summing to zero. None makes it the V-form vᵀWv with v = 1/n and −1/m, which also takes
        memberships of other sizes.
    factor : float
        a.
    constant : float
        c.
    sizes : tuple of int
        n and m.
    """

    centred: Matrix
    linear: Matrix | None
    factor: float
    constant: float
    sizes: tuple[int, int]

    @classmethod
    def of_signs(cls, matrix: Matrix, sizes: tuple[int, int]) -> "QuadraticForm":
        """vᵀQv with v = 1/n and −1/m (the V-form). ``matrix`` is overwritten."""
        return cls(centre(matrix), None, (1 / sizes[0] + 1 / sizes[1]) ** 2, 0.0, sizes)

    @classmethod
    def of_pairs(cls, matrix: Matrix, sizes: tuple[int, int]) -> "QuadraticForm":
        """The U-form: means over pairs of different rows; its permutation mean is exactly 0."""
        n, m = sizes
        if min(n, m) < 2:
            raise ValueError("the unbiased statistic needs at least two rows in each sample.")
        # weights of pairs sum to zero, so a constant may go: with it the rounding errors it causes
        matrix -= matrix.dtype.type(matrix.mean(dtype=np.float64))
        np.fill_diagonal(matrix, 0.0)
        within_x, within_y, across = 1 / (n * (n - 1)), 1 / (m * (m - 1)), 1 / (n * m)
        by_row = matrix.sum(axis=1, dtype=np.float64)
        total, share = float(by_row.sum()), n / (n + m)
        # sᵀQs, (1−s)ᵀQ(1−s) and sᵀQ(1−s) all follow from sᵀQs and s·Q1; what centring Q takes
        # out of sᵀQs goes to the linear part.
        factor = within_x + within_y + 2 * across
        linear = (2 * factor * share - 2 * within_y - 2 * across) * by_row
        constant = (within_y - factor * share**2) * total + float(linear.sum()) * share
        return cls(centre(matrix), 0.5 * (linear - linear.mean()), factor, constant, sizes)

    def evaluate(self, members: Matrix) -> Matrix:
        """Values (B,) for memberships (B, N) of the dtype of the matrix."""
        values = symmetric_forms(self.centred, members)
        if self.linear is None:
            first = members.sum(axis=1, dtype=np.float64)
            return np.asarray(values * (1 / first + 1 / (members.shape[1] - first)) ** 2)
        linear = (members @ self.linear.astype(members.dtype)).astype(np.float64)
        return np.asarray(self.factor * values + 2.0 * linear + self.constant)

    def moments(self) -> tuple[float, float]:
        """Mean and variance over all N!/(n!m!) relabellings, in closed form."""
        n, m = self.sizes
        count = n + m
        diagonal = np.diagonal(self.centred).astype(np.float64)
        spread = n * m / count / (count - 1)  # variance of a membership, times N/(N−1)
        mean = self.factor * float(diagonal.sum()) * spread + self.constant
        variance = self.factor**2 * self._quadratic_variance(diagonal)
        if self.linear is not None:
            variance += 4.0 * spread * float(self.linear @ self.linear)
            variance += 4.0 * self.factor * self._skew() * float(diagonal @ self.linear)
        return mean, max(variance, 0.0)

    def skewness(self, start: Matrix) -> float:
        """Skewness over relabellings, nearly: that of the same form in normal variables.

        8 tr W³ / (2 tr W²)^{3/2}, with the cubes summed over a dominant subspace grown from the
        random vectors ``start`` (N, r); the rest of the spectrum adds next to nothing.
        """
        squares = float(np.vdot(self.centred, self.centred))
        if squares == 0.0:
            return 0.0
        basis, _ = np.linalg.qr(self.centred @ start.astype(self.centred.dtype))
        small = basis.T @ (self.centred @ basis)
        values = np.linalg.eigvalsh(small.astype(np.float64))
        return float(8.0 * np.sum(values**3) / (2.0 * squares) ** 1.5)

    def _quadratic_variance(self, diagonal: Matrix) -> float:
        """Variance of sᵀWs; t and r are sums of powers of the signs 1/n and −1/m."""
        n, m = self.sizes
        count = n + m
        if count < 4:
            return 0.0
        trace, own = float(diagonal.sum()), float(diagonal @ diagonal)
        squares = float(np.vdot(self.centred, self.centred))
        t, r = count / (n * m), 1 / n**3 + 1 / m**3
        pairs = 2 * ((count - 1) * squares - trace**2) * t**2 / ((count - 1) ** 2 * (count + 1))
        excess = count * (count + 1) * own - (count - 1) * (trace**2 + 2 * squares)
        excess *= count * (count + 1) * r - 3 * (count - 1) * t**2
        excess /= (count + 1) * count * (count - 1) * (count - 2) * (count - 3)
        return (pairs + excess) / t**4

    def _skew(self) -> float:
        """What the third moments of centred memberships contribute per unit of W_ii g_i."""
        n, m = self.sizes
        count = n + m
        p = n / count
        third = p * (1 - p) * (1 - 2 * p)
        return third * (1 + 3 / (count - 1) + 4 / ((count - 1) * (count - 2)))


def centre(matrix: Matrix) -> Matrix:
    """HQH in place: rows and columns of a symmetric matrix sum to zero.

    What is left of a constant matrix is rounding noise; it is set to zero, lest standardising
    blows it up.
    """
    size = max(abs(float(matrix.max())), abs(float(matrix.min())))
    by_row = matrix.mean(axis=1, dtype=np.float64)
    shift = (by_row - 0.5 * by_row.mean()).astype(matrix.dtype)
    matrix -= shift[:, None]
    matrix -= shift[None, :]
    noise = 8 * float(np.finfo(matrix.dtype).eps) * size
    if float(np.vdot(matrix, matrix)) <= matrix.size * noise**2:
        matrix[...] = 0.0
    return matrix


def symmetric_forms(matrix: Matrix, members: Matrix) -> Matrix:
    """sᵀWs for every row s of 0/1 memberships: half a matrix product, thanks to the symmetry."""
    from scipy.linalg.blas import dtrmm, strmm

    multiply = strmm if matrix.dtype == np.float32 else dtrmm
    lower = multiply(1.0, matrix.T, members.T, side=0, lower=1)  # L sᵀ, no copies
    halves = np.einsum("ji,ij->i", lower, members, dtype=np.float64)
    return np.asarray(2.0 * halves - (members @ np.diagonal(matrix)).astype(np.float64))
