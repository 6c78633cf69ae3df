"""What of a change belongs to which feature: a level that moves takes squares and products along.

Coordinates are normal scores, so that a law of moved levels δ, variances 1 + v and covariances c is
close to a normal one, whose Hermite moments are polynomials in δ, v and c. What a feature of higher
order moved beyond them is news about it; the rest has been said by the lower ones.
"""

from dataclasses import dataclass

import numpy as np

from samelaw.core.types import Matrix
from samelaw.monitor.score import Score
from samelaw.tables.frozen import FrozenTable


def beyond_lower_orders(score: Score, rules: FrozenTable, moved: Matrix) -> Matrix:
    """How far features (p,) moved, in their standard deviations, beyond what lower ones explain.

    Powers of large changes grow beyond what values at the end of the range can show: a feature of
    higher order that moved less than it was to, the same way, has nothing of its own to tell.
    """
    raw = moved * score.scale
    terms = _Terms.of(score, len(rules.coordinates), len(rules.names))
    explained = terms.explained(raw, score.centre)
    beyond = (explained * raw > 0) & (np.abs(explained) > np.abs(raw))
    beyond[: score.low] = False
    return np.asarray(np.where(beyond, 0.0, raw - explained) / score.scale)


@dataclass(frozen=True, eq=False)
class _Terms:
    """Coordinates i, j (p,) of every feature and the orders of their Hermite polynomials.

    Coordinate 0 is the constant, of order 0; shares of new values are coordinates of their own.
    """

    i: Matrix
    j: Matrix
    orders: Matrix  # (p, 2)
    count: int

    @classmethod
    def of(cls, score: Score, coordinates: int, columns: int) -> "_Terms":
        start = 1 + coordinates + columns
        of = np.concatenate([np.arange(start), *[score.curved + 1] * 3])
        high = np.repeat([2, 3, 4], len(score.curved))
        order = np.concatenate([[0], np.ones(start - 1, dtype=np.int64), high])
        orders = np.column_stack([order[score.first], order[score.second]])
        return cls(of[score.first], of[score.second], orders, start)

    def places(self, first: int, second: int) -> Matrix:
        return np.flatnonzero((self.orders == (first, second)).all(axis=1))

    def explained(self, raw: Matrix, centre: Matrix) -> Matrix:
        """What lower orders say about each feature (p,); ``raw`` is by how much it moved."""
        found: Matrix = np.zeros(len(raw))
        level, square, pair = self.places(1, 0), self.places(2, 0), self.places(1, 1)
        at, shift, spread = np.zeros((3, self.count))
        bent_at, bent_shift = np.zeros((2, self.count))
        at[self.i[level]], shift[self.i[level]] = centre[level], raw[level]
        i = self.i[square]
        bent_at[i], bent_shift[i] = centre[square], raw[square]
        found[square] = (2.0 * at[i] * shift[i] + shift[i] ** 2) / 2.0**0.5
        spread[i] = 2.0**0.5 * (raw - found)[square]
        i, j = self.i[pair], self.j[pair]
        found[pair] = at[i] * shift[j] + at[j] * shift[i] + shift[i] * shift[j]
        covary: Matrix = np.zeros((self.count, self.count))
        covary[i, j] = covary[j, i] = (raw - found)[pair]
        found = self._high_orders(found, shift, spread, covary)
        return found + self._carried((at, bent_at), (shift, bent_shift))

    def _carried(self, at: tuple[Matrix, Matrix], shift: tuple[Matrix, Matrix]) -> Matrix:
        """What a product with a square moves by one side alone, as the other is not 0 on average.

        Shares of categories and of missing values are not, nor squares of columns with gaps.
        """
        found: Matrix = np.zeros(len(self.i))
        for first, second in ((1, 2), (2, 1), (2, 2)):
            some = self.places(first, second)
            i, j = self.i[some], self.j[some]
            found[some] = (
                at[first - 1][i] * shift[second - 1][j] + at[second - 1][j] * shift[first - 1][i]
            )
        return found

    def _high_orders(self, found: Matrix, shift: Matrix, spread: Matrix, covary: Matrix) -> Matrix:
        """E of He₃, He₄ and of products with He₂ under a normal law, over their norms."""
        second = shift**2 + spread
        third, fourth, squares = self.places(3, 0), self.places(4, 0), self.places(2, 2)
        d, v = shift[self.i], spread[self.i]
        found[third] = (d**3 + 3.0 * d * v)[third] / 6.0**0.5
        found[fourth] = (d**4 + 6.0 * d**2 * v + 3.0 * v**2)[fourth] / 24.0**0.5
        for bent, line, curve in (
            (self.places(1, 2), self.i, self.j),
            (self.places(2, 1), self.j, self.i),
        ):
            i, j = line[bent], curve[bent]
            found[bent] = (shift[i] * second[j] + 2.0 * covary[i, j] * shift[j]) / 2.0**0.5
        i, j = self.i[squares], self.j[squares]
        cross = 4.0 * covary[i, j] * shift[i] * shift[j] + 2.0 * covary[i, j] ** 2
        found[squares] = (second[i] * second[j] + cross) / 2.0
        return found
