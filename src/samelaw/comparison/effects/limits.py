"""Effects of all columns together, of each view and of each pair, with limits for all at once."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from samelaw.comparison.constants import EFFECT_PERMUTATIONS, PAIRS_KEPT, POWER_SCORE
from samelaw.comparison.effects.effect import effect_size
from samelaw.comparison.effects.intervals import Effect, rows_factor, widest
from samelaw.comparison.effects.operators import dependence_part
from samelaw.comparison.examined import Examined
from samelaw.comparison.findings import ColumnFinding, PairFinding
from samelaw.comparison.plan import Plan
from samelaw.core.types import Matrix
from samelaw.results.words import two_digits
from samelaw.tables.columns.column import Kind

_MOST_MEASURED = 40  # pairs beside those that are shown: the largest effect is among them
_ORDERED = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME)

ALL_COLUMNS = "all columns"


class LargestEffect(NamedTuple):
    """The largest effect, what it was found on, and limits that hold for all at once."""

    value: float
    of: str
    interval: tuple[float, float]


class Look(NamedTuple):
    """A number of all columns together, of a view or of a pair."""

    of: str
    value: float


class Sameness(NamedTuple):
    """Upper limit of all effects, whether it is low enough, and the rows it would take."""

    limit: float
    same: bool | None
    rows_needed: tuple[int, int] | None

    def unless(self, differs: bool) -> "Sameness":
        """The same, but never shown where the tables differ in their columns."""
        asked = self.same is not None
        return self._replace(same=False, rows_needed=None) if differs and asked else self


@dataclass(frozen=True, eq=False)
class Effects:
    """How far apart the tables are, in all columns together, in each view and in each pair.

    Parameters
    ----------
    joint : Effect
    views : sequence of Effect
        In the order of the column views.
    level : float
    names : sequence of str
        Of all columns together, of each view and of each of ``pairs``.
    pairs : {number of a pair: Effect}
        Of the pairs that are shown and of those that may have the largest effects.
    pair_count : int
        Pairs that were tested.
    dependence : {number of a pair: float}
        Of pairs of which a column changed alone, the part of the effect that is its dependence.
    """

    joint: Effect
    views: Sequence[Effect]
    level: float
    names: Sequence[str]
    pairs: Mapping[int, Effect] = field(default_factory=dict)
    pair_count: int = 0
    dependence: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, tests: Examined) -> "Effects":
        few = tests.memberships[:EFFECT_PERMUTATIONS]
        operators, count = tests.operators, len(tests.columns.views)
        streams = plan.streams.column_effects.spawn(count)
        alone = [
            effect_size(operators.of_view(i), tests.units, few, stream)
            for i, stream in zip(range(count), streams, strict=True)
        ]
        rng = plan.streams.joint_effect
        joint_operators, units, chosen = operators.of_all(rng)
        joint = effect_size(joint_operators, units, few[:, chosen], rng)
        pairs = _of_pairs(plan, tests, few)
        names = [view.name for view in tests.columns.views]
        paired = [" × ".join(names[i] for i in tests.columns.pairs[k]) for k in pairs]
        looks = (ALL_COLUMNS, *names, *paired)
        count, parts = len(tests.columns.pairs), _dependence(plan, tests, pairs)
        return cls(joint, alone, plan.level, looks, pairs, count, parts)

    def of_dependence(self, k: int) -> tuple[float, tuple[float, float]]:
        """The effect of the dependence of a pair and its limits; of what is not known, NaN.

        What its columns did alone is taken off, also off the limits.
        """
        effect = self.pairs.get(k)
        if effect is None:
            return math.nan, (0.0, 1.0)
        low, high = effect.interval(self.pair_score)
        value = min(effect.value, self.dependence.get(k, effect.value))
        alone = effect.value - value
        return value, (max(low - alone, 0.0), max(high - alone, value))

    @cached_property
    def score(self) -> float:
        """Normal quantile for limits that hold for all effects at once; pairs count as one view."""
        return _quantile(self.level / (2 * self._members))

    @cached_property
    def pair_score(self) -> float:
        """The same for the effect of one of the pairs, which share what one view has."""
        return _quantile(self.level / (2 * self._members * max(self.pair_count, 1)))

    @property
    def _members(self) -> int:
        return 1 + len(self.views) + bool(self.pair_count)

    @property
    def _all(self) -> Sequence[Effect]:
        return (self.joint, *self.views, *self.pairs.values())

    def largest(
        self,
        marginals: Sequence[ColumnFinding],
        pairs: Sequence[PairFinding],
        significant: bool,
    ) -> LargestEffect:
        """The largest effect of all columns together and of what was found to have changed.

        Its lower limit is 0 unless a difference was found, and else the largest of all these: it
        is no smaller than any of them. The upper limit is its own, and decides between equals.
        """
        candidates = [(self.joint.value, ALL_COLUMNS, self.joint.interval(self.score))]
        found: list[ColumnFinding | PairFinding] = [*marginals, *pairs]
        known = (one for one in found if one.changed and not math.isnan(one.effect))
        candidates += [(one.effect, one.name, one.effect_interval) for one in known]
        value, name, own = max(candidates, key=lambda item: (item[0], item[2][1]))
        low = max(interval[0] for _, _, interval in candidates) if significant else 0.0
        return LargestEffect(value, name, (min(low, value), own[1]))

    @property
    def detectable(self) -> float:
        """The effect of all columns together that stands out of its null spread."""
        return self._detectable[0]

    @property
    def hardest(self) -> Look:
        """The look with the widest null spread, and the effect that stands out of it."""
        found = self._detectable
        place = int(np.argmax(found))
        return Look(self.names[place], found[place])

    @property
    def _detectable(self) -> list[float]:
        scores = [self.score] * (1 + len(self.views)) + [self.pair_score] * len(self.pairs)
        return [
            min((score + POWER_SCORE) * effect.spread, 1.0)
            for score, effect in zip(scores, self._all, strict=True)
        ]

    @cached_property
    def widest(self) -> Look:
        """The look with the largest upper limit of its effect, each at half the level.

        Every effect is below that limit, which needs no adjusting for their number: it is too low
        only if the own limit of the largest effect is.
        """
        place, limit = widest(self._all, self._own_score)
        return Look(self.names[place], limit)

    @property
    def _own_score(self) -> float:
        return _quantile(0.5 * self.level)

    def sameness(self, bound: float | None, sizes: tuple[int, int]) -> Sameness:
        """Whether all effects are shown to be below a bound.

        Every effect must be below, so the limits need no adjusting for their number: tables that
        differ more in one of them pass only if that limit is wrong. Each has half the level: at
        the whole of it sparse tables were called the same wrongly in up to 8 % of runs.
        """
        limit = self.widest.value
        if bound is None:
            return Sameness(limit, None, None)
        if limit < bound:
            return Sameness(limit, True, None)
        factor = rows_factor(self._all, bound, self._own_score)
        if factor is None:
            return Sameness(limit, False, None)
        n, m = (two_digits(factor * size) for size in sizes)
        return Sameness(limit, False, (n, m))


def _of_pairs(plan: Plan, tests: Examined, few: Matrix) -> dict[int, Effect]:
    """Effects of the pairs that are shown and of those that may have the largest, by number."""
    columns = tests.columns
    if not columns.pairs:
        return {}
    shown = np.argsort(tests.steps.adjusted[2], kind="stable")[:PAIRS_KEPT]
    largest = np.argsort(-tests.operators.apart(), kind="stable")[:_MOST_MEASURED]
    chosen = sorted({int(k) for k in (*shown, *largest)})
    streams = plan.streams.pair_effects.spawn(len(chosen))
    found = {}
    for k, stream in zip(chosen, streams, strict=True):
        found[k] = effect_size(tests.operators.of_pair(k), tests.units, few, stream)
    return found


def _dependence(plan: Plan, tests: Examined, pairs: Iterable[int]) -> dict[int, float]:
    """The part of effects that is dependence, where a column of the pair changed alone."""
    moved, views = tests.steps.adjusted[1] <= plan.level, tests.columns.views
    ordered = [not view.missing and view.column.kind in _ORDERED for view in views]
    looks = ((k, tests.columns.pairs[k]) for k in pairs)
    return {
        k: dependence_part(tests.operators.cells(k), (ordered[i], ordered[j]))
        for k, (i, j) in looks
        if moved[i] or moved[j]
    }


def _quantile(tail: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(1.0 - tail))
