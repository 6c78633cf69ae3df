"""Effects as lines of a table, each with a bar on one axis: a chart that is text.

Names are never cut, the chart is as wide as the page, and a line costs a tenth of a drawing.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from samelaw.comparison.columns.measures import clearest, measure_words
from samelaw.comparison.findings import ColumnFinding, PairFinding

_STEPS = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)  # in powers of ten, at which an axis may end


@dataclass(frozen=True)
class Axis:
    """The scale of effects from 0 to ``end``."""

    end: float

    @classmethod
    def over(cls, found: Iterable[ColumnFinding | PairFinding]) -> "Axis":
        """The shortest axis with a round end that holds what is known, and at most 1."""
        known = (one.effect_interval[1] for one in found if not math.isnan(one.effect))
        return cls(_round_up(max(known, default=1.0)))

    @property
    def ticks(self) -> tuple[float, float, float]:
        return 0.0, 0.5 * self.end, self.end

    def places(self, found: ColumnFinding | PairFinding) -> str:
        """Where the interval begins, how long it is and where the effect lies, as CSS variables.

        No bar if the effect is not known: one from end to end would look like a large one.
        """
        if math.isnan(found.effect):
            return "display:none"
        low, high = (self._share(value) for value in found.effect_interval)
        return f"--l:{low:.1f}%;--w:{high - low:.1f}%;--p:{self._share(found.effect):.1f}%"

    def _share(self, value: float) -> float:
        return 100.0 * min(max(value / self.end, 0.0), 1.0)


def _round_up(value: float) -> float:
    """The next round number, at most 1.

    Examples
    --------
    >>> _round_up(0.17), _round_up(0.0042), _round_up(0.9), _round_up(0.0)
    (0.2, 0.006, 1.0, 0.001)
    """
    value = max(value, 1e-3)
    power = 10.0 ** math.floor(math.log10(value))
    end = next(step * power for step in _STEPS if step * power >= value * (1.0 - 1e-9))
    return min(float(f"{end:.2g}"), 1.0)


@dataclass(frozen=True)
class Line:
    """One finding as a line: what it is of, what happened, how large and how sure."""

    name: str
    tag: str
    how: str
    measured: str
    effect: float
    interval: tuple[float, float]
    pvalue: float
    bar: str


def column_lines(found: Sequence[ColumnFinding], axis: Axis) -> list[Line]:
    """Columns, in the order given."""
    return [
        Line(
            one.column,
            one.aspect,
            one.sentence,
            _measured(one),
            one.effect,
            one.effect_interval,
            one.pvalue,
            axis.places(one),
        )
        for one in found
    ]


def _measured(found: ColumnFinding) -> str:
    measure = clearest(found.measures)
    return measure_words(measure) if measure else ""


def pair_lines(found: Sequence[PairFinding], axis: Axis) -> list[Line]:
    """Pairs, in the order given."""
    return [
        Line(
            one.name,
            "",
            one.sentence,
            "",
            one.effect,
            one.effect_interval,
            one.pvalue,
            axis.places(one),
        )
        for one in found
    ]
