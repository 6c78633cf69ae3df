"""What a column did from A to B, in the words that tell it best.

A median that stays says nothing, nor do quartiles that are all 0. So every statement is weighed by
how far the tables are apart in the share of rows that it is about, and the weightiest are told.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from samelaw.comparison.columns.column_numbers import Writing
from samelaw.comparison.columns.spikes import spikes
from samelaw.comparison.constants import FEWEST_ROWS
from samelaw.core.types import Matrix
from samelaw.results.words import clock, hours_apart, moment, numbers, percent, quoted
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.panels import Sides, known_values
from samelaw.tables.columns.scales import median
from samelaw.tables.columns.views import DAY_OF_WEEK, HOUR_OF_DAY, ColumnView, mean_hour

Show = Callable[[float], str]
Each = Callable[..., Sequence[str]]  # of numbers beside each other

LEAST_SHIFT = 0.005
"""Of a share, before it is worth a word."""

_FEW = 12  # distinct values up to which their shares say more than quantiles
_OWN_WORDS = (HOUR_OF_DAY, DAY_OF_WEEK, "characters")  # ours, not those of a table
_ALIKE = "shares of the categories nearly the same"
_NAMED = 3  # values or categories
_BESIDE = 0.1  # of what many values did together, before one of them is worth a word beside it
_TELLING = 3.0  # standard errors from which on a statement is worth its words
_TOLD = 2  # statements
_LONG = 10 * 86_400.0  # seconds from which on nobody asks for the minute


class Statement(NamedTuple):
    """Some words, and by how many standard errors the tables differ in what they are about."""

    words: str
    evidence: float


@np.errstate(over="ignore")  # 1e308 less −1e308 is infinite, and as wide as can be
def describe(view: ColumnView, n: int) -> str:
    """What a column view does in A → in B; A is the first n rows."""
    column = view.column
    if view.missing:
        shares = [float(part.mean()) for part in (column.missing[:n], column.missing[n:])]
        return f"missing {percent(shares[0])} → {percent(shares[1])}"
    sides = known_values(column, n)
    if min(map(len, sides)) == 0:
        return "no values in " + ("A" if len(sides[0]) == 0 else "B")
    if column.kind is Kind.CATEGORICAL:
        spell = str if view.part in _OWN_WORDS else quoted
        beside = _clock(view, n) or _features(column, n)
        said = _moved_words(column, sides, spell, whole=not view.part)
        return ", ".join(filter(None, (beside, said))) or _ALIKE
    if column.kind is Kind.BOOLEAN:
        return " → ".join(percent(float(side.mean())) for side in sides) + " true"
    return _ordered(column, sides)


def category_words(column: Column, sides: Sides, spell: Callable[[str], str] = quoted) -> str:
    """The categories that came, went, or moved most."""
    return _moved_words(column, sides, spell, whole=True) or _ALIKE


def _moved_words(column: Column, sides: Sides, spell: Callable[[str], str], *, whole: bool) -> str:
    """Categories that moved; of many that came or went, how many rows have them.

    Values of a whole column are told by their length as well; those of a part are names of ours.
    """
    size = len(column.categories)
    counts = np.array([np.bincount(side, minlength=size) for side in sides])
    in_all, told_so = _exchanged(counts)
    in_many = float((counts[:, told_so].sum(axis=1) / counts.sum(axis=1)).max())
    told = _most_moved(counts, ~told_so, max(LEAST_SHIFT, _BESIDE * in_many))
    named = [_share_of(spell(column.categories[i]), counts[:, i] / counts.sum(1)) for i in told]
    if in_all:
        longer = _lengths(column, sides) if whole else ""
        return ", ".join(filter(None, [longer, *in_all, *named]))
    return ", ".join(filter(None, [_among_many(counts, told), *named]))


def _exchanged(counts: Matrix) -> tuple[list[str], Matrix]:
    """Rows of categories that only one table has, if many such tell more than chance and names.

    A category of k rows is in B alone by chance with probability (m/N)^k.
    """
    rows, said, pooled = counts.sum(axis=1), [], counts.sum(axis=0)
    told_so = np.zeros(len(pooled), dtype=bool)
    for own, form in ((1, "new values in {} of B"), (0, "gone values in {} of A")):
        alone = (counts[own] > 0) & (counts[1 - own] == 0)
        chance = (rows[own] / rows.sum()) ** pooled
        spread = math.sqrt(float((pooled**2 * chance * (1.0 - chance)).sum()))
        count = int(counts[own][alone].sum())
        excess = count - float(pooled @ chance)
        one_tells = alone.sum() <= _NAMED or 2 * counts[own][alone].max() > count
        if not one_tells and excess >= max(_TELLING * spread, LEAST_SHIFT * rows[own]):
            said.append(form.format(percent(count / rows[own])))
            told_so |= alone
    return said, told_so


def _among_many(counts: Matrix, told: Sequence[int]) -> str:
    """How many rows moved beyond chance, where the categories that are named say less than half."""
    rows, pooled = counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    shift = np.abs(counts[1] / rows[1] - counts[0] / rows[0])
    variance = pooled * (1.0 - pooled) * float((1.0 / rows).sum())
    chance = 0.5 * float(np.sqrt(variance * 2.0 / math.pi).sum())
    error = 0.5 * math.sqrt(float(variance.sum()) * (1.0 - 2.0 / math.pi))
    moved = 0.5 * float(shift.sum()) - chance
    if moved < max(_TELLING * error, LEAST_SHIFT, float(shift[list(told)].sum())):
        return ""
    return f"{percent(moved)} of the rows moved between categories"


def _lengths(column: Column, sides: Sides) -> str:
    """How long the words of categories are, if that is what became of them."""
    lengths = np.array([*map(len, column.categories)], dtype=np.float64)
    first, second = (lengths[side] for side in sides)
    middle = median(np.concatenate([first, second]))
    return _told([_median((first, second), middle, _widths, "length")])


def _features(column: Column, n: int) -> str:
    """The mean of the feature that moved most, of those that have names."""
    if column.features is None or not column.features.names:
        return ""
    a, b = (np.nanmean(side, axis=0) for side in np.split(column.features.values, [n]))
    most = int(np.argmax(np.abs(b - a)))
    before, after = percent(float(a[most])), percent(float(b[most]))
    if abs(b[most] - a[most]) < LEAST_SHIFT or before == after:
        return ""
    return f"{column.features.names[most]} {before} → {after}"


def _moved(name: Callable[[int], str], counts: Matrix, joint: str) -> str:
    """Shares of what came or went first, then of what moved most."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    told = _most_moved(counts, np.full(counts.shape[1], True))
    return ", ".join(_share_of(name(i), shares[:, i], joint) for i in told)


def _most_moved(counts: Matrix, among: Matrix, least: float = LEAST_SHIFT) -> list[int]:
    """What rows enough came to or went from, then what moved most; what one row has last."""
    a, b = counts / counts.sum(axis=1, keepdims=True)
    shift, rows = np.abs(b - a), counts.sum(axis=0)
    first = ((a == 0) | (b == 0)) & (rows >= FEWEST_ROWS)
    able = among & (shift >= least)
    told = (int(i) for i in np.lexsort([-shift, ~first, rows == 1]) if able[i])
    read_apart = (i for i in told if percent(float(a[i])) != percent(float(b[i])))
    return [*islice(read_apart, _NAMED)]


def _share_of(name: str, shares: Matrix, joint: str = " ") -> str:
    return f"{name}{_from_to(float(shares[0]), float(shares[1]), joint)}"


def _from_to(a: float, b: float, joint: str) -> str:
    if a == 0 or b == 0:
        return f" new ({percent(b)})" if a == 0 else f" gone ({percent(a)})"
    return f"{joint}{percent(a)} → {percent(b)}"


def _clock(view: ColumnView, n: int) -> str:
    """The hours around which the times of day lie in A → in B."""
    if view.part != HOUR_OF_DAY:
        return ""
    a, b = (mean_hour(side) for side in known_values(view.whole, n))
    return "" if a is None or b is None else f"around {clock(a)} → {clock(b)}"


def _ordered(column: Column, sides: Sides) -> str:
    """Numbers and dates; how often they are infinite last."""
    finite = (sides[0][np.isfinite(sides[0])], sides[1][np.isfinite(sides[1])])
    infinite = [len(side) - len(part) for side, part in zip(sides, finite, strict=True)]
    said = f"infinite {infinite[0]} → {infinite[1]} times" if any(infinite) else ""
    if min(map(len, finite)) == 0:
        return said
    told = _dates(finite) if column.kind is Kind.DATETIME else _numbers(column, finite)
    return ", ".join(filter(None, (told, said)))


def _numbers(column: Column, sides: Sides) -> str:
    pool = np.concatenate(sides)
    show = Writing.for_column(column, pool)
    name = _named_by(column, pool, show)
    if len(np.unique(pool[:1_000])) <= _FEW:  # a large column of many values is not sorted here
        values, codes = np.unique(pool, return_inverse=True)
        if len(values) <= _FEW:
            parts = np.split(codes, [len(sides[0])])
            counts = np.array([np.bincount(part, minlength=len(values)) for part in parts])
            told = _moved(lambda i: name(float(values[i])), counts, " in ")
            return told or "shares of its values nearly the same"
    often = [_spike(sides, float(value), name) for value in spikes(column) if np.isfinite(value)]
    low, middle, high = np.quantile(pool, [0.25, 0.5, 0.75])
    width = _hours if column.of_day else _widths
    found = [_median(sides, middle, show.each), _middle_half(sides, (low, high), width), *often]
    if not _told(often):  # else they are what the tails are made of, and tell it better
        found.append(_tails(sides, np.quantile(pool, [0.01, 0.99]), show))
    return _told(found) or _told([_mean(sides, show)]) or _plain_median(sides, show.each)


def _named_by(column: Column, pool: Matrix, show: Show) -> Show:
    """Single values by name; an end of a reference is no value but stands for all beyond."""
    low, high = (float(pool.min()), float(pool.max()))
    below, above = column.drawn_in

    def name(value: float) -> str:
        if (below and value == low) or (above and value == high):
            return f"{show(value)} or {'less' if value == low else 'more'}"
        return show(value)

    return name


def _hours(*widths: float) -> list[str]:
    return [f"{hours_apart(width)} h" for width in widths]


def _widths(*widths: float) -> list[str]:
    return numbers(widths)


def _dates(sides: Sides) -> str:
    pool = np.concatenate(sides)
    low, middle, high = np.quantile(pool, [0.01, 0.5, 0.99])
    show = _day if np.ptp(pool) > _LONG else moment

    def each(*moments: float) -> list[str]:
        return [*map(show, moments)]

    ends = [f"{show(float(side.min()))}…{show(float(side.max()))}" for side in sides]
    found = [_median(sides, middle, each), _statement("{} → {}", ends, _beyond(sides, (low, high)))]
    return _told(found) or _plain_median(sides, each)


def _day(seconds: float) -> str:
    return moment(seconds)[:10]


def _told(found: Sequence[Statement]) -> str:
    """The weightiest statements, if any says something."""
    telling = [one for one in found if one.words and one.evidence >= _TELLING]
    telling.sort(key=lambda one: -one.evidence)
    return ", ".join(one.words for one in telling[:_TOLD])


def _statement(form: str, said: Sequence[str], hits: Iterator[Sequence[Matrix]]) -> Statement:
    """Words for A and for B; none if both read the same."""
    words = form.format(*said) if said[0] != said[1] else ""
    return Statement(words, max(map(_apart, hits)))


def _apart(hits: Sequence[Matrix]) -> float:
    """How far two shares are apart, in standard errors of rows of one law."""
    a, b = (float(side.mean()) for side in hits)
    n, m = map(len, hits)
    pooled = (n * a + m * b) / (n + m)
    error = math.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
    return abs(b - a) / error if error > 0 else 0.0


def _beyond(sides: Sides, ends: Sequence[float] | Matrix) -> Iterator[Sequence[Matrix]]:
    yield [side < ends[0] for side in sides]
    yield [side > ends[1] for side in sides]


def _median(sides: Sides, middle: float, each: Each, of: str = "median") -> Statement:
    said = each(*map(median, sides))
    return _statement(of + " {} → {}", said, _beyond(sides, (middle, middle)))


def _plain_median(sides: Sides, each: Each) -> str:
    a, b = each(*map(median, sides))
    return f"median {a} → {b}" if a != b else f"median {a} in both"


def _middle_half(sides: Sides, ends: tuple[float, float], width: Each) -> Statement:
    widths = width(*(float(np.subtract(*np.quantile(side, [0.75, 0.25]))) for side in sides))
    inside = [(side > ends[0]) & (side < ends[1]) for side in sides]
    return _statement("middle half {} → {} wide", widths, iter([inside]))


def _tails(sides: Sides, ends: Sequence[float] | Matrix, show: Writing) -> Statement:
    said = show.each(*(float(q) for side in sides for q in np.quantile(side, [0.01, 0.99])))
    said = ["…".join(said[:2]), "…".join(said[2:])]
    return _statement("1–99 % {} → {}", said, _beyond(sides, ends))


def _spike(sides: Sides, value: float, show: Show) -> Statement:
    """A value that many rows have, if its share moved enough for a word."""
    hits = [side == value for side in sides]
    a, b = (float(hit.mean()) for hit in hits)
    words = f"{show(value)}{_from_to(a, b, ' in ')}" if abs(b - a) >= LEAST_SHIFT else ""
    return Statement(words if percent(a) != percent(b) else "", _apart(hits))


def _mean(sides: Sides, show: Writing) -> Statement:
    a, b = (float(side.mean()) for side in sides)
    error = math.sqrt(sum(float(side.var()) / len(side) for side in sides))
    words = "mean {} → {}".format(*show.both(a, b))
    return Statement(words, abs(b - a) / error if error > 0 else 0.0)
