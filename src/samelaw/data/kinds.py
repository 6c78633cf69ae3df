"""Columns, the kinds they come in, and the rules by which a kind is found.

A kind is decided on all values at once: those of one table when it is looked at alone, those of
both when two are compared. The rules only count values, never which table they came from.

    empty        no value at all
    constant     one value
    datetime     every value is an ISO date or time, or of a date type
    boolean      every value is 0 or 1, true or false, yes or no
    identifier   whole numbers that count up without repeats; whole numbers named like an id, or
                 single words, of which nearly every one occurs once per table
    integer      every value is a whole number
    numeric      every value is a number
    text         words, of which most occur once per table
    categorical  any other words
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

import numpy as np

from samelaw.core.types import Matrix
from samelaw.data import parse
from samelaw.data.names import check_names
from samelaw.data.raw_column import Codes, Floats, Form, Mask, RawColumn

FEW_ROWS = 20
"""With fewer values nothing is called an identifier or text: any three words are distinct."""

IDENTIFIER_SHARE = 0.95
"""Share of the values that occur at most once per table, from which on they identify a row."""

TEXT_SHARE = 0.5
"""The same share, from which on words are free text rather than categories."""

IDENTIFIER_BLANKS = 1.0
"""Blanks per value: identifiers have fewer, free text has more."""

MOST_EXACT = 2.0**53
"""Whole numbers below have all their digits as floats."""

_ID_NAME = re.compile(r"(?:^|[_\s.-])(?i:id|uuid|guid)$|[a-z]I[dD]$")


class Kind(StrEnum):
    """What the values of a column are."""

    NUMERIC = "numeric"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CATEGORICAL = "categorical"
    DATETIME = "datetime"
    TEXT = "text"
    CONSTANT = "constant"
    IDENTIFIER = "identifier"
    EMPTY = "empty"


_FORMS = {
    Kind.NUMERIC: Form.NUMBER,
    Kind.INTEGER: Form.INTEGER,
    Kind.BOOLEAN: Form.BOOLEAN,
    Kind.DATETIME: Form.TIME,
}


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table, or of two tables under each other.

    Parameters
    ----------
    values : array (n,)
        float64 with NaN for missing (numeric, integer, boolean, datetime in seconds since 1970),
        or codes with −1 for missing (all other kinds).
    missing : array (n,)
        True where there is no value.
    categories : tuple of str
        The words the codes stand for, sorted; empty for numbers.
    notes : tuple of str
        What was done to the values that a reader should know.
    """

    name: str
    kind: Kind
    values: Matrix = field(repr=False)
    missing: Mask = field(repr=False)
    categories: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length, as read; ``columns`` types them by looking.

    Examples
    --------
    >>> from samelaw.data.read import read_table
    >>> table = read_table({"price": [1.5, None, 2.5], "colour": ["red", "red", "blue"]})
    >>> [(column.name, str(column.kind)) for column in table.columns]
    [('price', 'numeric'), ('colour', 'categorical')]
    """

    raw: Mapping[str, RawColumn] = field(repr=False)
    rows: int
    source: str
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of all columns of the source, also of those that were not read."""
        return (*self.raw, *self.unread)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(self.column(name) for name in self.raw)

    def column(self, name: str, kind: Kind | str | None = None) -> Column:
        """One column by name, as the kind found by looking or as the one given."""
        check_names([name], tuple(self.raw), self.source)
        chosen = None if kind is None else as_kinds({name: kind})[name]
        return read_column(name, [self.raw[name]], chosen)


def read_column(name: str, tables: Sequence[RawColumn], kind: Kind | None = None) -> Column:
    """The values of a column of one or several tables, under each other, as one kind."""
    empty = all(bool(side.missing.all()) for side in tables)
    found = find_kind(name, tables) if kind is None or empty else kind
    notes = tuple(dict.fromkeys(note for side in tables for note in side.notes))
    if found in _FORMS:
        return _read_numbers(name, found, tables, notes)
    codes, labels = pool_words(tables)
    if found is Kind.CONSTANT:  # 1 and 1.0 are one value
        return Column(name, found, np.minimum(codes, 0), np.asarray(codes < 0), labels[:1], notes)
    if kind is None:
        notes += tuple(dict.fromkeys(note for side in tables for note in side.remarks()))
    return Column(name, found, codes, np.asarray(codes < 0), labels, notes)


def _read_numbers(
    name: str, kind: Kind, tables: Sequence[RawColumn], notes: tuple[str, ...]
) -> Column:
    values = np.concatenate([side.numbers(_FORMS[kind]) for side in tables])
    missing = np.isnan(values)
    before = sum(int(side.missing.sum()) for side in tables)
    unread = int(missing.sum()) - before
    if unread and unread == len(values) - before:
        raise ValueError(
            f"column {name!r} cannot be read as {kind}: none of its values is one; "
            "leave its kind to samelaw or choose 'categorical'."
        )
    if unread:
        notes += (f"{unread} value(s) that are not {kind} count as missing",)
    return Column(name, kind, values, missing, (), notes)


def pool_words(tables: Sequence[RawColumn]) -> tuple[Codes, tuple[str, ...]]:
    """Codes of all tables under each other, in one sorted list of words."""
    parts = [side.words() for side in tables]
    labels = tuple(sorted(set().union(*(words for _, words in parts))))
    place = {label: i for i, label in enumerate(labels)}
    codes = [
        np.asarray([*(place[word] for word in words), -1], dtype=np.int64)[codes]
        for codes, words in parts
    ]
    return np.concatenate(codes), labels


def find_kind(name: str, tables: Sequence[RawColumn]) -> Kind:
    """The kind of a column by the rules at the top of this file."""
    forms = frozenset.intersection(*(side.forms for side in tables))
    if all(bool(side.missing.all()) for side in tables):
        return Kind.EMPTY
    if forms == {Form.WORDS}:
        return _kind_of_words(*pool_words(tables), len(tables))
    form = next(f for f in (Form.TIME, Form.BOOLEAN, Form.INTEGER, Form.NUMBER) if f in forms)
    values = np.concatenate([side.numbers(form) for side in tables])
    known = values[~np.isnan(values)]
    if known.min() == known.max() and (form is not Form.INTEGER or abs(known[0]) < MOST_EXACT):
        return Kind.CONSTANT
    if form is Form.INTEGER:
        if np.abs(known).max() >= MOST_EXACT and _may_be_identifier(name, known):
            return _kind_of_large_integers(name, tables)
        if _is_identifier(name, known, len(tables)):
            return Kind.IDENTIFIER
    return next(kind for kind, needed in _FORMS.items() if needed is form)


def _is_identifier(name: str, known: Floats, tables: int) -> bool:
    """Row numbers, or numbers named like an id: no value twice in a table."""
    if len(known) < FEW_ROWS:
        return False
    span = float(known.max() - known.min()) + 1
    if span <= len(known) / IDENTIFIER_SHARE:
        counts = np.bincount((known - known.min()).astype(np.int64))
        distinct = int(np.count_nonzero(counts))
        return bool(counts.max() <= tables) and distinct >= IDENTIFIER_SHARE * span
    if _ID_NAME.search(name):
        return _seldom(np.unique(known, return_counts=True)[1], tables) >= IDENTIFIER_SHARE
    return False


def _may_be_identifier(name: str, known: Floats) -> bool:
    """Whether all digits are worth a look; the span is known up to rounding."""
    span = float(known.max() - known.min()) - 4 * float(np.spacing(np.abs(known).max()))
    return span <= len(known) / IDENTIFIER_SHARE or bool(_ID_NAME.search(name))


def _kind_of_large_integers(name: str, tables: Sequence[RawColumn]) -> Kind:
    """The same rules on all digits: as floats, neighbours among large numbers are equal."""
    codes, labels = pool_words(tables)
    exact = np.array([parse.whole(label) for label in labels], dtype=object)
    distinct, place = np.unique(exact, return_inverse=True)
    if len(distinct) == 1:
        return Kind.CONSTANT
    known = place[codes[codes >= 0]]
    counts = np.bincount(known)
    counts_up = distinct[-1] - distinct[0] < len(known) / IDENTIFIER_SHARE
    named = counts_up or bool(_ID_NAME.search(name))
    often = _seldom(counts, len(tables)) < IDENTIFIER_SHARE
    return Kind.INTEGER if len(known) < FEW_ROWS or often or not named else Kind.IDENTIFIER


def _kind_of_words(codes: Codes, labels: tuple[str, ...], tables: int) -> Kind:
    known = codes[codes >= 0]
    if len(labels) == 1:
        return Kind.CONSTANT
    seldom = _seldom(np.bincount(known, minlength=len(labels)), tables)
    if len(known) < FEW_ROWS or seldom < TEXT_SHARE:
        return Kind.CATEGORICAL
    blanks = sum(label.strip().count(" ") for label in labels) / len(labels)
    single = blanks < IDENTIFIER_BLANKS
    return Kind.IDENTIFIER if single and seldom >= IDENTIFIER_SHARE else Kind.TEXT


def _seldom(counts: Codes, tables: int) -> float:
    """Share of the values that occur at most once per table."""
    return float(counts[counts <= tables].sum() / counts.sum())


def as_kinds(kinds: Mapping[str, Kind | str] | None) -> dict[str, Kind]:
    """Check kinds chosen by the user; columns are checked where they are known."""
    free = [kind for kind in Kind if kind not in (Kind.CONSTANT, Kind.EMPTY)]
    chosen = {}
    for name, kind in (kinds or {}).items():
        if kind not in free:
            raise ValueError(
                f"kind of column {name!r} is {kind!r}; expected one of {', '.join(free)}."
            )
        chosen[name] = Kind(kind)
    return chosen
