"""Conditions on one column: what a rule is made of, as bins of its values and as words.

Bins come from the rows a rule is found on. Thresholds are rounded to what is printed, so that the
rule that is tested is the one that is read.
"""

import math
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations

import numpy as np

from samelaw.comparison.columns.column_numbers import Writing
from samelaw.comparison.constants import RULE_BINS, RULE_CATEGORIES, RULE_END_COST
from samelaw.core.types import Matrix
from samelaw.results.words import clock, moment, quoted
from samelaw.tables.columns.column import Column, Kind
from samelaw.tables.columns.views import ColumnView

_HOUR, _DAY = 3_600.0, 86_400.0
_LARGE, _MOST_PLACES = 1e15, 12  # beyond them thresholds are written with an exponent
_WIDEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Part:
    """A column view as ordered or unordered bins of the rows that a rule is found on.

    Parameters
    ----------
    view : ColumnView
    edges : array
        Inner edges of ordered bins, a value on an edge being below it; or the codes of the
        commonest categories, the others sharing no bin.
    ordered : bool
    """

    view: ColumnView
    edges: Matrix = field(repr=False)
    ordered: bool

    @property
    def count(self) -> int:
        return len(self.edges) + self.ordered

    def codes(self, rows: Matrix | slice = slice(None)) -> Matrix:
        """Bin of each row; ``count`` where there is no value, or one without a bin."""
        column = self.view.column
        missing = column.missing[rows]
        values = missing if self.view.missing else column.values[rows]
        if self.ordered:
            found = np.searchsorted(self.edges, np.where(missing, 0.0, values), side="left")
            return np.where(missing, self.count, found)
        place = np.searchsorted(self.edges, values)
        known = self.edges[np.minimum(place, self.count - 1)] == values
        if not self.view.missing:
            known &= ~missing
        return np.where(known, place, self.count)

    @property
    def choices(self) -> Matrix:
        """Sets of bins (c, count) that can be told in a few words, 0 or 1: ranges, or one bin."""
        return _ranges(self.count)[0] if self.ordered else np.eye(self.count)

    @property
    def costs(self) -> Matrix:
        """What each choice costs (c,), in twice the log likelihood: the more ends, the more."""
        if self.ordered:
            return _ranges(self.count)[1]
        return np.full(self.count, 2.0 * math.log(self.count))

    def coarse(self, most: int) -> "Part":
        """The same with fewer bins, for products with other columns."""
        if not self.ordered or self.count <= most:
            return self
        places = np.linspace(-1, len(self.edges), most + 1)[1:-1].round().astype(np.int64)
        return Part(self.view, self.edges[np.unique(places)], True)

    def words(self, choice: Matrix) -> str:
        """A set of bins as people say it: "age > 60", "20 < age ≤ 60", "region = 'north'"."""
        name, inside = self.view.name, np.flatnonzero(choice)
        low, high = int(inside[0]), int(inside[-1])
        if self.view.missing:
            return f"{self.view.column.name} is {'missing' if self.edges[low] else 'known'}"
        if not self.ordered:
            return f"{name} = {self._word(int(self.edges[low]))}"
        if low == 0:
            return f"{name} ≤ {self._edge(high)}"
        if high == self.count - 1:
            return f"{name} > {self._edge(low - 1)}"
        return f"{self._edge(low - 1)} < {name} ≤ {self._edge(high)}"

    def _word(self, code: int) -> str:
        if self.view.column.kind is Kind.BOOLEAN:
            return "true" if code else "false"
        return quoted(self.view.column.categories[code])

    def _edge(self, place: int) -> str:
        edge = float(self.edges[place]) + 0.0  # no −0
        if self.view.column.kind is Kind.DATETIME:
            return moment(edge)
        if self.view.column.of_day:
            return clock(edge)
        places = max(0, -_digit(self.edges))
        if abs(edge) >= _LARGE or places > _MOST_PLACES:
            return np.format_float_scientific(edge, trim="-")  # all its digits: it is tested so
        text = f"{edge:,.{places}f}".replace("-", "−")
        column = self.view.column
        if Writing.for_column(column, column.values[~column.missing]).calendar:
            text = text.replace(",", "")
        return text.rstrip("0").rstrip(".") if "." in text else text


@cache
def _ranges(count: int) -> tuple[Matrix, Matrix]:
    """All ranges (c, count) of ordered bins but the whole, and their costs (c,)."""
    ends = [pair for pair in combinations(range(count + 1), 2) if pair != (0, count)]
    chosen = np.zeros((len(ends), count))
    for row, (low, high) in zip(chosen, ends, strict=True):
        row[low:high] = 1.0
    two_sided = (chosen[:, 0] == 0.0) & (chosen[:, -1] == 0.0)
    return chosen, RULE_END_COST * np.where(two_sided, 2.0, 1.0)


def part_of(view: ColumnView, rows: Matrix) -> Part | None:
    """The bins of a view, from these rows; None where they all are alike."""
    column = view.column
    if view.missing:
        return _usable(Part(view, np.array([0, 1]), False))
    known = column.values[rows][~column.missing[rows]]
    if len(known) == 0:
        return None
    if column.kind in (Kind.CATEGORICAL, Kind.BOOLEAN):
        codes, counts = np.unique(known, return_counts=True)
        common = np.sort(codes[np.argsort(-counts, kind="stable")[:RULE_CATEGORIES]])
        return _usable(Part(view, common, False))
    return _usable(Part(view, _edges(column, known), True))


def _usable(part: Part) -> Part | None:
    return part if part.count > 1 else None


def _edges(column: Column, known: Matrix) -> Matrix:
    """Quantiles, rounded to what is printed, with the largest value left out."""
    finite = known[np.isfinite(known)]
    if len(finite) == 0:
        return np.zeros(0)
    levels = np.arange(1, RULE_BINS) / RULE_BINS
    edges = np.unique(np.quantile(finite, levels, method="inverted_cdf"))
    if column.kind is Kind.DATETIME:
        step = _DAY if float(np.ptp(finite)) > 60 * _DAY else _HOUR
        rounded = np.round(edges / step) * step
    elif column.of_day:
        rounded = np.round(edges * 60.0) / 60.0  # to the minute, as it is printed
    else:
        rounded = np.round(edges, -_digit(edges))
    return np.unique(rounded[rounded < known.max()])


def _digit(edges: Matrix) -> int:
    """The last decimal place worth printing of thresholds: a thousandth of what they span."""
    size = float(np.abs(edges).max())
    spread = min(2.0 * float(np.ptp(0.5 * edges)), _WIDEST) or size
    found = math.floor(math.log10(spread)) - 3 if spread > 0 else 0
    return found if size >= _LARGE else min(found, 0)
