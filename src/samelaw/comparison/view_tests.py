"""Statistics of every column view, and of every pair of them, under all permutations.

Whatever is compared column by column is a handful of functions of a row; their sums over units
are enough. In double precision throughout: what is the same for every permutation then differs by
errors far below any spread that means something. Pairs are looked at in classes, each table by its
own ranks (`twotables.pair_tests`).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np

from samelaw.comparison.columns.functions import functions_of, known_rows
from samelaw.comparison.constants import MOST_PAIRS, SHARES, TYPICAL
from samelaw.comparison.contrasts import Contrast, contrasts_of, keeping_known
from samelaw.comparison.pairs.classes import Classes, classes_of, kind_of
from samelaw.comparison.pairs.tests import MOST_HELD, dependence_changes
from samelaw.core import tolerances
from samelaw.core.memory import DEFAULT
from samelaw.core.types import Matrix, Progress
from samelaw.tables.columns.column import Column
from samelaw.tables.columns.views import ColumnView, compared_views
from samelaw.testing.permuting.stepdown import StepDown, step_down, without_largest
from samelaw.testing.permuting.units import Units
from samelaw.testing.standardize import to_normal

_PAIR = 8.0  # bytes per pair and permutation: two summaries
_TOO_NARROW = 2.0  # times a deviation that values with chance alone in their spread stay within


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
        sums, known = self.units.sums(functions.values), known_rows(view)
        counts = None if known is None else self.units.sums(known[:, None])[:, 0]
        return statistic_of(sums, functions.forms, contrasts, counts)

    def given_known(self, some: Sequence[int], rng: np.random.Generator) -> Matrix:
        """``alone``, with both tables keeping their numbers of known values in these views.

        Permuted tables know other numbers of values than the observed ones where the share of
        missing values moved. These are exact for "the known values kept their law" whatever
        became of the share, as far as rows are permuted one by one; blocks and whole groups stay
        as they are.
        """
        found = self.alone.copy()
        if self.units.whole or bool(np.any(self.units.sizes != 1.0)):
            return found
        for i in some:
            known = known_rows(self.views[i])
            if known is not None:
                own = self.units.arrange(known)
                settled = keeping_known(self.memberships, own, self.units.labels, rng)
                contrasts = list(contrasts_of(self.units, settled))
                found[i] = self._statistic(self.views[i], contrasts)
        return found

    def of_pairs(self, progress: Progress | None = None) -> Matrix:
        """Statistics (P, B + 1) of the pairs."""
        held = min(MOST_HELD, 0.25 * self.room)
        found = dependence_changes(
            self.classes, self.pairs, self.units, self.memberships, progress, held
        )
        return scores_of_pairs(
            found, [kind_of(self.classes[i], self.classes[j]) for i, j in self.pairs]
        )


def steps_of(
    joint: Matrix, alone: Matrix, paired: Matrix, views: Sequence[ColumnView], level: float
) -> StepDown:
    """Adjusted p-values of all columns together (B + 1,), of the views (H, B + 1) and of pairs.

    Whether values are missing more often is a question of its own, with a level of its own: among
    the columns it would pay for what these may do in many ways.
    """
    holes = np.array([view.missing for view in views], dtype=bool)
    steps = step_down((joint[None], alone[~holes], alone[holes], paired), level, SHARES)
    whole, values, missing, pairs = steps.adjusted
    found = np.empty(len(views))
    found[~holes], found[holes] = values, missing
    return replace(steps, adjusted=[whole, found, pairs])


def statistic_of(
    sums: Matrix, forms: Matrix, contrasts: Sequence[Contrast], known: Matrix | None = None
) -> Matrix:
    """The statistic (B + 1,) of a view from sums (U, r) of its functions over the units.

    ``known`` (U,) says how many rows of each unit have a value, if not all of them.
    """
    scores = []
    for contrast in contrasts:
        found = contrast.squares(sums, known)
        values, noise = found.values @ forms.T, forms @ found.noise  # (B + 1, f), (f,)
        moments = contrast.moments(sums, forms, known)
        if moments is None:
            scores += [calm_scores(*each) for each in zip(values.T, noise, strict=True)]
        else:
            scores_by = exact_scores if known is None else nearly_exact_scores
            scores += [scores_by(*each) for each in zip(values.T, noise, *moments, strict=True)]
    return np.asarray(np.max(scores, axis=0))


def exact_scores(
    values: Matrix, noise: float, mean: float, deviation: float, skewness: float
) -> Matrix:
    """Normal scores by moments over all permutations; those of some would add their own chance."""
    if deviation <= noise or tolerances.without_spread(values, noise):
        return np.zeros_like(values)
    return to_normal(values, mean=mean, deviation=deviation, skewness=skewness)


def nearly_exact_scores(
    values: Matrix, noise: float, mean: float, deviation: float, skewness: float
) -> Matrix:
    """The same by moments that hold for tables that know as many values as they would on average.

    Permuted ones know more or fewer. Of a single row that differs that is all there is: in either
    of two equal tables it says the same, the moments have no spread, and what is next to nothing
    would be hundreds of deviations and drown every other view.
    """
    if deviation * _TOO_NARROW < float(without_largest(values).std()):
        return calm_scores(values, noise)
    return exact_scores(values, noise, mean, deviation, skewness)


def scores_of_pairs(changes: Matrix, kinds: Sequence[tuple[int, int]]) -> Matrix:
    """Statistics (P, B + 1) from the studentised changes (P, 2, B + 1), which are overwritten.

    ``kinds`` says which pairs have changes of nearly one law (`pair_classes.kind_of`).
    """
    noise = tolerances.rounding(changes.dtype)  # changes are in standard errors
    moments = np.array([[calm_moments(values, noise) for values in pair] for pair in changes])
    for summaries, own in zip(changes, _typical(moments, kinds, changes.shape[-1]), strict=True):
        scores = [_scores(values, *each) for values, each in zip(summaries, own, strict=True)]
        summaries[0] = np.max(scores, axis=0)
    return changes[:, 0]


def _typical(moments: Matrix, kinds: Sequence[tuple[int, int]], count: int) -> Matrix:
    """Moments (P, 2, 3), each nearer to the mean over its kind the fewer permutations there are.

    Those of few permutations have a chance of their own, which would be the largest part of what
    p-values differ by between seeds.
    """
    own, found = count / (count + TYPICAL), moments.copy()
    for kind in set(kinds):
        alike = np.array([each == kind for each in kinds])
        for summary in range(moments.shape[1]):
            some = alike & (moments[:, summary, 1] > 0.0)
            if some.any():
                mean = moments[some, summary].mean(axis=0)
                found[some, summary] = own * moments[some, summary] + (1.0 - own) * mean
    return found


def calm_scores(values: Matrix, noise: float) -> Matrix:
    """Normal scores by the moments of all values but the largest hundredth.

    Symmetric in all B + 1 values, so exact; an observed value far out does not hide itself by
    widening the scale it is measured on. Values that differ by ``noise`` only are all 0.
    """
    return _scores(values, *calm_moments(values, noise))


def calm_moments(values: Matrix, noise: float) -> tuple[float, float, float]:
    """Mean, second and third central moment of all values but the largest; 0 for ``noise`` only."""
    calm = without_largest(values)
    mean, deviation = float(calm.mean()), float(calm.std())
    if deviation <= noise or tolerances.without_spread(values, noise):
        return 0.0, 0.0, 0.0
    return mean, deviation**2, float(np.mean((calm - mean) ** 3))


def _scores(values: Matrix, mean: float, variance: float, cubes: float) -> Matrix:
    if variance <= 0.0:
        return np.zeros_like(values)
    return to_normal(values, mean=mean, deviation=variance**0.5, skewness=cubes / variance**1.5)
