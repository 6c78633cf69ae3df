"""From rows to evidence: every row meets pairing rows that nobody has looked at.

Scores are learnt from training rows and the past stream alone, and wealth is multiplied by factors
whose mean is at most 1 while the law stays. Rows after a past that looks suspicious beside training
rows meet up to four times as many, as long as enough of them are left: evidence of a change then
grows half as fast again. In the long run that takes 15 % more of them at the most.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.blocks import Layout, block_weights, pair_factors
from samelaw.monitor.martingale import BLOCK, grow
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
    """What evidence may be made of.

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
    judged : int
        Rows of the run so far.
    evidence : float
        Before the rows.
    wealth : array (experts,)
    memory : {name: array}
        What is remembered from rows before.
    """

    reference: FrozenReference
    features: Features
    sums: Matrix
    layout: Layout
    promise: Promise
    pairs: int
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
    memory: Mapping[str, Matrix]


def every_row(scene: Scene) -> Grown:
    """Judge rows, each of which meets partners; none of them wants for any."""
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


def closer(left: int) -> int:
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
        more = closer(left // pairs)
        if i or not layout.part:
            times = more if suspicious[i] and saved >= (more - 1) * BLOCK else 1
        times = min(times, more)
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
