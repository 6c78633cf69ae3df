"""Anything that holds a table, as a table: files, folders, frames, arrays and dicts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from samelaw.core.array import is_array
from samelaw.data import arrow_columns, binary, csv, frames
from samelaw.data.folders import files_below, has_magic, matching
from samelaw.data.kinds import Table, check_names

READABLE = ".csv, .tsv, .parquet, .arrow, .feather, .jsonl, .ndjson, .npy, .npz"
LONGEST_PATH = 1024
_CSV = (".csv", ".tsv", ".txt")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_JSON = (".jsonl", ".ndjson")
_NUMPY = (".npy", ".npz")


def read_table(source: Any, columns: Collection[str] | None = None) -> Table:
    """Read a table from wherever it is.

    Parameters
    ----------
    source : path, frame, array or dict
        A .csv, .tsv, .jsonl or .ndjson file (each also with .gz), a .parquet, .arrow, .feather,
        .npy or .npz file; a folder or pattern (``"day-*.parquet"``) of Parquet or CSV files; a
        frame or series of pandas, polars, pyarrow or duckdb; an array (n,) or (n, d) of numpy,
        torch or jax; a dict of columns.
    columns : names, optional
        Read only these of a Parquet or Arrow file, which may be larger than memory; others are
        read as a whole.

    Returns
    -------
    Table
        Its ``columns`` are typed by looking at the values. Values that mean "missing" (blanks, NA,
        NaN, null and the like) are missing in every kind of column.

    Notes
    -----
    Linear in the size of the source, which is held in memory. Separators and decimal commas are
    found by looking; nothing in a file is executed or unpickled.

    Examples
    --------
    >>> table = read_table({"price": ["1.5", "NA", "2"], "sold": ["2025-03-01", "", "2025-03-04"]})
    >>> [str(column.kind) for column in table.columns]
    ['numeric', 'datetime']
    >>> table.columns[0].values
    array([1.5, nan, 2. ])
    """
    if isinstance(source, str | PathLike):
        return _read_path(_as_path(str(source)), columns)
    if isinstance(source, Table):
        return source
    label = f"the {type(source).__module__.split('.')[0]} {type(source).__name__}"
    if isinstance(source, Mapping):
        return frames.from_dict(source, "the dict")
    if is_array(source):
        return frames.from_array(source, label)
    if type(source).__name__ == "RecordBatch":
        source = binary.arrow().Table.from_batches([source])
    if (frame := frames.as_frame(source, label)) is not None:
        return frames.from_frame(frame, label)
    raise TypeError(
        f"a table cannot be read from a {type(source).__name__}; expected a path, a frame of "
        "pandas, polars or pyarrow, an array, or a dict of columns."
    )


def _as_path(text: str) -> Path:
    if not text or any(sign in text for sign in "\n\r\0") or len(text) > LONGEST_PATH:
        raise ValueError(
            f"the text {text[:40]!r} is no path; write the data to a file or pass a dict."
        )
    return Path(text)


def _read_path(path: Path, columns: Collection[str] | None) -> Table:
    try:
        folder = path.is_dir()
    except PermissionError as error:
        raise binary.forbidden(path) from error
    if folder:
        return _read_parts(_files_of(path), str(path), columns)
    if not path.exists() and has_magic(str(path)):
        if not (found := matching(str(path))):
            raise FileNotFoundError(f"no file matches {path}; check the pattern.")
        return _read_parts(found, str(path), columns)
    ending = _ending(path)
    if ending in _JSON:
        return csv.read_json_lines(path)
    if ending in _NUMPY:
        return binary.read_numpy(path)
    return _read_parts([path], str(path), columns)


def _ending(path: Path) -> str:
    """The suffix that names the format, without .gz."""
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return name.suffix.lower()


def _files_of(folder: Path) -> list[Path]:
    """The Parquet files of a folder and those below it, or else its CSV files."""
    try:
        below = files_below(folder)
    except PermissionError as error:
        raise binary.forbidden(folder) from error
    visible = [path for path in below if not path.name.startswith((".", "_"))]
    kinds = [[path for path in visible if _ending(path) in kind] for kind in (_PARQUET, _CSV)]
    if all(kinds):
        raise ValueError(
            f"{folder} holds both Parquet and CSV files; say which, as in {folder}/*.parquet."
        )
    if not any(kinds):
        raise FileNotFoundError(f"{folder} holds no Parquet or CSV file; check the path.")
    return kinds[0] or kinds[1]


@dataclass(frozen=True)
class Part:
    """One file: its columns, whether commas may be decimal, notes, and names not read."""

    table: Any
    comma: bool = False
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


def _read_parts(paths: list[Path], source: str, columns: Collection[str] | None) -> Table:
    """One or many files of one format, under each other."""
    read = [_read_part(path, columns) for path in paths]
    tables, comma = [part.table for part in read], all(part.comma for part in read)
    notes = tuple(dict.fromkeys(note for part in read for note in part.notes))
    unread = tuple(dict.fromkeys(name for part in read for name in part.unread))
    for path, table in zip(paths, tables, strict=True):
        frames.check_distinct(table.column_names, str(path))
    whole = tables[0] if len(tables) == 1 else _concatenate(tables, source)
    present = [set(table.column_names) for table in tables]
    notes += tuple(
        f"column {name!r} is absent from {absent} of its {len(tables)} files"
        for name in whole.column_names
        if (absent := sum(name not in names for names in present))
    )
    if columns is not None:
        check_names(columns, (*whole.column_names, *unread), source)
    frame = frames.as_frame(whole, source)
    return replace(frames.from_frame(frame, source, comma=comma), notes=notes, unread=unread)


def _concatenate(tables: list[Any], source: str) -> Any:
    arrow = binary.arrow()
    try:
        return arrow.concat_tables(_alike(tables), promote_options="permissive")
    except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
        raise ValueError(
            f"the files of {source} do not fit together ({str(error).splitlines()[0][:120]}); "
            "give the column one type in all of them."
        ) from error


def _alike(tables: list[Any]) -> list[Any]:
    """Words as words where some files hold them as codes of another type."""
    schemas = [table.schema for table in tables]
    kinds: dict[str, set[Any]] = {}
    for schema in schemas:
        for field in schema:
            kinds.setdefault(field.name, set()).add(field.type)
    mixed = {n for n, k in kinds.items() if len(k) > 1 and any(hasattr(t, "index_type") for t in k)}
    return [arrow_columns.write_out(table, mixed) for table in tables]


def _read_part(path: Path, columns: Collection[str] | None) -> Part:
    ending = _ending(path)
    if ending in _PARQUET:
        table, unread = binary.read_parquet(path, columns)
        return Part(table, unread=unread)
    if ending in _ARROW:
        table, unread = binary.read_arrow(path, columns)
        return Part(table, unread=unread)
    if ending in _CSV:
        return Part(*csv.read_csv(path))
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path.")
    raise ValueError(f"{path} ends in {ending or 'nothing'!r}; samelaw reads {READABLE}.")
