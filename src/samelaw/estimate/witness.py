"""Witnesses of a change: log-ratios of two laws, to first order, from a difference of means.

With features f of mean 0 under the first law and means Δ under the second, log q/p ≈ θ·f. Both
rules below shrink θ by what n rows can know of Δ.
"""

import numpy as np

from samelaw.core.types import Matrix

SLAB = 0.1
"""Variance of the change of a feature that changed, in variances of the feature."""

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


def sparse_witness(difference: Matrix, rows: Matrix, share: float) -> Matrix:
    """θ for features of variance 1 of which a few changed: their posterior mean, spike and slab.

        v = n·SLAB,  s = v/(1 + v),  θ = s Δ · σ(logit share − ½ log(1 + v) + ½ n s Δ²)

    Parameters
    ----------
    difference : array (…, p)
        Δ, means over n rows less the means of the reference.
    rows : array broadcast against it
        n; where it is 0, so is θ.
    share : float
        Of the features that are expected to change.

    Examples
    --------
    >>> sparse_witness(np.array([0.1, 1.0]), np.array(50.0), 0.02).round(3)
    array([0.001, 0.833])
    """
    prior = rows * SLAB
    shrink = prior / (1.0 + prior)
    against = 0.5 * np.log1p(prior) - np.log(share / (1.0 - share))
    odds = difference * difference  # against a change; in place, as this is a monitor's main cost
    odds *= -0.5 * rows * shrink
    odds += against
    np.exp(odds, out=odds)
    odds += 1.0
    return np.asarray(shrink * difference / odds)


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
