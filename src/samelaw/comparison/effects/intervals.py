"""An effect as it was found, and the effects that could have given it: its limits."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from samelaw.testing.standardize import from_normal

BEND = 1.5  # 0.7 for two classes, more where even tables far apart share directions
_MOST_DOUBT = 0.3  # effects from which on the bias may have gone altogether
_RAISED = 0.5  # at most so much more bias than at 0 where the tables differ in all classes


@dataclass(frozen=True)
class Effect:
    """An effect in [0, 1] and how well it is known.

    Attributes
    ----------
    value : float
        Bias-corrected, not below 0.
    spread : float
        Standard deviation under permutation: what is open when the tables are alike.
    skewness : float
        Of the values under permutation.
    growth : float
        What each unit of effect adds to the variance near 0, by the influence of the rows.
    unseen : float
        The value over the units of the smaller table: what one more row could have said where
        the tables seem to have nothing in common.
    doubt : float
        The bias that is left where the tables are alike. It goes when they part, the sooner the
        fewer classes they share; how far it has gone is not known.
    """

    value: float
    spread: float
    skewness: float
    growth: float
    unseen: float
    doubt: float = 0.0

    @property
    def error(self) -> float:
        """The standard error if the value were the truth."""
        return math.sqrt(self._variance(self.value))

    def interval(self, score: float) -> tuple[float, float]:
        """The effects θ that would not be surprised by the value, within [0, 1].

        The law of an estimate is taken as if θ were true: at 0 that of permuted tables, with its
        long upper tail; away from 0 closer and closer to a normal law.
        """
        low = _root(lambda theta: self._above(theta, score) - self.value, 0.0, self.value)
        return low, self.upper(score)

    def upper(self, score: float) -> float:
        """The upper end of the interval."""
        return _root(lambda theta: self._above(theta, -score) - self.value, self.value, 1.0)

    def is_below(self, bound: float, score: float) -> bool:
        """Whether the upper end is: an effect as large as the bound would be surprised."""
        return self.value <= bound and self._above(bound, -score) >= self.value

    def with_rows(self, factor: float) -> "Effect":
        """The same value known from so many times as many rows."""
        return replace(
            self,
            spread=self.spread / factor,
            growth=self.growth / factor,
            unseen=self.unseen / factor,
            doubt=self.doubt / factor,
        )

    def _above(self, theta: float, score: float) -> float:
        """The quantile of an estimate of θ that belongs to a normal score.

        Near 0 variance and third cumulant grow with θ as those of a noncentral χ² do.
        """
        cumulant = self.skewness * self.spread**3 + 1.5 * self._slope(theta) ** 2 * theta
        deviation = math.sqrt(self._variance(theta))
        chance = deviation * from_normal(score, cumulant / max(deviation, 1e-12) ** 3)
        off = min(self.doubt, _MOST_DOUBT) * min(theta / _MOST_DOUBT, 1.0)
        return theta + chance + (_RAISED * off if score > 0.0 else -off)

    def _variance(self, theta: float) -> float:
        return self.spread**2 + self._slope(theta) * theta + self.unseen**2

    def _slope(self, theta: float) -> float:
        """What an effect adds to the variance, per unit of it: ever less, for none exceeds 1.

        Were it the same at all effects, an estimate that is too large by chance, and whose rows
        then vary too little, would get a lower limit above the truth too often.
        """
        return self.growth * float((1.0 - theta) ** BEND)


def widest(effects: Iterable[Effect], score: float) -> tuple[int, float]:
    """Which of the effects has the largest upper limit, and that limit; 0 if there are none."""
    place, found = 0, 0.0
    for i, effect in enumerate(effects):
        if not effect.is_below(found, score):
            place, found = i, effect.upper(score)
    return place, found


def rows_factor(effects: Sequence[Effect], bound: float, score: float) -> float | None:
    """How many times the rows put the upper limits of all effects below a bound.

    None if no number would: an effect, taken as it is, is not below.
    """
    if max(effect.value for effect in effects) >= bound:
        return None

    def slack(power: float) -> float:
        return bound - widest((e.with_rows(2.0**power) for e in effects), score)[1]

    return float(2.0 ** _root(slack, -10.0, 40.0))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function changes its sign, or the end it stays on the side of.

    By false position, of which an end that stays counts half (Illinois); every third step halves.
    """
    below, above = function(low), function(high)
    if below >= 0.0 or above <= 0.0:
        return low if below >= 0.0 else high
    close = 1e-10 * (high - low)
    for step in range(1, 121):
        share = 0.5 if step % 3 == 0 else below / (below - above)
        middle = low + share * (high - low)
        value = function(middle)
        if value == 0.0 or high - low <= close:
            return middle
        if value < 0.0:
            low, below, above = middle, value, 0.5 * above
        else:
            high, above, below = middle, value, 0.5 * below
    return 0.5 * (low + high)
