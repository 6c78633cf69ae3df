"""Free text and identifiers: what of them can be compared without knowing a language.

- length: characters of a text, as a number;
- words: of the words that split the values most evenly, the rarest that a value holds. These are
  what vocabularies can be told apart by, and the rarest says most about a value;
- characters: which of small letters, capitals, digits, signs and others it holds, and their shares;
- pattern: the value with a for every letter and 9 for every digit, where patterns are few;
- trigrams: three characters in a row, digits all alike: the rarest of the common ones, as of words,
  and the shares of all in a few buckets, for languages without blanks between words.

Identifiers that count up have none of these: their digits follow from where the count stands, and
that no two tables share. So their digits, and what looks like hexadecimal, are made alike first;
then their characters, words and pattern are looked at, not their length or trigrams.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from samelaw.tables.columns.characters import (
    bucket_shares,
    class_shares,
    classes_in,
    common_trigram,
)
from samelaw.tables.columns.column import Column, Features, Kind
from samelaw.tables.columns.raw_column import Codes

MOST_WORDS = 40
"""Words of the pool that are looked at; as many as categories."""

FEWEST_VALUES = 8
"""Values a word or pattern must occur in: fewer could not stand out, whosever they are."""

PATTERNED = 0.9
"""Share of the values with a pattern of so many values, from which on patterns are compared."""

HEXADECIMAL = 0.05
"""Share of the values that hold digits among the letters a to f, from which on both are one."""

LONGEST = 2_000
"""Characters of a value that are looked at."""

OTHER = "(no common word)"
RARE = "(a rare one)"

_WORD = re.compile(r"[^\W\d_]{2,}")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT, _DIGITS = re.compile(r"\d"), re.compile(r"\d+")
_PADDED = re.compile(r"(?<!\d)0\d")
_HEX = re.compile(r"(?<![^\W_])[0-9a-f]{2,}(?![^\W_])", re.IGNORECASE)
_MIXED_HEX = re.compile(r"(?<![^\W_])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,}(?![^\W_])", re.IGNORECASE)

ALONE = ("characters", "pattern", "trigrams")
"""Parts that say in another way what length and words say: not looked at together with others."""


def parts_of(name: str, kind: Kind, codes: Codes, labels: Sequence[str]) -> dict[str, Column]:
    """What can be compared of a column of text or identifiers of words; functions of the pool.

    ``labels`` are the distinct values of the pool, sorted, and ``codes`` (N,) those of its rows.
    """
    if not labels:
        return {}
    cut = [label[:LONGEST] for label in labels]
    often = np.bincount(codes[codes >= 0], minlength=len(labels))
    timeless = without_counts(cut, often)
    bare = timeless if kind is Kind.IDENTIFIER else cut
    parts: dict[str, Column | None] = {
        "words": _words(bare, often),
        "characters": _characters(bare),
        "pattern": _patterns(timeless, often),
    }
    if kind is Kind.TEXT:
        parts = {"length": _lengths(labels), **parts, "trigrams": _trigrams(cut)}
    found = {part: _of_rows(name, column, codes) for part, column in parts.items() if column}
    return {part: column for part, column in found.items() if _varies(column)}


def _of_rows(name: str, distinct: Column, codes: Codes) -> Column:
    """A column of the distinct values as one of the rows that hold them."""
    column = distinct.taken(codes)  # code −1 takes the last one, and is missing
    gone = np.asarray(codes < 0)
    nothing = np.nan if column.kind is Kind.INTEGER else -1
    column.values[gone] = nothing
    if column.features is not None:
        column.features.values[gone] = np.nan
    return Column(
        name, column.kind, column.values, gone, column.categories, features=column.features
    )


def _varies(column: Column) -> bool:
    known = column.values[~column.missing]
    if len(known) and bool(known.min() < known.max()):
        return True
    features = None if column.features is None else column.features.values[~column.missing]
    return features is not None and len(features) > 0 and bool(np.ptp(features, axis=0).max() > 0)


def _lengths(labels: Sequence[str]) -> Column:
    values = np.fromiter(map(len, labels), np.float64, len(labels))
    return Column("", Kind.INTEGER, values, np.zeros(len(values), dtype=bool))


def _named(words: Sequence[str], features: Features | None = None) -> Column:
    """A column of categories from a word for each value."""
    categories, codes = np.unique(np.array(words, dtype=object), return_inverse=True)
    missing = np.zeros(len(codes), dtype=bool)
    return Column("", Kind.CATEGORICAL, codes, missing, tuple(categories), features=features)


def _characters(labels: Sequence[str]) -> Column:
    shares, names = class_shares(labels)
    return _named(classes_in(shares, names), Features(shares, names))


def _trigrams(labels: Sequence[str]) -> Column:
    alike = [_DIGIT.sub("9", label.casefold()) for label in labels]
    return _named(common_trigram(alike, FEWEST_VALUES), Features(bucket_shares(alike)))


def _patterns(labels: Sequence[str], often: Codes) -> Column | None:
    """The pattern of each value, those of few values under one name; None if most are rare."""
    patterns = [_DIGIT.sub("9", _LETTER.sub("a", label)) for label in labels]
    counts: Counter[str] = Counter()
    for pattern, times in zip(patterns, often.tolist(), strict=True):
        counts[pattern] += times
    common = {pattern for pattern, count in counts.items() if count >= FEWEST_VALUES}
    if sum(counts[pattern] for pattern in common) < PATTERNED * counts.total():
        return None
    return _named([pattern if pattern in common else RARE for pattern in patterns])


def without_counts(labels: Sequence[str], often: Codes) -> list[str]:
    """Identifiers as they would be anywhere in their count: 9 for a number, whatever its length.

    Where numbers are padded with zeros their length is fixed, and kept.

    Examples
    --------
    >>> without_counts(["id-9", "id-10"], np.array([1, 1]))
    ['id-9', 'id-9']
    >>> without_counts(["id-09", "id-10"], np.array([1, 1]))
    ['id-99', 'id-99']
    """
    mixed = np.array([bool(_MIXED_HEX.search(label)) for label in labels])
    if float(often[mixed].sum()) >= HEXADECIMAL * float(often.sum()):
        labels = [_HEX.sub("9", label) for label in labels]
    digits = _DIGIT if any(map(_PADDED.search, labels)) else _DIGITS
    return [digits.sub("9", label) for label in labels]


def _words(labels: Sequence[str], often: Codes) -> Column:
    """The rarest common word of each value, OTHER where there is none."""
    found = [frozenset(_WORD.findall(label.casefold())) for label in labels]
    counts: Counter[str] = Counter()
    for words, times in zip(found, often.tolist(), strict=True):
        counts.update(dict.fromkeys(words, times))
    rank = _ranked(counts, int(often.sum()))
    names = [*rank, OTHER]
    return _named([names[_rarest(words, rank)] for words in found])


def _ranked(counts: Mapping[str, int], size: int) -> dict[str, int]:
    """The words that split the values most evenly, the commonest first.

    What nearly every value holds, such as articles, tells nothing apart.
    """
    able = [word for word, count in counts.items() if count >= FEWEST_VALUES]
    able.sort(key=lambda word: (-counts[word] * (size - counts[word]), word))
    chosen = sorted(able[:MOST_WORDS], key=lambda word: (-counts[word], word))
    return {word: place for place, word in enumerate(chosen)}


def _rarest(words: frozenset[str], rank: dict[str, int]) -> int:
    """The last rank among the words; that of OTHER if none is common."""
    return max((rank[word] for word in words if word in rank), default=len(rank))
