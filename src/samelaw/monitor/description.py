"""Since when and in what a stream has changed, once there is an alarm: a description, no test."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samelaw.core.types import Matrix
from samelaw.data.frozen import Coordinate, FrozenTable
from samelaw.estimate.witness import sparse_witness
from samelaw.monitor.evidence import BLOCK
from samelaw.monitor.past import Past
from samelaw.monitor.reading import ChangeTerm
from samelaw.monitor.score import FAMILIES, SHARES, STAKES, WINDOWS, Score
from samelaw.show.words import quoted

MOST_CHANGES = 5
LEAST_SHARE = 0.1
HIGHER = 0.5  # what features of higher order count: whatever moves a spread moves the tails too
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
    score: Score, rules: FrozenTable, past: Past, wealth: Matrix, holdout: Matrix
) -> Description:
    """Date the change by the leading expert, then ask what moved since.

    Parameters
    ----------
    wealth : array (experts,)
        At the alarm.
    holdout : array (size, n)
        Centred features of reference rows that took no part in anything.
    """
    if not len(past.sums):
        return Description()
    weights = _leading(score, past, wealth)
    first, last, best = _dates(past, weights, holdout)
    means = past.sums[best:].mean(axis=0) / BLOCK
    rows = np.array(float(BLOCK * (len(past.sums) - best)))
    changes, columns = _changes(score, rules, means, rows)
    span = (int(past.starts[first]), int(past.starts[last]))
    return Description(int(past.starts[best]), span, columns, changes)


def _leading(score: Score, past: Past, wealth: Matrix) -> Matrix:
    """θ (size,) of the family and window with the most wealth, at the alarm."""
    shape = (len(FAMILIES), len(WINDOWS), len(STAKES))
    family, window = np.unravel_index(wealth.reshape(shape).sum(axis=2).argmax(), shape[:2])
    blocks = past.sums[-(WINDOWS[window] // BLOCK) :]
    rows = np.full((1, 1, 1), float(BLOCK * len(blocks)))
    found = score.weights(blocks.mean(axis=0)[None, None] / BLOCK, rows)[family][0, 0]
    weights: Matrix = np.zeros(score.size)
    start = len(score.centre) if FAMILIES[family] == "waves" else 0
    weights[start : start + len(found)] = found
    return weights


def _dates(past: Past, weights: Matrix, holdout: Matrix) -> tuple[int, int, int]:
    """First, last and most likely block since which the score has had another mean.

    The log-likelihood of a new mean since block s, less that of none, is (Σ_{b≥s} h_b)²/(2 n_s σ²)
    for a score of variance σ² per row and mean 0 before.
    """
    scores = past.sums @ weights
    total = np.maximum(np.cumsum(scores[::-1])[::-1], 0.0)
    rows = BLOCK * np.arange(len(scores), 0, -1)
    raw = total * total / (2.0 * rows)
    best = int(raw.argmax())
    after = scores[best:]
    spread = max(float((weights @ holdout).var()), float(after.var()) / BLOCK, _LEAST)
    likely = np.flatnonzero(raw >= raw[best] - DOUBT * spread)
    return int(likely[0]), int(likely[-1]), best


def _changes(
    score: Score, rules: FrozenTable, means: Matrix, rows: Matrix
) -> tuple[tuple[ChangeTerm, ...], tuple[str, ...]]:
    """The features that moved most, and the columns they belong to."""
    moved = means[: len(score.centre)]
    gain = sparse_witness(moved, rows, SHARES["products"]) * moved
    gain[score.low :] *= HIGHER
    share = gain / gain.sum() if gain.sum() > 0 else gain
    coordinates = rules.coordinates
    by_column = dict.fromkeys(rules.names, 0.0)
    found: list[ChangeTerm] = []
    for i in np.argsort(-share, kind="stable"):
        names, what = term_words(score, coordinates, rules.names, int(i))
        for name in names:
            by_column[name] += float(share[i]) / len(names)
        if len(found) < MOST_CHANGES and share[i] >= LEAST_SHARE:
            found.append(ChangeTerm(names, what, float(moved[i]), float(share[i])))
    ordered = sorted(by_column, key=lambda name: -by_column[name])
    return tuple(found), tuple(name for name in ordered if by_column[name] >= LEAST_SHARE)


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
