"""The rules by which the kind of a column is found, and columns read by them.

A kind is decided on all values at once: those of one table when it is looked at alone, those of
both when two are compared. The rules only count values, never which table they came from.

    empty        no value at all
    constant     one value
    datetime     every value is a date (`samelaw.tables.columns.dates`) or time, or of a date type
    boolean      every value is 0 or 1, true or false, yes or no, on or off, or their initials
    identifier   whole numbers that count up without repeats; whole numbers named like an id, or
                 single words, of which nearly every one occurs once per table
    integer      every value is a whole number
    numeric      every value is a number; if they are so large and so close to each other that
                 floats cannot tell them apart, they are categories, whole or not
    text         words, of which most occur once per table
    categorical  any other words

Numbers and dates stay such when a few of the values are words: the words are then a part of the
column, "as written", and so are signs of currencies and of percent that only some values have.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from samelaw.core.checks import shown
from samelaw.core.digits import MOST_EXACT, as_floats, digits_lost, told_apart
from samelaw.core.types import Matrix
from samelaw.results.words import quoted
from samelaw.tables.columns.column import AS_WRITTEN, Column, Kind
from samelaw.tables.columns.joint_notation import settled
from samelaw.tables.columns.raw_column import PLAIN, Codes, Floats, Form, RawColumn

_LEFT = 4.0 * float(np.finfo(np.float64).eps)
"""What a few steps of arithmetic may leave of a number, as a share of it."""


def around(values: Floats) -> tuple[Floats, Floats]:
    """The least and the largest number that rounding may make of each of these."""
    with np.errstate(over="ignore"):
        return values - _LEFT * np.abs(values), values + _LEFT * np.abs(values)


def tied(values: Floats) -> Floats:
    """Numbers (n,) of all tables, each run of nearly equal ones as its least.

    Values so dense that such runs have no end are all that is known of them, and stay.

    Examples
    --------
    >>> tied(np.array([0.3, 3 * 0.1, 0.5, np.nan])).tolist()
    [0.3, 0.3, 0.5, nan]
    """
    known = np.sort(values[np.isfinite(values)])
    close = known[1:] <= around(known[:-1])[1]
    if not np.any(close & (known[1:] > known[:-1])):
        return values
    starts = np.flatnonzero(np.append(True, ~close))
    first, last = known[starts], known[np.append(starts[1:], len(known)) - 1]
    short = (last > first) & (last <= around(first)[1])
    first, last = first[short], last[short]
    if not len(first):
        return values
    at = np.searchsorted(first, values, side="right") - 1  # of NaN the last: it is in none
    inside = (at >= 0) & (values <= last[at])
    return np.where(inside, first[at], values)


FEW_ROWS = 20
"""With fewer values nothing is called an identifier or text: any three words are distinct."""

IDENTIFIER_SHARE = 0.95
"""Share of the values that occur at most once per table, from which on they identify a row."""

TEXT_SHARE = 0.5
"""The same share, from which on words are free text rather than categories."""

IDENTIFIER_BLANKS = 1.0
"""Blanks per value: identifiers have fewer, free text has more."""

MOSTLY = 0.75
"""Share of numbers among the values, from which on the words among them are strays."""

ID_NAME = re.compile(r"(?:^|[_\s.-])(?i:id|uuid|guid)$|[a-z]I[dD]$")


_FORMS = {
    Kind.NUMERIC: Form.NUMBER,
    Kind.INTEGER: Form.INTEGER,
    Kind.BOOLEAN: Form.BOOLEAN,
    Kind.DATETIME: Form.TIME,
}


def read_column(name: str, tables: Sequence[RawColumn], kind: Kind | None = None) -> Column:
    """The values of a column of one or several tables, under each other, as one kind."""
    tables = settled(tables)
    empty = all(bool(side.missing.all()) for side in tables)
    look = look_at(name, tables) if kind is None or empty else Look(kind, _FORMS.get(kind))
    notes = tuple(dict.fromkeys(note for side in tables for note in side.notes))
    if look.kind in _FORMS and look.form is not None:
        notes = tuple(dict.fromkeys((*notes, *(n for side in tables for n in side.reading_notes))))
        read = _read_chosen if kind else _read_found
        return read(name, look.kind, look.form, tables, notes)
    codes, labels = pool_words(tables)
    gone = np.asarray(codes < 0)
    if look.kind is Kind.CONSTANT:  # 1 and 1.0 are one value
        return Column(name, look.kind, np.minimum(codes, 0), gone, labels[:1], notes)
    if kind is None:
        notes += remarks_of(tables)
    return Column(name, look.kind, codes, gone, labels, notes)


def remarks_of(tables: Sequence[RawColumn]) -> tuple[str, ...]:
    """What a reader should know of words, once: tables differ in the word that is an example."""
    said = [note for side in tables for note in side.remarks()]
    return tuple({note.split(" such as ")[0]: note for note in reversed(said)}.values())[::-1]


def _read_chosen(
    name: str, kind: Kind, form: Form, tables: Sequence[RawColumn], notes: tuple[str, ...]
) -> Column:
    """Numbers by order: what is none is missing."""
    values = _one_each(kind, np.concatenate([side.numbers(form) for side in tables]))
    missing = np.isnan(values)
    _check_digits(name, form, tables, values[~missing])
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


def _check_digits(name: str, form: Form, tables: Sequence[RawColumn], known: Floats) -> None:
    exact = _exact(tables, form, known)
    if digits_lost(exact, as_floats(exact)):
        raise ValueError(
            f"{told_apart(f'column {name!r}', known)}, or choose 'categorical' "
            f"(--kind {name}=categorical, kinds= in Python)."
        )


def _read_found(
    name: str, kind: Kind, form: Form, tables: Sequence[RawColumn], notes: tuple[str, ...]
) -> Column:
    """Numbers found by looking: what is none is a word, and compared as such."""
    values = _one_each(kind, _numbers(tables, form))
    written = as_written(name, form, tables)
    if written is None:
        return Column(name, kind, values, np.isnan(values), (), notes)
    notes += _stray_notes(written)
    parts = {AS_WRITTEN: written}
    return Column(name, kind, values, np.isnan(values), (), notes, parts)


def _one_each(kind: Kind, values: Floats) -> Floats:
    """Numbers that rounding alone keeps apart as one; whole ones have none."""
    return tied(values) if kind is Kind.NUMERIC else values


def _numbers(tables: Sequence[RawColumn], form: Form) -> Floats:
    """Values of all tables; NaN for a date among numbers, whose seconds are not meant."""
    return np.concatenate(
        [
            side.numbers(form) if side.count(form) else np.full(len(side.missing), np.nan)
            for side in tables
        ]
    )


def as_written(name: str, form: Form, tables: Sequence[RawColumn]) -> Column | None:
    """How the numbers or dates of a column are written; None if all are in one way."""
    if form is Form.BOOLEAN:
        return None
    codes, ways = _pooled([side.manners(form) for side in tables])
    if len(ways) < 2:
        return None
    return Column(name, Kind.CATEGORICAL, codes, np.asarray(codes < 0), ways)


def _stray_notes(written: Column) -> tuple[str, ...]:
    counts = np.bincount(written.values[~written.missing], minlength=len(written.categories))
    strays = [
        (-int(count), word)
        for count, word in zip(counts, written.categories, strict=True)
        if word != PLAIN and not word.startswith("with ")
    ]
    if not strays:
        return ()
    total, most = -sum(count for count, _ in strays), min(strays)[1]
    are = "text such as" if len(strays) > 1 else "the text"
    rows = f"{total} rows hold" if total > 1 else "1 row holds"
    return (f"{rows} {are} {quoted(most)} in place of a value, which is compared apart",)


def pool_words(tables: Sequence[RawColumn]) -> tuple[Codes, tuple[str, ...]]:
    """Codes of all tables under each other, in one sorted list of words."""
    return _pooled([side.words() for side in tables])


def _pooled(parts: Sequence[tuple[Codes, Sequence[str]]]) -> tuple[Codes, tuple[str, ...]]:
    labels = tuple(sorted(set().union(*(words for _, words in parts))))
    place = {label: i for i, label in enumerate(labels)}
    codes = [
        np.asarray([*(place[word] for word in words), -1], dtype=np.int64)[codes]
        for codes, words in parts
    ]
    return np.concatenate(codes), labels


class Look(NamedTuple):
    """What a column looks like: its kind, and the form of its numbers if they are numbers."""

    kind: Kind
    form: Form | None = None


def find_kind(name: str, tables: Sequence[RawColumn]) -> Kind:
    """The kind of a column by the rules at the top of this file."""
    return look_at(name, settled(tables)).kind


def look_at(name: str, tables: Sequence[RawColumn]) -> Look:
    """The same with its form, for tables whose decimal signs are settled."""
    if all(bool(side.missing.all()) for side in tables):
        return Look(Kind.EMPTY)
    if (form := _form_of(tables)) is None:
        return Look(_kind_of_words(*pool_words(tables), len(tables)))
    values = _numbers(tables, form)
    known = values[~np.isnan(values)]
    exact = _exact(tables, form, known)
    if len(exact) == len(known):
        known = exact
    if known.min() == known.max():
        alike = as_written(name, form, tables) is None
        return Look(Kind.CONSTANT if alike else Kind.CATEGORICAL)
    if form is Form.INTEGER and _is_identifier(name, known, len(tables)):
        return Look(Kind.IDENTIFIER, form)
    if digits_lost(exact, as_floats(exact)):
        return Look(Kind.CATEGORICAL)
    return Look(next(kind for kind, needed in _FORMS.items() if needed is form), form)


def _exact(tables: Sequence[RawColumn], form: Form, known: Floats) -> Matrix:
    """Large numbers (k,) of all tables with all their digits, but for those that came as floats.

    A float is as good as any number that it is the nearest one to: it tells none of them apart.
    """
    if form not in (Form.INTEGER, Form.NUMBER) or not np.any(np.abs(known) >= MOST_EXACT):
        return np.empty(0)
    sides = [side.exact(form) for side in tables]
    exact = [side for side in sides if side.dtype.kind != "f"]
    if len({side.dtype for side in exact}) > 1:  # of two types numpy would make floats
        exact = [side.astype(object) for side in exact]
    return np.concatenate([*exact, np.empty(0, exact[0].dtype if exact else np.float64)])


def _form_of(tables: Sequence[RawColumn]) -> Form | None:
    """The form of all values, or of most of them if the rest are strays; None for words."""
    forms = frozenset.intersection(*(side.forms for side in tables))
    for form in (Form.TIME, Form.BOOLEAN, Form.INTEGER, Form.NUMBER):
        if form in forms:
            return form
    known = sum(side.known for side in tables)
    if known < FEW_ROWS or any(side.codes_only for side in tables):
        return None
    counts = {form: sum(side.count(form) for side in tables) for form in _FORMS.values()}
    if counts[Form.TIME] >= MOSTLY * known:
        return Form.TIME
    if counts[Form.NUMBER] < MOSTLY * known:
        return None
    return Form.INTEGER if counts[Form.INTEGER] == counts[Form.NUMBER] else Form.NUMBER


def _is_identifier(name: str, known: Matrix, tables: int) -> bool:
    """Row numbers, or numbers named like an id: no value twice in a table."""
    if len(known) < FEW_ROWS:
        return False
    span = int(known.max()) - int(known.min()) + 1
    if span <= len(known) / IDENTIFIER_SHARE:
        counts = np.bincount((known - known.min()).astype(np.int64))
        distinct = int(np.count_nonzero(counts))
        return bool(counts.max() <= tables) and distinct >= IDENTIFIER_SHARE * span
    if ID_NAME.search(name):
        return _seldom(np.unique(known, return_counts=True)[1], tables) >= IDENTIFIER_SHARE
    return False


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
    """Check kinds chosen by the user; columns are checked where they are known.

    Whatever has items by name will do, such as a series.
    """
    if kinds is None:
        return {}
    if not callable(getattr(kinds, "items", None)):
        raise TypeError(f'kinds must be as {{"zip": "categorical"}}, got {shown(kinds)}.')
    free = [kind for kind in Kind if kind not in (Kind.CONSTANT, Kind.EMPTY)]
    chosen = {}
    for name, kind in kinds.items():
        if not isinstance(kind, str) or kind not in free:
            raise ValueError(
                f"kind of column {name!r} is {kind!r}; expected one of {', '.join(free)}."
            )
        chosen[str(name)] = Kind(kind)
    return chosen
