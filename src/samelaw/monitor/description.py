"""Since when and in what a stream has changed, once there is an alarm: a description, no test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.divergence.witness import sparse_witness
from samelaw.monitor.attribution import beyond_lower_orders
from samelaw.monitor.drift_reading import ChangeTerm, StandingRow
from samelaw.monitor.martingale import BLOCK
from samelaw.monitor.score import FAMILIES, STAKES, WINDOWS, Score
from samelaw.monitor.tests_after_alarm import Aftermath
from samelaw.results.words import quoted
from samelaw.tables.frozen import Coordinate, FrozenTable

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
