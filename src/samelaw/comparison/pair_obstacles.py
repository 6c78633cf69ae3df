"""Whether the dependence of two columns can be compared between two tables, in words."""

import numpy as np

from samelaw.comparison.pair_classes import View
from samelaw.comparison.pair_scores import LEAST_RELIABILITY, class_scores
from samelaw.comparison.pair_tests import FEWEST
from samelaw.comparison.summarize import shown_value
from samelaw.core.types import Matrix
from samelaw.show.words import percent

LEAST_RATIO = 0.9
"""Ratio of the tables' reliabilities below which ranks no longer mean the same in both."""
_POINT_MASS = 0.3


def obstacle(one: View, other: View, n: int, moved: tuple[bool, bool]) -> str:
    """Why the dependence of two views cannot be compared between tables; empty if it can.

    Parameters
    ----------
    one, other : View
    n : int
        Rows of A, the first of the pool.
    moved : (bool, bool)
        Whether the columns alone were found to differ. If not, a difference in ties is chance.
    """
    both = (one.codes >= 0) & (other.codes >= 0)
    sides = {"A": slice(None, n), "B": slice(n, None)}
    for side, rows in sides.items():
        if int(both[rows].sum()) < FEWEST:
            return _too_few(one, other, side, rows)
    for view, changed in zip((one, other), moved, strict=True):
        counts = [np.bincount(view.codes[r][both[r]], minlength=view.count) for r in sides.values()]
        said = _constant(view, counts) or (changed and _tied(view, counts, n)) or ""
        if said:
            return said
    return ""


def named(view: View) -> str:
    """The column, and whether its missing values are meant."""
    return f"{view.column.name} (missing)" if view.missing else view.column.name


def _too_few(one: View, other: View, side: str, rows: slice) -> str:
    for view in (one, other):
        known = int((view.codes[rows] >= 0).sum())
        if known < FEWEST:
            return f"{named(view)} has {known or 'no'} values in {side}"
    return f"{named(one)} and {named(other)} are hardly ever known together in {side}"


def _constant(view: View, counts: list[Matrix]) -> str:
    if view.column.categories and not view.missing:
        shared = int((np.minimum(*counts) >= FEWEST).sum())
        return "" if shared > 1 else f"{named(view)} has no two values common in both A and B"
    for side, count in zip("AB", counts, strict=True):
        if view.ordered:
            alike = _reliability(count) < LEAST_RELIABILITY
        else:
            alike = int((count >= FEWEST).sum()) < 2
        if alike:
            return _lacking(view, count, side)
    return ""


def _lacking(view: View, count: Matrix, side: str) -> str:
    if not view.missing:
        return f"{named(view)} hardly takes more than one value in {side}"
    absent = view.codes[int(np.argmax(view.column.missing))]
    missed = "values" if count[absent] >= FEWEST else "missing values"
    return f"{view.column.name} has {'hardly any' if count.min() else 'no'} {missed} in {side}"


def _reliability(counts: Matrix) -> float:
    return float(class_scores((counts / counts.sum())[:, None])[0].reliability[0])


def _tied(view: View, counts: list[Matrix], n: int) -> str:
    """Whether ties hide much more in one table than in the other."""
    if not view.ordered:
        return ""
    kept = [_reliability(count) for count in counts]
    if min(kept) >= LEAST_RATIO * max(kept):
        return ""
    sides = [view.column.values[:n], view.column.values[n:]]
    tied = sides[int(np.argmin(kept))]
    values, times = np.unique(tied[~np.isnan(tied)], return_counts=True)
    if times.max() < _POINT_MASS * times.sum():
        return f"{named(view)} is spread too differently in A and B"
    value = values[int(np.argmax(times))]
    shares = [percent(float(np.mean(side[~np.isnan(side)] == value))) for side in sides]
    row = int(np.flatnonzero(view.column.values == value)[0])
    return (
        f"{named(view)} is {shown_value(view.column, row)} in {shares[0]} of A and {shares[1]} of B"
    )
