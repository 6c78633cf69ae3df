"""Rows after an alarm: they were not selected, so they can test the names the alarm gave.

The score of the alarm and the names it gave are fixed from there on. Every further row meets one
pairing row that nobody has looked at, and each name multiplies its own evidence, with a score that
looks at nothing but the columns it names: exact at any time one cares to look, as an alarm is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.evidence import pair_evidence
from samelaw.monitor.reference import Rows
from samelaw.monitor.score import STAKES, Score
from samelaw.twosample.stepdown import holm

MOST_TESTED = 500
"""Rows after an alarm, at the most, that are spent on its names."""

ENOUGH = 10_000.0
"""Evidence at which a name needs no further rows."""

MOST_STANDING = 10
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
    """

    lead: Matrix
    names: Matrix
    wealth: Matrix
    peak: Matrix
    tested: int
    standing: Matrix

    @classmethod
    def start(cls, lead: Matrix, names: Matrix) -> "Aftermath":
        count = len(names)
        wealth = np.full((count, len(STAKES)), 1.0 / len(STAKES))
        return cls(lead, names, wealth, np.ones(count), 0, np.zeros((0, 2)))

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
        names = ("lead", "names", "wealth", "peak", "standing")
        return cls(
            tested=int(arrays["after.tested"][0]), **{n: arrays[f"after.{n}"] for n in names}
        )


def centred(score: Score, rows: Rows) -> Matrix:
    """Centred and scaled features (size, n) of rows."""
    return score.standard(*rows.features(score), np.ones(len(rows)))


def told_apart(scores: Matrix, partners: Matrix) -> Matrix:
    """Bits (n,) by which a score tells each row from a reference row: the mean of log₂ L."""
    some = partners[:MOST_PARTNERS]
    return np.asarray(np.log2(pair_evidence((some - scores[:, None])[None])).mean(axis=1))
