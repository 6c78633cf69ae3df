"""Witnesses of a change: log-ratios of two laws, to first order, from a difference of means.

With features f of mean 0 under the first law and means Δ under the second, log q/p ≈ θ·f. Both
rules below shrink θ by what n rows can know of Δ.
"""

import numpy as np

from samelaw.core.types import Matrix

SLAB = 0.1
"""Variance of the change of a feature that changed, in variances of the feature."""

_MOST = 60.0  # of a logarithm of a Bayes factor: beyond it a change is certain

TRUST = 10.0
"""Rows times trust is one over the ridge of the whitened witness."""


def hermite(z: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """He₂, He₃ and He₄ with variance 1 under the normal law (He₁ is z itself).

    Examples
    --------
    >>> [round(float(h[0]), 3) for h in hermite(np.array([2.0]))]
    [2.121, 0.816, -1.021]
    """
    square = z * z
    second = (square - 1.0) / 2.0**0.5
    third = (square - 3.0) * z / 6.0**0.5
    fourth = ((square - 6.0) * square + 3.0) / 24.0**0.5
    return second, third, fourth


def change_factors(difference: Matrix, rows: Matrix) -> Matrix:
    """Bayes factors (…, p) of "this feature changed" against "it did not", spike and slab.

        v = n·SLAB,  s = v/(1 + v),  B = exp(½ n s Δ²) / √(1 + v)

    Under the law of the reference the mean of B is 1 if the mean of the feature is normal.

    Examples
    --------
    >>> change_factors(np.array([0.1, 0.5]), np.array(50.0)).round(1)
    array([ 0.5, 74.6])
    """
    prior = rows * SLAB
    factors = difference * difference  # in place from here on, as this is a monitor's main cost
    factors *= 0.5 * rows * (prior / (1.0 + prior))
    np.minimum(factors, _MOST, out=factors)
    np.exp(factors, out=factors)
    factors /= np.sqrt(1.0 + prior)
    return factors


def believed(difference: Matrix, rows: Matrix, odds: Matrix) -> Matrix:
    """θ = s Δ · odds/(1 + odds): what is left of Δ at these odds of a change (spent on it)."""
    prior = rows * SLAB
    odds /= 1.0 + odds
    odds *= difference
    odds *= prior / (1.0 + prior)
    return odds


def sparse_witness(difference: Matrix, rows: Matrix, share: float | Matrix) -> Matrix:
    """θ for features of variance 1 of which a few changed: their posterior mean, spike and slab.

        θ = s Δ · o/(1 + o),  o = B share/(1 − share)

    Parameters
    ----------
    difference : array (…, p)
        Δ, means over n rows less the means of the reference.
    rows : array broadcast against it
        n; where it is 0, so is θ.
    share : float or array (p,)
        Of the features that are expected to change, or the probability of each that it does.

    Examples
    --------
    >>> sparse_witness(np.array([0.1, 1.0]), np.array(50.0), 0.02).round(3)
    array([0.001, 0.833])
    """
    odds = change_factors(difference, rows) * (share / (1.0 - share))
    return np.asarray(believed(difference, rows, odds))


def whitened_witness(difference: Matrix, eigenvalues: Matrix, rows: Matrix) -> Matrix:
    """θ = Δ/(λ + 1/(TRUST n)) in the eigenbasis of the reference covariance; 0 where n is.

    The first-order witness of the divergence of covariances; many small changes at once.

    Examples
    --------
    >>> whitened_witness(np.array([0.1, 0.1]), np.array([0.5, 0.01]), np.array(10.0)).round(3)
    array([0.196, 5.   ])
    """
    trusted = TRUST * rows
    return np.asarray(trusted * difference / (1.0 + trusted * eigenvalues))
