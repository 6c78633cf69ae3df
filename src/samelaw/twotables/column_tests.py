"""Statistics of every column view, and of every pair of them, under all permutations.

Whatever is compared column by column is a handful of functions of a row; their sums over units
are enough. In double precision throughout: what is the same for every permutation then differs by
errors far below any spread that means something. Pairs are looked at in classes, each table by its
own ranks (`twotables.pair_tests`).
"""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from samelaw.core import tolerances
from samelaw.core.types import Matrix, Progress
from samelaw.data.column_views import ColumnView
from samelaw.data.columns import Column
from samelaw.twosample.budget import DEFAULT, pieces
from samelaw.twosample.group_form import Sides, mean_over
from samelaw.twosample.standardize import to_normal
from samelaw.twosample.units import Units
from samelaw.twotables.column_functions import functions_of
from samelaw.twotables.cycle_views import compared_views
from samelaw.twotables.design import MOST_PAIRS
from samelaw.twotables.pair_classes import Classes, classes_of
from samelaw.twotables.pair_tests import MOST_HELD, dependence_changes

_PAIR = 8.0  # bytes per pair and permutation: two summaries


@dataclass(frozen=True, eq=False)
class Squares:
    """Squared differences (B + 1, r) of the means of r functions, and the rounding in each (r,)."""

    values: Matrix
    noise: Matrix


class Contrast(ABC):
    """The units of one part and their memberships."""

    @abstractmethod
    def squares(self, sums: Matrix) -> Squares:
        """Squared differences of means from sums (U, r) over the units of the pool."""


@dataclass(frozen=True, eq=False)
class Difference(Contrast):
    """Mean over A less mean over B; sizes never change, or change for all functions alike.

    Parameters
    ----------
    units : slice
        Those of ``among`` that are looked at.
    among : Units
    memberships : array (B + 1, U)
    """

    units: slice
    among: Units
    memberships: Matrix

    def _weights(self, some: slice) -> Matrix:
        """Weights (b, U) such that ``weights @ sums`` is the difference."""
        first, second = self.among.shares(self.memberships[some])
        return np.asarray(first[:, self.units] - second[:, self.units])

    @cached_property
    def _only(self) -> Matrix | None:
        """All weights, where they are few enough to be kept for the next functions."""
        first, *others = pieces(*self.memberships.shape)
        return None if others else self._weights(first)

    def _pieces(self) -> Iterator[tuple[slice, Matrix]]:
        for some in pieces(*self.memberships.shape):
            yield some, self._weights(some) if self._only is None else self._only

    @cached_property
    def _typical(self) -> Matrix:
        total = sum(np.abs(weights).sum(axis=0) for _, weights in self._pieces())
        return np.asarray(total / len(self.memberships))

    def squares(self, sums: Matrix) -> Squares:
        own = sums[self.units].astype(np.float64)
        found = np.empty((len(self.memberships), own.shape[1]))
        for some, weights in self._pieces():
            found[some] = weights @ own
        error = tolerances.rounding(np.float64) * (self._typical @ np.abs(own))
        return Squares(found**2, (2.0 * np.abs(found).max(axis=0) + error) * error)


@dataclass(frozen=True, eq=False)
class GroupDifference(Contrast):
    """The same for whole groups of any size, by the statistic of `group_form`."""

    units: slice
    memberships: Matrix
    sizes: Matrix

    def squares(self, sums: Matrix) -> Squares:
        own = sums[self.units].astype(np.float64)
        own -= np.outer(self.sizes, own.sum(axis=0) / self.sizes.sum())
        parts = [self._some(own, some) for some in pieces(*self.memberships.shape)]
        values, largest, smallest, spread = zip(*parts, strict=True)
        terms = np.max(largest, axis=0) + (own**2).sum(axis=0)  # before they cancel
        error = tolerances.rounding(np.float64) * 4.0 * terms / min(smallest) ** 2
        return Squares(np.concatenate(values), error / np.min(spread, axis=0))

    def _some(self, own: Matrix, some: slice) -> tuple[Matrix, Matrix, float, Matrix]:
        """Values (b, r) of some permutations; their largest sums, least rows and least spread."""
        sides = Sides(self.memberships[some, self.units] * 1.0, self.sizes)
        inside = sides.memberships @ own
        alone = sides.memberships @ own**2
        total = (own**2).sum(axis=0)
        (first, second), pairs = sides.rows(), sides.pairs()
        values = mean_over(inside**2 - alone, pairs[0])
        values = values + mean_over(inside**2 - (total - alone), pairs[1])
        values += 2.0 * inside**2 / (first * second)[:, None]
        spread = sides.spread(_likeness(own, self.sizes))
        smallest = min(float(first.min()), float(second.min()))
        return values / spread, (inside**2).max(axis=0), smallest, spread.min(axis=0)


def _likeness(sums: Matrix, sizes: Matrix) -> Matrix:
    """ρ of each function of unit variance, from the sums over groups: how alike rows of one are."""
    rows, pairs = sizes.sum(), float(sizes @ (sizes - 1.0))
    if pairs == 0.0:
        return np.zeros(sums.shape[1])
    alike = ((sums**2).sum(axis=0) - rows) / pairs
    return np.asarray(np.clip(alike, 0.0, 1.0))


def contrasts_of(units: Units, memberships: Matrix) -> Iterator[Contrast]:
    """One contrast per part of the units."""
    for part in units.parts():
        if part.whole:
            yield GroupDifference(part.units, memberships, part.sizes)
        else:
            yield Difference(part.units, units, memberships)


class ColumnTests:
    """Statistics of every column view and of every pair of them under all permutations.

    Parameters
    ----------
    columns : sequence of Column
    units : Units
    memberships : array (B + 1, U)
        Of the units, the observed one first.
    sizes : (int, int)
        Rows of A and of B.
    room : float
        Bytes for all of this.

    Attributes
    ----------
    views : list of ColumnView
    alone : array (H, B + 1)
    classes : list of Classes
        Of each view, the classes it is counted in together with others.
    pairs : list of (int, int)
        Numbers of two views of different columns; none if they would be more than MOST_PAIRS.
        What fewer than 5 % of the rows have or lack is left out.
    most_pairs : int
        MOST_PAIRS, or as many as there is room for the values of.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        units: Units,
        memberships: Matrix,
        sizes: tuple[int, int],
        room: float = DEFAULT,
    ) -> None:
        self.units, self.memberships, self.room = units, memberships, room
        self.most_pairs = min(MOST_PAIRS, int(0.5 * room / (_PAIR * len(memberships))))
        self.views = compared_views(columns)
        self.alone = self._alone()
        self.classes: list[Classes] = []
        if self.possible_pairs <= self.most_pairs:
            self.classes = [classes_of(view, sizes) for view in self.views]
        self.pairs = self._pairs()

    def _alone(self) -> Matrix:
        contrasts = list(contrasts_of(self.units, self.memberships))
        return np.array([self._statistic(view, contrasts) for view in self.views], dtype=np.float32)

    def _pairs(self) -> list[tuple[int, int]]:
        usable = [i for i, classes in enumerate(self.classes) if classes.count]
        pairs = [(i, j) for i, j in combinations(usable, 2) if self._apart(i, j)]
        return pairs if len(pairs) <= self.most_pairs else []

    def _apart(self, i: int, j: int) -> bool:
        return self.views[i].column.name != self.views[j].column.name

    @cached_property
    def possible_pairs(self) -> int:
        """Pairs of views of different columns, without those that are compared by themselves."""
        counts = Counter(view.column.name for view in self.views if not view.alone)
        own = sum(count * (count - 1) // 2 for count in counts.values())
        return math.comb(counts.total(), 2) - own

    def _statistic(self, view: ColumnView, contrasts: Sequence[Contrast]) -> Matrix:
        functions = functions_of(view)
        return statistic_of(self.units.sums(functions.values), functions.forms, contrasts)

    def of_pairs(self, progress: Progress | None = None) -> Matrix:
        """Statistics (P, B + 1) of the pairs."""
        held = min(MOST_HELD, 0.25 * self.room)
        found = dependence_changes(
            self.classes, self.pairs, self.units, self.memberships, progress, held
        )
        return scores_of_pairs(found)


def statistic_of(sums: Matrix, forms: Matrix, contrasts: Sequence[Contrast]) -> Matrix:
    """The statistic (B + 1,) of a view from sums (U, r) of its functions over the units."""
    scores = []
    for contrast in contrasts:
        found = contrast.squares(sums)
        scores += [calm_scores(found.values @ form, float(found.noise @ form)) for form in forms]
    return np.asarray(np.max(scores, axis=0))


def scores_of_pairs(changes: Matrix) -> Matrix:
    """Statistics (P, B + 1) from the studentised changes (P, 2, B + 1), which are overwritten."""
    noise = tolerances.rounding(changes.dtype)  # changes are in standard errors
    for summaries in changes:
        summaries[0] = np.max([calm_scores(summary, noise) for summary in summaries], axis=0)
    return changes[:, 0]


def calm_scores(values: Matrix, noise: float) -> Matrix:
    """Normal scores by the moments of all values but the largest hundredth.

    Symmetric in all B + 1 values, so exact; an observed value far out does not hide itself by
    widening the scale it is measured on. Values that differ by ``noise`` only are all 0.
    """
    keep = len(values) - max(1, len(values) // 100)
    calm = np.partition(values, keep - 1)[:keep].astype(np.float64)
    mean, deviation = float(calm.mean()), float(calm.std())
    if deviation <= noise or tolerances.without_spread(values, noise):
        return np.zeros_like(values)
    skewness = float(np.mean((calm - mean) ** 3)) / deviation**3
    return to_normal(values, mean=mean, deviation=deviation, skewness=skewness)
