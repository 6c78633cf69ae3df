"""A file piece by piece, in any format that allows it."""

import math
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from samelaw.tables.columns.names import check_distinct, wanted_names
from samelaw.tables.columns.value_to_text import spell
from samelaw.tables.reading import binary, csv, json_lines
from samelaw.tables.reading.arrow_batches import ROWS, Part, gathered, rows_at_once
from samelaw.tables.reading.batches import Batches
from samelaw.tables.reading.formats import CsvFormat
from samelaw.tables.reading.objects import flat
from samelaw.tables.reading.opening import arrow, opened, reading
from samelaw.tables.reading.read import ARROW, CSV, JSON, PARQUET, format_of
from samelaw.tables.reading.structs import owners, spread

if TYPE_CHECKING:
    import pyarrow as pa

_LINE = 100.0  # bytes of a line of text, where no row was read yet


def batches_of_file(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Batches | None:
    """A file piece by piece; None in a format that must be read as a whole."""
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


def _of_parquet(path: Path, columns: Collection[str] | None) -> Batches:
    with reading(path, "Parquet"), open(path, "rb") as file:
        found = binary.opened(file)
        about = _described(path, found.schema_arrow, columns)
        rows = found.metadata.num_rows
    names, held = tuple(about.table.column_names), _held(found.schema_arrow, about)

    def pieces() -> Iterator["pa.Table"]:
        with reading(path, "Parquet"), open(path, "rb") as file:
            some = binary.batches(file, held, rows_at_once(len(names)))
            yield from (spread(piece, names) for piece in gathered(some))

    return Batches(str(path), names, pieces, rows, about)


def _described(path: Path, schema: "pa.Schema", columns: Collection[str] | None) -> Part:
    check_distinct(schema.names, str(path))
    empty = spread(schema.empty_table())
    wanted = wanted_names(empty.column_names, columns)
    unread = tuple(name for name in empty.column_names if name not in wanted)
    return Part(empty.select(list(wanted)), unread=unread)


def _held(schema: "pa.Schema", about: Part) -> list[str]:
    """The columns of a file that hold what is wanted of it, in their order."""
    known = owners(schema)
    held = {known[name] for name in about.table.column_names}
    return [name for name in schema.names if name in held]


def _of_arrow(path: Path, columns: Collection[str] | None) -> Batches:
    ipc = arrow("ipc")
    with reading(path, "Arrow"), open(path, "rb") as file:
        is_file = file.read(6) == b"ARROW1"
        open_any = ipc.open_file if is_file else ipc.open_stream
        file.seek(0)
        schema = open_any(file).schema
        about = _described(path, schema, columns)
    names, held = tuple(about.table.column_names), _held(schema, about)
    options = ipc.IpcReadOptions(included_fields=[schema.names.index(name) for name in held])

    def pieces() -> Iterator["pa.Table"]:
        with reading(path, "Arrow"), open(path, "rb") as file:
            found = open_any(file, options=options)
            batches = map(found.get_batch, range(found.num_record_batches)) if is_file else found
            yield from (spread(piece, names) for piece in gathered(_checked(batches)))

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
        if json_lines.is_one_value(file):
            return None
        some = list(islice(json_lines.lines(path, file), ROWS // 16))
    if json_lines.holds_table(some):
        return None
    known = dict.fromkeys(name for one in map(flat, some) for name in one)
    names = wanted_names(list(known), columns)
    nothing = arrow().table({name: arrow().nulls(0) for name in names})

    def pieces() -> Iterator["pa.Table"]:
        with reading(path, "JSON"), opened(path, math.inf) as file:
            objects = map(flat, json_lines.lines(path, file))
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
        return pa.array([None if v is None else spell(v) for v in values], pa.string())
    return found
