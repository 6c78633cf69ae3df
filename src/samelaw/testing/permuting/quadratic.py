"""Quadratic forms in the labels, for all permutations at once, with their exact moments.

A statistic of this family is a·sᵀWs + 2g·s + c, where s is the 0/1 membership of the first sample
and W, g are centred within strata. All permuted values come from one matrix product; the mean and
the variance over *all* permutations have closed forms.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix
from samelaw.testing.permuting.permutations import Labels

_STRIP = 256


@dataclass(frozen=True, eq=False)
class QuadraticForm:
    """a·sᵀWs + 2g·s + c for memberships s with as many ones in every stratum as ``labels``.

    Parameters
    ----------
    centred : array (U, U)
        W, symmetric; its rows sum to zero over every stratum.
    linear : array (U,) or None
        g, summing to zero.
    factor, constant : float
        a and c.
    labels : Labels
    noise : float
        What rounding alone may add to the deviation of the values.
    own : float
        The multiple of I (less its mean) that was taken out of W, being the same for all s.
    """

    centred: Matrix
    linear: Matrix | None
    factor: float
    constant: float
    labels: Labels
    noise: float
    own: float = 0.0
    two_sided: ClassVar[bool] = False

    @classmethod
    def of_signs(cls, matrix: Matrix, labels: Labels) -> "QuadraticForm":
        """vᵀQv (the V-form); ``matrix`` is overwritten.

        v = 1/n and −1/m in one stratum; in several, the mean of such differences weighted by
        n_g m_g/(n_g + m_g), which is the membership less its mean in the stratum.
        """
        size = largest_entry(matrix)
        own = 0.0
        if labels.uniform:
            matrix, own = centre_all(matrix)
        else:
            matrix = centre_within(matrix, labels)
        first, both = labels.counts
        weight = float(np.sum(first * (both - first) / both))
        factor = 1.0 / weight**2
        noise = _spurious(labels, factor, size * tolerances.rounding(matrix.dtype))
        return cls(matrix, None, factor, factor * own * weight, labels, noise, own)

    @classmethod
    def of_pairs(cls, matrix: Matrix, labels: Labels) -> "QuadraticForm":
        """The U-form: means over pairs of different rows; its permutation mean is exactly 0."""
        if not labels.uniform:  # sizes never change within strata, so neither does the mean
            return cls.of_signs(matrix, labels)
        n, m = labels.sizes
        if min(n, m) < 2:
            raise ValueError("the unbiased statistic needs at least two rows in each sample.")
        size = largest_entry(matrix)
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
        matrix, own = centre_all(matrix)
        constant += factor * own * n * m / (n + m)
        noise = _spurious(labels, factor, size * tolerances.rounding(matrix.dtype))
        return cls(matrix, 0.5 * (linear - linear.mean()), factor, constant, labels, noise, own)

    def evaluate(self, memberships: Matrix) -> Matrix:
        """Values (B,) for memberships (B, U) of the dtype of the matrix."""
        values = self.factor * symmetric_forms(self.centred, memberships) + self.constant
        if self.linear is None:
            return np.asarray(values)
        return np.asarray(values + 2.0 * (memberships.astype(np.float64) @ self.linear))

    def moments(self) -> tuple[float, float]:
        """Mean and variance over all permutations, in closed form; rounding is no variance."""
        diagonal = np.diagonal(self.centred).astype(np.float64)
        spread = _spread(self.labels)
        mean = self.factor * float(spread @ diagonal) + self.constant
        variance = self.factor**2 * self._quadratic_variance(diagonal, spread)
        if self.linear is not None:
            variance += 4.0 * float(spread @ self.linear**2)
            variance += (
                4.0 * self.factor * _skew(*self.labels.sizes) * float(diagonal @ self.linear)
            )
        return mean, variance if variance > self.noise**2 else 0.0

    def skewness(self, start: Matrix) -> float:
        """Skewness over permutations, nearly: that of the same form in normal variables.

        8 tr W³ / (2 tr W²)^{3/2}, with the cubes summed over a dominant subspace grown from the
        random vectors ``start`` (U, r); the rest of the spectrum adds next to nothing.
        """
        root = np.sqrt(_spread(self.labels))[:, None]
        squares = self._weighted_squares
        squares += float(np.sum((self.own * root[1:] ** 2) ** 2))  # I less its mean has rank U − 1
        if squares == 0.0:
            return 0.0
        root, own = root.astype(self.centred.dtype), self.centred.dtype.type(self.own)
        begin = root * (start - start.mean(axis=0)).astype(root.dtype)
        basis, _ = np.linalg.qr(root * (self.centred @ begin + own * begin))
        basis *= root
        small = basis.T @ (self.centred @ basis) + own * (basis.T @ basis)
        values = np.linalg.eigvalsh(small.astype(np.float64))
        return float(8.0 * np.sum(values**3) / (2.0 * squares) ** 1.5)

    @cached_property
    def _weighted_squares(self) -> float:
        """Σ c_i c_j W_ij², c the variance of a membership: tr W² of the form in normal variables.

        Strip by strip: single precision would lose digits over millions of terms.
        """
        weights, total = np.sqrt(_spread(self.labels)).astype(self.centred.dtype), 0.0
        for start in range(0, len(weights), _STRIP):
            strip = self.centred[start : start + _STRIP] * weights
            strip *= weights[start : start + _STRIP, None]
            total += float(np.vdot(strip, strip))
        return total

    def _quadratic_variance(self, diagonal: Matrix, spread: Matrix) -> float:
        """Variance of sᵀWs: within each stratum, and between every two of them."""
        strata, labels = self.labels.strata, self.labels
        if strata is None:
            squares = self._weighted_squares / float(spread[0]) ** 2
            return _variance_of(diagonal, squares, *labels.sizes)
        total, between = 0.0, 2.0 * self._weighted_squares
        for code, (first, both) in enumerate(zip(*labels.counts, strict=True)):
            own = np.flatnonzero(strata == code)
            block = self.centred[np.ix_(own, own)].astype(np.float64)
            squares = float(np.vdot(block, block))
            if 0 < first < both:
                total += _variance_of(diagonal[own], squares, int(first), int(both - first))
                between -= 2.0 * float(spread[own[0]]) ** 2 * squares
        return total + between


def largest_entry(matrix: Matrix) -> float:
    return max(abs(float(matrix.max())), abs(float(matrix.min())))


def _spread(labels: Labels) -> Matrix:
    """Variance of each membership, times N_g/(N_g − 1): n_g m_g / N_g(N_g − 1), (U,)."""
    first, both = labels.counts
    by_stratum = first * (both - first) / (both * np.maximum(both - 1.0, 1.0))
    if labels.strata is None:
        return np.full(len(labels.observed), by_stratum[0])
    return np.asarray(by_stratum[labels.strata])


def _spurious(labels: Labels, factor: float, error: float) -> float:
    """The deviation of a·sᵀEs for a matrix of independent errors of this size."""
    return float(factor * np.sqrt(2.0) * error * np.sum(_spread(labels)))


def _variance_of(diagonal: Matrix, squares: float, n: int, m: int) -> float:
    """Variance of sᵀWs in one stratum."""
    trace, own = float(diagonal.sum()), float(diagonal @ diagonal)
    if min(n, m) == 1:  # sᵀWs is one entry of the diagonal
        return own / (n + m) - (trace / (n + m)) ** 2
    return float(form_variance(trace, own, squares, n, m))


def form_variance(trace: Any, own: Any, squares: Any, n: Any, m: Any) -> Any:
    """Variance of sᵀWs from Σ W_ii, Σ W_ii² and Σ W_ij², for two rows at least in each sample.

    t and r are sums of powers of the signs 1/n and −1/m. Of many forms at once if arrays come.
    """
    count = n + m
    t, r = count / (n * m), 1 / n**3 + 1 / m**3
    pairs = 2 * ((count - 1) * squares - trace**2) * t**2 / ((count - 1) ** 2 * (count + 1))
    excess = count * (count + 1) * own - (count - 1) * (trace**2 + 2 * squares)
    excess *= count * (count + 1) * r - 3 * (count - 1) * t**2
    excess /= (count + 1) * count * (count - 1) * (count - 2) * (count - 3)
    return (pairs + excess) / t**4


def _skew(n: int, m: int) -> float:
    """What the third moments of centred memberships contribute per unit of W_ii g_i."""
    count = n + m
    p = n / count
    third = p * (1 - p) * (1 - 2 * p)
    return third * (1 + 3 / (count - 1) + 4 / ((count - 1) * (count - 2)))


def centre_all(matrix: Matrix) -> tuple[Matrix, float]:
    """Take out, in place, all that is the same for every permutation in one stratum.

    Row and column means, and the multiple of HIH that makes the trace zero: rows that are all
    equally far from each other differ by nothing else. Returns the rest and that multiple.
    """
    count = len(matrix)
    by_row = matrix.mean(axis=1, dtype=np.float64)
    middle = float(by_row.mean())
    trace = float(np.diagonal(matrix).sum(dtype=np.float64)) - count * middle
    own = trace / (count - 1)
    shift = (by_row - 0.5 * middle - 0.5 * own / count).astype(matrix.dtype)
    matrix -= shift[:, None]
    matrix -= shift[None, :]
    matrix[np.diag_indices(count)] -= matrix.dtype.type(own)
    return matrix, own


def centre_within(matrix: Matrix, labels: Labels) -> Matrix:
    """Take the means of every stratum out of rows and columns, in place; strata are contiguous."""
    strata = labels.strata
    assert strata is not None
    _, both = labels.counts
    starts = np.cumsum(both) - both
    for square in (matrix, matrix.T):
        sums = np.add.reduceat(square, starts, axis=0, dtype=np.float64)
        means = (sums / both[:, None]).astype(matrix.dtype)
        for start in range(0, len(square), _STRIP):
            square[start : start + _STRIP] -= means[strata[start : start + _STRIP]]
    return matrix


def symmetric_forms(matrix: Matrix, memberships: Matrix) -> Matrix:
    """sᵀWs for every row s of 0/1 memberships: half a matrix product, thanks to the symmetry."""
    from scipy.linalg.blas import dtrmm, strmm

    multiply = strmm if matrix.dtype == np.float32 else dtrmm
    lower = multiply(1.0, matrix.T, memberships.T, side=0, lower=1)  # L sᵀ, no copies
    halves = np.einsum("ji,ij->i", lower, memberships, dtype=np.float64)
    return np.asarray(2.0 * halves - (memberships @ np.diagonal(matrix)).astype(np.float64))
