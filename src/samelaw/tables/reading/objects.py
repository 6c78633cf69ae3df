"""Python objects as a raw column: what a list, a JSON value or a column of objects may hold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal

import numpy as np

from samelaw.core.checks import is_null
from samelaw.core.digits import MOST_EXACT, as_floats
from samelaw.core.types import Matrix
from samelaw.tables.columns import parse
from samelaw.tables.columns.raw_column import Mask
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.columns.raw_words import RawWords, words_of
from samelaw.tables.columns.value_to_text import spell

DEEPEST = 32
"""Objects within objects, and structs within structs, that become columns; the rest stays text.
More than files of people have, so that it matters to none how a table is read."""

_NESTED = {list: "lists", tuple: "lists", dict: "objects", bytes: "bytes", np.ndarray: "arrays"}
_TEXT_OF = "holds {}, which are read as text; what is in them says more as columns of its own"
_NUMERIC = (int, float, Decimal, np.integer, np.floating)
_TIMES = (date, datetime, np.datetime64)
_LONGEST = 400  # digits before the point that are worth writing out: no float has so many


def columns_of(records: Iterable[Mapping[str, object]]) -> dict[str, list[object]]:
    """Records as columns; what a record does not have is missing.

    Examples
    --------
    >>> columns_of([{"a": 1}, {"b": 2}])
    {'a': [1, None], 'b': [None, 2]}
    """
    columns: dict[str, list[object]] = {}
    rows = 0
    for found in records:
        for name, value in found.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (rows - len(column)))
            column.append(value)
        rows += 1
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    return columns


def flat(record: Mapping[str, object], depth: int = DEEPEST) -> dict[str, object]:
    """A record with what its objects hold beside the rest, under names with a dot.

    An object whose names are taken stays as it is.

    Examples
    --------
    >>> flat({"price": 5, "buyer": {"age": 30, "home": {"zip": "10115"}}})
    {'price': 5, 'buyer.age': 30, 'buyer.home.zip': '10115'}
    """
    if dict not in map(type, record.values()):  # most records
        return dict(record)
    found: dict[str, object] = {}
    for name, value in record.items():
        parts = {name: value}
        if isinstance(value, dict) and depth:
            inside = flat(value, depth - 1)
            if not any(f"{name}.{part}" in record for part in inside):
                parts = {f"{name}.{part}": one for part, one in inside.items()}
        found |= parts
    return found


def spread_records(name: str, values: Sequence[object]) -> dict[str, list[object]]:
    """A column of objects, those of its records as columns of their own; a null is an empty one.

    Examples
    --------
    >>> spread_records("buyer", [{"age": 30}, None, {"age": 41, "zip": "10115"}])
    {'buyer.age': [30, None, 41], 'buyer.zip': [None, None, '10115']}
    """
    found: dict[str, list[object]] = {}
    if any(isinstance(value, dict) for value in values):
        found = columns_of({} if is_null(v) else flat({name: v}) for v in values)
    return found or {name: list(values)}


def raw_objects(values: Sequence[object]) -> RawNumbers | RawWords:
    """A list of Python objects: numbers if all are, times if all are, else words."""
    missing = np.fromiter((is_null(v) for v in values), bool, len(values))
    known = [v for v, gone in zip(values, missing, strict=True) if not gone]
    kinds = {type(v) for v in known}
    if all(issubclass(k, str) for k in kinds):
        texts = _words(None if gone else str(v) for v, gone in zip(values, missing, strict=True))
        return replace(texts, declared="text")
    truths = [issubclass(k, bool | np.bool_) for k in kinds]  # True is no number among numbers
    if all(truths) or (not any(truths) and all(issubclass(k, _NUMERIC) for k in kinds)):
        return replace(
            _numbers(known, missing, clock=False),
            declared="true/false" if all(truths) else "numbers",
        )
    if all(issubclass(k, _TIMES) for k in kinds):
        moments = [v for v in known if isinstance(v, _TIMES)]
        stored = _numbers([_moment(v) for v in moments], missing, clock=True)
        return replace(stored, declared=_declared(moments))
    if all(issubclass(k, time) for k in kinds):
        hours = [_seconds(v) / 3600.0 for v in known if isinstance(v, time)]
        return replace(_numbers(hours, missing, clock=False), notes=(parse.OF_DAY,))
    if all(issubclass(k, timedelta) for k in kinds):
        return _numbers(
            [v.total_seconds() for v in known if isinstance(v, timedelta)], missing, clock=False
        )
    words = _words(None if gone else spell(v) for v, gone in zip(values, missing, strict=True))
    nested = sorted({_nested(k) for k in kinds if issubclass(k, tuple(_NESTED))})
    notes = (_TEXT_OF.format(" and ".join(nested)),) if nested else ()
    return replace(words, notes=(*words.notes, *notes))


def _nested(kind: type) -> str:
    return next(word for base, word in _NESTED.items() if issubclass(kind, base))


def _declared(moments: Sequence[date | np.datetime64]) -> str:
    """What all of them are; nothing if some differ."""
    said = {_kind_of_moment(moment) for moment in moments}
    return said.pop() if len(said) == 1 else ""


def _kind_of_moment(moment: date | np.datetime64) -> str:
    if isinstance(moment, date) and not isinstance(moment, datetime):
        return "dates"
    zone = getattr(moment, "tzinfo", None)
    return "times without a zone" if zone is None else "times with a zone"


def _words(values: Iterable[str | None]) -> RawWords:
    """Words numbered in the order of their first appearance; None is missing."""
    index: dict[str | None, int] = {None: -1}
    codes = [index.setdefault(value, len(index) - 1) for value in values]
    return words_of(np.asarray(codes, dtype=np.int64), [word for word in index if word is not None])


def _numbers(known: Sequence[object], missing: Mask, *, clock: bool) -> RawNumbers:
    exact = np.asarray(known) if known else np.zeros(0)
    if exact.dtype == object or (exact.dtype.kind == "f" and np.abs(exact).max() >= MOST_EXACT):
        exact = _all_digits([v for v in known if isinstance(v, _NUMERIC)])  # Decimal, long integers
    values = np.zeros(len(missing), dtype=exact.dtype)
    values[~missing] = exact
    return RawNumbers(values, missing, clock)


def _all_digits(known: Sequence[int | float | Decimal | np.integer | np.floating]) -> Matrix:
    """Numbers (n,) as floats if those are written alike; else as `int` and `Decimal`."""
    floats = as_floats(np.array(known, dtype=object))
    if list(known) == [Decimal(repr(near)) for near in floats.tolist()]:  # most of the time
        return floats
    exact = np.empty(len(known), dtype=object)
    exact[:] = [_exact(value) for value in known]
    return exact


def _exact(value: int | float | Decimal | np.integer | np.floating) -> int | Decimal:
    if isinstance(value, int | np.integer):
        return int(value)
    found = value if isinstance(value, Decimal) else Decimal(float(value))
    if not found.is_finite() or found.adjusted() > _LONGEST or found != int(found):
        return found
    return int(found)


def _moment(value: date | np.datetime64) -> float:
    if isinstance(value, np.datetime64):
        return float(value.astype("datetime64[us]").astype(np.int64)) / 1e6
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return parse.seconds_of(value)


def _seconds(value: time) -> float:
    return float(3600.0 * value.hour + 60.0 * value.minute + value.second + value.microsecond / 1e6)
