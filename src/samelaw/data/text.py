"""Free text and identifiers: what of them can be compared without knowing a language.

- length: characters of a text, as a number;
- words: of the words that split the values most evenly, the rarest that a value holds. These are
  what vocabularies can be told apart by, and the rarest says most about a value.

Identifiers that count up have neither: their lengths follow from where the count stands, and that
no two tables share. Only the letters between their digits are looked at, as words.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from samelaw.data.kinds import Column, Kind
from samelaw.data.raw_column import Codes, RawColumn

MOST_WORDS = 40
"""Words of the pool that are looked at; as many as categories."""

FEWEST_VALUES = 8
"""Values a word must occur in: fewer could not stand out, whosever they are."""

LONGEST = 2_000
"""Characters of a value that are searched for words."""

OTHER = "(no common word)"

_WORD = re.compile(r"[^\W\d_]{2,}")

Sides = Sequence[tuple[Codes, Sequence[str]]]


def parts_of(name: str, kind: Kind, tables: Sequence[RawColumn]) -> dict[str, Column]:
    """What can be compared of a column of text or identifiers of words; functions of the pool."""
    sides = [side.words() for side in tables]
    parts = {"length": _lengths(name, sides)} if kind is Kind.TEXT else {}
    parts["words"] = _words(name, sides)
    return {part: column for part, column in parts.items() if _varies(column)}


def _varies(column: Column) -> bool:
    known = column.values[~column.missing]
    return len(known) > 0 and bool(known.min() < known.max())


def _lengths(name: str, sides: Sides) -> Column:
    values = np.concatenate(
        [np.array([*map(len, labels), np.nan], dtype=np.float64)[codes] for codes, labels in sides]
    )
    return Column(name, Kind.INTEGER, values, np.isnan(values))


def _words(name: str, sides: Sides) -> Column:
    """The rarest common word of each value, OTHER where there is none."""
    found = [[frozenset(_found(label)) for label in labels] for _, labels in sides]
    counts: Counter[str] = Counter()
    for (codes, labels), words in zip(sides, found, strict=True):
        often = np.bincount(codes[codes >= 0], minlength=len(labels)).tolist()
        for times, some in zip(often, words, strict=True):
            counts.update(dict.fromkeys(some, times))
    rank = _ranked(counts, sum(int(np.count_nonzero(codes >= 0)) for codes, _ in sides))
    names = [*rank, OTHER]
    order = np.argsort(np.array(names))
    place = np.argsort(order)
    codes = np.concatenate(
        [
            np.array([*(place[_rarest(some, rank)] for some in words), -1], dtype=np.int64)[own]
            for (own, _), words in zip(sides, found, strict=True)
        ]
    )
    gone = np.asarray(codes < 0)
    return Column(name, Kind.CATEGORICAL, codes, gone, tuple(names[i] for i in order))


def _ranked(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """The words that split the values most evenly, the commonest first.

    What nearly every value holds, such as articles, tells nothing apart.
    """
    able = [word for word, count in counts.items() if count >= FEWEST_VALUES]
    able.sort(key=lambda word: (-counts[word] * (size - counts[word]), word))
    chosen = sorted(able[:MOST_WORDS], key=lambda word: (-counts[word], word))
    return {word: place for place, word in enumerate(chosen)}


def _found(label: str) -> list[str]:
    return _WORD.findall(label[:LONGEST].casefold())


def _rarest(words: frozenset[str], rank: dict[str, int]) -> int:
    """The last rank among the words; that of OTHER if none is common."""
    return max((rank[word] for word in words if word in rank), default=len(rank))
