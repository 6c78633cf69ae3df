"""The effects of all columns together and of each view, with limits that hold for all at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from samelaw.comparison.design import EFFECT_PERMUTATIONS, POWER_SCORE
from samelaw.comparison.effect import Effect, effect_size, rows_factor
from samelaw.comparison.effect_operators import class_operators, joint_operators
from samelaw.comparison.findings import ColumnFinding
from samelaw.comparison.joint_test import JointTest
from samelaw.comparison.plan import Plan
from samelaw.show.words import two_digits

_MOST_UNITS = 4_000


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


@dataclass(frozen=True, eq=False)
class Effects:
    """How far apart the tables are, in all columns together and in each view.

    Parameters
    ----------
    joint : Effect
    views : sequence of Effect
        In the order of the column views.
    level : float
    """

    joint: Effect
    views: Sequence[Effect]
    level: float

    @classmethod
    def of(cls, plan: Plan, tests: JointTest) -> "Effects":
        few = tests.memberships[:EFFECT_PERMUTATIONS]
        views = tests.columns.views
        streams = plan.streams.column_effects.spawn(len(views))
        alone = [
            effect_size(class_operators(view, tests.units), tests.units, few, stream)
            for view, stream in zip(views, streams, strict=True)
        ]
        rng = plan.streams.joint_effect
        units, chosen = tests.units.some(_MOST_UNITS, rng)
        operators = joint_operators(tests.points, units, rng)
        return cls(effect_size(operators, units, few[:, chosen], rng), alone, plan.level)

    @cached_property
    def score(self) -> float:
        """Normal quantile for limits that hold for all effects at once."""
        from scipy.special import ndtri

        return float(ndtri(1.0 - self.level / (2 * (len(self.views) + 1))))

    def largest(self, marginals: Sequence[ColumnFinding], significant: bool) -> LargestEffect:
        """The largest effect; its lower limit is 0 unless a difference was found."""
        candidates = [(self.joint.value, "all columns", self.joint.interval(self.score))]
        candidates += [(found.effect, found.name, found.effect_interval) for found in marginals]
        value, name, _ = max(candidates, key=lambda item: item[0])
        low = max(interval[0] for _, _, interval in candidates) if significant else 0.0
        high = max(interval[1] for _, _, interval in candidates)
        return LargestEffect(value, name, (min(low, value), high))

    @property
    def detectable(self) -> float:
        """The effect that stands out of the null spread of the noisiest look at the tables."""
        spread = max(effect.spread for effect in (self.joint, *self.views))
        return min((self.score + POWER_SCORE) * spread, 1.0)

    def sameness(self, bound: float | None, sizes: tuple[int, int]) -> Sameness:
        """Whether all effects are shown to be below a bound.

        Every effect must be below, so the limits need no adjusting for their number: tables that
        differ more in one of them pass only if that limit is wrong. Each has half the level: at
        the whole of it sparse tables were called the same wrongly in up to 8 % of runs.
        """
        from scipy.special import ndtri

        score = float(ndtri(1.0 - 0.5 * self.level))
        effects = (self.joint, *self.views)
        limit = max(effect.interval(score)[1] for effect in effects)
        if bound is None:
            return Sameness(limit, None, None)
        if limit < bound:
            return Sameness(limit, True, None)
        factor = rows_factor(effects, bound, score)
        if factor is None:
            return Sameness(limit, False, None)
        n, m = (two_digits(factor * size) for size in sizes)
        return Sameness(limit, False, (n, m))
