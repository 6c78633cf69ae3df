"""Whether the dependence of two columns can be compared between two tables, in words."""

from collections.abc import Sequence

import numpy as np

from samelaw.comparison.columns.shown import shown_value
from samelaw.comparison.constants import FEWEST_OF_PAIR, LEAST_RATIO, LEAST_RELIABILITY, POINT_MASS
from samelaw.comparison.pairs.classes import Classes
from samelaw.comparison.pairs.scores import class_scores
from samelaw.core.types import Matrix
from samelaw.results.words import percent, quoted


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
    sides = {"A": slice(0, n), "B": slice(n, None)}
    for side, rows in sides.items():
        if int(both[rows].sum()) < FEWEST_OF_PAIR:
            return _too_few(one, other, side, rows)
    for classes, beside, changed in ((one, other, moved[0]), (other, one, moved[1])):
        counts = [
            np.bincount(classes.codes[r][both[r]], minlength=classes.count) for r in sides.values()
        ]
        said = _constant(
            classes, counts, [np.flatnonzero(both[r]) + r.start for r in sides.values()]
        )
        if said and bool(np.any(classes.codes[~both] >= 0)):
            said += f" where {beside.view.column.name} is known"
        said = said or (changed and _tied(classes, counts, n)) or ""
        if said:
            return said
    return ""


def _too_few(one: Classes, other: Classes, side: str, rows: slice) -> str:
    for classes in (one, other):
        seen = int((classes.codes[rows] >= 0).sum())
        if seen < FEWEST_OF_PAIR:
            known = int((~classes.view.column.missing[rows]).sum())
            return _few_rows(classes, known, seen, side)
    names = f"{one.view.name} and {other.view.name}"
    return f"{names} are known together in fewer than {FEWEST_OF_PAIR} rows of {side}"


def _few_rows(classes: Classes, known: int, seen: int, side: str) -> str:
    """That so many rows have a value, and so many one that is looked at."""
    if not known:
        return f"{classes.view.name} has no values in {side}"
    if known == seen:
        return f"{classes.view.name} is known in only {_rows(known)} of {side}"
    return f"{_few_of(seen)} of {side} {'have' if seen > 1 else 'has'} one of {_compared(classes)}"


def _few_of(count: int) -> str:
    return f"only {_rows(count)}" if count else "no row"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _compared(classes: Classes) -> str:
    """The categories that are looked at in pairs: the commonest of many."""
    column = classes.view.column
    many = len(np.unique(column.values[~column.missing])) > classes.count
    common = f"{classes.count} commonest values" if many else "values"
    return f"the {common} of {classes.view.name}"


def _constant(classes: Classes, counts: list[Matrix], rows: list[Matrix]) -> str:
    if classes.view.column.categories and not classes.view.missing:
        shared = int((np.minimum(*counts) >= FEWEST_OF_PAIR).sum())
        return "" if shared > 1 else _too_rare(classes, counts)
    for side, count, own in zip("AB", counts, rows, strict=True):
        if classes.ordered:
            alike = _reliability(count) < LEAST_RELIABILITY
        else:
            alike = int((count >= FEWEST_OF_PAIR).sum()) < 2
        if alike:
            return _lacking(classes, own, side)
    return ""


def _too_rare(classes: Classes, counts: list[Matrix]) -> str:
    """That fewer than two classes of categories have rows enough in both tables."""
    column, (one, other) = classes.view.column, (classes.codes == k for k in (0, 1))
    if len(np.unique(column.values[other])) == 1:
        enough = f"in {FEWEST_OF_PAIR} rows or more of both tables"
        return f"fewer than two of {_compared(classes)} are {enough}"
    common = quoted(column.categories[int(column.values[one][0])], 24)
    side, k = next((s, k) for k in (1, 0) for s in (0, 1) if counts[s][k] < FEWEST_OF_PAIR)
    said = f"{classes.view.name} is {'not ' if k else ''}{common}"
    return f"{said} in {_few_of(int(counts[side][k]))} of {'AB'[side]}"


def _lacking(classes: Classes, rows: Matrix, side: str) -> str:
    column, name = classes.view.column, classes.view.name
    if classes.view.missing:
        absent = int(column.missing[rows].sum())
        few, missed = min((absent, "missing values"), (len(rows) - absent, "values"))
        return f"{column.name} has {f'only {few}' if few else 'no'} {missed} in {side}"
    times = np.unique(column.values[rows], return_counts=True)[1]
    rest = int(times.sum() - times.max())
    if not rest:
        return f"{name} has only one value in {side}"
    if rest < max(FEWEST_OF_PAIR, LEAST_RELIABILITY * len(rows)):
        return f"all but {_rows(rest)} of {side} have one value of {name}"
    return f"{name} is spread too differently in A and B"


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
