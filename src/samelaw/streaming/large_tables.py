"""Large tables: which are read piece by piece, and which of their rows are compared.

What is asked of rows comes before what is asked of their law: a sample is drawn, repeats are left
out, groups are thinned until they fit. What is then left is compared piece by piece, or held in
memory where it is little.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from samelaw.permuting.budget import Budget
from samelaw.permuting.group_units import Groups
from samelaw.reading.batch_sources import open_batches
from samelaw.reading.batches import Batches, read_whole
from samelaw.reading.databases import DatabaseRows
from samelaw.reading.formats import CsvFormat
from samelaw.reading.frames import as_frame, label_of
from samelaw.reading.limits import size_in_words
from samelaw.reading.some_rows import held_rows
from samelaw.streaming.distinct_pieces import distinct_batches
from samelaw.streaming.drawn_rows import Request
from samelaw.streaming.held_tables import HeldTables
from samelaw.streaming.row_counter import RowCounter
from samelaw.streaming.some_groups import GroupReader, some_groups
from samelaw.streaming.survey import draw
from samelaw.tables.thinning import MOST_ROWS_OF_ONE, Sample, sampling, thinning
from samelaw.twotables.joint_test import MOST_UNITS
from samelaw.twotables.plan import Streams

STREAMED_ABOVE = 500_000
"""Rows of both tables from which on they are read piece by piece: of fewer, all that is said of
them fits and takes half a minute."""

FEWEST = 20_000
"""Rows of the smaller table: with fewer, most rows of the other one add nothing."""

_SMALL = 2**22  # bytes of files that hold fewer rows than that in any format
_FOR_ROWS = 0.25  # of the memory: rows that are held as they were read
_ROW, _VALUE, _WORD = 150.0, 60.0, 500.0  # bytes in memory: of a row, of a number, of a word


@dataclass(frozen=True, eq=False)
class Large:
    """Two tables of which at least one is large, and how to open them again.

    Parameters
    ----------
    sources : (object, object)
    columns : names, optional
    text : CsvFormat
    where : str, optional
    batches : (Batches, Batches)
    """

    sources: tuple[object, object]
    columns: Sequence[str] | None
    text: CsvFormat
    where: str | None
    batches: tuple[Batches, Batches]

    def open_one(self, side: int, columns: tuple[str, ...]) -> Batches:
        found = open_batches(self.sources[side], columns, text=self.text, where=self.where)
        assert found is not None  # it was opened with more columns
        return found


def open_large(
    sources: tuple[object, object],
    columns: Sequence[str] | None,
    text: CsvFormat,
    where: str | None = None,
) -> Large | None:
    """Both tables piece by piece, if they are large and can be read so."""
    if isinstance(columns, str) or all(map(_is_small, sources)):
        return None
    a, b = (open_batches(source, columns, text=text, where=where) for source in sources)
    if a is None or b is None or a.rows + b.rows < STREAMED_ABOVE:
        return None
    return Large(sources, columns, text, where, (a, b))


def _is_small(source: object) -> bool:
    """Whether a source has too few rows, as far as a look from outside tells."""
    if isinstance(source, DatabaseRows):
        return False
    if not isinstance(source, str | PathLike):
        frame = as_frame(source)
        return frame is None or len(frame) < FEWEST
    path = Path(source)
    try:
        return path.is_file() and path.stat().st_size < _SMALL
    except (OSError, ValueError):
        return True


def held(
    source: object, columns: Sequence[str] | None, text: CsvFormat, where: str | None
) -> object:
    """A table that `read_table` reads; of a database, or with a condition, the rows themselves."""
    if where is None and not isinstance(source, DatabaseRows):
        return source
    found = open_batches(source, columns, text=text, where=where)
    if found is None:
        said = repr(str(source)[:60]) if isinstance(source, str | PathLike) else label_of(source)
        raise ValueError(
            f"where (--where) cannot be applied to {said}; it takes files of CSV, "
            "Parquet, Arrow and JSON lines, folders of them, frames, records and databases."
        )
    return read_whole(found)


@dataclass(frozen=True, eq=False)
class ToStream:
    """Two tables that are compared piece by piece, and how their rows were chosen."""

    batches: tuple[Batches, Batches]
    request: Request
    notes: tuple[str, ...] = ()


def rows_to_compare(
    large: Large,
    request: Request,
    *,
    sample: Sample | None,
    groups: Groups | None,
    budget: Budget,
    streams: Streams,
    counter: RowCounter,
) -> ToStream | HeldTables:
    """The rows that were asked for: piece by piece if they are many, else in memory."""
    batches, room = large.batches, _FOR_ROWS * budget.total
    notes: tuple[str, ...] = ()
    if sample is not None:
        batches = _sampled(batches, sample, room, counter)
        notes = (sampling(_counts(batches), _wholes(batches)),)
    if groups is not None:
        name, seed = str(groups.labels), int(streams.units.integers(2**32))
        again = large.open_one if sample is None else lambda side, _: batches[side]
        return some_groups(
            batches, GroupReader(name, seed, again), MOST_UNITS, _rows_within(batches, budget),
            streams.rows, counter,
        ).noting(*notes)  # fmt: skip
    few = sum(one.rows for one in batches) < STREAMED_ABOVE
    if request.unique and not few:
        batches, request, said = distinct_batches(batches, request, streams.rows, room, counter)
        notes = (*notes, said)
    sizes = [one.rows for one in batches]
    if sum(sizes) >= STREAMED_ABOVE and min(sizes) >= FEWEST:
        return ToStream(batches, request, notes)
    found = _held(batches, streams.rows, room, counter)
    return found.noting(*notes, distinct=request.unique and not few)


def _counts(batches: tuple[Batches, Batches]) -> tuple[int, int]:
    return int(batches[0].rows), int(batches[1].rows)


def _wholes(batches: tuple[Batches, Batches]) -> tuple[int, int]:
    a, b = (one.whole or int(one.rows) for one in batches)
    return a, b


def _sampled(
    batches: tuple[Batches, Batches], sample: Sample, room: float, counter: RowCounter
) -> tuple[Batches, Batches]:
    """So many rows of each table, drawn in one pass."""
    found = []
    for one, rng in zip(batches, sample.rng.spawn(2), strict=True):
        report = counter.over(0.5 * counter.rest, one.rows)
        rows = draw(one, rng, sample.rows, report, 0.5 * room)
        if len(rows.numbers) < min(sample.rows, rows.rows):
            raise ValueError(
                f"sample (--sample) asks for {sample.rows:,} rows of {one.source}; memory "
                f"(--memory) has room for {len(rows.numbers):,} of them, {size_in_words(room)} for "
                "both tables. Sample fewer, name fewer columns (--columns), or leave the sample "
                "out: all rows are then compared piece by piece."
            )
        found.append(held_rows(one, rows.table, rows.numbers, rows.rows))
    return found[0], found[1]


def _held(
    batches: tuple[Batches, Batches], rng: np.random.Generator, room: float, counter: RowCounter
) -> HeldTables:
    """Both tables in memory; of a far larger one as many rows as can add something."""
    order = sorted((0, 1), key=lambda side: batches[side].rows)
    found, most = {}, 10**15
    for side, own in zip(order, rng.spawn(2), strict=True):
        one = batches[side]
        report = counter.over(0.5 * counter.rest, one.rows)
        found[side] = draw(one, own, most, report, 0.5 * room)
        most = max(MOST_ROWS_OF_ONE, 100 * len(found[side].numbers))
    few = found[order[0]]
    short = len(few.numbers) < few.rows or len(found[order[1]].numbers) < min(
        found[order[1]].rows, max(MOST_ROWS_OF_ONE, 100 * few.rows)
    )
    sizes = (found[0].rows, found[1].rows)
    counts = (len(found[0].numbers), len(found[1].numbers))
    notes = () if counts == sizes else (thinning(sizes, counts, short=short),)
    numbers = [one.number(found[side].numbers) for side, one in enumerate(batches)]
    wholes = tuple(one.whole or found[side].rows for side, one in enumerate(batches))
    tables = [
        replace(one.table(found[side].table), whole=wholes[side])
        for side, one in enumerate(batches)
    ]
    return HeldTables(
        (tables[0], tables[1]), (numbers[0], numbers[1]), (wholes[0], wholes[1]), notes
    )


def _rows_within(batches: tuple[Batches, Batches], budget: Budget) -> float:
    """Rows of groups that are held: as many as there is memory for, and as are worth the time."""
    each = max(_row_bytes(one) for one in batches)
    return min(float(STREAMED_ABOVE), float(budget.rows(each)))


def _row_bytes(one: Batches) -> float:
    kinds = [str(field.type) for field in one.about.table.schema]
    words = sum("string" in kind or kind == "null" for kind in kinds)
    return _ROW + _WORD * words + _VALUE * (len(kinds) - words)
