"""Which views of columns are compared when rows are not kept, in which bins, and as what.

All of it is found on rows drawn from the pool (`streaming.survey`): the bins, the classes that
pairs are counted in, the coordinates in which all columns are looked at together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from samelaw.comparison.columns.spikes import spikes
from samelaw.comparison.effects.operators import coarse_codes
from samelaw.comparison.pairs.classes import Classes, classes_of
from samelaw.core.types import Matrix
from samelaw.tables.bins import (
    Bins,
    CycleBins,
    GapBins,
    LengthBins,
    NumberBins,
    Reading,
    TruthBins,
    WordBins,
)
from samelaw.tables.categories import MOST_CODES, dealt
from samelaw.tables.columns.column import AS_WRITTEN, Column, Kind
from samelaw.tables.columns.cycles import DAY, cycles, on_circle
from samelaw.tables.columns.joint_notation import writings_of
from samelaw.tables.columns.kinds import find_kind
from samelaw.tables.columns.notation import Writing
from samelaw.tables.columns.raw_column import Form, RawColumn
from samelaw.tables.columns.scales import monotone
from samelaw.tables.columns.views import DAY_OF_WEEK, HOUR_OF_DAY, ColumnView, view_name
from samelaw.tables.pairing.encode import shared_codes
from samelaw.tables.pairing.pair import TablePair
from samelaw.tables.table import Table
from samelaw.testing.scales import View

_NUMBERS = (Kind.NUMERIC, Kind.INTEGER, Kind.DATETIME)
_FORMS = {Kind.DATETIME: Form.TIME, Kind.BOOLEAN: Form.BOOLEAN}
_NONE = np.zeros(0)
_PARTS = {"time of day": HOUR_OF_DAY, "weekday": DAY_OF_WEEK}


@dataclass(frozen=True, eq=False)
class BinnedView:
    """A column view that is known by its bins, with all that the rows drawn tell of it.

    Parameters
    ----------
    column : str
    kind : Kind
        Of the column itself.
    bins : Bins
    counts : array (bins + 1,)
        Of the rows drawn, the missing ones last.
    codes : array (k,)
        The bin of each row drawn.
    spiked : array (s,)
        Numbers that are looked at by themselves.
    missing, part, alone
        As of `ColumnView`.
    """

    column: str
    kind: Kind
    bins: Bins
    counts: Matrix = field(repr=False)
    codes: Matrix = field(repr=False)
    spiked: Matrix = field(repr=False)
    missing: bool = False
    part: str = ""
    alone: bool = False

    @property
    def name(self) -> str:
        return view_name(self.column, missing=self.missing, part=self.part)

    @cached_property
    def view(self) -> ColumnView:
        """One row per bin, and one without a value."""
        return self.of_column(self.bins.column(self.column))

    def of_column(self, column: Column) -> ColumnView:
        """The view of other rows of the same column."""
        whole = None
        if isinstance(self.bins, CycleBins):
            moments = DAY * np.append(self.bins.phases, np.nan)[column.values]
            whole = Column(self.column, self.kind, moments, column.missing)
        elif self.part:
            whole = Column(self.column, self.kind, column.values, column.missing)
        return ColumnView(column, missing=self.missing, of=whole, part=self.part, alone=self.alone)

    def classes(self, sizes: tuple[int, int]) -> Classes:
        """The class of each bin in pairs."""
        found = classes_of(self.view, sizes, self._weights)
        return Classes(found.view, self._filled(found.codes), found.count, found.ordered)

    def coarse(self) -> Matrix:
        """The class of each bin in the effect of a pair, −1 where missing."""
        return self._filled(coarse_codes(self.view, self._weights))

    @property
    def _weights(self) -> Matrix:
        return self.counts.astype(np.float64)

    def _filled(self, codes: Matrix) -> Matrix:
        """Bins of numbers that none of the rows drawn fell into go with the bin below."""
        if not isinstance(self.bins, NumberBins | LengthBins):
            return codes
        seen = np.flatnonzero(self.counts[:-1])
        below = np.maximum(np.searchsorted(seen, np.arange(len(codes) - 1), "right") - 1, 0)
        return np.append(codes[:-1][seen[below]], codes[-1])

    def coordinates(self, share: float) -> Matrix:
        """Numbers (bins + 1, w) that a bin adds to the coordinates of a row; w may be 0."""
        bins, missing = self.bins, self.counts[-1]
        if isinstance(bins, CycleBins):
            return np.asarray(share * on_circle(np.append(bins.phases, np.nan)))
        if self.alone or np.count_nonzero(self.counts) - bool(missing) < 2:
            return np.zeros((len(self.counts), 0))
        if isinstance(bins, WordBins):
            return self._half_indicators()
        if isinstance(bins, GapBins):
            return np.array([[0.0], [1.0], [0.0]])
        if isinstance(bins, TruthBins):
            return np.array([[0.0], [1.0], [float(self.counts[1] > self.counts[0])]])
        return share * self._filled(self._places())[:, None]

    def _places(self) -> Matrix:
        """Of each bin of numbers the mean place of its rows on a scale without units."""
        bins = self.bins
        numbers = bins.numbers if isinstance(bins, LengthBins) else bins
        assert isinstance(numbers, NumberBins)
        values = np.repeat(np.append(numbers.middle, np.nan), self.counts)
        codes = np.repeat(np.arange(len(self.counts)), self.counts)
        sums = np.bincount(codes, monotone(values), minlength=len(self.counts))
        return np.asarray(sums / np.maximum(self.counts, 1))

    def _half_indicators(self) -> Matrix:
        """As `Prepared.coordinates`: ½ at the place of a word, the rare ones dealt to some."""
        known = self.counts[:-1]
        order = np.argsort(-known, kind="stable")
        count = int(np.count_nonzero(known))
        points = np.zeros((len(self.counts), min(count, MOST_CODES)))
        points[order[:count], dealt(count, *shared_codes(count))] = 0.5
        points[-1] = points[order[0]]
        return points


@dataclass(frozen=True, eq=False)
class Scheme:
    """All views, and how their bins become coordinates.

    Parameters
    ----------
    looks : sequence of BinnedView
    writings : {column: Writing}
        How its values are written.
    """

    looks: Sequence[BinnedView]
    writings: Mapping[str, Writing]

    def codes(self, table: Table) -> list[Matrix]:
        """The bin (n,) of every row of a table in every view."""
        readings: dict[str, Reading] = {}
        found = []
        for look in self.looks:
            name = look.column
            if name not in readings:
                readings[name] = Reading(table.raw[name], self.writings[name])
            found.append(look.bins.codes(readings[name]))
        return found

    @cached_property
    def coordinates(self) -> list[Matrix]:
        """Of every view, its table of coordinates in single precision."""
        cycled: dict[str, int] = {}
        for look in self.looks:
            if isinstance(look.bins, CycleBins):
                cycled[look.column] = cycled.get(look.column, 0) + 1
        return [
            look.coordinates(1.0 / (1 + cycled.get(look.column, 0))).astype(np.float32)
            for look in self.looks
        ]

    def tables(self, view: View) -> list[Matrix]:
        """The same in other units, as the rows drawn have them."""
        if view not in self._tables:
            self._tables[view] = list(self._seen(view))
        return self._tables[view]

    def _seen(self, view: View) -> Iterator[Matrix]:
        for look, table in zip(self.looks, self.coordinates, strict=True):
            some = table.shape[1] > 0 and view is not View.ROWS
            yield view(table[look.codes])(table).astype(np.float32) if some else table

    @cached_property
    def _tables(self) -> dict[View, list[Matrix]]:
        return {}

    def points(self, codes: Sequence[Matrix], view: View = View.ROWS) -> Matrix:
        """Coordinates (n, k) of rows in these bins; those of one column lie side by side."""
        tables = self.tables(view)
        width = sum(table.shape[1] for table in tables)
        columns = np.empty((width, len(codes[0])), dtype=np.float32)
        start = 0
        for table, own in zip(tables, codes, strict=True):
            stop = start + table.shape[1]
            if stop > start:
                np.take(table.T, own, axis=1, out=columns[start:stop], mode="clip")
            start = stop
        return columns.T

    @property
    def drawn(self) -> list[Matrix]:
        """The bins of the rows drawn."""
        return [look.codes for look in self.looks]


def find_scheme(pair: TablePair, tables: Sequence[Table]) -> Scheme:
    """Views and bins from rows drawn from the pool.

    Parameters
    ----------
    pair : TablePair
        Of the rows drawn, with the kinds of their columns.
    tables : sequence of Table
        The same rows as they were read.
    """
    kinds = {column.name: column for column in pair.columns}
    names = list(dict.fromkeys([*kinds, *(out.column for out in pair.left_out)]))
    writings = writings_of([table.raw for table in tables], names)
    looks: list[BinnedView] = []
    for name in names:
        sides = [Reading(table.raw[name], writings[name]) for table in tables]
        kind = kinds[name].kind if name in kinds else find_kind(name, [s.raw for s in sides])
        looks += _binned(name, kind, kinds.get(name), sides)
    return Scheme(looks, writings)


def _binned(
    name: str, kind: Kind, column: Column | None, sides: Sequence[Reading]
) -> Iterator[BinnedView]:
    """The views of a column: its values, their absence, and its parts."""
    if column is not None and column.set_aside:
        column = None
    raw = [side.raw for side in sides]
    view = partial(_view, sides, name, kind)
    if column is not None and kind in _NUMBERS:
        spiked = spikes(column)
        yield view(NumberBins.of(column.values, kind, spiked.tolist()), spiked=spiked)
    elif column is not None and kind is Kind.BOOLEAN:
        yield view(TruthBins())
    elif kind in (Kind.CATEGORICAL, Kind.CONSTANT):
        yield _view(sides, name, Kind.CATEGORICAL, _words(raw))
    yield view(GapBins(kind), missing=True)
    if kind in (*_NUMBERS, Kind.BOOLEAN):
        yield view(_words(raw, _FORMS.get(kind, Form.NUMBER)), part=AS_WRITTEN)
    if column is not None and kind is Kind.DATETIME and not column.missing.all():
        for cycle, _ in cycles(column.values):
            yield view(CycleBins(cycle), part=_PARTS[cycle], alone=True)
    if column is not None and kind is Kind.TEXT and "length" in column.parts:
        lengths = NumberBins.of(column.parts["length"].values, Kind.INTEGER)
        yield view(LengthBins(lengths), part="length")


def _view(
    sides: Sequence[Reading],
    name: str,
    kind: Kind,
    bins: Bins,
    *,
    spiked: Matrix = _NONE,
    missing: bool = False,
    part: str = "",
    alone: bool = False,
) -> BinnedView:
    """A view with the bins of the rows drawn."""
    codes = np.concatenate([bins.codes(side) for side in sides])
    counts = np.bincount(codes, minlength=bins.count + 1)
    return BinnedView(name, kind, bins, counts, codes, spiked, missing, part, alone)


def _words(sides: Sequence[RawColumn], manner: Form | None = None) -> WordBins:
    """Bins of the words of all rows drawn, or of how their numbers are written."""
    often: dict[str, int] = {}
    for side in sides:
        codes, labels = side.words() if manner is None else side.manners(manner)
        counts = np.bincount(codes[codes >= 0], minlength=len(labels))
        for label, count in zip(labels, counts.tolist(), strict=True):
            often[label] = often.get(label, 0) + count
    return WordBins.of(list(often), np.array([*often.values()], dtype=np.int64), manner)
