"""The distinct rows of a table that is read piece by piece.

A row is known by a number of 64 bits from its values (`data.row_hashes`). All numbers are sorted,
in files where they do not fit, and the first row with each of them is marked: a bit per row is all
that stays. So it is exact whatever the rows, up to numbers that two rows share by chance.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from samelaw.columns.column import Kind
from samelaw.columns.kinds import find_kind
from samelaw.columns.settling import writings_of
from samelaw.columns.writing import Writing
from samelaw.core.types import Matrix
from samelaw.reading.batches import Batches
from samelaw.reading.some_rows import Marks, marked_rows
from samelaw.streaming.drawn_rows import Request
from samelaw.streaming.row_counter import RowCounter
from samelaw.streaming.survey import DRAWN, Survey, changed, drawn_from_pool, survey
from samelaw.tables.bins import Reading
from samelaw.tables.row_hashes import row_hashes
from samelaw.tables.table import Table
from samelaw.twotables.duplicates import check_distinct_rows, uniqueness

_EACH = 48.0  # bytes of a number while it is sorted, with its place
_DRAWN = 0.2  # of the room: rows that kinds are found on
_LOOK, _NUMBERS = 0.1, 0.2  # of the time: finding kinds, and numbers of rows


class FirstRows:
    """Which rows of a table are the first with their number.

    Parameters
    ----------
    rows : int
    room : float
        Bytes; more numbers than fit are put into files of a folder.
    folder : Path
    """

    def __init__(self, rows: int, room: float, folder: Path) -> None:
        self.rows, self.seen = rows, 0
        self.parts = max(1, ceil(_EACH * rows / room))
        self._files = [folder / f"{part}.numbers" for part in range(self.parts)]
        self._held: list[Matrix] = []

    def add(self, numbers: Matrix) -> None:
        """The numbers of the next rows."""
        if self.parts == 1:
            self._held.append(numbers)
        else:
            self._put_aside(numbers)
        self.seen += len(numbers)

    def _put_aside(self, numbers: Matrix) -> None:
        part = ((numbers >> np.uint64(32)) * np.uint64(self.parts)) >> np.uint64(32)
        order = np.argsort(part, kind="stable")
        both = np.stack([numbers[order], (self.seen + order).astype(np.uint64)], axis=1)
        ends = np.searchsorted(part[order], np.arange(self.parts + 1, dtype=np.uint64))
        for path, low, high in zip(self._files, ends[:-1], ends[1:], strict=True):
            with open(path, "ab") as file:
                file.write(both[low:high].tobytes())

    def marks(self) -> Marks:
        """The first row with each number."""
        found = Marks(self.rows)
        if self.parts == 1:
            numbers = np.concatenate(self._held)
            self._held.clear()
            found.add(np.unique(numbers, return_index=True)[1])
            return found
        for path in self._files:
            both = np.fromfile(path, dtype=np.uint64).reshape(-1, 2)
            path.unlink()
            first = np.unique(both[:, 0], return_index=True)[1]
            found.add(both[first, 1].astype(np.int64))
        return found


def distinct_batches(
    batches: tuple[Batches, Batches],
    request: Request,
    rng: np.random.Generator,
    room: float,
    counter: RowCounter,
) -> tuple[tuple[Batches, Batches], Request, str]:
    """Every row of each table once, the first of its repeats; and a note that says so.

    Two more passes: one to find kinds, by which values are read, and one for the numbers of rows.
    """
    rows = sum(one.rows for one in batches)
    look, count = counter.over(_LOOK, rows), counter.over(_NUMBERS, rows)
    draws = zip(batches, rng.spawn(2), strict=True)
    surveys = [survey(one, own, DRAWN, look, _DRAWN * room) for one, own in draws]
    kinds, writings = _kinds(request, drawn_from_pool(surveys))
    found = []
    with ExitStack() as files:
        for one in surveys:
            folder = Path(files.enter_context(TemporaryDirectory(prefix="samelaw-")))
            first = FirstRows(one.rows, room, folder)
            _add_all(first, one, kinds, writings, count)
            found.append(first.marks())
    sizes, counts = (surveys[0].rows, surveys[1].rows), (found[0].count, found[1].count)
    check_distinct_rows(counts)
    kept = tuple(
        one if marks.count == marks.rows else marked_rows(one, marks)
        for one, marks in zip(batches, found, strict=True)
    )
    return (kept[0], kept[1]), replace(request, seen=kinds), uniqueness(sizes, counts)


def _kinds(request: Request, drawn: Sequence[Table]) -> tuple[dict[str, Kind], dict[str, Writing]]:
    """The kinds of the columns that are compared, and how their values are written."""
    pair = request.pair(drawn, request.kinds)
    names = [out.column for out in pair.left_out]
    compared = {column.name: column.kind for column in pair.columns}
    writings = writings_of([table.raw for table in drawn], [*dict.fromkeys((*names, *compared))])
    left = {
        name: find_kind(name, [table.raw[name].styled(writings[name]) for table in drawn])
        for name in names
    }
    return {**left, **compared}, writings


def _add_all(
    first: FirstRows,
    one: Survey,
    kinds: dict[str, Kind],
    writings: dict[str, Writing],
    report: Callable[[int], None],
) -> None:
    for piece in one.batches.pieces():
        if piece.num_rows:
            raw = one.batches.table(piece).raw
            read = [(Reading(raw[name], writings[name]), kind) for name, kind in kinds.items()]
            first.add(row_hashes(read))
            report(piece.num_rows)
    if first.seen != one.rows:
        raise changed(one.batches.source)
