"""Whether something depends on the table once something else is known, approximately.

The tables share the law of y given x exactly if y and the table z are independent given x. Both are
predicted from x; what is left of them, (y − m(x)) (z − e(x)), then has mean 0, also in every part
of x. Errors of the two predictions only enter by their product, so predictions need not be perfect
(the generalised covariance measure). Values are compared with a normal law of the same correlation.
"""

from typing import NamedTuple

import numpy as np

from samelaw.core.types import Matrix

WAVES = 200
"""Random waves of x that predictions are made of, beside x itself."""

WEIGHTS = 12
"""Functions of x, at most, that what is left is weighed with: a slope that turned has mean 0."""

FOLDS = 5
"""Fewer leave predictions so rough that a mix that moved alone raises 1.5 times the level."""

_DRAWS = 1_999
_RIDGES = 10.0 ** np.arange(-4.0, 3.0)  # of the mean square of a feature


class Conditional(NamedTuple):
    """The largest standardised mean and how often chance reaches it."""

    statistic: float
    pvalue: float


def conditional_change(
    of: Matrix, given: Matrix, second: Matrix, unit: Matrix, rng: np.random.Generator
) -> Conditional:
    """Test whether functions of a row depend on its table beyond what is given.

    Parameters
    ----------
    of : array (N, l)
        Functions of what may have changed.
    given : array (N, k)
        Coordinates of what is known.
    second : array (N,)
        True for rows of B.
    unit : array (N,)
        The independent unit of each row: its number, or that of its group.

    Notes
    -----
    O(N WAVES²) for the predictions. Approximate: predictions from few rows, or where the tables
    hardly overlap, leave more than chance.
    """
    features = _features(given, rng)
    wanted = np.column_stack([second * 1.0, of])
    left = wanted - _predicted(features, wanted, unit, rng)
    weights = _standard(features[:, : WEIGHTS - 1])
    weights = np.column_stack([np.ones(len(of)), weights])
    parts = left[:, :1, None] * left[:, 1:, None] * weights[:, None, :]  # (N, l, w)
    return _largest(_summed(parts.reshape(len(of), -1), unit), rng)


def _features(given: Matrix, rng: np.random.Generator) -> Matrix:
    """The coordinates, then waves of them at the scale of their distances."""
    x = _standard(given)
    directions = rng.standard_t(3, size=(x.shape[1], WAVES)) / np.sqrt(2.0 * x.shape[1])
    waves = np.cos(x @ directions + rng.uniform(0.0, 2.0 * np.pi, WAVES))
    return np.column_stack([x, waves])


def _standard(values: Matrix) -> Matrix:
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf))


def _predicted(features: Matrix, wanted: Matrix, unit: Matrix, rng: np.random.Generator) -> Matrix:
    """Predictions (N, l) of each row by ridge regression on rows of other units."""
    fold = rng.permutation(int(unit.max()) + 1)[unit] % FOLDS
    found = np.empty_like(wanted)
    for k in range(FOLDS):
        train = fold != k
        found[~train] = _ridge(features[train], wanted[train], features[~train])
    return found


def _ridge(features: Matrix, wanted: Matrix, at: Matrix) -> Matrix:
    """Ridge regression with the penalty of each column by generalised cross-validation."""
    centre, mean = features.mean(axis=0), wanted.mean(axis=0)
    u, s, vt = np.linalg.svd(features - centre, full_matrices=False)
    rotated, rows = u.T @ (wanted - mean), len(features)
    total = ((wanted - mean) ** 2).sum(axis=0)
    ridges = _RIDGES * float((s**2).mean())
    errors, shrunk = [], []
    for ridge in ridges:
        keep = s**2 / (s**2 + ridge)
        fitted = total - ((1.0 - (1.0 - keep) ** 2)[:, None] * rotated**2).sum(axis=0)
        errors.append(fitted / (1.0 - (1.0 + keep.sum()) / (rows + 1.0)) ** 2)
        shrunk.append((s / (s**2 + ridge))[:, None] * rotated)
    best = np.argmin(errors, axis=0)
    chosen = np.column_stack([shrunk[b][:, i] for i, b in enumerate(best)])
    found = (at - centre) @ (vt.T @ chosen) + mean
    return np.asarray(np.clip(found, wanted.min(axis=0), wanted.max(axis=0)))  # waves go far out


def _summed(parts: Matrix, unit: Matrix) -> Matrix:
    """Sums over the rows of each unit."""
    _, place = np.unique(unit, return_inverse=True)
    if int(place.max()) + 1 == len(parts):
        return parts
    return np.column_stack([np.bincount(place, weights=column) for column in parts.T])


def _largest(parts: Matrix, rng: np.random.Generator) -> Conditional:
    """The largest standardised mean over the columns, against normal ones as correlated."""
    parts = parts[:, parts.std(axis=0) > 1e-12]
    if parts.shape[1] == 0:
        return Conditional(0.0, 1.0)
    scores = np.abs(parts.mean(axis=0)) / parts.std(axis=0) * np.sqrt(len(parts))
    values, vectors = np.linalg.eigh(np.atleast_2d(np.corrcoef(parts.T)))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = np.abs(rng.normal(size=(_DRAWS, len(values))) @ root.T).max(axis=1)
    reached = int(np.count_nonzero(drawn >= scores.max()))
    return Conditional(float(scores.max()), (1.0 + reached) / (1.0 + _DRAWS))
