"""Bets always, or on suspicion: pairing rows are spent only while something looks wrong.

Shadow evidence meets training rows again and again: it proves nothing, as they have shaped the
features, but costs nothing either, and says from block to block whether to bet. Wealth that does
not bet waits in a bank. Whether a block bets and how much was decided before it, so moving wealth
between the bank V and what is active M leaves M + V a martingale but for deposits:

- `Ever`: M + V starts at 1; an alarm at M + V ≥ 1/α has a probability of at most α (Ville).
- `RunLength`: a deposit per row, of which the bank keeps no more than a tenth of A (dropping wealth
  is safe), and an alarm at M ≥ A alone: A ≤ E[M_T] ≤ E[T].
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.blocks import block_weights, pair_factors
from samelaw.monitor.every_row import LEAST, Grown, Scene, bits, closer, every_row
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.promises import Promise
from samelaw.monitor.reference import FrozenReference
from samelaw.monitor.score import EXPERTS, Weights

PARTNERS = 4
"""Training rows that each row meets in the shadow."""

START, STOP = 1.5, 0.7
"""Logarithm of the mean shadow evidence at which bets begin, and below which they end."""

MOST_TRAINING = 2_000
"""Training rows that are kept for it."""

MOST = 8.0  # of a logarithm of shadow evidence: what was once suspicious is soon forgotten
LEAK = 0.2
"""What a logarithm loses per block: an expert that has stopped to bet keeps nobody awake."""


@dataclass(frozen=True, eq=False)
class Purse:
    """What a run on suspicion remembers.

    Parameters
    ----------
    shadow : array (experts,)
        Logarithm of the shadow evidence at the start of the block at hand.
    open : array (experts,)
        What the rows of that block have added so far.
    banked : float
    betting : bool
        In the block at hand.
    times : int
        How often bets have begun.
    judged, met : int
        Rows so far, and those of them that met pairing rows.
    """

    shadow: Matrix
    open: Matrix
    banked: float
    betting: bool = False
    times: int = 0
    judged: int = 0
    met: int = 0

    @classmethod
    def of(cls, memory: Mapping[str, Matrix], promise: Promise) -> "Purse":
        """The way back from `memory`; a full bank if there is none."""
        if not memory:
            return cls(np.zeros(EXPERTS), np.zeros(EXPERTS), promise.bank(0.0, 0))
        banked, betting, times, judged, met = memory["purse"]
        counts = int(times), int(judged), int(met)
        return cls(memory["shadow"], memory["open"], float(banked), bool(betting), *counts)

    @property
    def memory(self) -> dict[str, Matrix]:
        counts = (self.banked, self.betting, self.times, self.judged, self.met)
        found = np.array(counts, dtype=np.float64)
        return {"shadow": self.shadow, "open": self.open, "purse": found}


def on_suspicion(scene: Scene) -> Grown:
    """Judge rows, which meet partners only while training rows make the stream look suspicious."""
    layout, purse = scene.layout, Purse.of(scene.memory, scene.promise)
    weights = block_weights(scene.score, scene.sums, layout)
    before, opened = _shadow(scene, weights, purse)  # (blocks, experts)
    bets = _decisions(_mean(before), purse.betting, layout.part)
    meeting = np.broadcast_to(bets[:, None], (layout.blocks, BLOCK))[layout.present]
    met = scene.pairs * np.cumsum(meeting)
    partners = scene.reference.pairing.take(slice(int(met[-1])))
    counts = scene.pairs * meeting
    factors = pair_factors(scene.score, weights, scene.features, partners, layout, counts)
    wealth, staked, evidence, purse = _grown(scene, purse, factors, bets, before)
    told = bits(staked, wealth.sum(axis=1), scene.pairs)
    effects = np.where(meeting & (staked > 0), told, np.nan)
    full = (layout.part + layout.count) % BLOCK == 0
    after = replace(
        purse,
        shadow=_carried(before[-1], opened) if full else before[-1],
        open=np.zeros(EXPERTS) if full else opened,
        betting=bool(bets[-1]),
        judged=purse.judged + layout.count,
        met=purse.met + int(meeting.sum()),
    )
    return Grown(wealth, evidence, effects, met, after.memory)


def _shadow(scene: Scene, weights: Weights, purse: Purse) -> tuple[Matrix, Matrix]:
    """Logarithms (blocks, experts) of shadow evidence at the start of each block.

    And what the rows of the last block add. Not below 0 at the start of a block, as CUSUM has it:
    a long quiet past does not count against a change.
    """
    layout, training = scene.layout, scene.reference.training
    places = (purse.judged * PARTNERS + np.arange(layout.count * PARTNERS)) % len(training)
    partners = training.take(places)
    counts = np.full(layout.count, PARTNERS)
    factors = pair_factors(scene.score, weights, scene.features, partners, layout, counts)
    added = np.log(np.maximum(factors, LEAST)).sum(axis=1)
    added[0] += purse.open
    before: Matrix = np.empty_like(added)
    before[0] = purse.shadow
    for i in range(1, len(added)):
        before[i] = _carried(before[i - 1], added[i - 1])
    return before, added[-1]


def _carried(shadow: Matrix, added: Matrix) -> Matrix:
    return np.clip(shadow + added - LEAK, 0.0, MOST)


def _mean(shadow: Matrix) -> Matrix:
    """Logarithm (blocks,) of the mean shadow evidence of all experts."""
    most = shadow.max(axis=1)
    return np.asarray(most + np.log(np.exp(shadow - most[:, None]).mean(axis=1)))


def _decisions(shadow: Matrix, betting: bool, part: int) -> Matrix:
    """Which blocks bet, from the shadow evidence at their starts; one that is open goes on."""
    found: Matrix = np.zeros(len(shadow), dtype=bool)
    for i, value in enumerate(shadow):
        if i or not part:
            betting = bool(value >= (STOP if betting else START))
        found[i] = betting
    return found


def _grown(
    scene: Scene, purse: Purse, factors: Matrix, bets: Matrix, shadow: Matrix
) -> tuple[Matrix, Matrix, Matrix, Purse]:
    """Active wealth (n, experts) after each row, all of it before (n,), evidence, the bank."""
    layout, promise = scene.layout, scene.promise
    slopes = np.cumprod(factors, axis=1)
    rows = np.diff(layout.edges, append=layout.count)
    active, banked, times, was = scene.wealth, purse.banked, purse.times, purse.betting
    wealth: Matrix = np.zeros_like(factors)
    staked, evidence = np.zeros((2, *factors.shape[:2]))
    for i, bet in enumerate(bets):
        if not i and layout.part:
            pass  # an open block goes on with what it has
        elif bet:
            out = promise.release(banked, times, not was)
            times += not was
            active, banked = active + out * _shares(shadow[i]), banked - out
        elif was:
            active, banked = np.zeros_like(active), banked + float(active.sum())
        wealth[i] = slopes[i] * active
        total = wealth[i].sum(axis=1)
        staked[i] = np.append(active.sum(), total[:-1])
        evidence[i] = promise.evidence(total, banked)
        active, was = wealth[i, -1], bool(bet)
        banked = promise.bank(banked, int(rows[i]))
    after = replace(purse, banked=banked, times=times)
    present = layout.present
    return wealth[present], staked[present], evidence[present], after


def _shares(shadow: Matrix) -> Matrix:
    """Wealth goes to the experts that the shadow has made rich."""
    found = np.exp(shadow - shadow.max())
    return np.asarray(found / found.sum())


@dataclass(frozen=True)
class Judge:
    """How rows become evidence.

    Parameters
    ----------
    suspicion : bool
        Whether rows meet pairing rows only while training rows make the stream look suspicious. As
        exact, and the reference lasts several times as long, so that each row that does bet may
        meet more partners (``pairs=4``).
    """

    suspicion: bool = False

    def grown(self, scene: Scene) -> Grown:
        """Judge rows, none of which wants for partners."""
        return on_suspicion(scene) if self.suspicion else every_row(scene)

    def equip(self, reference: FrozenReference) -> FrozenReference:
        """A reference with no more training rows than are looked at again."""
        kept = MOST_TRAINING if self.suspicion else 0
        return replace(reference, training=reference.training.take(slice(kept)))

    def room(self, reference: FrozenReference, pairs: int) -> int:
        """Rows that can be judged whatever happens."""
        left = len(reference.pairing) // pairs
        return left if self.suspicion else left // closer(left)

    def lasting(self, left: int, memory: Mapping[str, Matrix]) -> int:
        """Rows that can be judged while all is quiet, with partners ``left`` for so many.

        On suspicion at the pace so far.
        """
        judged, met = memory["purse"][3:] if "purse" in memory else (0, 0)
        return int(left * judged / max(met, 1.0)) if judged else left
