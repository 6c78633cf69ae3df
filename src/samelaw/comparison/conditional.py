"""Whether something depends on the table once something else is known, approximately.

The tables share the law of y given x exactly if y and the table z are independent given x. Both are
predicted from x; what is left of them, (y − m(x)) (z − e(x)), then has mean 0, also in every part
of x. Errors of the two predictions only enter by their product, so predictions need not be perfect
(the generalised covariance measure). Values are compared with a normal law of the same correlation.

A relation that turned has mean 0 over all rows. The products are therefore also weighed by the
coordinates of x, and by the distance between predictions of y from B alone and from A alone, which
is learned on one half of the rows and applied to the other.
"""

from typing import NamedTuple

import numpy as np

from samelaw.core.types import Matrix

WAVES = 200
"""Random waves of x that predictions are made of, beside x itself."""

MOST_SLOPES = 480
"""Pairs of a function of y and a coordinate of x, at most, along which a slope may have turned."""

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

    Returns
    -------
    Conditional
        Each of the three has a third of the level, so that hundreds of coordinates hide nothing
        that the mean shows.

    Notes
    -----
    O(N WAVES²) for the predictions. Approximate: predictions from few rows, or where the tables
    hardly overlap, leave more than chance.
    """
    features = _features(given, rng)
    wanted = np.column_stack([second * 1.0, of])
    left = wanted - _predicted(features, wanted, _dealt(unit, FOLDS, rng))
    products = left[:, :1] * left[:, 1:]  # (N, l)
    weights = _standard(_widest(given, max(MOST_SLOPES // of.shape[1], 1)))
    slopes = (products[:, :, None] * weights[:, None, :]).reshape(len(of), -1)
    apart, half = _apart(features, of, second, unit, rng)
    found = [
        _largest(_summed(products, unit), rng),
        _largest(_summed(slopes, unit), rng),
        *(_largest(_summed((products * apart)[part], unit[part]), rng) for part in (half, ~half)),
    ]
    shares = (3, 3, 6, 6)  # one in so many of the level
    adjusted = [one.pvalue * share for one, share in zip(found, shares, strict=True)]
    best = int(np.argmin(adjusted))
    return Conditional(found[best].statistic, min(1.0, adjusted[best]))


def _widest(values: Matrix, count: int) -> Matrix:
    """The coordinates of the largest variance."""
    return values[:, np.argsort(-values.std(axis=0), kind="stable")[:count]]


def _features(given: Matrix, rng: np.random.Generator) -> Matrix:
    """The coordinates, then waves of them at the scale of their distances."""
    x = _standard(given)
    directions = rng.standard_t(3, size=(x.shape[1], WAVES)) / np.sqrt(2.0 * x.shape[1])
    waves = np.cos(x @ directions + rng.uniform(0.0, 2.0 * np.pi, WAVES))
    return np.column_stack([x, waves])


def _standard(values: Matrix) -> Matrix:
    spread = values.std(axis=0)
    return np.asarray((values - values.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf))


def _predicted(features: Matrix, wanted: Matrix, fold: Matrix) -> Matrix:
    """Predictions (N, l) of each row by ridge regression on rows of other folds."""
    found = np.empty_like(wanted)
    for k in range(FOLDS):
        train = fold != k
        found[~train] = _ridge(features[train], wanted[train], features[~train])
    return found


def _apart(
    features: Matrix, of: Matrix, second: Matrix, unit: Matrix, rng: np.random.Generator
) -> tuple[Matrix, Matrix]:
    """Predictions from rows of B less those from rows of A (N, l), and the half (N,) of each row.

    Each half is predicted from the other one. More folds would use more rows, but their weights
    would know of each other's products, and chance alone would look like a change.
    """
    half = _dealt(unit, 2, rng) == 0
    found = np.zeros_like(of)
    for at in (half, ~half):
        sides = [~at & second, ~at & ~second]
        if min(map(np.count_nonzero, sides)) > 1:  # groups may leave a table without a row
            b, a = (_ridge(features[rows], of[rows], features[at]) for rows in sides)
            found[at] = b - a
    return found, half


def _dealt(unit: Matrix, parts: int, rng: np.random.Generator) -> Matrix:
    """The part (N,) of each row, the same for rows of a unit."""
    return np.asarray(rng.permutation(int(unit.max()) + 1)[unit] % parts)


def _ridge(features: Matrix, wanted: Matrix, at: Matrix) -> Matrix:
    """Ridge regression with the penalty of each column by generalised cross-validation."""
    centre, mean = features.mean(axis=0), wanted.mean(axis=0)
    moved, aims = features - centre, wanted - mean
    squares, vectors = np.linalg.eigh(moved.T @ moved)
    squares, rows = np.maximum(squares, 0.0)[:, None], len(features)
    rotated, total = vectors.T @ (moved.T @ aims), (aims**2).sum(axis=0)
    size = float(squares.sum()) / min(moved.shape) or 1.0
    errors, shrunk = [], []
    for ridge in _RIDGES * size:
        keep = squares / (squares + ridge)
        fitted = total - ((2.0 - keep) * rotated**2 / (squares + ridge)).sum(axis=0)
        errors.append(fitted / (1.0 - (1.0 + keep.sum()) / (rows + 1.0)) ** 2)
        shrunk.append(rotated / (squares + ridge))
    best = np.argmin(errors, axis=0)
    chosen = np.column_stack([shrunk[b][:, i] for i, b in enumerate(best)])
    found = (at - centre) @ (vectors @ chosen) + mean
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
