"""Squared distances of two means of explicit features of rows, with their exact moments."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from samelaw.core.types import Matrix
from samelaw.testing.permuting.permutations import Labels
from samelaw.testing.permuting.quadratic import form_variance
from samelaw.testing.row_features import Leading, RowPart


@dataclass(frozen=True, eq=False)
class RowForm:
    """‖mean of ψ over X − mean of ψ over Y‖² for the rows of a pool.

    The quadratic form of ΨΨᵀ, which is never made: permutations cost O(NP) each.

    Parameters
    ----------
    features : array (N, P)
        Ψ.
    labels : Labels
        In one stratum.
    look : Leading
        What makes the features of other rows, with the part of the components it belongs to.
    part : RowPart
    """

    features: Matrix
    labels: Labels
    look: Leading
    part: RowPart
    two_sided: ClassVar[bool] = False

    @cached_property
    def _centred(self) -> Matrix:
        values = self.features.astype(np.float64)
        return np.asarray(values - values.mean(axis=0))

    @cached_property
    def _covariance(self) -> Matrix:
        return np.asarray(self._centred.T @ self._centred)

    def evaluate(self, memberships: Matrix) -> Matrix:
        """Values (B,) for memberships (B, N)."""
        n, m = self.labels.sizes
        shift = (1.0 / n + 1.0 / m) * (memberships.astype(np.float64) @ self._centred)
        return np.asarray(np.einsum("bp,bp->b", shift, shift))

    def moments(self) -> tuple[float, float]:
        """Mean and variance over all permutations, in closed form."""
        own = np.einsum("np,np->n", self._centred, self._centred)
        squares = float(np.vdot(self._covariance, self._covariance))
        mean, variance = row_moments(
            float(own.sum()), float(own @ own), squares, *self.labels.sizes
        )
        return float(mean), float(variance) if variance > self.noise**2 else 0.0

    def skewness(self, start: Matrix) -> float:
        """That of the same form in normal variables, nearly that over permutations."""
        values = np.linalg.eigvalsh(self._covariance)
        return float(8.0 * np.sum(values**3) / (2.0 * np.sum(values**2)) ** 1.5)

    @property
    def noise(self) -> float:
        n, m = self.labels.sizes
        return (n + m) / (n * m) * self.look.floor


def row_moments(
    trace: Matrix | float,
    own: Matrix | float,
    squares: Matrix | float,
    n: Matrix | float,
    m: Matrix | float,
) -> tuple[Matrix | float, Matrix | float]:
    """Mean and variance over permutations of ‖mean over X − mean over Y‖².

    ``trace``, ``own`` and ``squares`` are Σ‖ψ‖², Σ‖ψ‖⁴ and ‖Σψψᵀ‖² of the rows of both samples less
    their mean; of many forms at once if arrays come.
    """
    count = n + m
    spread = count / (n * m)
    mean = spread * trace / (count - 1)
    return mean, spread**4 * form_variance(trace, own, squares, n, m)


class ManyMoments(NamedTuple):
    """Mean, deviation and skewness (f,) of many forms over all permutations."""

    mean: Matrix
    deviation: Matrix
    skewness: Matrix


def weighted_moments(features: Matrix, forms: Matrix, n: float, m: float) -> ManyMoments:
    """Moments of Σ_r w_r (mean of ψ_r over X − mean over Y)², for many weights w at once.

    Parameters
    ----------
    features : array (U, r)
        Ψ of the units of both samples.
    forms : array (f, r)
        The weights w ≥ 0 of each form.
    n, m : float
        Units of each sample, two at least.

    Notes
    -----
    Mean and variance are exact, the skewness is that of the same forms in normal variables.
    O(U r² + f r³), and r counts only what has a weight.
    """
    centred = features.astype(np.float64)
    centred -= centred.mean(axis=0)
    covariance = centred.T @ centred
    own = centred**2 @ forms.T  # (U, f)
    squares = np.einsum("fr,rs,fs->f", forms, covariance**2, forms, optimize=True)
    mean, variance = row_moments(own.sum(axis=0), (own**2).sum(axis=0), squares, n, m)
    cubes = np.array([_cubes(covariance, form) for form in forms])
    deviation = np.sqrt(np.maximum(variance, 0.0))
    skewness = 8.0 * cubes / np.maximum(2.0 * squares, 1e-150) ** 1.5
    return ManyMoments(np.asarray(mean), deviation, skewness)


def _cubes(covariance: Matrix, weights: Matrix) -> float:
    """Σ λ³ of the covariance of the features times the roots of their weights."""
    used = np.flatnonzero(weights)
    root = np.sqrt(weights[used])
    square = covariance[np.ix_(used, used)] * np.outer(root, root)
    return float(np.vdot(square @ square, square))
