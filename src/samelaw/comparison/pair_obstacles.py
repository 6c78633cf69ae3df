"""Whether the dependence of two columns can be compared between two tables, in words."""

from collections.abc import Sequence

import numpy as np

from samelaw.comparison.summarize import shown_value
from samelaw.core.types import Matrix
from samelaw.show.words import percent
from samelaw.twotables.design import FEWEST_OF_PAIR, LEAST_RATIO, LEAST_RELIABILITY, POINT_MASS
from samelaw.twotables.pair_classes import Classes
from samelaw.twotables.pair_scores import class_scores


class Obstacles:
    """Why pairs of views cannot be compared; empty texts where they can.

    Parameters
    ----------
    classes : sequence of Classes
    n : int
        Rows of A, the first of the pool.
    moved : sequence of bool
        Whether each view alone was found to differ.
    """

    def __init__(self, classes: Sequence[Classes], n: int, moved: Sequence[bool]) -> None:
        self.classes, self.n, self.moved = classes, n, moved
        self.alone = [
            obstacle(one, one, n, (changed, changed)) if one.count else ""
            for one, changed in zip(classes, moved, strict=bool(classes))
        ]

    def of(self, i: int, j: int) -> str:
        """Why views i and j cannot be compared together."""
        one, other = self.classes[i], self.classes[j]
        alone = self.alone[i] or self.alone[j]
        if alone or (one.whole and other.whole):
            return alone
        return obstacle(one, other, self.n, (self.moved[i], self.moved[j]))


def obstacle(one: Classes, other: Classes, n: int, moved: tuple[bool, bool]) -> str:
    """Why the dependence of two views cannot be compared between tables; empty if it can.

    Parameters
    ----------
    one, other : Classes
    n : int
        Rows of A, the first of the pool.
    moved : (bool, bool)
        Whether the columns alone were found to differ. If not, a difference in ties is chance.
    """
    both = (one.codes >= 0) & (other.codes >= 0)
    sides = {"A": slice(None, n), "B": slice(n, None)}
    for side, rows in sides.items():
        if int(both[rows].sum()) < FEWEST_OF_PAIR:
            return _too_few(one, other, side, rows)
    for classes, changed in zip((one, other), moved, strict=True):
        counts = [
            np.bincount(classes.codes[r][both[r]], minlength=classes.count) for r in sides.values()
        ]
        said = _constant(classes, counts) or (changed and _tied(classes, counts, n)) or ""
        if said:
            return said
    return ""


def _too_few(one: Classes, other: Classes, side: str, rows: slice) -> str:
    for classes in (one, other):
        known = int((classes.codes[rows] >= 0).sum())
        if known < FEWEST_OF_PAIR:
            return f"{classes.view.name} has {known or 'no'} values in {side}"
    return f"{one.view.name} and {other.view.name} are hardly ever known together in {side}"


def _constant(classes: Classes, counts: list[Matrix]) -> str:
    if classes.view.column.categories and not classes.view.missing:
        shared = int((np.minimum(*counts) >= FEWEST_OF_PAIR).sum())
        return "" if shared > 1 else f"{classes.view.name} has no two values common in both A and B"
    for side, count in zip("AB", counts, strict=True):
        if classes.ordered:
            alike = _reliability(count) < LEAST_RELIABILITY
        else:
            alike = int((count >= FEWEST_OF_PAIR).sum()) < 2
        if alike:
            return _lacking(classes, count, side)
    return ""


def _lacking(classes: Classes, count: Matrix, side: str) -> str:
    if not classes.view.missing:
        return f"{classes.view.name} hardly takes more than one value in {side}"
    absent = classes.codes[int(np.argmax(classes.view.column.missing))]
    missed = "values" if count[absent] >= FEWEST_OF_PAIR else "missing values"
    return (
        f"{classes.view.column.name} has {'hardly any' if count.min() else 'no'} {missed} in {side}"
    )


def _reliability(counts: Matrix) -> float:
    return float(class_scores((counts / counts.sum())[:, None])[0].reliability[0])


def _tied(classes: Classes, counts: list[Matrix], n: int) -> str:
    """Whether ties hide much more in one table than in the other."""
    if not classes.ordered:
        return ""
    kept = [_reliability(count) for count in counts]
    if min(kept) >= LEAST_RATIO * max(kept):
        return ""
    sides = [classes.view.column.values[:n], classes.view.column.values[n:]]
    tied = sides[int(np.argmin(kept))]
    values, times = np.unique(tied[~np.isnan(tied)], return_counts=True)
    if times.max() < POINT_MASS * times.sum():
        return f"{classes.view.name} is spread too differently in A and B"
    value = values[int(np.argmax(times))]
    shares = [percent(float(np.mean(side[~np.isnan(side)] == value))) for side in sides]
    row = int(np.flatnonzero(classes.view.column.values == value)[0])
    said = shown_value(classes.view.column, row)
    return f"{classes.view.name} is {said} in {shares[0]} of A and {shares[1]} of B"
