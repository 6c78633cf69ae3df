"""A column as it came in: numbers or words, and every way in which it can be read.

What a column means is decided later, on the values of both tables together. Until then nothing is
thrown away: numbers keep their type, words their spelling.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from samelaw.core.types import Matrix
from samelaw.data import parse
from samelaw.data.spelling import spell, spell_times
from samelaw.show.words import quoted

Codes: TypeAlias = NDArray[np.int64]
"""Numbers (n,) of words in a list, −1 where there is none."""

Floats: TypeAlias = NDArray[np.float64]
"""Values (n,), NaN where there is none."""

Mask: TypeAlias = NDArray[np.bool_]
"""True where a value (n,) is missing."""

MIXED_SHARE = 0.1  # of a sample of words that are numbers or dates: then we say what we did
MIXED_SAMPLE = 1000


class Form(Enum):
    """A way to read the values of a column."""

    BOOLEAN = "true/false"
    INTEGER = "whole numbers"
    NUMBER = "numbers"
    TIME = "dates"
    WORDS = "words"


class RawColumn(ABC):
    """A column before anyone decided what it means."""

    missing: Mask
    notes: tuple[str, ...]

    @property
    def forms(self) -> frozenset[Form]:
        """The forms that fit every value; all of them when every value is missing."""
        return frozenset(Form) if bool(self.missing.all()) else self._forms

    @cached_property
    @abstractmethod
    def _forms(self) -> frozenset[Form]: ...

    @abstractmethod
    def numbers(self, form: Form) -> Floats:
        """The values (n,) as float64; NaN where missing or not of this form."""

    @abstractmethod
    def words(self) -> tuple[Codes, Sequence[str]]:
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
class RawNumbers(RawColumn):
    """Values of a numeric type; ``clock`` if they are seconds since 1970.

    ``spelled`` gives the words they were written as, should the column turn out to be words.
    """

    values: Matrix  # (n,) bool, integer or float
    missing: Mask
    clock: bool = False
    notes: tuple[str, ...] = ()
    spelled: Callable[[], RawColumn] | None = None

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

    def numbers(self, form: Form) -> Floats:
        values: Floats = np.where(self.missing, np.nan, self.values).astype(np.float64, copy=False)
        if form is Form.INTEGER and Form.INTEGER not in self.forms:
            values = np.where(_is_whole(values), values, np.nan)
        if form is Form.BOOLEAN and Form.BOOLEAN not in self.forms:
            values = np.where((values == 0) | (values == 1), values, np.nan)
        return values

    def words(self) -> tuple[Codes, Sequence[str]]:
        if self.spelled is not None:
            return self.spelled().words()
        distinct, inverse = np.unique(self.values[~self.missing], return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[~self.missing] = inverse
        return codes, spell_times(distinct) if self.clock else [spell(v) for v in distinct]


@dataclass(frozen=True, eq=False)
class RawWords(RawColumn):
    """Words as codes; ``comma`` if the source may write its numbers with a decimal comma."""

    codes: Codes
    labels: Sequence[str]
    comma: bool = False
    notes: tuple[str, ...] = ()
    missing: Mask = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", self.codes < 0)

    @cached_property
    def _forms(self) -> frozenset[Form]:
        forms = {Form.WORDS}
        if self._fits(parse.truth):
            forms.add(Form.BOOLEAN)
        if self._fits(parse.seconds):
            forms.add(Form.TIME)
        if self._fits(self._number):
            forms.add(Form.NUMBER)
            if bool(np.all(_is_whole(self._values))):
                forms.add(Form.INTEGER)
        return frozenset(forms)

    @cached_property
    def _number(self) -> Callable[[str], float]:
        # Decimal point or comma, never both in one column: 1.500 would have two meanings.
        commas = self.comma and any("," in label for label in self.labels)
        return parse.comma_number if commas else parse.number

    def _fits(self, rule: Callable[[str], float]) -> bool:
        return not any(math.isnan(rule(label)) for label in self.labels)

    def _reading(self, form: Form) -> Floats:
        """The labels (k,) read by a form."""
        match form:
            case Form.BOOLEAN:
                return self._truths
            case Form.TIME:
                return self._moments
            case Form.INTEGER:
                return np.where(_is_whole(self._values), self._values, np.nan)
        return self._values

    @cached_property
    def _values(self) -> Floats:
        return self._read(self._number)

    @cached_property
    def _truths(self) -> Floats:
        return self._read(parse.truth)

    @cached_property
    def _moments(self) -> Floats:
        return self._read(parse.seconds)

    def _read(self, rule: Callable[[str], float]) -> Floats:
        return np.fromiter(map(rule, self.labels), np.float64, len(self.labels))

    def numbers(self, form: Form) -> Floats:
        return np.append(self._reading(form), np.nan)[self.codes]  # code −1 finds the NaN

    def words(self) -> tuple[Codes, Sequence[str]]:
        return self.codes, self.labels

    def remarks(self) -> tuple[str, ...]:
        sample = list(islice(self.labels, MIXED_SAMPLE))
        other = [label for label in sample if math.isnan(self._number(label))]
        if other and len(sample) - len(other) >= MIXED_SHARE * len(sample):
            return (
                f"mixes numbers with words such as {quoted(other[0])}, so it is read as words "
                "(kind numeric would count those as missing)",
            )
        dates = [label for label in sample if parse.is_other_date(label)]
        if dates and len(dates) >= MIXED_SHARE * len(sample):
            return (
                f"holds dates such as {quoted(dates[0])} whose order of day and month is open; "
                "write them as YYYY-MM-DD to have them read as dates",
            )
        return ()


def words_of(codes: Codes, labels: Sequence[str], *, comma: bool = False) -> RawWords:
    """Words with the spellings of a missing value taken out; −1 already means missing."""
    gone = [i for i, label in enumerate(labels) if parse.is_missing(label)]
    if not gone:
        return RawWords(np.asarray(codes, dtype=np.int64), labels, comma)
    place = np.full(len(labels) + 1, -1, dtype=np.int64)  # the last entry catches code −1
    kept = np.setdiff1d(np.arange(len(labels)), gone)
    place[kept] = np.arange(len(kept))
    notes = missing_notes(labels[i] for i in gone)
    return RawWords(place[codes], [labels[i] for i in kept], comma, notes)


def missing_notes(labels: Iterable[str | None]) -> tuple[str, ...]:
    """Say which words were taken for missing values; blanks need no word."""
    spelled = sorted({label.strip() for label in labels if label and label.strip()})
    return (f"{' and '.join(map(quoted, spelled))} counts as missing",) if spelled else ()


def _is_whole(values: Matrix) -> Mask:
    return np.asarray(np.isfinite(values) & (values == np.rint(values)))
