"""Tables piece by piece, as often as asked for: what is larger than memory is read twice.

A source says what it knows of itself before a row is read, then gives Arrow tables of some rows at
a time. What cannot be read twice or piece by piece (standard input, Excel, NumPy files, lists of
JSON objects) is read as a whole, by `samelaw.data.read`.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samelaw.core.types import Matrix
from samelaw.data import csv, frames, json_lines, parquet
from samelaw.data.arrow_columns import written_out
from samelaw.data.databases import Address, filtered, is_address
from samelaw.data.formats import FOUND, CsvFormat
from samelaw.data.hive import partitions, with_partition
from samelaw.data.names import check_distinct, check_names
from samelaw.data.opening import arrow, is_stream, opened, reading
from samelaw.data.parts import Part
from samelaw.data.raw_column import RawNumbers
from samelaw.data.read import ARROW, CSV, JSON, PARQUET, STDIN, files_of, format_of, is_path
from samelaw.data.table import Table

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa

ROWS = 2**18
"""Rows of a piece, at most: enough that what is done once per piece costs nothing beside it."""

VALUES = 2**22
"""Values of a piece, about: of wide tables it has fewer rows."""

_LINE = 100.0  # bytes of a line of text, where no row was read yet


@dataclass(frozen=True, eq=False)
class Batches:
    """A table that is read piece by piece.

    Parameters
    ----------
    source : str
    names : tuple of str
        Of the columns that are read.
    pieces : callable
        Begins to read: Arrow tables of these columns, in the order of the rows.
    rows : float
        How many there are, about; infinite if nobody says.
    about : Part
        What is known of the source; its table has no rows.
    open_ended : bool
        Whether a row may leave out names, as in JSON.
    numbers : callable, optional
        The numbers in the source of the rows at some places (k,), where they are not all of it.
    whole : int, optional
        How many rows the source has, then.
    """

    source: str
    names: tuple[str, ...]
    pieces: Callable[[], Iterator["pa.Table"]] = field(repr=False)
    rows: float
    about: Part = field(repr=False)
    open_ended: bool = False
    numbers: Callable[[Matrix], Matrix] | None = field(default=None, repr=False)
    whole: int | None = None

    def number(self, places: Matrix) -> Matrix:
        """The numbers in the source of the rows at these places (k,)."""
        return places if self.numbers is None else self.numbers(places)

    def table(self, piece: "pa.Table") -> Table:
        """Some rows as a table, with all that is known of the source."""
        found = frames.from_arrow(piece, self.source, comma=self.about.comma)
        return replace(
            found,
            notes=self.about.notes,
            unread=self.about.unread,
            typed=self.about.typed,
            first_line=self.about.first_line,
            open_ended=self.open_ended,
        )


def open_batches(
    source: object,
    columns: Collection[str] | None = None,
    *,
    text: CsvFormat = FOUND,
    where: str | None = None,
) -> Batches | None:
    """A source piece by piece; None for what must be read as a whole.

    Parameters
    ----------
    source, columns, text
        As of `read_table`; of all formats only the columns asked for are read. A source may also
        be a table of a database (`samelaw.data.databases`).
    where : str, optional
        A condition in SQL that rows must fulfil, as in ``"price > 5 and region = 'north'"``. It
        goes to the database; files and frames are filtered piece by piece, by DuckDB.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = open_batches(pa.table({"x": [1, 2, 3]}))
    >>> [piece.num_rows for piece in found.pieces()], found.rows
    ([3], 3)
    """
    if is_address(source):
        return _of_address(str(source), columns, where)
    if where is not None:
        found = open_batches(source, text=text)
        return None if found is None else _where(found, columns, where)
    if isinstance(source, str | PathLike):
        path = Path(source)
        if not is_path(str(source)) or str(source) == STDIN or is_stream(path):
            return None
        return _of_files(files_of(path), str(source), columns, text)
    frame = frames.as_frame(source)
    return None if frame is None else _of_frame(frame, source, columns)


def _of_address(source: str, columns: Collection[str] | None, where: str | None) -> Batches:
    address = Address.of(source)
    nothing = next(address.batches(address.select(None, None, rows=False), 1))
    if columns is not None:
        check_names(columns, nothing.column_names, source)
    wanted = _chosen(nothing.column_names, columns)
    count = f"SELECT count(*) FROM {address.query}{f' WHERE ({where})' if where else ''}"
    rows = address.number(count)

    def pieces() -> Iterator["pa.Table"]:
        statement = address.select(wanted, where)
        for piece in address.batches(statement, rows_at_once(len(wanted))):
            if piece.num_rows:
                yield piece

    unread = tuple(name for name in nothing.column_names if name not in wanted)
    about = Part(nothing.select(list(wanted)), unread=unread, typed=address.typed)
    return Batches(source, wanted, pieces, rows, about)


def _where(found: Batches, columns: Collection[str] | None, where: str) -> Batches:
    """The rows that fulfil a condition, which may be about columns that are not asked for."""
    if columns is not None:
        check_names(columns, (*found.names, *found.about.unread), found.source)
    wanted = _chosen(found.names, columns)
    first = next(found.pieces())
    words = [f.name for f in first.schema if str(f.type) == "string"]
    raw = found.table(first).raw
    numbers = [name for name in words if isinstance(raw[name], RawNumbers)]
    kept = filtered(found.pieces, where, numbers, found.source)

    def pieces() -> Iterator["pa.Table"]:
        for piece in kept():
            if piece.num_rows:
                yield piece.select(list(wanted))

    unread = (*found.about.unread, *(n for n in found.names if n not in wanted))
    about = replace(found.about, unread=unread)
    return replace(found, names=wanted, pieces=pieces, about=about)


def _of_files(
    paths: Sequence[Path], source: str, columns: Collection[str] | None, text: CsvFormat
) -> Batches | None:
    """One or many files of one format, one after the other."""
    opened_all = [_of_file(path, columns, text) for path in paths]
    if not opened_all or any(one is None for one in opened_all):
        return None
    parts = [
        _with_folders(one, values, columns)
        for one, values in zip(opened_all, partitions(paths, source), strict=True)
        if one is not None
    ]
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    unread = tuple(dict.fromkeys(name for part in parts for name in part.about.unread))
    if columns is not None and not any(part.open_ended for part in parts):
        check_names(columns, (*names, *unread), source)
    notes = tuple(dict.fromkeys(note for part in parts for note in part.about.notes))
    absent = {name: sum(name not in part.names for part in parts) for name in names}
    notes += tuple(
        f"column {name!r} is absent from {count} of its {len(parts)} files"
        for name, count in absent.items()
        if count and not parts[0].open_ended
    )
    about = Part(
        parts[0].about.table,
        all(part.about.comma for part in parts),
        notes,
        tuple(name for name in unread if name not in names),
        all(part.about.typed for part in parts),
        next((part.about.first_line for part in parts if part.about.first_line), ""),
    )

    def pieces() -> Iterator["pa.Table"]:
        for part in parts:
            yield from part.pieces()

    rows = sum(part.rows for part in parts)
    return Batches(source, names, pieces, rows, about, parts[0].open_ended)


def _with_folders(
    found: Batches, values: Mapping[str, "pa.Scalar"], columns: Collection[str] | None
) -> Batches:
    """The pieces of a file with the columns that are folders."""
    held = (*found.names, *found.about.unread)
    own = {n: value for n, value in values.items() if n not in held}
    names = (*found.names, *_chosen(tuple(own), columns))
    unread = (*found.about.unread, *(n for n in own if n not in names))
    nothing = with_partition(found.about.table, own, columns)

    def pieces() -> Iterator["pa.Table"]:
        for piece in found.pieces():
            yield with_partition(piece, own, columns)

    about = replace(found.about, table=nothing, unread=unread)
    return replace(found, names=names, pieces=pieces, about=about)


def _of_file(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Batches | None:
    ending = format_of(path)
    if ending in PARQUET:
        return _of_parquet(path, columns)
    if ending in ARROW:
        return _of_arrow(path, columns)
    if ending in CSV:
        return _of_csv(path, columns, text)
    if ending in JSON:
        return _of_json(path, columns)
    return None


def _chosen(names: Sequence[str], columns: Collection[str] | None) -> tuple[str, ...]:
    return tuple(name for name in names if columns is None or name in columns)


def _described(path: Path, schema: "pa.Schema", columns: Collection[str] | None) -> Part:
    check_distinct(schema.names, str(path))
    wanted = _chosen(schema.names, columns)
    unread = tuple(name for name in schema.names if name not in wanted)
    return Part(schema.empty_table().select(list(wanted)), unread=unread)


def _of_parquet(path: Path, columns: Collection[str] | None) -> Batches:
    with reading(path, "Parquet"), open(path, "rb") as file:
        found = arrow("parquet").ParquetFile(file)
        about = _described(path, found.schema_arrow, columns)
        rows = found.metadata.num_rows
    names = tuple(about.table.column_names)

    def pieces() -> Iterator["pa.Table"]:
        with reading(path, "Parquet"), open(path, "rb") as file:
            yield from gathered(parquet.batches(file, names, rows_at_once(len(names))))

    return Batches(str(path), names, pieces, rows, about)


def _of_arrow(path: Path, columns: Collection[str] | None) -> Batches:
    ipc = arrow("ipc")
    with reading(path, "Arrow"), open(path, "rb") as file:
        is_file = file.read(6) == b"ARROW1"
        open_any = ipc.open_file if is_file else ipc.open_stream
        file.seek(0)
        schema = open_any(file).schema
        about = _described(path, schema, columns)
    names = tuple(about.table.column_names)
    options = ipc.IpcReadOptions(included_fields=[schema.names.index(name) for name in names])

    def pieces() -> Iterator["pa.Table"]:
        with reading(path, "Arrow"), open(path, "rb") as file:
            found = open_any(file, options=options)
            batches = map(found.get_batch, range(found.num_record_batches)) if is_file else found
            yield from gathered(_checked(batches))

    return Batches(str(path), names, pieces, path.stat().st_size / (8.0 * len(names) or 1), about)


def _checked(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
    for batch in batches:
        batch.validate(full=True)
        yield batch


def _of_csv(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Batches:
    about, blocks = csv.csv_batches(path, text, columns)
    names = tuple(about.table.column_names)

    def pieces() -> Iterator["pa.Table"]:
        for block in blocks():
            for start in range(0, block.num_rows, ROWS):
                yield block.slice(start, ROWS)

    return Batches(str(path), names, pieces, _lines(path), about)


def _lines(path: Path) -> float:
    """About how many lines a file has, by its first ones."""
    with reading(path, "text"), opened(path, math.inf) as file:
        start = file.read(csv.SAMPLE)
    count = start.count(b"\n")
    packed = 1.0 if len(start) >= path.stat().st_size or path.suffix not in (".gz", ".bz2") else 5.0
    return packed * path.stat().st_size * (count / len(start) if count else 1.0 / _LINE)


def _of_json(path: Path, columns: Collection[str] | None) -> Batches | None:
    """One object per line; the names are those of the first lines."""
    with reading(path, "JSON"), opened(path, math.inf) as file:
        if json_lines.is_list(file):
            return None
        some = list(islice(json_lines.lines(path, file), ROWS // 16))
    if json_lines.holds_columns(some):
        return None
    names = _chosen(list(dict.fromkeys(name for one in some for name in one)), columns)
    nothing = arrow().table({name: arrow().nulls(0) for name in names})

    def pieces() -> Iterator["pa.Table"]:
        with reading(path, "JSON"), opened(path, math.inf) as file:
            objects = json_lines.lines(path, file)
            while some := list(islice(objects, rows_at_once(4 * len(names)))):
                yield arrow().table({name: _array([o.get(name) for o in some]) for name in names})

    about = Part(nothing, typed=True)
    return Batches(str(path), names, pieces, _lines(path), about, open_ended=True)


def _array(values: list[object]) -> "pa.Array":
    """Values of JSON as Arrow; those of several types as words."""
    pa = arrow()
    try:
        found = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        found = None
    if found is None or pa.types.is_nested(found.type):
        return pa.array([None if v is None else json_lines.written(v) for v in values], pa.string())
    return found


def _of_frame(
    frame: "nw.DataFrame[Any]", source: object, columns: Collection[str] | None
) -> Batches | None:
    """Some rows of a frame at a time, as Arrow sees them."""
    label = frames.label_of(source)
    wanted = list(_chosen(frame.columns, columns))
    if not wanted or len(frame) == 0:
        return None
    chosen = frame.select(wanted)
    try:
        nothing = chosen[:1].to_arrow().slice(0, 0)
    except Exception:  # a column of Python objects that Arrow has no type for
        return None
    step = rows_at_once(len(wanted))

    def pieces() -> Iterator["pa.Table"]:
        for start in range(0, len(chosen), step):
            yield chosen[start : start + step].to_arrow()

    unread = tuple(name for name in frame.columns if name not in wanted)
    return Batches(label, tuple(wanted), pieces, len(frame), Part(nothing, unread=unread))


def read_whole(found: Batches) -> Table:
    """All rows as one table, for those that are few."""
    pieces = list(found.pieces())
    if not pieces:
        raise ValueError(f"{found.source} has no rows that were asked for; expected at least one.")
    return found.table(stack(pieces, found.source))


def forget_pieces() -> None:
    """Give back the memory of pieces that are gone, which Arrow keeps for the next ones."""
    arrow().default_memory_pool().release_unused()


def rows_at_once(columns: int) -> int:
    """Rows of a piece of so many columns."""
    return max(2**10, min(ROWS, VALUES // max(columns, 1)))


def gathered(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.Table"]:
    """Small batches together, as long as a piece is not full."""
    some: list[pa.RecordBatch] = []
    for batch in batches:
        some.append(batch)
        rows = sum(one.num_rows for one in some)
        if rows >= rows_at_once(batch.num_columns) or sum(o.nbytes for o in some) >= 8 * VALUES:
            yield arrow().Table.from_batches(some)
            some = []
    if some:
        yield arrow().Table.from_batches(some)


def stack(pieces: Sequence["pa.Table"], source: str) -> "pa.Table":
    """Pieces under each other; of a column with several types the words."""
    pa = arrow()
    coded = {f.name for piece in pieces for f in piece.schema if hasattr(f.type, "index_type")}
    plain = [written_out(piece, coded) for piece in pieces]
    try:
        return pa.concat_tables(plain, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.concat_tables(
            [_as_words(piece, plain) for piece in plain], promote_options="permissive"
        )


def _as_words(piece: "pa.Table", others: Sequence["pa.Table"]) -> "pa.Table":
    pa = arrow()
    for place, name in enumerate(piece.column_names):
        kinds = {o.schema.field(name).type for o in others if name in o.column_names}
        kinds.discard(pa.null())
        if len(kinds) > 1 and any(map(pa.types.is_string, kinds)):
            piece = piece.set_column(place, name, piece[name].cast(pa.string()))
    return piece
