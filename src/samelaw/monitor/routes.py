"""Routes from rows to evidence: what a row of the stream is held to, and what that costs.

Whichever route is taken, scores are learnt from training rows and the past stream alone, and the
route multiplies wealth by factors whose mean is at most 1 while the law stays.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.evidence import BLOCK, grow
from samelaw.monitor.judging import Layout, block_weights, pair_factors
from samelaw.monitor.promises import Promise
from samelaw.monitor.reference import FrozenReference
from samelaw.monitor.score import Features, Score

CLOSER = 4
"""Times as many partners a row meets, at the most, while the stream looks suspicious."""

THRIFT = 250
"""So many times those partners must be left, so that the last rows are not spent on suspicion."""

SPARE, ALLOWANCE = 400.0, 0.15
"""Partners beyond the usual that suspicion may spend at once, and what it gains with every row."""

LEAST = 1e-12  # of a factor: its logarithm stays finite


@dataclass(frozen=True, eq=False)
class Scene:
    """What a route may look at.

    Parameters
    ----------
    reference : FrozenReference
    features : Features
        Of the rows.
    sums : array (b + blocks, size)
        Of past blocks and of those that come now; a block is judged by those before it.
    layout : Layout
        Where the rows fall in blocks.
    promise : Promise
    pairs : int
    number, judged : int
        Of the run; rows it has judged.
    evidence : float
        Before the rows.
    wealth : array (experts,)
    memory : {name: array}
        What the route remembers from rows before.
    """

    reference: FrozenReference
    features: Features
    sums: Matrix
    layout: Layout
    promise: Promise
    pairs: int
    number: int
    judged: int
    evidence: float
    wealth: Matrix
    memory: Mapping[str, Matrix]

    @property
    def score(self) -> Score:
        return self.reference.score


@dataclass(frozen=True, eq=False)
class Grown:
    """What rows have come to.

    Parameters
    ----------
    wealth : array (n, experts)
        After each row.
    evidence : array (n,)
    effects : array (n,)
        Bits by which each row was told from the reference; NaN where nothing was asked.
    met : array (n,)
        Pairing rows that the rows up to each have met.
    memory : {name: array}
        After all rows; after an alarm it is of no use.
    """

    wealth: Matrix
    evidence: Matrix
    effects: Matrix
    met: Matrix
    memory: Mapping[str, Matrix] = field(default_factory=dict)


class Route(ABC):
    """How rows become evidence."""

    @abstractmethod
    def judge(self, scene: Scene) -> Grown:
        """Judge rows, none of which wants for partners."""

    def equip(self, reference: FrozenReference) -> FrozenReference:
        """A reference with no more rows than the route needs."""
        return replace(reference, training=reference.training.take(slice(0)))

    @property
    def refusal(self) -> str:
        """Why there can be no new run on the same reference, if there cannot."""
        return ""

    def room(self, reference: FrozenReference, pairs: int) -> int | None:
        """Rows that can be judged whatever happens; None: any number."""
        return len(reference.pairing) // pairs

    def lasting(self, left: int, memory: Mapping[str, Matrix]) -> int:
        """Rows that can be judged while all is quiet, with partners ``left`` for so many."""
        return left

    def threshold(self, promise: Promise, run: int) -> float:
        """The evidence at which a run, counted from 1, raises its alarm."""
        return promise.threshold(run)

    def words(self, promise: Promise) -> str:
        """The promise as it holds on this route."""
        return promise.text

    def to_dict(self) -> dict[str, Any]:
        """Its name and parameters as plain values; `route_from` is the way back."""
        return {"name": type(self).__name__, **asdict(self)}  # type: ignore[call-overload]


@dataclass(frozen=True)
class Always(Route):
    """Every row meets pairing rows that nobody has looked at: exact, and the fastest per row.

    Rows after a past that looks suspicious beside training rows meet up to four times as many,
    as long as enough of them are left: evidence of a change then grows half as fast again. In the
    long run that takes 15 % more of them at the most.
    """

    def judge(self, scene: Scene) -> Grown:
        layout = scene.layout
        weights = block_weights(scene.score, scene.sums, layout)
        counts, spare = _counts(
            weights.suspicious,
            layout,
            len(scene.reference.pairing),
            scene.pairs,
            scene.memory.get("spare", np.array([SPARE, 1.0])),
        )
        met = np.cumsum(counts)
        partners = scene.reference.pairing.take(slice(int(met[-1])))
        factors = pair_factors(scene.score, weights, scene.features, partners, layout, counts)
        deposits = scene.promise.deposits(scene.judged, layout.count)
        wealth = grow(scene.wealth, factors, layout.place(deposits[:, None]))[layout.present]
        evidence = wealth.sum(axis=1)
        effects = bits(np.append(scene.evidence, evidence[:-1]) + deposits, evidence, counts)
        return Grown(wealth, evidence, effects, met, {"spare": spare})

    def room(self, reference: FrozenReference, pairs: int) -> int | None:
        left = len(reference.pairing) // pairs
        return left // _closer(left)


def _closer(left: int) -> int:
    """How many times as many partners a suspicious row meets, with partners left for so many."""
    return max(1, min(CLOSER, left // THRIFT))


def _counts(
    suspicious: Matrix, layout: Layout, left: int, pairs: int, spare: Matrix
) -> tuple[Matrix, Matrix]:
    """Partners (count,) of each row, known before any of its block is looked at; what is spare.

    Parameters
    ----------
    left : int
        Pairing rows.
    spare : array (2,)
        Partners beyond the usual that may be spent, in times of ``pairs``; how many times as many
        the block at hand meets, if rows of it came before.
    """
    saved, times = float(spare[0]), int(spare[1])
    found, rows = [], np.diff(layout.edges, append=layout.count)
    for i, count in enumerate(rows.tolist()):
        closer = _closer(left // pairs)
        if i or not layout.part:
            times = closer if suspicious[i] and saved >= (closer - 1) * BLOCK else 1
        times = min(times, closer)
        saved = min(SPARE, saved + ALLOWANCE * count) - (times - 1) * count
        left -= pairs * times * count
        found.append(pairs * times)
    return np.repeat(found, rows), np.array([saved, float(times)])


def bits(before: Matrix, after: Matrix, pairs: int | Matrix) -> Matrix:
    """Bits by which each row was told from its partners, of as many as there could be.

    After over before is the mean of all experts' L, weighted by the wealth they had before.
    """
    with np.errstate(invalid="ignore"):  # beyond the alarm nobody looks
        factor = np.divide(after, before, out=np.ones_like(before), where=before > 0)
    return np.asarray(np.log(np.maximum(factor, LEAST)) / np.log(pairs + 1.0))
