"""What two tables are looked at by: each column alone, and each pair of columns.

An aspect of a column is a handful of functions of a row, fixed by the pool alone, whose means are
compared. Pairs are looked at in classes, each table by its own ranks (`comparison.pair_tests`).

- a column of numbers or dates: the first four Hermite polynomials of its normal scores (location,
  scale, skewness, tails), cosines of its ranks, which see what moves mass about locally, and
  indicators of either end, for a few rows far out. Dates add the hour and the day of the week.
- categories: one indicator each, weighted as χ² weights them, unweighted, and each by itself, or a
  new category among old ones would drown.
- missing values: the indicator.

A missing value counts as nothing in its column: its functions are 0, their mean.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations

import numpy as np

from samelaw.comparison.contrasts import Contrast, contrasts_of
from samelaw.comparison.pair_classes import View, view_of
from samelaw.comparison.pair_tests import dependence_changes
from samelaw.core.tolerances import rounding, without_spread
from samelaw.core.types import Matrix, Progress
from samelaw.data.cycles import DAY, FULL_DAYS, FULL_WEEKS, WEEK
from samelaw.data.kinds import Column, Kind
from samelaw.data.scales import ranks
from samelaw.twosample.standardize import to_normal
from samelaw.twosample.units import Units

HERMITE = 4
COSINES = 12
OUTER = 0.02
"""Share of the values at either end that are looked at by themselves: see `experiments/compare`."""
MOST_CATEGORIES = 40
MOST_PAIRS = 5_000
FEWEST_ROWS = 8
"""Rows of a category looked at by itself; fewer could not stand out, whosever they are."""


@dataclass(frozen=True, eq=False)
class Aspect:
    """One column, or the absence of its values, as functions of a row.

    Parameters
    ----------
    functions : array (N, r)
        Mean 0 over the pool, variance about 1.
    forms : array (f, r)
        Squared weights: each row makes a statistic Σ_r w_r (difference of means)².
    """

    column: Column
    missing: bool
    functions: Matrix = field(repr=False)
    forms: Matrix = field(repr=False)


def aspects_of(column: Column) -> list[Aspect]:
    """The aspects of a column: its values if they are comparable, its missing values if any."""
    found = []
    for _, missing in _aspect_names(column):
        if missing:
            absent = _indicators(column.missing.astype(np.int64), np.array([1]))
            found.append(Aspect(column, True, absent, np.ones((1, 1))))
        else:
            found.append(Aspect(column, False, *_FUNCTIONS[column.kind](column)))
    return found


def _aspect_names(column: Column) -> list[tuple[Column, bool]]:
    some = 0 < float(column.missing.mean()) < 1
    return [(column, False)] * (column.kind in _FUNCTIONS) + [(column, True)] * some


def _of_numbers(column: Column) -> tuple[Matrix, Matrix]:
    places = ranks(column.values)
    outer = _outer(places)
    smooth, ends = HERMITE + COSINES, len(outer)
    functions = _standard(chain(_smooth(places), outer), smooth + ends, column.missing)
    forms = np.zeros((3 + ends, smooth + ends))
    forms[0, :HERMITE] = 1.0 / np.arange(1, HERMITE + 1) ** 2
    forms[1, :HERMITE], forms[2, HERMITE:smooth] = 1.0, 1.0
    forms[3:, smooth:] = np.eye(ends)
    return functions, forms


def _smooth(places: Matrix) -> Iterator[Matrix]:
    """Hermite polynomials of the normal scores, then cosines of the ranks."""
    from scipy.special import ndtri

    scores = np.nan_to_num(ndtri(places))
    square = scores**2
    yield from (scores, square - 1, scores * (square - 3), square * (square - 6) + 3)
    angle = np.pi * np.nan_to_num(places)
    yield from (np.cos(k * angle) for k in range(1, COSINES + 1))


def _outer(places: Matrix) -> list[Matrix]:
    """Indicators of the lowest and the highest values, unless ties leave none."""
    share = max(OUTER, min(FEWEST_ROWS / len(places), 0.25))
    return [end for end in (places < share, places > 1.0 - share) if end.any()]


def _of_times(column: Column) -> tuple[Matrix, Matrix]:
    functions, forms = _of_numbers(column)
    known = column.values[~column.missing]
    days = float(known.max() - known.min()) / DAY
    cycles = []
    if days >= FULL_DAYS:
        hour = 2.0 * np.pi * np.mod(column.values, DAY) / DAY
        cycles += [turn(k * hour) for k in (1, 2) for turn in (np.cos, np.sin)]
    if days >= FULL_WEEKS * WEEK:
        weekday = np.mod(np.floor(column.values / DAY) + 3, WEEK)
        cycles += [weekday == day for day in range(WEEK)]
    if cycles:
        turning = _standard(map(np.nan_to_num, cycles), len(cycles), column.missing)
        functions = np.concatenate([functions, turning], axis=1)
        wide = np.zeros((len(forms) + 1, functions.shape[1]))
        wide[:-1, : forms.shape[1]], wide[-1, forms.shape[1] :] = forms, 1.0
        forms = wide
    return functions, forms


def _of_booleans(column: Column) -> tuple[Matrix, Matrix]:
    codes = np.where(column.missing, -1, np.nan_to_num(column.values)).astype(np.int64)
    return _indicators(codes, np.array([1])), np.ones((1, 1))


def _of_categories(column: Column) -> tuple[Matrix, Matrix]:
    known = column.values[column.values >= 0]
    counts = np.bincount(known, minlength=len(column.categories))
    common = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    common = common[counts[common] > 0]
    codes = column.values
    if len(common) < int((counts > 0).sum()):  # the rest share one indicator
        rest, common = len(counts), common[:-1]
        codes = np.where((codes >= 0) & ~np.isin(codes, common), rest, codes)
        common = np.append(common, rest)
    functions = _indicators(codes, common)
    shares = np.maximum([float(np.mean(codes == code)) for code in common], 1e-12)
    together = np.stack([np.ones(len(common)), shares * (1 - shares) * 4])
    single = np.eye(len(common))[shares * len(codes) >= FEWEST_ROWS]
    forms = np.concatenate([together, single])
    return functions, forms


_FUNCTIONS: dict[Kind, Callable[[Column], tuple[Matrix, Matrix]]] = {
    Kind.NUMERIC: _of_numbers,
    Kind.INTEGER: _of_numbers,
    Kind.DATETIME: _of_times,
    Kind.BOOLEAN: _of_booleans,
    Kind.CATEGORICAL: _of_categories,
}


def _indicators(codes: Matrix, chosen: Matrix) -> Matrix:
    return _standard((codes == code for code in chosen), len(chosen), codes < 0)


def _standard(functions: Iterable[Matrix], count: int, missing: Matrix) -> Matrix:
    """Mean 0 and variance 1 over the known rows, 0 where missing; in single precision.

    One function at a time, each contiguous: of millions of rows one is held in double precision.
    """
    some = bool(missing.any())
    result: Matrix = np.empty((len(missing), count), dtype=np.float32, order="F")
    for i, function in enumerate(functions):
        values = function.astype(np.float64)
        known = values[~missing] if some else values
        deviation = known.std()
        values -= known.mean()
        result[:, i] = values / (deviation if deviation > 1e-9 else np.inf)
    result[missing] = 0.0
    return result


class ColumnStatistics:
    """Statistics of every column and of every pair of columns under all labellings.

    Parameters
    ----------
    columns : sequence of Column
    units : Units
    members : array (B + 1, U)
        Memberships of the units, the observed one first.
    sizes : (int, int)
        Rows of A and of B.

    Attributes
    ----------
    names : list of (Column, bool)
        Of each aspect, the column and whether it is about its missing values.
    alone : array (H, B + 1)
    views : list of View
        Of each aspect, the classes it is counted in together with others.
    pairs : list of (int, int)
        Numbers of two aspects of different columns; none if they would be more than MOST_PAIRS.
        What fewer than 5 % of the rows have or lack is left out.
    """

    def __init__(
        self, columns: Sequence[Column], units: Units, members: Matrix, sizes: tuple[int, int]
    ) -> None:
        self.units, self.members = units, members
        self.names = [key for column in columns for key in _aspect_names(column)]
        self.alone = self._alone(columns)
        self.views: list[View] = []
        count = len(self.names)
        if count * (count - 2) // 2 <= MOST_PAIRS:  # a column has at most two aspects
            self.views = [view_of(column, missing, sizes) for column, missing in self.names]
        self.pairs = self._pairs()

    def _alone(self, columns: Sequence[Column]) -> Matrix:
        contrasts = list(contrasts_of(self.units, self.members))
        found = [
            self._look(aspect, contrasts) for column in columns for aspect in aspects_of(column)
        ]
        return np.array(found, dtype=np.float32)

    def _pairs(self) -> list[tuple[int, int]]:
        usable = [i for i, view in enumerate(self.views) if view.count]
        pairs = [(i, j) for i, j in combinations(usable, 2) if self._apart(i, j)]
        return pairs if len(pairs) <= MOST_PAIRS else []

    def _apart(self, i: int, j: int) -> bool:
        return self.names[i][0] is not self.names[j][0]

    def _look(self, aspect: Aspect, contrasts: Sequence[Contrast]) -> Matrix:
        sums = self.units.sums(aspect.functions)
        scores = []
        for contrast in contrasts:
            found = contrast.squares(sums)
            scores += [calm_scores(found.values @ w, float(found.noise @ w)) for w in aspect.forms]
        return np.asarray(np.max(scores, axis=0))

    def of_pairs(self, progress: Progress | None = None) -> Matrix:
        """Statistics (P, B + 1) of the pairs."""
        found = dependence_changes(self.views, self.pairs, self.units, self.members, progress)
        values = np.empty((len(self.pairs), len(self.members)), dtype=np.float32)
        noise = rounding(values.dtype)  # changes are in standard errors
        for k, summaries in enumerate(found):
            values[k] = np.max([calm_scores(summary, noise) for summary in summaries], axis=0)
        return values


def calm_scores(values: Matrix, noise: float) -> Matrix:
    """Normal scores by the moments of all values but the largest hundredth.

    Symmetric in all B + 1 values, so exact; an observed value far out does not hide itself by
    widening the scale it is measured on. Values that differ by ``noise`` only are all 0.
    """
    keep = len(values) - max(1, len(values) // 100)
    calm = np.partition(values, keep - 1)[:keep].astype(np.float64)
    mean, deviation = float(calm.mean()), float(calm.std())
    if deviation <= noise or without_spread(values, noise):
        return np.zeros_like(values)
    skewness = float(np.mean((calm - mean) ** 3)) / deviation**3
    return to_normal(values, mean=mean, deviation=deviation, skewness=skewness)
