"""What changed about the columns of two tables besides their values, in sentences.

A column that only one table has, or of another declared type, is a difference by itself. What
chance can bring about (a type that was guessed, a new category, an empty column of few rows) is
told here and tested as values. What was done to a whole column (other capitals, values that were
cut, another notation of dates, times some hours later) is the cause of what the tests find in it.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from samelaw.results.words import in_a_row, percent, quoted
from samelaw.tables.columns import parse
from samelaw.tables.columns.column import AS_WRITTEN, Column, Kind
from samelaw.tables.columns.kinds import pool_words
from samelaw.tables.columns.names import is_unnamed_index
from samelaw.tables.columns.raw_column import Form, RawColumn
from samelaw.tables.pairing.rewritten import MUCH, NEARLY_ALL, Cause, cut, notation, shifted
from samelaw.tables.table import Table

SHOWN = 5  # categories or names listed in a sentence before "and 7 more"
NUMBERS, TEXT, TRUTHS = "numbers", "text", "true/false"


class Change(StrEnum):
    """What can change about a table besides the values."""

    ONLY_IN_A = "only in A"
    ONLY_IN_B = "only in B"
    TYPE = "type"
    WRITING = "writing"
    NEW_CATEGORIES = "new categories"
    VANISHED_CATEGORIES = "vanished categories"
    RESPELT_CATEGORIES = "respelt categories"
    CUT = "cut values"
    SHIFTED = "shifted times"
    ALL_MISSING = "all missing"


_REWRITTEN = (Change.TYPE, Change.WRITING, Change.RESPELT_CATEGORIES, Change.CUT, Change.SHIFTED)


@dataclass(frozen=True)
class SchemaChange:
    """One change about a column, with a sentence for the report.

    Attributes
    ----------
    kind : Change
    column, text : str
    categories : tuple of str
        Those it is about.
    difference : bool
        Whether it is a difference by itself, which no chance brings about.
    types : (str, str)
        Declared in A and in B, if they changed.
    cause : Cause or None
        What it is the cause of, if it moves values.
    """

    kind: Change
    column: str
    text: str
    categories: tuple[str, ...] = ()
    difference: bool = False
    types: tuple[str, ...] = ()
    cause: Cause | None = None

    @property
    def rewritten(self) -> bool:
        """Whether the same values are written or declared in another way."""
        return self.kind in _REWRITTEN

    @classmethod
    def by(cls, kind: Change, column: str, cause: Cause) -> "SchemaChange":
        """What a cause says of a column."""
        return cls(kind, column, f"{cause.text}: {cause.evidence}.", cause=cause)


def fold(word: str) -> str:
    """A word without its capitals and needless blanks.

    Examples
    --------
    >>> fold(" AUTUMN  leaves ")
    'autumn leaves'
    """
    return " ".join(word.casefold().split())


class _Alike(NamedTuple):
    """When two words say the same, and how that is told."""

    key: Callable[[str], Hashable]
    words: str


_FOLDED = _Alike(fold, "the same after trimming and lower-casing")
_READ_ALIKE = _Alike(parse.truth, "read as the same")


def one_sided(a: Table, b: Table, ignore: Collection[str]) -> list[SchemaChange]:
    """Columns that only one table has; an index without a name is none."""
    gone = [n for n in a.names if not (n in b.names or n in ignore or is_unnamed_index(n))]
    new = [n for n in b.names if not (n in a.names or n in ignore or is_unnamed_index(n))]
    return [
        *(_one_sided(Change.ONLY_IN_A, name) for name in gone),
        *(_one_sided(Change.ONLY_IN_B, name) for name in new),
    ]


def _one_sided(kind: Change, name: str) -> SchemaChange:
    return SchemaChange(kind, name, f"{name}: {kind.value}, so not compared.", difference=True)


def changes_of(
    column: Column,
    sides: Sequence[RawColumn],
    chosen: Kind | None,
    *,
    typed: bool = True,
    dateless: Sequence[bool] = (False, False),
) -> list[SchemaChange]:
    """What changed about a column of both tables: its type, its categories, all its values.

    ``typed`` says whether both sources declare types, ``dateless`` which of them have no type for
    dates, so that those are text there.
    """
    name = column.name
    empty = [bool(side.missing.all()) for side in sides]
    if empty[0] != empty[1]:
        text = f"{name}: every value is missing in {'A' if empty[0] else 'B'}."
        return [SchemaChange(Change.ALL_MISSING, name, text)]
    changes = []
    if not all(empty) and chosen is None:
        declared = _declared(column, sides, dateless) if typed else []
        changes += declared or _guessed(column, sides)
    rows = len(sides[0].missing)
    rewritten = {
        Change.CUT: cut(column, sides),
        Change.WRITING: notation(column, sides),
        Change.SHIFTED: shifted(column, rows),
    }
    changes += [SchemaChange.by(kind, name, cause) for kind, cause in rewritten.items() if cause]
    if column.kind is Kind.CATEGORICAL and rewritten[Change.CUT] is None:
        changes += _category_changes(column, rows, name)
    if (written := column.parts.get(AS_WRITTEN)) is not None:
        changes += _category_changes(written, rows, f"{name} ({AS_WRITTEN})")
    if chosen is None and (spelt := _spellings(column, sides)) is not None:
        changes += _category_changes(spelt, rows, f"{name} ({AS_WRITTEN})", _READ_ALIKE)
    return changes


def _declared(
    column: Column, sides: Sequence[RawColumn], dateless: Sequence[bool]
) -> list[SchemaChange]:
    """A type that the sources declare, unless stray words are all that made it another."""
    one, other = (
        "" if no_type and _is_text_of_times(side) else side.declared
        for side, no_type in zip(sides, dateless, strict=True)
    )
    if not (one and other) or one == other or _by_strays(sides):
        return []
    how = ", compared as categories" if column.kind is Kind.CATEGORICAL else ""
    text = f"{column.name}: {one} in A, {other} in B{how}."
    change = SchemaChange(Change.TYPE, column.name, text, difference=True, types=(one, other))
    return [change]


def _is_text_of_times(side: RawColumn) -> bool:
    return side.declared == TEXT and (Form.TIME in side.forms or side.clocks.are_times)


def _by_strays(sides: Sequence[RawColumn]) -> bool:
    """A single word makes text of a column of numbers where types are guessed on reading."""
    texts = [side for side in sides if side.declared == TEXT]
    mixed = [0 < side.count(Form.NUMBER) < side.known for side in texts]
    return {side.declared for side in sides} == {NUMBERS, TEXT} and all(mixed)


def _guessed(column: Column, sides: Sequence[RawColumn]) -> list[SchemaChange]:
    """What the values look like in each table."""
    name = column.name
    one, other = (side.family for side in sides)
    if one is not other and AS_WRITTEN not in column.parts:
        how = ", compared as categories" if column.kind is Kind.CATEGORICAL else ""
        text = f"{name}: {one.value} in A, {other.value} in B{how}."
        return [SchemaChange(Change.TYPE, name, text)]
    if Form.WORDS in (one, other):
        return []
    marked = [side.grouped for side in sides]
    if bool(marked[0]) != bool(marked[1]):
        where = "A" if marked[0] else "B"
        text = f"{name}: thousands are marked in {where} only, as in {quoted(''.join(marked))}."
        return [SchemaChange(Change.WRITING, name, text)]
    return []


def _spellings(column: Column, sides: Sequence[RawColumn]) -> Column | None:
    """The words of a column that are read as true and false; None of types that have no words."""
    if any(side.family is not Form.BOOLEAN or side.declared == TRUTHS for side in sides):
        return None
    codes, words = pool_words(sides)
    return replace(column, values=codes, categories=words)


def _category_changes(
    column: Column, rows: int, name: str, alike: _Alike = _FOLDED
) -> list[SchemaChange]:
    size = len(column.categories)
    counts = [
        np.bincount(part[part >= 0], minlength=size)
        for part in (column.values[:rows], column.values[rows:])
    ]
    respelt = _respelt(column, counts, name, alike)
    told = set().union(*(change.categories for change in respelt))
    found = []
    for kind, words, here, there in (
        (Change.NEW_CATEGORIES, "new in B", counts[1], counts[0]),
        (Change.VANISHED_CATEGORIES, "no longer in B", counts[0], counts[1]),
    ):
        only = np.flatnonzero((here > 0) & (there == 0))
        only = only[np.argsort(-here[only], kind="stable")]  # the most frequent first
        only = np.array([i for i in only if column.categories[i] not in told], dtype=np.int64)
        if len(only):
            names = tuple(column.categories[i] for i in only)
            listed = in_a_row([repr(name) for name in names], SHOWN)
            text = f"{name}: {words}: {listed} ({_rows(int(here[only].sum()))})."
            found.append(SchemaChange(kind, column.name, text, names))
    return [*respelt, *found]


def _respelt(
    column: Column, counts: Sequence[np.ndarray], name: str, alike: _Alike
) -> list[SchemaChange]:
    """Categories that one table spells in another way than the other."""
    folded: dict[Hashable, tuple[list[int], list[int]]] = {}
    for i, word in enumerate(column.categories):
        for side in (0, 1):
            if counts[side][i] and not counts[1 - side][i]:
                folded.setdefault(alike.key(word), ([], []))[side].append(i)
    both = [(olds, news) for olds, news in folded.values() if olds and news]
    if not both:
        return []
    words = column.categories
    both.sort(key=lambda sides: -int(counts[1][sides[1]].sum()))
    listed = in_a_row([f"{words[news[0]]!r} for {words[olds[0]]!r}" for olds, news in both], SHOWN)
    total = int(sum(counts[1][news].sum() for _, news in both))
    text = f"{name}: {alike.words}: {listed} ({_rows(total)})."
    names = tuple(words[i] for olds, news in both for i in (*news, *olds))
    shares = [sum(c[own].sum() for own in every) / max(c.sum(), 1)
              for c, every in zip(counts, zip(*both, strict=True), strict=True)]  # fmt: skip
    cause = _spelling(column.name, alike, [(words[o[0]], words[n[0]]) for o, n in both], shares)
    return [SchemaChange(Change.RESPELT_CATEGORIES, column.name, text, names, cause=cause)]


def _spelling(
    name: str, alike: _Alike, both: Sequence[tuple[str, str]], shares: Sequence[float]
) -> Cause | None:
    """What it takes to be a cause: a share of the rows that can move something."""
    if max(shares) < MUCH:
        return None
    (old, new), more = both[0], len(both) - 1
    beside = f" and {more:,} more" if more else ""
    return Cause(
        f"{name} is spelt differently in B ({quoted(new)} for {quoted(old)}{beside})",
        f"{alike.words}, in {percent(shares[0])} of the rows of A and {percent(shares[1])} of B",
        (name,) if min(shares) >= NEARLY_ALL else (),
    )


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"
