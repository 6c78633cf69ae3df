"""Evidence of a change: pairs of rows, and how their factors multiply.

A row y of the stream meets k reference rows x_1 … x_k that nobody has looked at before. While the
law stays, the k + 1 rows are exchangeable given the past; whatever score h the past suggests,

    L = (k + 1) e^{h(y)} / (e^{h(y)} + Σ_j e^{h(x_j)})

has mean 1 exactly: no bound on h, no clipping, nothing to estimate.
"""

import numpy as np

from samelaw.core.types import Matrix

BLOCK = 10
"""Rows between two refreshments of the scores."""


def pair_evidence(contrasts: Matrix) -> Matrix:
    """L (…) from h(x_j) − h(y) (k, …), the scores of the k reference rows less that of the row.

    Examples
    --------
    >>> pair_evidence(np.array([[-1.0]])).round(4)
    array([1.4621])
    >>> 1 + float(np.tanh(0.5).round(4))
    1.4621
    """
    with np.errstate(over="ignore"):  # e^h beyond the floats: L is 0
        return np.asarray((len(contrasts) + 1.0) / (1.0 + np.exp(contrasts).sum(axis=0)))


def grow(wealth: Matrix, factors: Matrix, deposits: Matrix) -> Matrix:
    """The recursion R_t = (R_{t−1} + c_t/N) L_t of N experts, block by block.

    Parameters
    ----------
    wealth : array (N,)
        R before the first row.
    factors : array (B, BLOCK, N)
        L of B blocks of rows; 1 where a block has no row.
    deposits : array (B, BLOCK)
        c; 0 where a block has no row.

    Returns
    -------
    array (B, BLOCK, N)
        R after each row; the evidence is its sum over the experts.

    Notes
    -----
    Within a block R is linear in the wealth at its start: R = P R₀ + Q. P and Q of all blocks are
    computed at once, so that only one step per block is a loop.
    """
    share = deposits / len(wealth)
    slopes = np.cumprod(factors, axis=1)
    own: Matrix = np.empty_like(factors)
    total: Matrix = np.zeros_like(factors[:, 0])
    for i in range(factors.shape[1]):
        total = (total + share[:, i, None]) * factors[:, i]
        own[:, i] = total
    starts: Matrix = np.empty_like(total)
    with np.errstate(over="ignore", invalid="ignore"):  # beyond the alarm nobody looks
        for i in range(len(factors)):
            starts[i] = wealth
            wealth = slopes[i, -1] * wealth + own[i, -1]
        slopes *= starts[:, None]
        return slopes + own
