"""What was done to a whole column of one table, which is the cause of what tests find in it.

Values that were cut, dates in another notation, times some hours later. None of it is tested: each
needs nearly all values to fit, and is told only then.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samelaw.results.words import percent, quoted
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.raw_column import Floats, RawColumn
from samelaw.tables.columns.raw_words import RawWords

MUCH = 0.05
"""Share of the rows from which on a change of words is a cause."""

NEARLY_ALL = 0.9
"""Share of the rows from which on it explains a whole column."""

_QUARTER, _DAY = 900, 86_400  # seconds
_FEWEST = 10  # moments from which on times may be shifted
_LOOKED_AT = 2_000  # distinct values of a column
_MATCHING = 0.8  # share of the moments that a shift brings onto those of the other table
_OTHERWISE = 0.5  # of that share, the most that any other shift may reach


@dataclass(frozen=True)
class Cause:
    """What was done to a table that moves its values, in words.

    Attributes
    ----------
    text : str
        A clause: "times is 4 h later in B".
    evidence : str
        What that rests on.
    columns : tuple of str
        Columns whose change it explains as a whole.
    """

    text: str
    evidence: str = ""
    columns: tuple[str, ...] = ()


def cut(column: Column, sides: Sequence[RawColumn]) -> Cause | None:
    """Words of one table that are the beginnings of those of the other, all up to one length."""
    if column.kind not in (Kind.CATEGORICAL, Kind.TEXT, Kind.IDENTIFIER):
        return None
    longest = [_longest(side) for side in sides]
    short = int(np.argmin(longest))
    most = longest[short]
    if most in (0, longest[1 - short]):
        return None
    words = sides[1 - short].words()[1]
    whole = {word[:most].rstrip(): word for word in words}
    share, cut = _beginnings(sides[short], set(whole), set(words))
    if share < NEARLY_ALL or len(cut) < 2 or all(whole[w][len(w) :].isdigit() for w in cut):
        return None  # k1, k2 and k10, k20 are numbers of different length
    here, there = "AB"[short], "AB"[1 - short]
    return Cause(
        f"values of {column.name} are cut after {most} character{'s' * (most > 1)} in {here}",
        f"{percent(share)} of its values in {here} begin a value of {there}, as "
        f"{quoted(cut[0])} for {quoted(whole[cut[0]])}",
        (column.name,),
    )


def _longest(side: RawColumn) -> int:
    """Characters of the longest word; 0 of what is no column of words."""
    return max(map(len, side.words()[1]), default=0) if isinstance(side, RawWords) else 0


def _beginnings(side: RawColumn, cuts: set[str], words: set[str]) -> tuple[float, list[str]]:
    """The share of values that are words of another table, or cut, and those that only are cut."""
    codes, labels = side.words()
    counts = np.bincount(codes[codes >= 0], minlength=len(labels))
    begin = np.array([word in cuts for word in labels])
    cut = [int(i) for i in map(int, np.flatnonzero(begin & (counts > 0))) if labels[i] not in words]
    if counts[cut].sum() < MUCH * counts.sum():
        return 0.0, []
    return float(counts[begin].sum() / counts.sum()), [labels[i] for i in cut]


def notation(column: Column, sides: Sequence[RawColumn]) -> Cause | None:
    """Dates that are written in another way, which are read alike."""
    words = [side for side in sides if isinstance(side, RawWords)]
    if column.kind is not Kind.DATETIME or len(words) < 2:
        return None
    shown = [_notations(side) for side in words]
    old, new = (max(own, key=lambda way: len(own[way])) for own in shown)
    if not (_is_only_in(old, *shown) and _is_only_in(new, *shown[::-1])):
        return None
    return Cause(
        f"{column.name} is written like {shown[1][new][0]} in B, like {shown[0][old][0]} in A",
        "dates in another notation, compared as dates",
        (column.name,),
    )


def _notations(side: RawWords) -> dict[str, list[str]]:
    """Some of the distinct dates by how they are written."""
    found: dict[str, list[str]] = {}
    for label in side.labels[:: max(1, len(side.labels) // _LOOKED_AT)]:
        found.setdefault(_pattern(label), []).append(label)
    return found


def _pattern(word: str) -> str:
    """A date with Y for a year, 9 for other numbers and a for a word."""
    word = re.sub(r"[^\W\d_]+", "a", word)
    return re.sub(r"\d+", "9", re.sub(r"(?<!\d)\d{4}(?!\d)", "Y", word))


def _is_only_in(way: str, own: dict[str, list[str]], other: dict[str, list[str]]) -> bool:
    """Whether nearly all dates of a table are written in a way, and hardly any of the other."""
    here, there = (len(m.get(way, ())) / sum(map(len, m.values())) for m in (own, other))
    return here >= NEARLY_ALL and there <= 1.0 - NEARLY_ALL


def shifted(column: Column, rows: int) -> Cause | None:
    """Times that are those of the other table and some quarters of an hour."""
    if column.kind is not Kind.DATETIME:
        return None
    a, b = column.values[:rows], column.values[rows:]
    apart = _by_row(a, b) or _by_value(*(np.unique(v[~np.isnan(v)]) for v in (a, b)))
    if apart is None:
        return None
    seconds, evidence = apart
    return Cause(
        f"{column.name} is {_duration(seconds)} {'later' if seconds > 0 else 'earlier'} in B",
        evidence,
        (column.name,),
    )


def _by_row(a: Floats, b: Floats) -> tuple[float, str] | None:
    """A constant between the rows of the same number, where steps from row to row are none."""
    known = ~np.isnan(a) & ~np.isnan(b) if len(a) == len(b) else np.zeros(0, dtype=bool)
    if known.sum() < _FEWEST:
        return None
    first, apart = a[known], (b - a[: len(b)])[known]
    usual = float(np.median(apart))
    share = float(np.mean(apart == usual))
    steady = len(np.unique(np.diff(first))) < 2  # rows of another hour, not other hours of a row
    if share < NEARLY_ALL or steady or not _possible(usual):
        return None
    return usual, f"that is so of {percent(share)} of the rows, row by row"


def _by_value(a: Floats, b: Floats) -> tuple[float, str] | None:
    """A constant that brings distinct sorted values onto those of the other table, as no other."""
    if min(len(a), len(b)) < _FEWEST:
        return None
    few = b[:: -(-len(b) // _LOOKED_AT)]
    steps = range(-_DAY // _QUARTER, _DAY // _QUARTER + 1)
    if (plain := _found(few, a)) > _OTHERWISE:
        return None
    shares = {float(k * _QUARTER): _found(few - k * _QUARTER, a) for k in steps}
    (best, share), (_, second) = sorted(shares.items(), key=lambda item: -item[1])[:2]
    if share < _MATCHING or second > _OTHERWISE * share or not _possible(best):
        return None
    moved = f"{percent(share)} of its values in B are a value of A moved by {_duration(best)}"
    return best, f"{moved}, {percent(plain)} are one as it is"


def _possible(seconds: float) -> bool:
    return 0 < abs(seconds) < _DAY and seconds % _QUARTER == 0


def _found(values: Floats, among: Floats) -> float:
    """Share of the values that are among sorted ones."""
    places = np.minimum(np.searchsorted(among, values), len(among) - 1)
    return float(np.mean(among[places] == values))


def _duration(seconds: float) -> str:
    """Whole quarters of an hour.

    Examples
    --------
    >>> _duration(14_400.0), _duration(-5_400.0)
    ('4 h', '1 h 30 min')
    """
    hours, minutes = divmod(int(abs(seconds)) // 60, 60)
    return " ".join([*[f"{hours} h"] * (hours > 0), *[f"{minutes} min"] * (minutes > 0)])
