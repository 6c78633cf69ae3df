"""Whether two columns depend on each other differently in two tables, whatever each does alone.

Rows are counted in classes of both columns (`samelaw.decide.classes`), anew under every labelling,
and each table is measured against its own margins:

- numbers and dates: covariances of Legendre polynomials of the ranks *within the table*, of degree
  1 (Spearman's rank correlation) and 2 (what bends, and what spreads).
- categories and numbers: for any two categories, the same polynomials of the ranks among their
  rows, both weighted alike; degree 1 is the probability that one exceeds the other.
- categories: for any two of either, Yule's colligation (√odds ratio − 1) / (√odds ratio + 1).

None of them changes when a column is shifted, rescaled or sent through any increasing function, nor
when categories become commoner or rarer. Differences between the tables are divided by their
standard error, from the influence of each cell under the same labelling: its size differs between
the observed and the permuted tables as soon as margins have moved. So

- when the tables follow one law, permutation p-values are exact: everything is one function of
  pool and labels;
- when margins moved and the dependence did not, they are approximate: right as the tables grow.

What is undefined (a column without values, or with one, in either table) is 0, never a change.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from samelaw.decide.classes import View
from samelaw.decide.permutation import Progress
from samelaw.decide.units import Units

Matrix = np.ndarray[Any, Any]

LEAST_RELIABILITY = 0.05
"""Variance of the class scores over that of untied ranks; below, nearly all rows are alike."""
FEWEST = 5
"""Rows that a table needs, and each of two categories."""
ROUNDING = 2e-5
"""Differences of coefficients (all within about ±1) that single precision may leave of none."""
TINY = 1e-30
DENSE = 12
"""A sparse product costs this much more per entry than a dense one."""
LARGEST_WEIGHTS = 1 << 26
"""Entries of weights held at a time: 256 MiB."""


def dependence_changes(
    views: Sequence[View],
    pairs: Sequence[tuple[int, int]],
    units: Units,
    members: Matrix,
    progress: Progress | None = None,
) -> Matrix:
    """The largest studentised change (P, B + 1) of the dependence in each pair of views.

    Parameters
    ----------
    views : sequence of View
    pairs : sequence of (int, int)
    units : Units
    members : array (B + 1, U)

    Notes
    -----
    O(N + U K²) per pair for the counts and O(B (U + K²)) for the tables, K classes each.
    """
    values = np.zeros((len(pairs), len(members)), dtype=np.float32)
    step = max(1, LARGEST_WEIGHTS // (2 * units.count))
    starts = range(0, len(members), step)
    for turn, start in enumerate(starts):
        count = Counts(units, members[start : start + step])
        for k, (i, j) in enumerate(pairs):
            values[k, start : start + step] = largest_change(*count.ordered(views[i], views[j]))
            if progress is not None:
                progress(turn * len(pairs) + k + 1, len(starts) * len(pairs))
    return values


class Table(NamedTuple):
    """Cells of two views under b labellings, of A and then of B."""

    shares: Matrix
    """(K, L, 2b); they sum to 1 over the cells, or to 0 if there are no rows."""
    rows: Matrix
    """(2b,): as many equally weighted rows would be known as well."""


class Counts:
    """Cell tables of pairs of views for a batch of labellings."""

    def __init__(self, units: Units, members: Matrix) -> None:
        self.unit, self.count = units.unit, units.count
        first, second = (_by_unit(weights) for weights in units.weights(members))  # (U, b)
        # the usual case: every row counts once, in A or in B, so one product gives both tables
        self.once = bool(np.all((first == 0) | (first == 1)) and np.all(first + second == 1))
        self.weights = first if self.once else np.concatenate([first, second], axis=1)

    def ordered(self, one: View, other: View) -> tuple[Table, bool, bool]:
        """The table with categories first, and whether its sides are ordered."""
        if one.ordered and not other.ordered:
            one, other = other, one
        return self.table(one, other), one.ordered, other.ordered

    def table(self, one: View, other: View) -> Table:
        seen = (one.codes >= 0) & (other.codes >= 0) & (self.unit >= 0)
        cell = one.codes[seen].astype(np.intp) * other.count + other.codes[seen]
        unit, size = self.unit[seen], one.count * other.count
        sums = self._sums(cell, unit, size)
        total = sums.sum(axis=0)
        rows = total if self.once else total**2 / np.maximum(self._squares(unit), TINY)
        sums /= np.maximum(total, TINY)
        return Table(sums.reshape(one.count, other.count, -1), rows)

    def _sums(self, cell: Matrix, unit: Matrix, size: int) -> Matrix:
        """Weights (size, 2b) of the rows in each cell."""
        sums = self._product(cell, unit, size)
        if not self.once:
            return sums
        counts = np.bincount(cell, minlength=size).astype(np.float32)
        return np.concatenate([sums, counts[:, None] - sums], axis=1)

    def _product(self, cell: Matrix, unit: Matrix, size: int) -> Matrix:
        if len(cell) * DENSE < size * self.count:
            from scipy.sparse import csr_array

            ones = np.ones(len(cell), dtype=np.float32)
            sparse = csr_array((ones, (cell, unit)), shape=(size, self.count))
            return np.asarray(sparse @ self.weights)
        counts = np.bincount(cell * self.count + unit, minlength=size * self.count)
        return np.asarray(counts.reshape(size, self.count).astype(np.float32) @ self.weights)

    def _squares(self, unit: Matrix) -> Matrix:
        sizes = np.bincount(unit, minlength=self.count).astype(np.float32)
        return np.einsum("u,ub,ub->b", sizes, self.weights, self.weights)


def _by_unit(weights: Matrix) -> Matrix:
    """Weights (U, b), the largest 1: counts of equally weighted rows are then exact."""
    largest = np.maximum(weights.max(axis=1, keepdims=True), TINY)
    return np.ascontiguousarray((weights / largest).T, dtype=np.float32)


def largest_change(table: Table, ordered: bool, other_ordered: bool) -> Matrix:
    """The largest studentised difference (b,) between A and B, of all ways they may depend."""
    if ordered:
        found = _of_numbers(table)
    elif other_ordered:
        found = _of_categories_and_numbers(table)
    else:
        found = iter([_of_categories(table)])
    result = np.zeros(table.rows.shape[-1] // 2, dtype=np.float32)
    for change in found:
        np.maximum(result, change, out=result)
    return result


class Scores(NamedTuple):
    """A polynomial of the ranks within a table, averaged over each class.

    For class shares p with ends F: values (Φ(F_k) − Φ(F_{k−1})) / p_k, where Φ' = φ has mean 0 and
    variance 1 over the untied ranks; so the values have mean 0 in their table.
    """

    values: Matrix
    """(K, …)"""
    ends: Matrix
    """(K − 1, …): φ at the inner ends of the classes."""
    reliability: Matrix
    """(…): the variance that the classes keep."""


def class_scores(shares: Matrix) -> tuple[Scores, Scores]:
    """Scores of degree 1 and 2 for class shares (K, …)."""
    top = _cumulated(shares)
    middle, ends = top - 0.5 * shares - 0.5, top[:-1] - 0.5
    linear, square = sqrt(12.0) * middle, sqrt(5.0) * (6.0 * middle**2 + 0.5 * shares**2 - 0.5)
    return (
        Scores(linear, sqrt(12.0) * ends, _sum(shares, linear, linear)),
        Scores(square, sqrt(5.0) * (6.0 * ends**2 - 0.5), _sum(shares, square, square)),
    )


def _cumulated(shares: Matrix) -> Matrix:
    """Cumulative sums; a product with a triangle is several times faster than ``cumsum``."""
    triangle = np.tri(len(shares), dtype=shares.dtype)
    return np.asarray((triangle @ shares.reshape(len(shares), -1)).reshape(shares.shape))


def _moving(scores: Scores, means: Matrix) -> Matrix:
    """What one more row of class k does to Σ means·Φ by moving the ends: Σ_{i ≥ k} φ(F_i) Δ_i."""
    steps = scores.ends * (means[:-1] - means[1:])
    result = np.zeros_like(means)
    triangle = np.tri(len(steps), dtype=steps.dtype).T
    result[:-1] = (triangle @ steps.reshape(len(steps), -1)).reshape(steps.shape)
    return result


def _stretching(scores: Scores) -> Matrix:
    """Influence (K, …) of a row on the reliability, up to a constant."""
    return 2.0 * _moving(scores, scores.values) - scores.values**2


def _of_numbers(table: Table) -> Iterator[Matrix]:
    shares, rows = table
    margins = shares.sum(axis=1), shares.sum(axis=0)  # (K, 2b), (L, 2b)
    first, second = (class_scores(margin) for margin in margins)
    down = [np.einsum("klb,kb->lb", shares, one.values) for one in first]
    across = [np.einsum("klb,lb->kb", shares, other.values) for other in second]
    squares = [np.einsum("klb,lb->kb", shares, other.values**2) for other in second]
    for one, sums_down in zip(first, down, strict=True):
        for other, sums, square in zip(second, across, squares, strict=True):
            covariance = _sum(one.values, sums)
            along = _influence(one, sums, margins[0], covariance)
            beside = _influence(other, sums_down, margins[1], covariance)
            second_moment = (
                _sum(one.values, one.values, square)
                + _sum(along, 2.0 * one.values * sums + margins[0] * along)
                + _sum(beside, 2.0 * other.values * sums_down + margins[1] * beside)
                + 2.0 * np.einsum("klb,kb,lb->b", shares, along, beside)
            )
            mean = covariance + _sum(margins[0], along) + _sum(margins[1], beside)
            variance = np.maximum(second_moment - mean**2, 0.0) / np.maximum(rows, 1.0)
            kept = one.reliability * other.reliability
            usable = np.minimum(one.reliability, other.reliability) >= LEAST_RELIABILITY
            yield _studentised(covariance, variance, kept, usable & (rows >= FEWEST), 1.0 / rows_of(rows) ** 2)


def rows_of(rows: Matrix) -> Matrix:
    return np.maximum(rows, 1.0)


def _influence(scores: Scores, sums: Matrix, margin: Matrix, covariance: Matrix) -> Matrix:
    """Influence (K, 2b) of a row of class k on the covariance through the ranks of one side."""
    means = sums / np.maximum(margin, TINY)
    stretch = 0.5 * covariance / np.maximum(scores.reliability, LEAST_RELIABILITY)
    return _moving(scores, means) - means * scores.values - stretch * _stretching(scores)


def _of_categories_and_numbers(table: Table) -> Iterator[Matrix]:
    shares, rows = table
    one, other = np.array(list(combinations(range(len(shares)), 2))).T
    margin = shares.sum(axis=1)
    laws = (shares / np.maximum(margin, TINY)[:, None]).swapaxes(0, 1)  # (L, K, 2b)
    laws = np.ascontiguousarray(laws)
    counts = margin * rows
    a, b, sizes = laws[:, one], laws[:, other], (counts[one], counts[other])
    mixed = 0.5 * (a + b)  # (L, m, 2b)
    sign = 0.5 * (a - b)
    means = sign / np.maximum(mixed, TINY)
    usable = np.minimum(*sizes) >= FEWEST
    for scores in class_scores(mixed):
        covariance = _sum(sign, scores.values)
        stretch = 0.5 * covariance / np.maximum(scores.reliability, LEAST_RELIABILITY)
        common = _moving(scores, means) - means * scores.values - stretch * _stretching(scores)
        variance, least = 0.0, 0.0
        for law, size, influence in zip(
            (a, b), sizes, (common + scores.values, common - scores.values), strict=True
        ):
            spread = _sum(law, influence, influence) - _sum(law, influence) ** 2
            variance = variance + 0.25 * np.maximum(spread, 0.0) / rows_of(size)
            least = least + 0.25 / rows_of(size) ** 2
        defined = usable & (scores.reliability >= LEAST_RELIABILITY)
        change = _studentised(covariance, variance, scores.reliability, defined, least)
        yield change.max(axis=0)


def _of_categories(table: Table) -> Matrix:
    counts = table.shares * table.rows  # (K, L, 2b)
    one, other = np.array(list(combinations(range(len(counts)), 2))).T
    left, right = np.array(list(combinations(range(counts.shape[1]), 2))).T
    cells = [counts[i][:, j] for i in (one, other) for j in (left, right)]  # 4 × (m, r, 2b)
    logarithms = [np.log(cell + 0.5) for cell in cells]
    ratio = logarithms[0] - logarithms[1] - logarithms[2] + logarithms[3]
    variance = sum(1.0 / (cell + 0.5) for cell in cells)
    coefficient = np.tanh(0.25 * ratio)
    variance = variance * ((1.0 - coefficient**2) / 4.0) ** 2
    sides = [cells[i] + cells[j] for i, j in ((0, 1), (2, 3), (0, 2), (1, 3))]
    defined = np.minimum.reduce(sides) >= FEWEST
    change = _studentised(coefficient, variance, np.ones_like(ratio), defined, 0.0)
    return change.max(axis=(0, 1))


def _studentised(
    covariance: Matrix, variance: Matrix, kept: Matrix, defined: Matrix, least: Matrix | float
) -> Matrix:
    """|A − B| (…, b) in standard errors, 0 where either is undefined.

    Ties and classes hide part of a dependence. Where it is weak they keep the share ``kept`` of the
    covariance, where it is strong the root of it. A change must show under either reading, or
    rounding and point masses would be taken for one.
    """
    kept = np.where(defined, kept, 1.0)
    variance = variance / kept + least
    strong = _difference(covariance / np.sqrt(kept), variance)
    weak = _difference(covariance / kept, variance / kept)
    change = np.where(strong * weak > 0, np.minimum(np.abs(strong), np.abs(weak)), 0.0)
    middle = change.shape[-1]
    return np.where(defined[..., :middle] & defined[..., middle:], change, 0.0)


def _difference(values: Matrix, variance: Matrix) -> Matrix:
    middle = values.shape[-1] // 2
    apart = values[..., :middle] - values[..., middle:]
    error = np.sqrt(variance[..., :middle] + variance[..., middle:])
    return np.where(np.abs(apart) > ROUNDING, apart / np.maximum(error, TINY), 0.0)


def _sum(*factors: Matrix) -> Matrix:
    """Σ over the first axis of a product."""
    return np.einsum(",".join(["k..."] * len(factors)) + "->...", *factors)
