"""One estimate from several scores of the same rows: the best combination of log-ratios."""

import numpy as np

from samelaw.core.checks import check_rows
from samelaw.core.types import Matrix
from samelaw.divergence.uncertainty import Estimate

_LOG2 = float(np.log(2.0))
_RIDGE = 1e-6  # of the combination: samples that it separates have no largest one
_STEPS = 60
_STRIDE = 10.0  # the longest step of a coefficient
_SETTLED = 1e-9


def estimate_from_log_ratios(first: Matrix, second: Matrix) -> Estimate:
    """The Jensen–Shannon divergence from scores t₁ … t_k that tell two samples apart.

        max over w of  log 2 − ½ mean_x softplus(−w·t(x)) − ½ mean_y softplus(w·t(y)),  t₀ = 1

    is the bound of the best discriminator of that form (Goodfellow et al. 2014), whatever the
    scores are; with one that is log p/q it is the divergence. Scores may be on scales of their own,
    too sure or turned round: the combination, fitted to these rows, mends that (stacking).

    Parameters
    ----------
    first, second : arrays (n, k) and (m, k)
        Scores of rows that did not take part in learning them.

    Returns
    -------
    Estimate
        Less ½ tr H⁻¹K, what fitting w to the rows adds on average (H the curvature of the bound, K
        the covariance of its slope): an estimate of the bound at the best w of the laws.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2000, 1)) + 2, rng.normal(size=(2000, 1))  # log p/q = 2x − 2
    >>> found = estimate_from_log_ratios(x, y)
    >>> abs(found.value - 0.337) < 2 * found.standard_error < 0.02  # .337 is the divergence
    True
    """
    sizes = len(first), len(second)
    check_rows("an estimate from log-ratios", sizes)
    signs = np.repeat([1.0, -1.0], sizes)
    shares = np.repeat([0.5 / sizes[0], 0.5 / sizes[1]], sizes)
    signed = signs[:, None] * _scaled(np.concatenate([first, second]))  # (N, k + 1)
    margins = signed @ _best_combination(signed, shares)
    losses = np.logaddexp(0.0, -margins)
    spread = sum(0.25 * np.var(part, ddof=1) / len(part) for part in np.split(losses, sizes[:1]))
    value = _LOG2 - float(shares @ losses) - _optimism(signed, shares, margins, sizes[0])
    return Estimate(value, float(np.sqrt(spread)), sizes)


def _scaled(scores: Matrix) -> Matrix:
    """A column of ones, and the scores with mean 0 and deviation 1, so that a ridge is one."""
    spread = scores.std(axis=0)
    scaled = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.concatenate([np.ones((len(scores), 1)), scaled], axis=1)


def _best_combination(signed: Matrix, shares: Matrix) -> Matrix:
    """Newton's method on a concave function, its steps bounded."""
    found = np.zeros(signed.shape[1])
    for _ in range(_STEPS):
        wrong = _wrong(signed @ found)
        slope = signed.T @ (shares * wrong) - _RIDGE * found
        step = np.linalg.solve(_curvature(signed, shares, wrong), slope)
        longest = float(np.max(np.abs(step)))
        found = found + step * min(1.0, _STRIDE / max(longest, _STRIDE))
        if longest < _SETTLED:
            break
    return found


def _optimism(signed: Matrix, shares: Matrix, margins: Matrix, count: int) -> float:
    """½ tr H⁻¹K: how much the bound gains at the best w of the rows over that of the laws."""
    wrong = _wrong(margins)
    slopes = signed * (shares * wrong)[:, None]
    apart = np.concatenate([part - part.mean(axis=0) for part in np.split(slopes, [count])])
    return 0.5 * float(
        np.trace(np.linalg.solve(_curvature(signed, shares, wrong), apart.T @ apart))
    )


def _curvature(signed: Matrix, shares: Matrix, wrong: Matrix) -> Matrix:
    weights = shares * wrong * (1.0 - wrong)
    return np.asarray((signed * weights[:, None]).T @ signed + _RIDGE * np.eye(signed.shape[1]))


def _wrong(margins: Matrix) -> Matrix:
    """The probability the discriminator gives to the other sample."""
    return np.asarray(np.exp(-np.logaddexp(0.0, margins)))
