"""Rows after an alarm: they were not selected, so they can test the names the alarm gave.

The score of the alarm and the names it gave are fixed from there on. Every further row meets one
pairing row that nobody has looked at, and each name multiplies its own evidence, with a score that
looks at nothing but the columns it names: exact at any time one cares to look, as an alarm is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import rankdata

from samelaw.core.types import Matrix
from samelaw.monitor.martingale import pair_evidence
from samelaw.monitor.reference import Rows
from samelaw.monitor.score import STAKES, Score
from samelaw.testing.permuting.stepdown import holm

MOST_TESTED = 500
"""Rows after an alarm, at the most, that are spent on its names."""

ENOUGH = 10_000.0
"""Evidence at which a name needs no further rows."""

SCALES = (1.0, 0.5, 0.25, 0.125, 0.0)
PIECE = 50
LEAST = 1e-12  # of a factor: its logarithm stays finite
MOST_STANDING = 10
PERMUTATIONS = 999
MOST_PARTNERS = 200
"""Hold-out rows that rows after an alarm are held to; for a description they serve again."""


@dataclass(frozen=True, eq=False)
class Aftermath:
    """What follows an alarm.

    Parameters
    ----------
    lead : array (size,)
        θ of the expert that raised the alarm.
    names : array (m, size)
        θ of what it named, each of one or two columns.
    wealth : array (m, stakes)
        Of each name.
    peak : array (m,)
        The most evidence a name has had.
    tested : int
        Rows that were spent on the names.
    standing : array (r, 2)
        Rows of the stream, counted from 0, and their scores, the highest first.
    growth : array (scales,)
        Bits gained so far with the score of the alarm at each of its SCALES.
    """

    lead: Matrix
    names: Matrix
    wealth: Matrix
    peak: Matrix
    tested: int
    standing: Matrix
    growth: Matrix

    @classmethod
    def start(cls, lead: Matrix, names: Matrix) -> "Aftermath":
        count = len(names)
        wealth = np.full((count, len(STAKES)), 1.0 / len(STAKES))
        return cls(lead, names, wealth, np.ones(count), 0, np.zeros((0, 2)), np.zeros(len(SCALES)))

    def room(self, rows: int, partners: int) -> int:
        """How many of so many rows are to be spent on the names."""
        if not len(self.peak) or bool(np.all(self.peak >= ENOUGH)):
            return 0
        return min(rows, partners, MOST_TESTED - self.tested)

    def testing(self, score: Score, rows: Rows, partners: Rows) -> "Aftermath":
        """With rows and as many pairing rows, each met once, until all names have enough."""
        if not len(rows):
            return self
        apart = self.names @ (centred(score, partners) - centred(score, rows))  # (m, n)
        factors = pair_evidence((apart[:, None] * np.array(STAKES)[:, None])[None])
        wealth = self.wealth[..., None] * np.cumprod(factors, axis=-1)  # (m, stakes, n)
        peaks = np.maximum.accumulate(np.column_stack([self.peak, wealth.sum(axis=1)]), axis=1)
        enough = np.flatnonzero(peaks.min(axis=0) >= ENOUGH)
        used = int(enough[0]) if len(enough) else len(rows)
        return replace(
            self,
            wealth=wealth[..., used - 1].copy(),
            peak=peaks[:, used].copy(),
            tested=self.tested + used,
        )

    def noticing(self, numbers: Matrix, scores: Matrix) -> "Aftermath":
        """With the rows of these numbers among those that may stand out."""
        found = np.concatenate([self.standing, np.column_stack([numbers, scores])])
        order = np.argsort(-found[:, 1], kind="stable")[:MOST_STANDING]
        return replace(self, standing=found[order])

    def measuring(self, scores: Matrix, partners: Matrix) -> tuple["Aftermath", Matrix]:
        """With rows of these scores, and their effects (n,) beside hold-out rows.

        Few rows made the score of an alarm, so it may say too much: rows since then decide at
        which of its scales it is read, each of them by those before it.
        """
        growth, effects = self.growth, []
        for start in range(0, len(scores), PIECE):
            factors = _told(scores[start : start + PIECE], partners[:MOST_PARTNERS])
            shares = np.exp2(growth - growth.max())
            mixed = np.tensordot(shares / shares.sum(), factors, axes=1)  # (n, partners)
            effects.append(np.log2(np.maximum(mixed, LEAST)).mean(axis=1))
            growth = growth + np.log2(np.maximum(factors, LEAST)).mean(axis=2).sum(axis=1)
        return replace(self, growth=growth), np.concatenate([*effects, np.zeros(0)])

    @property
    def pvalues(self) -> list[float] | None:
        """Of all names together (Holm), none as long as no row has tested them."""
        return holm(np.minimum(1.0, 1.0 / self.peak)).tolist() if self.tested else None

    def state(self) -> dict[str, Matrix]:
        found = {f"after.{name}": value for name, value in vars(self).items() if name != "tested"}
        return found | {"after.tested": np.array([self.tested])}

    @classmethod
    def from_state(cls, arrays: Mapping[str, Matrix]) -> "Aftermath | None":
        if "after.tested" not in arrays:
            return None
        names = ("lead", "names", "wealth", "peak", "standing", "growth")
        return cls(
            tested=int(arrays["after.tested"][0]), **{n: arrays[f"after.{n}"] for n in names}
        )


def pvalue_of_higher(scores: Matrix, holdout: Matrix, rng: np.random.Generator) -> float:
    """Whether scores (n,) are higher than those of hold-out rows (m,), which never made the score.

    The ranks of the hold-out rows have a small sum; any m of the n + m rows are as likely to be
    the hold-out rows while all follow one law, so the p-value is exact.

    Examples
    --------
    >>> pvalue_of_higher(np.arange(9.0) + 9, np.arange(9.0), np.random.default_rng(0))
    0.001
    """
    ranks = rankdata(np.concatenate([holdout, scores]))
    observed = ranks[: len(holdout)].sum()
    drawn = (rng.choice(ranks, len(holdout), replace=False).sum() for _ in range(PERMUTATIONS))
    return (1 + sum(bool(total <= observed) for total in drawn)) / (1 + PERMUTATIONS)


def centred(score: Score, rows: Rows) -> Matrix:
    """Centred and scaled features (size, n) of rows."""
    return score.standard(*rows.features(score), np.ones(len(rows)))


def _told(scores: Matrix, partners: Matrix) -> Matrix:
    """L (scales, n, partners) of rows against hold-out rows, one at a time."""
    apart = partners - scores[:, None]
    return pair_evidence((np.array(SCALES)[:, None, None] * apart)[None])
