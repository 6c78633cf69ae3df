"""A column as it came in: numbers or words, and every way in which it can be read.

What a column means is decided later, on the values of both tables together. Until then nothing is
thrown away: numbers keep their type, words their spelling.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from samelaw.data import parse

Vector = np.ndarray[Any, Any]

MIXED_SHARE = 0.1  # of a sample of words that are numbers or dates: then we say what we did
MIXED_SAMPLE = 1000


class Form(Enum):
    """A way to read the values of a column."""

    BOOLEAN = "true/false"
    INTEGER = "whole numbers"
    NUMBER = "numbers"
    TIME = "dates"
    WORDS = "words"


class Stored(ABC):
    """A column before anyone decided what it means."""

    missing: Vector  # (n,) bool
    notes: tuple[str, ...]

    @property
    def forms(self) -> frozenset[Form]:
        """The forms that fit every value; all of them when every value is missing."""
        return frozenset(Form) if bool(self.missing.all()) else self._forms

    @cached_property
    @abstractmethod
    def _forms(self) -> frozenset[Form]: ...

    @abstractmethod
    def numbers(self, form: Form) -> Vector:
        """The values (n,) as float64; NaN where missing or not of this form."""

    @abstractmethod
    def words(self) -> tuple[Vector, Sequence[str]]:
        """Codes (n,), −1 where missing, and the words they stand for."""

    def remarks(self) -> tuple[str, ...]:
        """What a reader of the report should know if this column is read as words."""
        return ()

    @property
    def family(self) -> Form:
        """The form to name this side of a comparison by: 0 and 1 are numbers unless typed."""
        order = (Form.INTEGER, Form.NUMBER, Form.BOOLEAN, Form.TIME, Form.WORDS)
        return next(form for form in order if form in self.forms)


@dataclass(frozen=True, eq=False)
class Numbers(Stored):
    """Values of a numeric type; ``clock`` if they are seconds since 1970.

    ``spelled`` gives the words they were written as, should the column turn out to be words.
    """

    values: Vector  # (n,) bool, integer or float
    missing: Vector
    clock: bool = False
    notes: tuple[str, ...] = ()
    spelled: Callable[[], Stored] | None = None

    @cached_property
    def _forms(self) -> frozenset[Form]:
        if self.clock:
            return frozenset((Form.TIME, Form.WORDS))
        if self.values.dtype.kind == "b":
            return frozenset((Form.BOOLEAN, Form.WORDS))
        known = self.values[~self.missing] if bool(self.missing.any()) else self.values
        forms = {Form.NUMBER, Form.WORDS}
        if known.dtype.kind in "iu" or bool(np.all(_is_whole(known))):
            forms.add(Form.INTEGER)
            if bool(np.all((known == 0) | (known == 1))):
                forms.add(Form.BOOLEAN)
        return frozenset(forms)

    def numbers(self, form: Form) -> Vector:
        values = np.where(self.missing, np.nan, self.values).astype(np.float64, copy=False)
        if form is Form.INTEGER and Form.INTEGER not in self.forms:
            values = np.where(_is_whole(values), values, np.nan)
        if form is Form.BOOLEAN and Form.BOOLEAN not in self.forms:
            values = np.where((values == 0) | (values == 1), values, np.nan)
        return values

    def words(self) -> tuple[Vector, Sequence[str]]:
        if self.spelled is not None:
            return self.spelled().words()
        distinct, inverse = np.unique(self.values[~self.missing], return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[~self.missing] = inverse
        return codes, _spell_times(distinct) if self.clock else [_spell(v) for v in distinct]


@dataclass(frozen=True, eq=False)
class Words(Stored):
    """Words as codes; ``comma`` if the source may write its numbers with a decimal comma."""

    codes: Vector  # (n,) int64, −1 where missing
    labels: Sequence[str]
    comma: bool = False
    notes: tuple[str, ...] = ()
    _readings: dict[Form, Vector] = field(default_factory=dict, repr=False)

    @cached_property
    def missing(self) -> Vector:  # type: ignore[override]
        return np.asarray(self.codes < 0)

    @cached_property
    def _forms(self) -> frozenset[Form]:
        forms = {Form.WORDS}
        forms |= {f for f in (Form.BOOLEAN, Form.TIME) if self._fits(_RULES[f])}
        if self._fits(self._number):
            forms.add(Form.NUMBER)
            if bool(np.all(_is_whole(self._reading(Form.NUMBER)))):
                forms.add(Form.INTEGER)
        return frozenset(forms)

    @property
    def _number(self) -> Callable[[str], float]:
        # Decimal point or comma, never both in one column: 1.500 would have two meanings.
        commas = self.comma and any("," in label for label in self.labels)
        return parse.comma_number if commas else parse.number

    def _fits(self, rule: Callable[[str], float]) -> bool:
        return not any(math.isnan(rule(label)) for label in self.labels)

    def _reading(self, form: Form) -> Vector:
        """The labels (k,) read by a form."""
        if form not in self._readings:
            rule = _RULES.get(form, self._number)
            values = np.fromiter(map(rule, self.labels), np.float64, len(self.labels))
            if form is Form.INTEGER:
                values = np.where(_is_whole(values), values, np.nan)
            self._readings[form] = values
        return self._readings[form]

    def numbers(self, form: Form) -> Vector:
        return np.append(self._reading(form), np.nan)[self.codes]  # code −1 finds the NaN

    def words(self) -> tuple[Vector, Sequence[str]]:
        return self.codes, self.labels

    def remarks(self) -> tuple[str, ...]:
        sample = list(islice(self.labels, MIXED_SAMPLE))
        other = [label for label in sample if math.isnan(self._number(label))]
        if other and len(sample) - len(other) >= MIXED_SHARE * len(sample):
            return (
                f"mixes numbers with words such as {_short(other[0])}, so it is read as words "
                "(kind numeric would count those as missing)",
            )
        dates = [label for label in sample if parse.is_other_date(label)]
        if dates and len(dates) >= MIXED_SHARE * len(sample):
            return (
                f"holds dates such as {_short(dates[0])} whose order of day and month is open; "
                "write them as YYYY-MM-DD to have them read as dates",
            )
        return ()


_RULES = {Form.BOOLEAN: parse.truth, Form.TIME: parse.seconds}


def words_of(codes: Vector, labels: Sequence[str], *, comma: bool = False) -> Words:
    """Words with the spellings of a missing value taken out; −1 already means missing."""
    gone = [i for i, label in enumerate(labels) if parse.is_missing(label)]
    if not gone:
        return Words(np.asarray(codes, dtype=np.int64), labels, comma)
    place = np.full(len(labels) + 1, -1, dtype=np.int64)  # the last entry catches code −1
    kept = np.setdiff1d(np.arange(len(labels)), gone)
    place[kept] = np.arange(len(kept))
    notes = missing_notes(labels[i] for i in gone)
    return Words(place[codes], [labels[i] for i in kept], comma, notes)


def missing_notes(labels: Iterable[str | None]) -> tuple[str, ...]:
    """Say which words were taken for missing values; blanks need no word."""
    spelled = sorted({label.strip() for label in labels if label and label.strip()})
    return (f"{' and '.join(map(_short, spelled))} counts as missing",) if spelled else ()


def encode(values: Iterable[Hashable]) -> tuple[Vector, list[Any]]:
    """Number the distinct values in the order of their first appearance; None becomes −1."""
    index: dict[Any, int] = {None: -1}
    codes = [index.setdefault(value, len(index) - 1) for value in values]
    return np.asarray(codes, dtype=np.int64), list(index)[1:]


def stored_objects(values: Sequence[Any]) -> Stored:
    """A list of Python objects: numbers if all are, times if all are, else words."""
    missing = np.fromiter((_is_null(v) for v in values), bool, len(values))
    known = [v for v, gone in zip(values, missing, strict=True) if not gone]
    kinds = {type(v) for v in known}
    if all(issubclass(k, str) for k in kinds):
        codes, labels = encode(
            None if gone else str(v) for v, gone in zip(values, missing, strict=True)
        )
        return words_of(codes, labels)
    truths = [issubclass(k, bool | np.bool_) for k in kinds]  # True is no number among numbers
    if all(truths) or (not any(truths) and all(issubclass(k, _NUMERIC) for k in kinds)):
        return _numbers(known, missing, clock=False)
    if all(issubclass(k, _TIMES) for k in kinds):
        return _numbers([_moment(v) for v in known], missing, clock=True)
    if all(issubclass(k, time | timedelta) for k in kinds):
        return _numbers([_duration(v) for v in known], missing, clock=False)
    codes, labels = encode(
        None if gone else _spell(v) for v, gone in zip(values, missing, strict=True)
    )
    nested = sorted(k.__name__ for k in kinds if issubclass(k, _NESTED))
    notes = (f"holds {' and '.join(nested)} values, which are read as text",) if nested else ()
    return replace(words_of(codes, labels), notes=notes)


_NESTED = (list, tuple, dict, bytes, np.ndarray)
_NUMERIC = (int, float, Decimal, np.integer, np.floating)
_TIMES = (date, datetime, np.datetime64)


def _numbers(known: list[Any], missing: Vector, *, clock: bool) -> Numbers:
    exact = np.asarray(known) if known else np.zeros(0)
    if exact.dtype.kind not in "biuf":  # Decimal, integers beyond 64 bits
        exact = np.asarray([_real(v) for v in known])
    values = np.zeros(len(missing), dtype=exact.dtype)
    values[~missing] = exact
    return Numbers(values, missing, clock)


def _real(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _is_null(value: Any) -> bool:
    """None, NaN and NaT, also those of pandas and numpy: missing values differ from themselves."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one cannot be compared
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(
        value != value
    )


def _moment(value: Any) -> float:
    if isinstance(value, np.datetime64):
        return float(value.astype("datetime64[us]").astype(np.int64)) / 1e6
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    return parse.seconds_of(value)


def _duration(value: Any) -> float:
    if isinstance(value, timedelta):
        return float(value.total_seconds())
    return float(3600.0 * value.hour + 60.0 * value.minute + value.second + value.microsecond / 1e6)


def _is_whole(values: Vector) -> Vector:
    return np.asarray(np.isfinite(values) & (values == np.rint(values)))


def _spell(value: Any) -> str:
    """The one spelling of a value among words: 1 and 1.0 are the same, True is true."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return str(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def _spell_times(values: Vector) -> list[str]:
    """ISO dates, with the time where one has one; seconds beyond what a calendar holds."""
    unit = "D" if bool(np.all(values % 86400 == 0)) else "us"
    near = np.abs(values) < _LAST_MOMENT
    moments = np.rint(np.where(near, values, 0.0) * 1e6).astype("datetime64[us]")
    spelled = [str(moment) for moment in moments.astype(f"datetime64[{unit}]")]
    return [
        word if close else f"{value:.0f} s"
        for word, close, value in zip(spelled, near, values, strict=True)
    ]


_LAST_MOMENT = 9e12  # seconds since 1970 that microseconds in 64 bits hold


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
