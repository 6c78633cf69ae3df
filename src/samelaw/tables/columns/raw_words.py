"""A raw column of words, each distinct one read once as number, truth value or moment."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from itertools import islice

import numpy as np

from samelaw.core.types import Matrix
from samelaw.results.words import quoted
from samelaw.tables.columns import dates, parse
from samelaw.tables.columns.notation import OPEN, Clocks, Commas, Dots, Units, Writing
from samelaw.tables.columns.raw_column import PLAIN, Codes, Floats, Form, Mask, RawColumn, is_whole

MIXED_SHARE = 0.1  # of a sample of words that are numbers or dates: then we say what we did
MIXED_SAMPLE = 1000


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
        return replace(self, writing=writing)

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
    def _durations(self) -> Floats:
        return self._read(parse.span)

    @cached_property
    def spans(self) -> bool:
        return not self._unit and not bool(np.isnan(self._durations).all())

    @cached_property
    def units(self) -> Units:
        found = [parse.without_unit(label)[1] for label in self.labels]
        counts: Counter[str] = Counter()
        for unit, often in zip(found, self._often, strict=True):
            if unit and often:
                counts[unit] += int(often)
        bare = [
            not unit and _is_number(word) for word, unit in zip(self.labels, found, strict=True)
        ]
        return Units(self.known, int(self._often @ np.array(bare, dtype=np.int64)), counts)

    @cached_property
    def _unit(self) -> str:
        return self.units.one if self.writing.unit is None else self.writing.unit

    @cached_property
    def comma_counts(self) -> Commas:
        found = [parse.commas(label) if "," in label else (False, False) for label in self.labels]
        alike, clear = self._often @ np.array(found, dtype=np.int64).reshape(-1, 2)
        return Commas(self.known, int(alike), int(clear))

    @cached_property
    def dots(self) -> Dots:
        bodies = [parse.without_unit(parse.undressed(label)[0])[0] for label in self.labels]
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
            body, sign = self._undressed(label)
            if found := self._literal(body):
                values[i] = float(found)
            elif self.spans:
                values[i] = self._durations[i]
            signs.append(sign)
            grouped.append(len(found) < len(body) and bool(found))
        return values, signs, grouped

    def _literal(self, body: str) -> str:
        return parse.literal(body, comma=self._comma, dots=self.comma in self.writing.dots)

    def _undressed(self, label: str) -> tuple[str, str]:
        """A number without its sign or its unit, and those."""
        body, sign = parse.undressed(label)
        if self._unit and not sign and (found := parse.without_unit(body))[1] == self._unit:
            return found
        return body, sign

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
                return np.where(is_whole(self._values), self._values, np.nan)
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

    def exact(self, form: Form) -> Matrix:
        read = self._reading(form)
        digits = [self._literal(self._undressed(label)[0]) for label in self.labels]
        exact = [Decimal(d) if d else v for d, v in zip(digits, read, strict=True)]
        codes = self.codes[self.codes >= 0]
        return np.array(exact, dtype=object)[codes[~np.isnan(read[codes])]]

    def words(self) -> tuple[Codes, Sequence[str]]:
        return self.codes, self.labels

    @property
    def reading_notes(self) -> tuple[str, ...]:
        return self.writing.notes

    def remarks(self) -> tuple[str, ...]:
        sample = list(islice(self.labels, MIXED_SAMPLE))
        other = [w for w, v in zip(sample, self._values, strict=False) if math.isnan(v)]
        if other and len(sample) - len(other) >= MIXED_SHARE * len(sample):
            return (
                f"mixes numbers with text such as {quoted(other[0])}, so it is not read as numbers "
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


def _is_number(label: str) -> bool:
    body = parse.undressed(label)[0]
    return bool(parse.literal(body) or parse.literal(body, comma=True))


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
