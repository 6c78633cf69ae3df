"""Every row against all held-out rows: nothing is ever used up.

A score w ≥ 0, bounded, is fixed before a row; its mean over n held-out rows plus an error ε bounds
its mean under their law, for all scores there will ever be at once but for a probability δ. Then

    L = w(y) / (mean of w + ε)

has a mean of at most 1 while the law stays. ε is the empirical Bernstein bound at δ_k for the k-th
refreshment, Σ δ_k = δ. One-sided and never zero: changes that move every w by less than its ε are
never found, however long they last.
"""

from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.evidence import BLOCK, grow
from samelaw.monitor.promises import Ever, Promise
from samelaw.monitor.reference import FrozenReference
from samelaw.monitor.routes import LEAST, Grown, Route, Scene
from samelaw.monitor.score import EXPERTS, STAKES, Features, Score, Weights, window_means

REFRESH = 5
"""Blocks between two refreshments: each looks at all held-out rows."""

LARGEST = 2.0
"""Scores are cut off there, before they are staked: ε grows with their range."""

LEAST_HELD_OUT, MOST_HELD_OUT = 100, 20_000
NAMING = 500
"""Rows kept apart to test the names of an alarm."""

SHARES = tuple(0.5 * stake for stake in STAKES)  # ε asks for smaller bets than pairs do


@dataclass(frozen=True)
class WholeReference(Route):
    """Rows are held to all held-out rows at once, which are never used up.

    Exact for `Ever`, half of whose level goes to the chance that the held-out rows mislead. A
    `RunLength` holds with a probability of 1 − doubt over the draw of the reference. Small changes
    are never found: what is lost is the smaller, the larger the reference (from about 20,000 rows
    on it is as fast as pairs). A new run needs a new reference.

    Parameters
    ----------
    doubt : float
        δ under `RunLength`.
    """

    doubt: float = 0.05

    def judge(self, scene: Scene) -> Grown:
        layout, score = scene.layout, scene.score
        first = (scene.judged - layout.part) // BLOCK
        numbers = (first + np.arange(layout.blocks)) // REFRESH  # of the scores of each block
        weights = _refreshed(score, scene.sums, numbers * REFRESH - first, layout.blocks)
        known = scene.memory.get("bound")
        delta = self.error(scene.promise, scene.number)
        bounds = _bounds(scene.reference, weights, numbers, known, delta)  # (blocks, experts)
        ours = layout.place(_centred(score, scene.features, 0)[..., None])
        waves = layout.place(_centred(score, scene.features, 1)[..., None])
        told = _staked(score.contrasts(weights, ours, waves).swapaxes(1, 2))
        factors = told / bounds[:, None]
        factors[~layout.present] = 1.0
        deposits = scene.promise.deposits(scene.judged, layout.count)
        wealth = grow(scene.wealth, factors, layout.place(deposits[:, None]))[layout.present]
        effects = _bits(factors[layout.present], wealth, scene.wealth)
        memory = {"bound": np.append(float(numbers[-1]), bounds[-1])}
        none = np.zeros(layout.count, dtype=np.int64)
        return Grown(wealth, wealth.sum(axis=1), effects, none, memory)

    def equip(self, reference: FrozenReference) -> FrozenReference:
        """All but a few of the pairing rows are held out; those few test names after an alarm."""
        few = min(NAMING, len(reference.pairing) // 5)
        rest = len(reference.pairing) - few
        if rest < LEAST_HELD_OUT:
            raise ValueError(
                f"WholeReference() would hold out {rest} rows of the reference; it needs at least "
                f"{LEAST_HELD_OUT}, better 5,000: give more, or use another route."
            )
        pairing = reference.pairing
        some = min(rest, MOST_HELD_OUT)
        held_out = pairing.take(slice(few, few + some))
        reference = replace(reference, whole=held_out, pairing=pairing.take(slice(few)))
        return super().equip(reference)

    @property
    def refusal(self) -> str:
        return (
            "WholeReference() needs a new reference for a new run, since the held-out rows have "
            "taken part in the evidence: accept(rows) or accept(collect=2_000)."
        )

    def room(self, reference: FrozenReference, pairs: int) -> int | None:
        return None

    def error(self, promise: Promise, run: int) -> float:
        """δ of a run."""
        return 0.5 / promise.threshold(run) if isinstance(promise, Ever) else self.doubt

    def threshold(self, promise: Promise, run: int) -> float:
        """1/(α − δ) of a run under `Ever`."""
        return promise.threshold(run) * (2.0 if isinstance(promise, Ever) else 1.0)

    def words(self, promise: Promise) -> str:
        if isinstance(promise, Ever):
            return promise.text
        return f"{promise.text}, with a probability of {1 - self.doubt:g} over the reference"


def _refreshed(score: Score, sums: Matrix, places: Matrix, blocks: int) -> Weights:
    """θ of every block as it was at its refreshment, at ``places`` after the first block."""
    start = len(sums) - blocks + int(places[0])
    found = score.weights(*window_means(sums, start, blocks - int(places[0])))
    return found.take(places - places[0])


def _centred(score: Score, features: Features, which: int) -> Matrix:
    """Raw moments (0) or waves (1) less their training means."""
    centre = (score.centre, score.wave_centre)[which]
    return np.asarray(features[which] - centre[:, None].astype(np.float32))


def _staked(scores: Matrix) -> Matrix:
    """w (…, experts) from scores (…, families × windows)."""
    cut = np.clip(scores, -LARGEST, LARGEST)[..., None] * np.array(SHARES)
    return np.asarray(np.exp(cut).reshape(*scores.shape[:-1], EXPERTS))


def _bounds(
    reference: FrozenReference,
    weights: Weights,
    numbers: Matrix,
    known: Matrix | None,
    delta: float,
) -> Matrix:
    """Upper bounds (blocks, experts) of the means of w, one per refreshment."""
    found: Matrix = np.empty((len(numbers), EXPERTS))
    rows = None
    for number in np.unique(numbers):
        blocks = np.flatnonzero(numbers == number)
        if known is not None and known[0] == number:
            found[blocks] = known[1:]
            continue
        if rows is None:
            rows = reference.whole.features(reference.score)
        one = weights.take(blocks[:1])
        found[blocks] = _bound(reference.score, one, rows, int(number), delta)
    return found


def _bound(score: Score, weights: Weights, rows: Features, number: int, delta: float) -> Matrix:
    """Mean of w over the held-out rows, and its error at δ_k shared by all experts."""
    moments, waves = _centred(score, rows, 0)[:, None], _centred(score, rows, 1)[:, None]
    told = _staked(score.contrasts(weights, moments, waves)[0].T)  # (n, experts)
    share = 6.0 * delta / (np.pi**2 * (number + 1.0) ** 2 * EXPERTS)
    return np.asarray(told.mean(axis=0) + bernstein(told, np.ptp(_ends(), axis=0), share))


def _ends() -> Matrix:
    """The least and the largest w (2, experts) there can be."""
    count = EXPERTS // len(SHARES)
    return _staked(np.repeat([[-LARGEST], [LARGEST]], count, axis=1))


def bernstein(values: Matrix, span: Matrix, level: float) -> Matrix:
    """By how much a mean over rows (n, m) may fall short, but for a probability ``level``.

        s √(2 log(2/level)/n) + 7 span log(2/level) / (3(n − 1))

    Examples
    --------
    >>> bernstein(np.array([[0.0], [1.0]] * 500), np.ones(1), 0.05).round(4)
    array([0.0516])
    """
    count, doubt = len(values), np.log(2.0 / level)
    spread = values.std(axis=0, ddof=1)
    return np.asarray(
        spread * np.sqrt(2.0 * doubt / count) + 7.0 * span * doubt / (3.0 * (count - 1.0))
    )


def _bits(factors: Matrix, wealth: Matrix, start: Matrix) -> Matrix:
    """log₂ 2L/(1 + L), averaged over the experts by their wealth: bits, as of a pair."""
    before = np.concatenate([start[None], wealth[:-1]])
    total = before.sum(axis=1)
    mixed = np.divide(
        (before * factors).sum(axis=1), total, out=np.ones(len(total)), where=total > 0
    )
    return np.asarray(np.log2(np.maximum(2.0 * mixed / (1.0 + mixed), LEAST)))
