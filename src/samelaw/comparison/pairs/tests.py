"""Whether two columns depend on each other differently in two tables, whatever each does alone.

Rows are counted in classes of both columns (`twotables.pair_classes`), anew under every
permutation, and each table is measured against its own margins:

- numbers and dates: correlations of normal scores, and of their squares, by the ranks *within the
  table*: what rises together, what bends, what spreads.
- categories and numbers: for any two categories, the same scores by the ranks among their rows,
  both categories weighted alike.
- categories: for any two of either, Yule's colligation (√odds ratio − 1) / (√odds ratio + 1).

None of them changes when a column is shifted, rescaled or sent through any increasing function, nor
when categories become commoner or rarer. Differences between the tables are divided by their
standard error, from the influence of each cell under the same permutation, and read as Student's:
standard error and degrees of freedom differ between the observed and the permuted tables as soon as
margins have moved. So

- when the tables follow one law, permutation p-values are exact: everything is one function of
  pool and labels;
- when margins moved and the dependence did not, they are approximate: right as the tables grow.

What is undefined (a column without values, or with one, in either table) is 0, never a change.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from samelaw.comparison.constants import (
    BLUR,
    CHANCE,
    FEWEST_OF_PAIR,
    LEAST_RELIABILITY,
    STRONGEST,
    TIES,
)
from samelaw.comparison.pairs.cells import Cells, Tally
from samelaw.comparison.pairs.classes import Classes
from samelaw.comparison.pairs.scores import TINY, Scores, class_scores, influence, summed
from samelaw.core.tolerances import rounding
from samelaw.core.types import Matrix, Progress
from samelaw.testing.permuting.units import Units

ROUNDING = rounding(np.float32)
"""Differences of coefficients (of the order of 1) that single precision may leave of none."""
SUMMARIES = 2
MOST_HELD = 2.0**28
"""Bytes of weights and tables held at a time."""
_TABLES = 64.0  # bytes per cell and permutation: a dozen arrays come and go
_MANY = 1e6  # degrees of freedom
_UNKNOWN = 1e6  # variance of the logarithm of a count that is too small


def dependence_changes(
    views: Sequence[Classes],
    pairs: Sequence[tuple[int, int]],
    units: Units,
    memberships: Matrix,
    progress: Progress | None = None,
    held: float = MOST_HELD,
    tally: Tally | None = None,
) -> Matrix:
    """Studentised changes (P, 2, B + 1) of the dependence in each pair of views.

    Parameters
    ----------
    views : sequence of Classes
    pairs : sequence of (int, int)
    units : Units
    memberships : array (B + 1, U)
    held : float
        Bytes for memberships at a time; the values do not depend on it.
    tally : callable, optional
        What the blocks of rows that are gone held.

    Returns
    -------
    array (P, 2, B + 1)
        The change looked for first (of the correlation; of all categories together), and the
        largest of all.

    Notes
    -----
    O(N + U K²) per pair for the counts and O(B (U + K²)) for the tables, K classes each.
    """
    values = np.zeros((len(pairs), SUMMARIES, len(memberships)), dtype=np.float32)
    cells = max((view.count for view in views), default=0) ** 2
    step = max(1, int(held / (8.0 * units.count + _TABLES * cells)))
    starts = range(0, len(memberships), step)
    for turn, start in enumerate(starts):
        changes = Changes(Cells(units, memberships[start : start + step], tally))
        for k, (i, j) in enumerate(pairs):
            values[k, :, start : start + step] = changes.of(views[i], views[j])
            if progress is not None:
                progress(turn * len(pairs) + k + 1, len(starts) * len(pairs))
    return values


class Changes:
    """Changes from A to B under b permutations, of one pair of views after the other."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self._scores: dict[int, tuple[Scores, Scores]] = {}

    def of(self, one: Classes, other: Classes) -> tuple[Matrix, Matrix]:
        """The leading and the largest studentised change (b,) from A to B."""
        if other.ordered and not one.ordered:
            one, other = other, one
        shares, rows = self.cells.shares(one, other)
        if other.ordered:
            alone = self._own(one, other, shares.sum(1)), self._own(other, one, shares.sum(0))
            return _of_numbers(shares, rows, *alone)
        if one.ordered:
            return _of_numbers_and_categories(shares, rows)
        return _of_categories(shares * rows)

    def _own(self, view: Classes, other: Classes, margin: Matrix) -> tuple[Scores, Scores]:
        """Scores of a view; all pairs share them unless values are missing."""
        if not (view.whole and other.whole):
            return class_scores(margin)
        if id(view) not in self._scores:
            self._scores[id(view)] = class_scores(margin)
        return self._scores[id(view)]


def _of_numbers(
    shares: Matrix, rows: Matrix, first: Sequence[Scores], second: Sequence[Scores]
) -> tuple[Matrix, Matrix]:
    margins = shares.sum(axis=1), shares.sum(axis=0)  # (K, 2b), (L, 2b)
    down = [np.einsum("klb,kb->lb", shares, one.values) for one in first]
    across = [np.einsum("klb,lb->kb", shares, other.values) for other in second]
    squares = [np.einsum("klb,lb->kb", shares, other.values**2) for other in second]
    found = []
    for one, below in zip(first, down, strict=True):
        for other, beside, square in zip(second, across, squares, strict=True):
            covariance = summed(one.values, beside)
            along = influence(one, beside, margins[0], covariance)
            upward = influence(other, below, margins[1], covariance)
            moment = summed(one.values, one.values, square)
            for scores, sums, margin, own in (
                (one, beside, margins[0], along),
                (other, below, margins[1], upward),
            ):
                moment += 2.0 * summed(scores.values, sums, own) + summed(margin, own, own)
            moment += 2.0 * np.einsum("klb,kb,lb->b", shares, along, upward)
            mean = covariance + summed(margins[0], along) + summed(margins[1], upward)
            found.append((covariance, moment - mean**2))
    counts = np.maximum(rows, 2.0)
    covariance, spread = (np.stack(parts) for parts in zip(*found, strict=True))  # (4, 2b)
    variance = np.maximum(spread, 0.0) / (counts - 1.0)
    left, right = (np.stack([scores.reliability for scores in side]) for side in (first, second))
    left, right = left.repeat(2, axis=0), np.tile(right, (2, 1))
    moved = [_moved(margin, 1.0 / counts) for margin in margins]
    blur = BLUR * (moved[0] * _lost(left) + moved[1] * _lost(right))
    blur[1:] += _ties(left[0]) + _ties(right[0])
    changes = _changes(
        Correlation(
            covariance=covariance,
            variance=variance,
            doubt=variance**2 / (counts - 1.0),
            least=1.0 / counts**2,
            kept=left * right,
            defined=(np.minimum(left, right) >= LEAST_RELIABILITY) & (rows >= FEWEST_OF_PAIR),
            blur=blur,
            rows=counts,
        )
    )
    return changes[0], changes.max(axis=0)


def _of_numbers_and_categories(shares: Matrix, rows: Matrix) -> tuple[Matrix, Matrix]:
    one, other = _two_of(shares.shape[1])
    margin = shares.sum(axis=0)  # (L, 2b)
    counts = margin * rows
    laws = shares / np.maximum(margin, TINY)
    sides = [(laws[:, one], counts[one], 1.0), (laws[:, other], counts[other], -1.0)]  # (K, m, 2b)
    mixed, apart = (0.5 * (sides[0][0] + sign * sides[1][0]) for sign in (1.0, -1.0))
    scatter = 0.25 * (1.0 / np.maximum(counts[one], 1.0) + 1.0 / np.maximum(counts[other], 1.0))
    both = class_scores(mixed)
    found = []
    for scores, pooled in zip(both, (False, True), strict=True):
        covariance = summed(apart, scores.values)
        common = influence(scores, apart, mixed, covariance)
        parts = [_side_variance(*side, scores.values, common, pooled) for side in sides]
        found.append((covariance, *(sum(part) for part in zip(*parts, strict=True))))
    covariance, variance, doubt = (np.stack(parts) for parts in zip(*found, strict=True))
    least = sum(0.25 / np.maximum(count, 1.0) ** 2 for _, count, _ in sides)
    kept = np.stack([scores.reliability for scores in both])  # (2, m, 2b)
    defined = (kept >= LEAST_RELIABILITY) & (
        np.minimum(counts[one], counts[other]) >= FEWEST_OF_PAIR
    )
    blur = BLUR * _moved(mixed, scatter) * _lost(kept)
    blur[1] += _ties(kept[0])
    first, second = _changes(Correlation(covariance, variance, doubt, least, kept, defined, blur))
    return np.sqrt(np.sum(first**2, axis=0)), np.maximum(first, second).max(axis=0)


def _side_variance(
    law: Matrix, count: Matrix, sign: float, values: Matrix, common: Matrix, pooled: bool
) -> tuple[Matrix, Matrix]:
    """What the rows of one category add to the variance, and to the doubt of it."""
    shift = common + sign * values
    spread = np.maximum(summed(law, shift, shift) - summed(law, shift) ** 2, 0.0)
    count = np.maximum(count, 2.0)
    variance = 0.25 * spread / (count - 1.0)
    if pooled:
        return _pooled(variance, count)
    return variance, variance**2 / (count - 1.0)


def _pooled(variance: Matrix, rows: Matrix) -> tuple[Matrix, Matrix]:
    """At least the variances that rows have if they spread alike in A and in B; the doubt of them.

    Squares are so skewed that few rows seldom show how far they spread: of a category rare in one
    table, differences without any meaning would be several standard errors.
    """
    both = sum(_halves(rows))
    spread = sum(_halves(variance * rows**2)) / both
    shared = np.concatenate([spread, spread], axis=-1) / rows
    alone = shared < variance
    known = np.where(alone, rows, np.concatenate([both, both], axis=-1)) - 1.0
    larger = np.where(alone, variance, shared)
    return larger, larger**2 / known


def _of_categories(counts: Matrix) -> tuple[Matrix, Matrix]:
    one, other = _two_of(len(counts))
    left, right = _two_of(counts.shape[1])
    cells = [counts[i][:, j] for i in (one, other) for j in (left, right)]  # 4 × (m, r, 2b)
    logarithm = [np.log(cell + 0.5) for cell in cells]
    ratio = logarithm[0] - logarithm[1] - logarithm[2] + logarithm[3]
    coefficient = np.tanh(0.25 * ratio)
    variance = sum(1.0 / (cell + 0.5) for cell in cells) * ((1.0 - coefficient**2) / 4.0) ** 2
    sides = [cells[i] + cells[j] for i, j in ((0, 1), (2, 3), (0, 2), (1, 3))]
    change = _differences(Reading(coefficient, variance))
    change = np.where(_in_both(np.minimum.reduce(sides) >= FEWEST_OF_PAIR), np.abs(change), 0.0)
    return _all_odds(counts), change.max(axis=(0, 1))


def _all_odds(counts: Matrix) -> Matrix:
    """Root (b,) of Wald's statistic that all log odds ratios are the same in A and B."""
    rows, columns = (np.eye(size)[1:] - np.eye(size)[0] for size in counts.shape[:2])
    contrasts = np.kron(rows, columns)  # ((K − 1)(L − 1), K L)
    middle = counts.shape[-1] // 2
    enough = [
        _in_both(counts.sum(axis=side) >= FEWEST_OF_PAIR) for side in (1, 0)
    ]  # (K, b), (L, b)
    usable = enough[0][:, None] & enough[1][None]
    a, b = counts[..., :middle] + 0.5, counts[..., middle:] + 0.5
    spread = np.where(usable, 1.0 / a + 1.0 / b, _UNKNOWN).reshape(-1, middle)
    change = contrasts @ (np.log(a) - np.log(b)).reshape(-1, middle)  # (r, b)
    covariance = np.einsum("ik,jk,kb->bij", contrasts, contrasts, spread, optimize=True)
    solved = np.linalg.solve(covariance, change.T[..., None])[..., 0]  # (b, r)
    wald = np.maximum(np.sum(solved * change.T, axis=1), 0.0)
    defined = (enough[0].sum(axis=0) >= 2) & (enough[1].sum(axis=0) >= 2)
    return np.where(defined, np.sqrt(wald), 0.0)


def _two_of(count: int) -> tuple[Matrix, Matrix]:
    pairs = np.array(list(combinations(range(count), 2)))
    return pairs[:, 0], pairs[:, 1]


class Correlation(NamedTuple):
    """Correlations of class scores under b permutations, of A and then of B; the main one first."""

    covariance: Matrix
    """(r, …, 2b)"""
    variance: Matrix
    """(r, …, 2b): of the covariance, with the scores' own variance taken into account."""
    doubt: Matrix
    """(r, …, 2b): Σ v² / f of the variances v in it, each known with f degrees of freedom."""
    least: Matrix
    """(…, 2b): what a single row adds to the variance of the Fisher transform."""
    kept: Matrix
    """(r, …, 2b): reliability of one side times that of the other."""
    defined: Matrix
    """(r, …, 2b)"""
    blur: Matrix
    """(r, …, b): how far classes and ties may mislead, in proportion to the main correlation."""
    rows: Matrix | None = None
    """(2b,): over which the variances of all but the main one are to be pooled."""


def _changes(found: Correlation) -> Matrix:
    """|A − B| (r, …, b) of Fisher transformed correlations in standard errors, 0 where undefined.

    Ties and classes hide part of a dependence: of a strict one the correlation is still right, of a
    loose one the root of the share ``kept`` is left. A change must show under either reading, or
    rounding would be taken for one; and it must exceed what the classes themselves can do, in
    proportion to the first of the correlations.
    """
    readings = [_transformed(found, loose) for loose in (False, True)]
    strength = np.where(found.defined[0], np.abs(readings[0].values[0]), 0.0)
    blur = found.blur * np.maximum(*_halves(strength))
    strict, loose = (_differences(reading, found.least, blur) for reading in readings)
    change = np.where(strict * loose > 0, np.minimum(np.abs(strict), np.abs(loose)), 0.0)
    return np.where(_in_both(found.defined), change, 0.0)


class Reading(NamedTuple):
    """Coefficients (…, 2b) of A and then of B, their variances, and the doubt of these."""

    values: Matrix
    variance: Matrix
    doubt: Matrix | float = 0.0


def _transformed(found: Correlation, loose: bool) -> Reading:
    """Fisher's transforms of the correlations under one reading."""
    scale = np.where(found.defined, found.kept**2 if loose else found.kept, 1.0)
    correlation = STRONGEST * np.clip(found.covariance / np.sqrt(scale), -1.0, 1.0)
    slope = (STRONGEST / (1.0 - correlation**2)) ** 2 / scale
    variance, doubt = found.variance * slope, found.doubt * slope**2
    if found.rows is not None:
        variance[1:], doubt[1:] = _pooled(variance[1:], found.rows)
    return Reading(np.arctanh(correlation), variance, doubt)


def _moved(margin: Matrix, scatter: Matrix) -> Matrix:
    """Total variation (…, b) between the class shares of A and B, beyond what chance makes.

    ``scatter`` (…, 2b) is the variance of a share p over p (1 − p).
    """
    a, b = _halves(margin)
    share = 0.5 * (a + b)
    chance = np.sqrt(share * (1.0 - share)).sum(axis=0) * np.sqrt(sum(_halves(scatter)))
    return np.asarray(0.5 * np.maximum(np.abs(a - b).sum(axis=0) - CHANCE * chance, 0.0))


def _ties(reliability: Matrix) -> Matrix:
    """How bent or spread ties in one of the tables (…, b) may make a straight dependence look.

    Ties at one end only, such as a point mass, do.
    """
    a, b = _halves(reliability)
    return np.asarray(TIES * np.abs(a - b))


def _lost(reliability: Matrix) -> Matrix:
    """The share (…, b) of the variance that the classes hide, mean of A and B."""
    return np.asarray(1.0 - 0.5 * sum(_halves(reliability)))


def _in_both(defined: Matrix) -> Matrix:
    return np.logical_and(*_halves(defined))


def _differences(found: Reading, least: Matrix | float = 0.0, blur: Matrix | float = 0.0) -> Matrix:
    """(A − B) / standard error as far as it exceeds blur and rounding, as a normal score.

    ``least`` is added to the variances. Few rows know their own variance badly: the quotient has
    Student's law, with Welch's degrees of freedom.
    """
    a, b = _halves(found.values)
    beyond = np.maximum(np.abs(a - b) - ROUNDING * np.maximum(np.abs(a), 1.0) - blur, 0.0)
    variance = np.asarray(sum(_halves(found.variance + least)))
    change = beyond / np.sqrt(np.maximum(variance, TINY))
    return np.asarray(np.copysign(_of_student(change, variance, found.doubt), a - b))


def _of_student(change: Matrix, variance: Matrix, doubt: Matrix | float) -> Matrix:
    """Normal scores of Student's quotients, by Wallace (1959); without doubt they are the same."""
    if isinstance(doubt, float):
        return change
    freedom = np.clip(variance**2 / np.maximum(sum(_halves(doubt)), TINY), 1.0, _MANY)
    score = np.sqrt(freedom * np.log1p(change**2 / freedom))
    return np.asarray(score * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0))


def _halves(values: Matrix) -> tuple[Matrix, Matrix]:
    """What belongs to A, and what to B."""
    middle = values.shape[-1] // 2
    return values[..., :middle], values[..., middle:]
