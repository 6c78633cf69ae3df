"""Many pairs as one map: a cell for two columns, darker where they changed more."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from samelaw.comparison.findings import PairFinding, known_effect
from samelaw.results.words import decimal

MOST_NAMES = 30


@dataclass(frozen=True)
class Cell:
    """Two columns that no longer go together as before; an empty one is none."""

    shade: int = 0
    said: str = ""


@dataclass(frozen=True)
class PairMap:
    """The lower triangle of all pairs of some columns; row i has i cells.

    Parameters
    ----------
    names : sequence of str
        Those with the most changed pairs first.
    rows : sequence of sequences of Cell
    left : int
        Columns that found no room.
    """

    names: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    left: int

    @classmethod
    def of(cls, pairs: Sequence[PairFinding]) -> "PairMap":
        changed = [pair for pair in pairs if pair.changed]
        often = Counter(name for pair in changed for name in pair.names)
        every = [name for name, _ in often.most_common()]
        names = every[:MOST_NAMES]
        largest = max((known_effect(pair) for pair in changed), default=0.0) or 1.0
        cells = {
            frozenset(pair.names): Cell(
                round(20 + 80 * known_effect(pair) / largest),
                f"{pair.name}: {pair.sentence}, effect {decimal(pair.effect)}",
            )
            for pair in changed
        }
        rows = [
            [cells.get(frozenset((name, other)), Cell()) for other in names[:place]]
            for place, name in enumerate(names)
        ]
        return cls(names, rows, len(every) - len(names))
