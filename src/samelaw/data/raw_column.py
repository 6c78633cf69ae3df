"""A column as it came in: numbers or words, and every way in which it can be read.

What a column means is decided later, on the values of both tables together. Until then nothing is
thrown away: numbers keep their type, words their spelling.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, partial
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from samelaw.core.types import Matrix
from samelaw.data import dates, parse
from samelaw.data.spelling import spell, spell_times
from samelaw.data.writing import OPEN, Clocks, Commas, Dots, Writing
from samelaw.show.words import quoted

Codes: TypeAlias = NDArray[np.int64]
"""Numbers (n,) of words in a list, −1 where there is none."""

Floats: TypeAlias = NDArray[np.float64]
"""Values (n,), NaN where there is none."""

Mask: TypeAlias = NDArray[np.bool_]
"""True where a value (n,) is missing."""

PLAIN = "(plain)"
"""How most values of a column of numbers or dates are written."""

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
    """A column before anyone decided what it means.

    ``declared`` is the type its source gives it, in words, or empty where none is declared;
    ``comma`` whether the source may write its numbers with a decimal comma.
    """

    missing: Mask
    notes: tuple[str, ...]
    declared: str
    comma: bool

    @property
    def known(self) -> int:
        return len(self.missing) - int(np.count_nonzero(self.missing))

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

    @abstractmethod
    def count(self, form: Form) -> int:
        """How many values follow a form."""

    @abstractmethod
    def manners(self, form: Form) -> tuple[Codes, Sequence[str]]:
        """How each value is written if most are of a form.

        Codes (n,), −1 where missing, of PLAIN, of a sign beside the number ("$", "%"), or of the
        word that stands in its place.
        """

    @abstractmethod
    def taken(self, rows: Codes) -> "RawColumn":
        """Some of the rows."""

    @abstractmethod
    def as_read(self, row: int) -> str | None:
        """The value of a row as its source writes it; None if it is missing."""

    @abstractmethod
    def styled(self, writing: Writing) -> "RawColumn":
        """The same column, read as all tables show that it is written."""

    @property
    def commas(self) -> bool:
        """Whether some value may have a decimal comma."""
        return False

    @property
    def comma_counts(self) -> Commas:
        """How many values may have a decimal comma, and how many must."""
        return Commas(self.known)

    @property
    def clocks(self) -> Clocks:
        """How many values are written as times of day."""
        return Clocks()

    @property
    def dots(self) -> Dots:
        """What stands after the dots of numbers, as far as they were written."""
        return Dots()

    @property
    def may_be_thousands(self) -> bool:
        """Whether a look at `dots` is worth its time."""
        return False

    @property
    def is_settled(self) -> bool:
        """Whether someone decided how it is written."""
        return False

    @property
    def open_dates(self) -> tuple[frozenset[bool], str]:
        """The orders that some dates demand (`Writing.orders`), and a date of open order."""
        return frozenset(), ""

    @property
    def codes_only(self) -> bool:
        """Whether some value has leading zeros, as codes have and numbers have not."""
        return False

    @property
    def grouped(self) -> str:
        """A number whose thousands are marked, or nothing."""
        return ""

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
    declared: str = ""
    comma: bool = False

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

    def count(self, form: Form) -> int:
        if form in self._forms:
            return self.known
        if self.clock or self.values.dtype.kind == "b" or form is Form.TIME:
            return 0
        return int(np.count_nonzero(~np.isnan(self.numbers(form))))

    def manners(self, form: Form) -> tuple[Codes, Sequence[str]]:
        if self.count(form) == self.known:
            return np.where(self.missing, -1, 0).astype(np.int64), [PLAIN]
        return self.words()

    @cached_property
    def _spelt(self) -> RawColumn | None:
        return None if self.spelled is None else self.spelled()

    def taken(self, rows: Codes) -> RawColumn:
        whole = self.spelled
        spelled = None if whole is None else lambda: whole().taken(rows)
        return replace(self, values=self.values[rows], missing=self.missing[rows], spelled=spelled)

    def as_read(self, row: int) -> str | None:
        if self.missing[row]:
            return None
        if self._spelt is not None:
            return self._spelt.as_read(row)
        if self.clock:
            return spell_times(self.values[row : row + 1])[0].removesuffix(".000000")
        return spell(self.values[row])

    def styled(self, writing: Writing) -> RawColumn:
        other = writing.decimal(self.comma) or self.comma in writing.dots
        if other and self._spelt is not None:
            return self._spelt.styled(writing)
        return replace(self, notes=(*self.notes, *writing.notes)) if writing.notes else self

    @property
    def clocks(self) -> Clocks:
        return Clocks() if self.spelled is None else Clocks(self.known)

    @property
    def dots(self) -> Dots:
        if self.spelled is None:
            return Dots()
        known = np.abs(self.values[~self.missing])
        thousandths = np.rint(known * 1000.0) / 1000.0 == known
        if not bool(thousandths.all()) or bool(np.any((known > 0) & (known < 1))):
            return Dots(other=True)
        return Dots() if self._spelt is None else self._spelt.dots

    @property
    def may_be_thousands(self) -> bool:
        return self.spelled is not None and not bool(np.all(_is_whole(self.values[~self.missing])))

    def words(self) -> tuple[Codes, Sequence[str]]:
        if self._spelt is not None:
            return self._spelt.words()
        distinct, inverse = np.unique(self.values[~self.missing], return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[~self.missing] = inverse
        return codes, spell_times(distinct) if self.clock else [spell(v) for v in distinct]


@dataclass(frozen=True, eq=False)
class RawWords(RawColumn):
    """Words as codes; ``writing`` says how they are written, as far as someone decided."""

    codes: Codes
    labels: Sequence[str]
    comma: bool = False
    notes: tuple[str, ...] = ()
    declared: str = ""
    writing: Writing = OPEN
    missing: Mask = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", self.codes < 0)

    @cached_property
    def _forms(self) -> frozenset[Form]:
        forms = (Form.BOOLEAN, Form.TIME, Form.NUMBER, Form.INTEGER)
        return frozenset((Form.WORDS, *(f for f in forms if self._fits(f))))

    def _fits(self, form: Form) -> bool:
        return not bool(np.isnan(self._reading(form)).any())

    def count(self, form: Form) -> int:
        if form is Form.WORDS:
            return self.known
        return int(self._often[~np.isnan(self._reading(form))].sum())

    @cached_property
    def _often(self) -> Codes:
        """How many values (k,) each label stands for."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.labels))

    @property
    def commas(self) -> bool:
        return self.comma and any("," in label for label in self.labels)

    @cached_property
    def open_dates(self) -> tuple[frozenset[bool], str]:
        found = {label: ways for label in self.labels if (ways := dates.orders(label))}
        demanded = (ways for ways in found.values() if len(ways) == 1)
        return frozenset().union(*demanded), min(found, default="")

    @property
    def codes_only(self) -> bool:
        return any(map(parse.is_code, self.labels))

    def taken(self, rows: Codes) -> "RawWords":
        codes = self.codes[rows]
        used = np.unique(codes[codes >= 0])  # a label that no row has would have a say in forms
        place = np.full(len(self.labels) + 1, -1, dtype=np.int64)
        place[used] = np.arange(len(used))
        return replace(self, codes=place[codes], labels=[self.labels[i] for i in used])

    def as_read(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.labels[code]

    def styled(self, writing: Writing) -> "RawWords":
        if self.writing == writing:
            return self
        return replace(self, writing=writing, notes=(*self.notes, *writing.notes))

    @property
    def is_settled(self) -> bool:
        return self.writing != OPEN

    @cached_property
    def _comma(self) -> bool:
        found = self.writing.decimal(self.comma)
        if found is not None:
            return found
        return self.commas if self.comma else self.comma_counts.decimal

    @cached_property
    def _clock(self) -> bool:
        return self.clocks.are_times if self.writing.clock is None else self.writing.clock

    @cached_property
    def _hours(self) -> Floats:
        return self._read(parse.hours)

    @cached_property
    def clocks(self) -> Clocks:
        return Clocks(self.known, int(self._often[~np.isnan(self._hours)].sum()))

    @cached_property
    def comma_counts(self) -> Commas:
        found = [parse.commas(label) if "," in label else (False, False) for label in self.labels]
        alike, clear = self._often @ np.array(found, dtype=np.int64).reshape(-1, 2)
        return Commas(self.known, int(alike), int(clear))

    @cached_property
    def dots(self) -> Dots:
        bodies = [parse.undressed(label)[0] for label in self.labels]
        grouped = min(filter(parse.is_dotted, bodies), default="")
        numbers = [body for body in bodies if parse.literal(body) and not parse.is_dotted(body)]
        return Dots(
            grouped, any("." in body for body in numbers), any("." not in body for body in numbers)
        )

    @property
    def may_be_thousands(self) -> bool:
        return any("." in label for label in self.labels)

    @cached_property
    def _amounts(self) -> tuple[Floats, list[str], list[bool]]:
        """Numbers (k,), the signs beside them, and whether thousands are marked."""
        if self._clock:
            count = len(self.labels)
            return self._hours, [""] * count, [False] * count
        values, signs, grouped = np.full(len(self.labels), np.nan), [], []
        for i, label in enumerate(self.labels):
            body, sign = parse.undressed(label)
            found = parse.literal(body, comma=self._comma, dots=self.comma in self.writing.dots)
            if found:
                values[i] = float(found)
            signs.append(sign)
            grouped.append(len(found) < len(body) and bool(found))
        return values, signs, grouped

    @property
    def grouped(self) -> str:
        return next((w for w, one in zip(self.labels, self._amounts[2], strict=True) if one), "")

    def manners(self, form: Form) -> tuple[Codes, Sequence[str]]:
        read = ~np.isnan(self._reading(form))
        signs = [""] * len(self.labels) if form is Form.TIME else self._amounts[1]
        ways = [
            (f"with {sign}" if sign else PLAIN) if good else label
            for good, sign, label in zip(read, signs, self.labels, strict=True)
        ]
        place = {way: i for i, way in enumerate(dict.fromkeys(ways))}
        codes = np.asarray([*(place[way] for way in ways), -1], dtype=np.int64)
        return codes[self.codes], list(place)

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

    @property
    def _values(self) -> Floats:
        return self._amounts[0]

    @cached_property
    def _truths(self) -> Floats:
        return self._read(parse.truth)

    @cached_property
    def _moments(self) -> Floats:
        return self._read(partial(dates.seconds, day_first=self.writing.day_first))

    def _read(self, rule: Callable[[str], float]) -> Floats:
        return np.fromiter(map(rule, self.labels), np.float64, len(self.labels))

    def numbers(self, form: Form) -> Floats:
        return np.append(self._reading(form), np.nan)[self.codes]  # code −1 finds the NaN

    def words(self) -> tuple[Codes, Sequence[str]]:
        return self.codes, self.labels

    def remarks(self) -> tuple[str, ...]:
        sample = list(islice(self.labels, MIXED_SAMPLE))
        other = [w for w, v in zip(sample, self._values, strict=False) if math.isnan(v)]
        if other and len(sample) - len(other) >= MIXED_SHARE * len(sample):
            return (
                f"mixes numbers with words such as {quoted(other[0])}, so it is read as words "
                "(kind numeric would count those as missing)",
            )
        shown = self.writing.date
        if not shown or sum(bool(dates.orders(w)) for w in sample) < MIXED_SHARE * len(sample):
            return ()
        why = "whether the day comes first or the month is open"
        if self.writing.orders:
            why = "some have the day first and some the month"
        return (
            f"holds dates such as {quoted(shown)}, but {why}; write them as YYYY-MM-DD to have "
            "them read as dates",
        )


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
