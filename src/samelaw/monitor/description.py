"""Since when and in what a stream has changed, once there is an alarm: a description, no test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.divergence.witness import sparse_witness
from samelaw.monitor.drift_reading import ChangeTerm, StandingRow
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.score import FAMILIES, STAKES, WINDOWS, Score
from samelaw.monitor.tests_after_alarm import Aftermath
from samelaw.results.words import quoted
from samelaw.tables.frozen import Coordinate, FrozenTable


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


MOST_CHANGES = 5
LEAST_SHARE = 0.1
HIGHER = 0.3  # what features of higher order count: after a change they vary more than before
CERTAIN = 0.5  # share of the named features that are expected to have changed
DOUBT = 3.0
"""Log-likelihood by which another date may fall short of the best and still be named."""

_LEAST = 1e-300  # no variance at all
_POWERS = ("spread", "lean", "tails")


@dataclass(frozen=True)
class Description:
    """What an alarm says besides that it is one."""

    since: int | None = None
    since_range: tuple[int, int] | None = None
    columns: tuple[str, ...] = ()
    changes: tuple[ChangeTerm, ...] = ()

    def with_pvalues(self, pvalues: Sequence[float] | None) -> tuple[ChangeTerm, ...]:
        """The changes with what rows after the alarm say about them."""
        known = [None] * len(self.changes) if pvalues is None else pvalues
        pairs = zip(self.changes, known, strict=True)
        return tuple(replace(change, pvalue=pvalue) for change, pvalue in pairs)

    @staticmethod
    def rows(standing: Matrix) -> tuple[StandingRow, ...]:
        """Rows and scores (r, 2) by name."""
        return tuple(StandingRow(int(row), float(score)) for row, score in standing)

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> "Description":
        changes = tuple(
            ChangeTerm(tuple(c["columns"]), c["what"], c["change"], c["share"])
            for c in plain["changes"]
        )
        span = plain["since_range"]
        columns = tuple(plain["columns"])
        return cls(plain["since"], None if span is None else (span[0], span[1]), columns, changes)


def describe(
    score: Score,
    rules: FrozenTable,
    blocks: tuple[Matrix, Matrix, Matrix],
    wealth: Matrix,
    holdout: Matrix,
) -> tuple[Description, Aftermath]:
    """Date the change by the leading expert, then ask what moved since.

    Parameters
    ----------
    blocks : (b, size), (b,), (b,)
        Sums of centred features, numbers of rows and starts of blocks, the last one up to the
        alarm: a large change raises it within a block.
    wealth : array (experts,)
        At the alarm.
    holdout : array (size, n)
        Centred features of reference rows that took no part in anything.
    """
    sums, counts, starts = blocks
    if not len(sums):
        return Description(), Aftermath.start(np.zeros(score.size), np.zeros((0, score.size)))
    weights = _leading(score, sums, counts, wealth)
    first, last, best = _dates(sums @ weights, counts, weights @ holdout)
    rows = counts[best:].sum()
    changes, columns, names = _changes(score, rules, sums[best:].sum(axis=0) / rows, rows)
    span = (int(starts[first]), int(starts[last]))
    found = Description(int(starts[best]), span, columns, changes)
    return found, Aftermath.start(weights, names)


def _leading(score: Score, sums: Matrix, counts: Matrix, wealth: Matrix) -> Matrix:
    """θ (size,) of the expert with the most wealth, at the alarm."""
    shape = (len(FAMILIES), len(WINDOWS), len(STAKES))
    family, window, stake = np.unravel_index(wealth.argmax(), shape)
    some = slice(-(WINDOWS[window] // BLOCK), None)
    rows = counts[some].sum()
    means = sums[some].sum(axis=0) / rows
    found = score.weights(means[None, None], np.full((1, 1, 1), rows))[family][0, 0]
    weights: Matrix = np.zeros(score.size)
    start = len(score.centre) if FAMILIES[family] == "waves" else 0
    weights[start : start + len(found)] = STAKES[stake] * found
    return weights


def _dates(scores: Matrix, counts: Matrix, holdout: Matrix) -> tuple[int, int, int]:
    """First, last and most likely block since which the score has had another mean.

    The log-likelihood of a new mean since block s, less that of none, is (Σ_{b≥s} h_b)²/(2 n_s σ²)
    for a score of variance σ² per row and mean 0 before.
    """
    total = np.maximum(np.cumsum(scores[::-1])[::-1], 0.0)
    raw = total * total / (2.0 * np.cumsum(counts[::-1])[::-1])
    best = int(raw.argmax())
    after = (scores / np.sqrt(counts))[best:]
    spread = max(float(holdout.var()), float(after.var()), _LEAST)
    likely = np.flatnonzero(raw >= raw[best] - DOUBT * spread)
    return int(likely[0]), int(likely[-1]), best


def _changes(
    score: Score, rules: FrozenTable, means: Matrix, rows: Matrix
) -> tuple[tuple[ChangeTerm, ...], tuple[str, ...], Matrix]:
    """The features that moved most, the columns they belong to, and θ of each by itself."""
    moved = means[: len(score.centre)]
    coordinates = rules.coordinates
    own = beyond_lower_orders(score, rules, moved)
    gain = sparse_witness(own, rows, score.shares) * own
    gain[score.low :] *= HIGHER
    share = gain / gain.sum() if gain.sum() > 0 else gain
    by_column = dict.fromkeys(rules.names, 0.0)
    found: list[ChangeTerm] = []
    places: list[int] = []
    for i in np.argsort(-share, kind="stable"):
        names, what = term_words(score, coordinates, rules.names, int(i))
        for name in names:
            by_column[name] += float(share[i]) / len(names)
        if len(found) < MOST_CHANGES and share[i] >= LEAST_SHARE:
            change = float(own[i] * score.scale[i] / score.spread[i])
            found.append(ChangeTerm(names, what, change, float(share[i])))
            places.append(int(i))
    alone: Matrix = np.zeros((len(places), score.size))
    alone[np.arange(len(places)), places] = sparse_witness(moved[places], rows, CERTAIN)
    ordered = sorted(by_column, key=lambda name: -by_column[name])
    columns = tuple(name for name in ordered if by_column[name] >= LEAST_SHARE)
    return tuple(found), columns, alone


def term_words(
    score: Score, coordinates: Sequence[Coordinate], names: Sequence[str], place: int
) -> tuple[tuple[str, ...], str]:
    """The columns of a feature, and what it says about them."""
    parts = [
        _power_words(score, coordinates, names, int(index))
        for index in (score.first[place], score.second[place])
        if index
    ]
    if len(parts) == 1:
        return (parts[0][0],), parts[0][1]
    columns = (parts[0][0], parts[1][0])
    what = [word for _, word in parts]
    if what == ["level", "level"]:
        return columns, "going together"
    return columns, f"{what[0]} with {what[1]}"


def _power_words(
    score: Score, coordinates: Sequence[Coordinate], names: Sequence[str], index: int
) -> tuple[str, str]:
    """Of one row of the table of powers."""
    index -= 1
    if index < len(coordinates):
        one = coordinates[index]
        if one.missing:
            return one.column, "share missing"
        return one.column, "level" if one.category is None else f"share of {quoted(one.category)}"
    index -= len(coordinates)
    if index < len(names):
        return names[index], "share of new values"
    order, place = divmod(index - len(names), len(score.curved))
    return coordinates[score.curved[place]].column, _POWERS[order]
