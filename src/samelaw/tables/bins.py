"""Values as a few hundred bins: all that is kept of a column whose rows are not.

The bins are found on some rows of both tables, drawn from the pool without a look at whose they
are, and then stay as they are. A number that many rows have is a bin of its own; all others lie
between quantiles. A word that was not among the rows drawn goes to the last bin, so that no value
is ever passed over. The code ``count`` means that there is no value.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samelaw.core.types import Matrix
from samelaw.tables.columns.column import Column, Features, Kind
from samelaw.tables.columns.cycles import DAYS, HOURS, phase_of, waves_of
from samelaw.tables.columns.kinds import around
from samelaw.tables.columns.notation import OPEN, Writing
from samelaw.tables.columns.raw_column import PLAIN, Codes, Floats, Form, Mask, RawColumn

NUMBERS = 256
"""Bins of numbers between quantiles, and values that may have one of their own. Ranks are then
known to 1/512, and blocks of rows differ by more than that of themselves."""

TAILS = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3)
"""Further quantiles at either end, where a bin would hide what changed."""

WORDS = 1_000
"""Words with a bin of their own, the commonest."""

OTHER_WORD = "(another word)"
REST = "(all other values)"


class Reading:
    """A column of a piece of a table, read in any form once."""

    def __init__(self, raw: RawColumn, writing: Writing = OPEN) -> None:
        self.raw = raw.styled(writing)
        self._read: dict[Form, Floats] = {}

    def numbers(self, form: Form) -> Floats:
        if form not in self._read:
            self._read[form] = self.raw.numbers(form)
        return self._read[form]


class Bins(ABC):
    """A rule that gives every value the number of a bin."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many bins there are; also the code of a missing value."""

    @abstractmethod
    def codes(self, reading: Reading) -> Matrix:
        """The bin (n,) of each value."""

    @abstractmethod
    def column(self, name: str) -> Column:
        """One row per bin and one without a value."""

    def spread(self, name: str, codes: Codes, places: Floats) -> Column:
        """Rows in these bins, each at a place in [0, 1] of what its bin holds."""
        return self.column(name).taken(codes)

    @property
    def _missing(self) -> Mask:
        return np.asarray(np.arange(self.count + 1) == self.count)


@dataclass(frozen=True, eq=False)
class NumberBins(Bins):
    """Numbers between edges: bin i holds edges[i − 1] ≤ x < edges[i].

    Parameters
    ----------
    edges : array (q,)
        Increasing.
    low, high : arrays (q + 1,)
        The ends of what was seen in each bin; equal where it is one value.
    kind : Kind
    form : Form
    """

    edges: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    kind: Kind
    form: Form = Form.NUMBER

    @classmethod
    def of(cls, values: Floats, kind: Kind, own: Sequence[float] = ()) -> "NumberBins":
        """From some values; those in ``own`` get a bin each, as do frequent ones."""
        known = np.sort(values[~np.isnan(values)])
        distinct, counts = np.unique(known, return_counts=True)
        often = distinct
        if len(distinct) > NUMBERS:
            often = distinct[counts * NUMBERS >= len(known)]
        alone = np.union1d(often, np.asarray(own, dtype=np.float64))
        levels = np.concatenate([np.arange(1, NUMBERS) / NUMBERS, TAILS, 1.0 - np.array(TAILS)])
        between = np.quantile(known, levels, method="higher") if len(known) else known
        between = between if len(distinct) > NUMBERS else between[:0]
        between = np.setdiff1d(between, alone)
        low, high = around(alone) if kind is Kind.NUMERIC else (alone, alone)
        edges = np.unique(np.concatenate([low, np.nextafter(high, np.inf), between]))
        form = Form.TIME if kind is Kind.DATETIME else Form.NUMBER
        return cls(edges, *_ends(known, edges), kind, form)

    @property
    def count(self) -> int:
        return len(self.edges) + 1

    def codes(self, reading: Reading) -> Matrix:
        values = reading.numbers(self.form)
        codes = np.searchsorted(self.edges, values, side="right").astype(np.int32)
        codes[np.isnan(values)] = self.count
        return codes

    @cached_property
    def middle(self) -> Floats:
        with np.errstate(invalid="ignore"):
            middle = 0.5 * self.low + 0.5 * self.high
        return np.where(self.low == self.high, self.low, middle)

    def column(self, name: str) -> Column:
        return Column(name, self.kind, np.append(self.middle, np.nan), self._missing)

    def spread(self, name: str, codes: Codes, places: Floats) -> Column:
        gone = codes == self.count
        low, high = (np.append(end, np.nan)[codes] for end in (self.low, self.high))
        with np.errstate(invalid="ignore"):
            values = np.where(low == high, low, low * (1.0 - places) + high * places)
        values = np.rint(values) if self.kind is Kind.INTEGER else values
        return Column(name, self.kind, values, gone)


def _ends(known: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """The least and the largest value seen in each bin; its edges where none was."""
    first = np.searchsorted(known, edges, side="left")
    starts, stops = np.append(0, first), np.append(first, len(known))
    outer = np.concatenate([edges[:1], edges, edges[-1:]])
    some, padded = stops > starts, np.append(known, np.nan)
    low = np.where(some, padded[np.minimum(starts, len(known))], outer[:-1])
    high = np.where(some, padded[stops - 1], outer[1:])
    return low, high


@dataclass(frozen=True, eq=False)
class LengthBins(Bins):
    """How many characters words have."""

    numbers: NumberBins

    @property
    def count(self) -> int:
        return self.numbers.count

    def codes(self, reading: Reading) -> Matrix:
        codes, labels = reading.raw.words()
        lengths = np.fromiter(map(len, labels), np.float64, len(labels))
        own = np.searchsorted(self.numbers.edges, lengths, side="right")
        return np.append(own, self.count).astype(np.int32)[codes]  # code −1 finds the last

    def column(self, name: str) -> Column:
        return self.numbers.column(name)

    def spread(self, name: str, codes: Codes, places: Floats) -> Column:
        return self.numbers.spread(name, codes, places)


@dataclass(frozen=True, eq=False)
class WordBins(Bins):
    """Words, the last bin for all that are none of these.

    Parameters
    ----------
    words : sequence of str
        Sorted.
    manner : Form, optional
        Of numbers and dates: how they are written, not what they are.
    """

    words: Sequence[str] = field(repr=False)
    manner: Form | None = None

    @classmethod
    def of(cls, words: Sequence[str], counts: Codes, manner: Form | None = None) -> "WordBins":
        """The commonest of some words."""
        common = np.argsort(-counts, kind="stable")[:WORDS]
        named = sorted(words[i] for i in common if counts[i] > 0)
        return cls(named if manner is None or PLAIN in named else [*named, PLAIN], manner)

    @property
    def count(self) -> int:
        return len(self.words) + 1

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}

    def codes(self, reading: Reading) -> Matrix:
        codes, labels = self._read(reading.raw)
        place = [self._place.get(label, self.count - 1) for label in labels]
        return np.asarray([*place, self.count], dtype=np.int32)[codes]

    def _read(self, raw: RawColumn) -> tuple[Codes, Sequence[str]]:
        return raw.words() if self.manner is None else raw.manners(self.manner)

    def unknown(self, reading: Reading) -> dict[str, int]:
        """How often each word occurs that has no bin."""
        codes, labels = self._read(reading.raw)
        often = np.bincount(codes[codes >= 0], minlength=len(labels))
        return {w: int(n) for w, n in zip(labels, often, strict=True) if w not in self._place}

    def column(self, name: str) -> Column:
        codes = np.append(np.arange(self.count), -1)
        other = REST if self.manner is None else OTHER_WORD
        return Column(name, Kind.CATEGORICAL, codes, self._missing, (*self.words, other))


@dataclass(frozen=True, eq=False)
class TruthBins(Bins):
    """0 and 1; what is neither counts as no value here and is told by how it is written."""

    count = 2

    def codes(self, reading: Reading) -> Matrix:
        return np.nan_to_num(reading.numbers(Form.BOOLEAN), nan=2.0).astype(np.int32)

    def column(self, name: str) -> Column:
        return Column(name, Kind.BOOLEAN, np.array([0.0, 1.0, np.nan]), self._missing)


@dataclass(frozen=True, eq=False)
class GapBins(Bins):
    """Whether there is a value: 0, or none: 1."""

    kind: Kind
    count = 2

    def codes(self, reading: Reading) -> Matrix:
        return reading.raw.missing.astype(np.int32)

    def column(self, name: str) -> Column:
        nothing = np.nan if self.kind in NUMERIC else -1
        values = np.array([0, nothing, nothing], dtype=np.float64 if self.kind in NUMERIC else int)
        return Column(name, self.kind, values, np.array([False, True, True]), ("",))


NUMERIC = (Kind.NUMERIC, Kind.INTEGER, Kind.BOOLEAN, Kind.DATETIME)


@dataclass(frozen=True, eq=False)
class CycleBins(Bins):
    """Hours of the day or days of the week."""

    cycle: str

    @property
    def words(self) -> tuple[str, ...]:
        return HOURS if self.cycle == "time of day" else DAYS

    @property
    def count(self) -> int:
        return len(self.words)

    def codes(self, reading: Reading) -> Matrix:
        moments = reading.numbers(Form.TIME)
        codes = np.full(len(moments), self.count, dtype=np.int32)
        known = ~np.isnan(moments)
        phase = phase_of(self.cycle, moments[known])
        codes[known] = np.minimum((phase * self.count + 1e-9).astype(np.int32), self.count - 1)
        return codes

    @property
    def phases(self) -> Floats:
        """The middle of an hour, the beginning of a day, as phases in [0, 1)."""
        return (np.arange(self.count) + (0.5 if self.cycle == "time of day" else 0.0)) / self.count

    def column(self, name: str) -> Column:
        codes = np.append(np.arange(self.count), -1)
        waves = waves_of(np.append(self.phases, np.nan))
        return Column(
            name, Kind.CATEGORICAL, codes, self._missing, self.words,
            features=Features(waves, finer=False),
        )  # fmt: skip
