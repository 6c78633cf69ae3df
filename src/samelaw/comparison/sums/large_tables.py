"""Large tables: which are read piece by piece, and which of their rows are held in memory instead.

A sample is drawn in one pass and held; so are the rows of a table far larger than the other one.
Everything else is compared piece by piece.
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from samelaw.comparison.plan import RowReport, Stages
from samelaw.comparison.sums.reservoir import survey
from samelaw.core.free_memory import size_in_words
from samelaw.core.memory import MOST_ROWS_OF_ONE, Budget
from samelaw.tables.reading.addresses import quoted_name
from samelaw.tables.reading.arrow_batches import stack
from samelaw.tables.reading.batch_sources import open_batches
from samelaw.tables.reading.batches import Batches, read_whole
from samelaw.tables.reading.databases import DatabaseRows
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.reading.frames import as_frame, label_of
from samelaw.tables.table import Table
from samelaw.tables.thinning import Sample, sampling, thinning
from samelaw.testing.permuting.group_units import Groups

STREAMED_ABOVE = 500_000
"""Rows of both tables from which on they are read piece by piece: of fewer, all that is said of
them fits and takes half a minute."""

FEWEST = 20_000
"""Rows of the smaller table: with fewer, most rows of the other one add nothing."""

_SMALL = 2**22  # bytes of files that hold fewer rows than that in any format
_FOR_ROWS = 0.25  # of the memory: rows that are held as they were read


def open_large(
    sources: tuple[object, object],
    columns: Sequence[str] | None,
    text: CsvFormat,
    where: str | None = None,
) -> tuple[Batches, Batches] | None:
    """Both tables piece by piece, if they are large and can be read so."""
    if isinstance(columns, str) or all(map(_is_small, sources)):
        return None
    a, b = (open_batches(source, columns, text=text, where=where) for source in sources)
    if a is None or b is None or a.rows + b.rows < STREAMED_ABOVE:
        return None
    return a, b


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


class HeldRows(NamedTuple):
    """Rows of two tables in memory, and how they were chosen."""

    tables: tuple[Table, Table]
    notes: tuple[str, ...] = ()


def rows_to_hold(
    batches: tuple[Batches, Batches],
    *,
    sample: Sample | None,
    groups: Groups | None,
    unique: bool,
    budget: Budget,
    rng: np.random.Generator,
    stages: Stages,
) -> HeldRows | None:
    """The rows that are compared in memory; None if all are to be compared piece by piece."""
    room = _FOR_ROWS * budget.total
    report = stages.rows("read", sum(one.rows for one in batches))
    if sample is not None:
        return _sampled(batches, sample, room, report)
    if groups is not None:
        return _every_row(batches, _no_groups(str(groups.labels)))
    if unique:
        return _every_row(batches, _NO_REPEATS)
    if min(one.rows for one in batches) >= FEWEST:
        return None
    return _far_more(batches, rng, room, report)


def _every_row(batches: tuple[Batches, Batches], refusal: str) -> HeldRows:
    """All rows, if they turn out to be few; how many there are may only show on reading."""
    tables, rows = [], 0
    for one in batches:
        pieces = []
        for piece in one.pieces():
            rows += piece.num_rows
            if rows >= STREAMED_ABOVE:
                raise ValueError(refusal)
            pieces.append(piece)
        tables.append(one.table(stack(pieces or [one.about.table])))
    return HeldRows((tables[0], tables[1]))


_TOO_MANY = (
    f"needs all rows in memory; tables that have {STREAMED_ABOVE:,} rows or more together are read "
    "piece by piece, whatever memory (--memory) allows."
)


def _no_groups(column: str) -> str:
    name = quoted_name(column)
    return (
        f"groups (--groups) {_TOO_MANY} Compare some whole groups, the same in both tables, as by "
        f"where='hash({name}) % 10 = 0' (--where), or some rows of each table by sample=100000 "
        "(--sample 100000)."
    )


_NO_REPEATS = (
    f"unique (--unique) {_TOO_MANY} Compare tables of their distinct rows without it, as DuckDB "
    "makes them: COPY (SELECT DISTINCT * FROM 'a.parquet') TO 'a_distinct.parquet'; or the "
    "distinct rows of a sample, by sample=100000 (--sample 100000)."
)


def _sampled(
    batches: tuple[Batches, Batches], sample: Sample, room: float, report: RowReport
) -> HeldRows:
    """So many rows of each table, drawn in one pass."""
    tables = []
    for one, rng in zip(batches, sample.rng.spawn(2), strict=True):
        found = survey(one, rng, sample.rows, report, 0.5 * room)
        tables.append(found.drawn)
        if found.drawn.rows < min(sample.rows, found.rows):
            raise ValueError(
                f"sample (--sample) asks for {sample.rows:,} rows of {one.source}; memory "
                f"(--memory) has room for {found.drawn.rows:,} of them, {size_in_words(room)} for "
                "both tables. Sample fewer, name fewer columns (--columns), or leave the sample "
                "out: all rows are then compared piece by piece."
            )
    a, b = tables
    return HeldRows((a, b), (sampling((a.rows, b.rows), (a.whole or 0, b.whole or 0)),))


def _far_more(
    batches: tuple[Batches, Batches], rng: np.random.Generator, room: float, report: RowReport
) -> HeldRows:
    """Both tables; of the far larger one as many rows as can add something."""
    order = sorted((0, 1), key=lambda side: batches[side].rows)
    found, most = {}, 10**15
    for side, own in zip(order, rng.spawn(2), strict=True):
        found[side] = survey(batches[side], own, most, report, 0.5 * room)
        most = max(MOST_ROWS_OF_ONE, 100 * found[side].drawn.rows)
    few, many = (found[side] for side in order)
    worth = min(many.rows, max(MOST_ROWS_OF_ONE, 100 * few.rows))
    short = few.drawn.rows < few.rows or many.drawn.rows < worth
    sizes, counts = (found[0].rows, found[1].rows), (found[0].drawn.rows, found[1].drawn.rows)
    notes = () if counts == sizes else (thinning(sizes, counts, short=short),)
    return HeldRows((found[0].drawn, found[1].drawn), notes)
