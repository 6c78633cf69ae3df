"""What can be read piece by piece: files, folders, frames, tables of databases, with a condition.

What cannot be read twice or piece by piece (standard input, Excel, NumPy files, lists of JSON
objects) is read as a whole, by `samelaw.tables.reading.read`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samelaw.tables.columns.names import check_names, is_unnamed_index, wanted_names
from samelaw.tables.columns.raw_numbers import RawNumbers
from samelaw.tables.reading import frames
from samelaw.tables.reading.addresses import quoted_name
from samelaw.tables.reading.arrow_batches import Part, rows_at_once
from samelaw.tables.reading.batches import Batches
from samelaw.tables.reading.connections import arrow_array
from samelaw.tables.reading.databases import DatabaseRows, filtered
from samelaw.tables.reading.file_batches import batches_of_file
from samelaw.tables.reading.folders import partitions, with_partition
from samelaw.tables.reading.formats import FOUND, CsvFormat
from samelaw.tables.reading.objects import columns_of, flat
from samelaw.tables.reading.opening import arrow, is_stream
from samelaw.tables.reading.pandas_columns import in_words, index_notes, unnamed_note
from samelaw.tables.reading.read import STDIN, files_of, is_path

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa


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
        be a table of a database, which `samelaw.tables.reading.databases.one_snapshot` opened.
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
    found = _opened(source, columns, text, where)
    return None if found is None else _without_index(found)


def _opened(
    source: object, columns: Collection[str] | None, text: CsvFormat, where: str | None
) -> Batches | None:
    if isinstance(source, DatabaseRows) and not (where and source.of_files):
        return _of_database(source, columns, where)
    if where is not None:
        found = open_batches(source, text=text) or _at_once(source)
        return None if found is None else _where(found, columns, where)
    if isinstance(source, str | PathLike):
        path = Path(source)
        if not is_path(str(source)) or str(source) == STDIN or is_stream(path):
            return None
        return _of_files(files_of(path), str(source), columns, text)
    frame = frames.as_frame(source)
    return None if frame is None else _of_frame(frame, source, columns)


def _without_index(found: Batches) -> Batches:
    """Without the columns that pandas writes for an index without a name."""
    left = tuple(filter(is_unnamed_index, map(str, found.names)))
    if not left:
        return found
    names = tuple(name for name in found.names if name not in left)

    def pieces() -> Iterator["pa.Table"]:
        for piece in found.pieces():
            yield piece.select([name for name in piece.column_names if name not in left])

    about = replace(
        found.about,
        table=found.about.table.select(list(names)),
        notes=(*found.about.notes, *map(unnamed_note, left)),
        unread=(*found.about.unread, *left),
    )
    return replace(found, names=names, pieces=pieces, about=about)


def _of_database(
    found: DatabaseRows, columns: Collection[str] | None, where: str | None
) -> Batches:
    source = found.address.said
    found.check(where)
    nothing = next(found.batches(f"{found.select('*', None)} LIMIT 0", 1))
    if columns is not None:
        check_names(columns, nothing.column_names, source)
    wanted = wanted_names(nothing.column_names, columns)
    rows = found.number(found.select("count(*)", where))

    def pieces() -> Iterator["pa.Table"]:
        statement = found.select(", ".join(map(quoted_name, wanted)), where)
        for piece in found.batches(statement, rows_at_once(len(wanted))):
            if piece.num_rows:
                yield piece

    unread = tuple(name for name in nothing.column_names if name not in wanted)
    about = Part(nothing.select(list(wanted)), unread=unread, typed=found.typed)
    return Batches(source, wanted, pieces, rows, about)


def _where(found: Batches, columns: Collection[str] | None, where: str) -> Batches:
    """The rows that fulfil a condition, which may be about columns that are not asked for."""
    if columns is not None:
        check_names(columns, (*found.names, *found.about.unread), found.source)
    wanted = wanted_names(found.names, columns)
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
    opened_all = [batches_of_file(path, columns, text) for path in paths]
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
    names = (*found.names, *wanted_names(tuple(own), columns))
    unread = (*found.about.unread, *(n for n in own if n not in names))
    nothing = with_partition(found.about.table, own, columns)

    def pieces() -> Iterator["pa.Table"]:
        for piece in found.pieces():
            yield with_partition(piece, own, columns)

    about = replace(found.about, table=nothing, unread=unread)
    return replace(found, names=names, pieces=pieces, about=about)


def _of_frame(
    frame: "nw.DataFrame[Any]", source: object, columns: Collection[str] | None
) -> Batches | None:
    """Some rows of a frame at a time, as Arrow sees them."""
    label = frames.label_of(source)
    held = [name for name in frame.columns if columns is None or _is_asked(name, columns)]
    try:
        plain = frames.without_objects(frame.select(held))
        wanted = list(wanted_names(plain.columns, columns))
        chosen = plain.select(wanted)
        nothing = in_words(chosen[:1].to_arrow()).slice(0, 0)
    except Exception:  # a column of Python objects that Arrow has no one type for
        return None
    if not wanted or len(frame) == 0:
        return None
    step = rows_at_once(len(wanted))

    def pieces() -> Iterator["pa.Table"]:
        for start in range(0, len(chosen), step):
            yield in_words(chosen[start : start + step].to_arrow())

    left = (*plain.columns, *(name for name in frame.columns if name not in held))
    unread = tuple(name for name in left if name not in wanted)
    about = Part(nothing, unread=unread, notes=index_notes(source))
    return Batches(label, tuple(wanted), pieces, len(frame), about)


def _at_once(source: object) -> Batches | None:
    """What is in memory but no frame: a query of DuckDB or polars, records, a dict of columns."""
    import narwhals as nw

    whole = nw.from_native(source, pass_through=True)
    if isinstance(whole, nw.LazyFrame):
        found = whole.collect().to_arrow()
    elif isinstance(source, Mapping):
        found = _in_columns(source)
    elif isinstance(source, list | tuple) and all(isinstance(row, Mapping) for row in source):
        found = _in_columns(columns_of(map(flat, source)))
    else:
        return None
    return _of_frame(nw.from_native(found, eager_only=True), source, None)


def _in_columns(columns: Mapping[Any, Any]) -> "pa.Table":
    return arrow().table({str(name): arrow_array(values) for name, values in columns.items()})


def _is_asked(name: str, columns: Collection[str]) -> bool:
    """Whether a column is asked for, or something that it may hold."""
    return any(one == name or one.startswith(f"{name}.") for one in columns)
