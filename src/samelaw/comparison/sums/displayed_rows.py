"""The rows drawn of two tables whose rows are not kept, and laws spelled out in rows.

Rows that stand out, rules and pictures are made of the rows drawn; words on a column are made of
rows at equal steps through the counts of its bins, which say what all rows say.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samelaw.comparison.constants import MOST_PAIRS
from samelaw.comparison.examined import Told
from samelaw.comparison.pairs.classes import Classes
from samelaw.comparison.sums.reservoir import Survey
from samelaw.comparison.sums.scheme import BinnedView, Scheme
from samelaw.comparison.sums.tests import BlockTests
from samelaw.core.types import Matrix
from samelaw.tables.bins import GapBins
from samelaw.tables.columns.column import AS_WRITTEN, Column, Kind
from samelaw.tables.columns.views import ColumnView, compared_views
from samelaw.tables.pairing.pair import TablePair, pair_tables
from samelaw.tables.table import Table

TOLD = 100_000
"""Rows that the law of a column is spelled out in, of both tables together, to be described."""


@dataclass(frozen=True, eq=False)
class Request:
    """What is asked of the columns.

    Parameters
    ----------
    columns, ignore, kinds, target
        As `compare` takes them.
    """

    columns: Sequence[str] | None
    ignore: Iterable[str]
    kinds: Mapping[str, Kind | str] | None
    target: str | None = None

    def pair(
        self,
        tables: Sequence[Table],
        kinds: Mapping[str, Kind | str] | None,
        *,
        aside: bool = True,
    ) -> TablePair:
        a, b = tables
        return pair_tables(a, b, columns=self.columns, ignore=self.ignore, kinds=kinds, aside=aside)


@dataclass(frozen=True, eq=False)
class Shown:
    """The rows drawn of both tables, in the views that are compared."""

    views: list[ColumnView]
    classes: list[Classes]
    pairs: list[tuple[int, int]]
    possible_pairs: int
    most_pairs: int


def shown_pair(request: Request, pooled: TablePair, surveys: Sequence[Survey]) -> TablePair:
    """The rows drawn of each table, read as the kinds that the pool has and compared alike."""
    drawn = [one.drawn for one in surveys]
    pair = request.pair(drawn, request.kinds, aside=False)
    wanted = {column.name: column for column in pooled.columns}
    kinds = {name: column.kind for name, column in wanted.items()}
    other = {c.name: kinds[c.name] for c in pair.columns if kinds.get(c.name, c.kind) != c.kind}
    free = {name: kind for name, kind in other.items() if kind not in _NOT_CHOSEN}
    told = {**free, **(request.kinds or {})}
    pair = request.pair(drawn, told, aside=False) if free else pair
    kept = [c for c in pair.columns if c.name in wanted]
    columns = tuple(
        replace(c, parts=_counted_parts(c), set_aside=wanted[c.name].set_aside) for c in kept
    )
    # identifiers of the pool, not of the rows, and columns of the pool that were set aside
    gone = {c.name for c in pair.columns if c.name not in wanted or wanted[c.name].set_aside}
    left = [*pair.left_out, *(out for out in pooled.left_out if out.column in gone)]
    return replace(pair, columns=columns, left_out=left)


def _counted_parts(column: Column) -> dict[str, Column]:
    """The parts that rows of all kinds are counted in; others need all words of a table at once."""
    return {part: own for part, own in column.parts.items() if part in (AS_WRITTEN, "length")}


_NOT_CHOSEN = (Kind.CONSTANT, Kind.EMPTY)


def told_views(tests: BlockTests, sizes: tuple[int, int]) -> Told:
    """The law of each table in every view, spelled out in rows."""
    scale = min(1.0, TOLD / sum(sizes))
    rows = [max(2, round(size * scale)) for size in sizes]
    views = []
    for place in tests.kept:
        look = tests.sums.scheme.looks[place]
        parts = [
            _ranked(counts, count)
            for counts, count in zip(tests.sums.all_bins[place], rows, strict=True)
        ]
        codes, places = (np.concatenate(part) for part in zip(*parts, strict=True))
        column = look.bins.spread(look.column, codes, places)
        views.append(look.of_column(column))
    return Told(views, rows[0], sum(sizes) / sum(rows))


def _ranked(counts: Matrix, rows: int) -> tuple[Matrix, Matrix]:
    """The bins of rows at equal steps through the counts, and their places in them."""
    ends = np.cumsum(counts)
    at = (np.arange(rows) + 0.5) * (ends[-1] / rows)
    codes = np.minimum(np.searchsorted(ends, at, side="right"), len(counts) - 1)
    start = ends[codes] - counts[codes]
    return codes, (at - start) / np.maximum(counts[codes], 1)


def shown(pair: TablePair, scheme: Scheme, tests: BlockTests) -> Shown:
    """Views and classes of the rows drawn, in the order of the tests."""
    by_name = {view.name: view for view in compared_views(pair.columns)}
    looks = [scheme.looks[place] for place in tests.kept]
    views = [_of_rows(look, by_name.get(look.name)) or _unseen(look, pair) for look in looks]
    classes = [
        _classes_of_rows(view, tests.looks.classes[place], look)
        for view, place, look in zip(views, tests.kept, looks, strict=True)
    ]
    some = bool(tests.pairs)
    return Shown(
        views,
        classes if some else [],
        tests.pairs,
        len(tests.looks.possible),
        min(tests.looks.most, MOST_PAIRS),
    )


def _of_rows(look: BinnedView, view: ColumnView | None) -> ColumnView | None:
    """The view of the rows drawn, unless they are read as another kind than the pool."""
    words = look.view.column.kind is Kind.CATEGORICAL
    return view if view is None or words == (view.column.kind is Kind.CATEGORICAL) else None


def _unseen(look: BinnedView, pair: TablePair) -> ColumnView:
    """A view in which all rows drawn are alike: those of the bin that holds most."""
    common = int(np.argmax(look.counts[:-1]))
    rows = np.full(sum(pair.sizes), common)
    return look.of_column(look.bins.column(look.column).taken(rows))


def _classes_of_rows(view: ColumnView, own: Classes, look: BinnedView) -> Classes:
    """The class of each row drawn, by the bin of its value."""
    column, bins = view.column, look.bins
    known = bins.column(look.column)
    if isinstance(bins, GapBins):
        codes = own.codes[column.missing.astype(np.int64)]
    elif column.kind is Kind.CATEGORICAL:
        place = {word: i for i, word in enumerate(known.categories)}
        last = len(known.categories) - 1
        codes = own.codes[[*(place.get(w, last) for w in column.categories), -1]][column.values]
    else:
        ordered = known.values[:-1]
        nearest = np.searchsorted(0.5 * ordered[1:] + 0.5 * ordered[:-1], column.values)
        codes = np.where(column.missing, own.codes[-1], own.codes[:-1][nearest])
    return Classes(view, codes, own.count, own.ordered)
