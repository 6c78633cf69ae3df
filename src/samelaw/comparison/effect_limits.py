"""Effects of all columns together, of each view and of each pair, with limits for all at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from samelaw.comparison.findings import ColumnFinding, PairFinding, known_effect
from samelaw.core.types import Matrix
from samelaw.show.words import two_digits
from samelaw.twotables.design import EFFECT_PERMUTATIONS, PAIRS_KEPT, POWER_SCORE
from samelaw.twotables.effect import effect_size
from samelaw.twotables.effect_intervals import Effect, highest, rows_factor
from samelaw.twotables.joint_test import Examined
from samelaw.twotables.plan import Plan

_MOST_MEASURED = 40  # pairs beside those that are shown: the largest effect is among them


class LargestEffect(NamedTuple):
    """The largest effect, what it was found on, and limits that hold for all at once."""

    value: float
    of: str
    interval: tuple[float, float]


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
    pairs : {number of a pair: Effect}
        Of the pairs that are shown and of those that may have the largest effects.
    pair_count : int
        Pairs that were tested.
    """

    joint: Effect
    views: Sequence[Effect]
    level: float
    pairs: Mapping[int, Effect] = field(default_factory=dict)
    pair_count: int = 0

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
        return cls(joint, alone, plan.level, pairs, len(tests.columns.pairs))

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

        Its lower limit is 0 unless a difference was found; the upper one is that of everything
        that was looked at, named or not.
        """
        candidates = [(self.joint.value, "all columns", self.joint.interval(self.score))]
        candidates += [(known_effect(m), m.name, m.effect_interval) for m in marginals if m.changed]
        candidates += [(known_effect(p), p.name, p.effect_interval) for p in pairs if p.changed]
        value, name, _ = max(candidates, key=lambda item: item[0])
        low = max(interval[0] for _, _, interval in candidates) if significant else 0.0
        high = max(self._highest, *(interval[1] for _, _, interval in candidates))
        return LargestEffect(value, name, (min(low, value), high))

    @cached_property
    def _highest(self) -> float:
        """Above every effect: the largest one passes it only if it passes its own limit.

        So the limits of pairs need no adjusting for their number here; thousands of them would
        otherwise leave room for effects that none of them has.
        """
        own = _quantile(0.5 * self.level)
        alone = highest((self.joint, *self.views), self.score)
        return max(alone, highest(self.pairs.values(), own))

    @property
    def detectable(self) -> float:
        """The effect that stands out of the null spread of the noisiest look at the tables."""
        alone = max(effect.spread for effect in (self.joint, *self.views))
        paired = max((effect.spread for effect in self.pairs.values()), default=0.0)
        scores = (self.score + POWER_SCORE, self.pair_score + POWER_SCORE)
        return min(max(scores[0] * alone, scores[1] * paired), 1.0)

    def sameness(self, bound: float | None, sizes: tuple[int, int]) -> Sameness:
        """Whether all effects are shown to be below a bound.

        Every effect must be below, so the limits need no adjusting for their number: tables that
        differ more in one of them pass only if that limit is wrong. Each has half the level: at
        the whole of it sparse tables were called the same wrongly in up to 8 % of runs.
        """
        score = _quantile(0.5 * self.level)
        limit = highest(self._all, score)
        if bound is None:
            return Sameness(limit, None, None)
        if limit < bound:
            return Sameness(limit, True, None)
        factor = rows_factor(self._all, bound, score)
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


def _quantile(tail: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(1.0 - tail))
