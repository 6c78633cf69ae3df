"""The characters of many words at once: which kinds of them, and which three in a row.

Words are written under each other as one array of code points and worked on piece by piece, so
that a million of them take seconds and little memory.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from samelaw.core.types import Matrix

CLASSES = ("small letters", "capitals", "digits", "signs", "beyond ASCII", "blanks")
BUCKETS = 32
"""Of trigrams: enough to tell languages and alphabets apart, few enough to test together."""

MOST_TRIGRAMS = 40
SEARCHED = 20_000
"""Words that the commonest trigrams are searched in, evenly among the sorted ones of the pool."""

_PIECE = 1 << 21  # characters at a time
_BITS = np.uint64(21)  # of a code point
_MIX = np.uint64(0x9E3779B97F4A7C15)
NO_TRIGRAM = "(no common trigram)"

Points = NDArray[np.uint32]


def pieces(words: Sequence[str]) -> Iterator[tuple[int, int, Matrix, Points]]:
    """First and last word of each piece; of all its characters the word (from 0) and the point."""
    ends = np.cumsum([len(word) for word in words])
    start = 0
    while start < len(words):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + _PIECE, side="right")), start + 1)
        some = words[start:stop]
        lengths = np.fromiter(map(len, some), np.int64, len(some))
        points = np.frombuffer("".join(some).encode("utf-32-le", "surrogatepass"), np.uint32)
        yield start, stop, np.repeat(np.arange(len(some)), lengths), points
        start = stop


def class_shares(words: Sequence[str]) -> tuple[Matrix, tuple[str, ...]]:
    """Shares (k, c) of the classes of characters in each word, and the names of the classes.

    Examples
    --------
    >>> shares, names = class_shares(["ab12", "é"])
    >>> dict(zip(names, shares[0].tolist()))["digits"], shares[1, names.index("beyond ASCII")]
    (0.5, np.float32(1.0))
    """
    found: Matrix = np.zeros((len(words), len(CLASSES)), dtype=np.float32)
    for start, stop, word, points in pieces(words):
        classes = _LOOKUP[np.minimum(points, 128)]
        found[start:stop] = _shares(word, classes, stop - start, len(CLASSES))
    return found, CLASSES


def _class_of(point: int) -> int:
    sign = chr(point)
    if not sign.isascii():
        return CLASSES.index("beyond ASCII")
    for name, holds in (
        ("small letters", sign.islower()),
        ("capitals", sign.isupper()),
        ("digits", sign.isdigit()),
        ("blanks", sign.isspace()),
    ):
        if holds:
            return CLASSES.index(name)
    return CLASSES.index("signs")


_LOOKUP = np.array([_class_of(point) for point in range(129)])


def classes_in(shares: Matrix, names: Sequence[str]) -> list[str]:
    """Which classes each word holds, blanks apart: "capitals, digits"."""
    held = shares > 0
    held[:, names.index("blanks")] = False
    kinds, place = np.unique(held, axis=0, return_inverse=True)
    said = [", ".join(n for n, there in zip(names, k, strict=True) if there) for k in kinds]
    return [said[i] or "blanks" for i in place]


def _shares(word: Matrix, codes: Matrix, words: int, width: int) -> Matrix:
    counts = np.bincount(word * width + codes, minlength=words * width).reshape(words, width)
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def _trigrams(word: Matrix, points: Points) -> tuple[Matrix, Matrix]:
    """The word and the number of each three characters in a row."""
    if len(points) < 3:
        return word[:0], np.zeros(0, dtype=np.uint64)
    wide = points.astype(np.uint64)
    three = (wide[:-2] << (_BITS + _BITS)) | (wide[1:-1] << _BITS) | wide[2:]
    inside = word[:-2] == word[2:]
    return word[:-2][inside], three[inside]


def bucket_shares(words: Sequence[str]) -> Matrix:
    """Of the trigrams of each word, the shares (k, BUCKETS) that a hash puts into each bucket."""
    found: Matrix = np.zeros((len(words), BUCKETS), dtype=np.float32)
    for start, stop, word, points in pieces(words):
        owner, three = _trigrams(word, points)
        buckets = ((three * _MIX) >> np.uint64(40)).astype(np.int64) % BUCKETS
        found[start:stop] = _shares(owner, buckets, stop - start, BUCKETS)
    return found


def common_trigram(words: Sequence[str], fewest: int) -> list[str]:
    """The rarest common trigram of each word: of those that split words most evenly.

    Words are those of a pool, each once and sorted, so that the choice is one of the pool.
    """
    chosen = _splitting(words[:: -(-len(words) // SEARCHED)], fewest)
    names = [*map(_spelled, chosen.tolist()), NO_TRIGRAM]
    order = np.argsort(chosen)
    place = np.full(len(words), -1)
    for start, stop, word, points in pieces(words):
        owner, three = _trigrams(word, points)
        at = np.minimum(np.searchsorted(chosen, three, sorter=order), max(len(chosen) - 1, 0))
        known = chosen[order[at]] == three if len(chosen) else np.zeros(len(three), dtype=bool)
        np.maximum.at(place[start:stop], owner[known], order[at[known]])
    return [names[i] for i in place]  # −1 is the last name


def _splitting(words: Sequence[str], fewest: int) -> Matrix:
    """The trigrams that split the words most evenly, the commonest first."""
    held = []
    for start, _, word, points in pieces(words):
        owner, three = _trigrams(word, points)
        pairs = np.unique(np.stack([three, (owner + start).astype(np.uint64)]), axis=1)
        held.append(pairs[0])
    values, counts = np.unique(np.concatenate(held), return_counts=True)
    able = np.flatnonzero(counts >= fewest)
    even = counts[able] * (len(words) - counts[able])
    best = able[np.lexsort([values[able], -even])[:MOST_TRIGRAMS]]
    return np.asarray(values[best[np.lexsort([values[best], -counts[best]])]])


def _spelled(three: int) -> str:
    mask = (1 << int(_BITS)) - 1
    return "".join(chr(three >> shift & mask) for shift in (2 * int(_BITS), int(_BITS), 0))
