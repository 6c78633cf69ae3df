"""Anything that holds a table, as a table: files, folders, frames, arrays and dicts."""

import re
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from samelaw.tables.columns.names import check_names
from samelaw.tables.reading import binary, csv, excel, frames, json_lines
from samelaw.tables.reading.arrow_batches import Part, stacked
from samelaw.tables.reading.folders import (
    files_below,
    has_magic,
    matching,
    partitions,
    with_partition,
)
from samelaw.tables.reading.formats import FOUND, CsvFormat
from samelaw.tables.reading.opening import (
    PACKED,
    START,
    forbidden,
    is_stream,
    only_member,
    opened,
    reading,
    spooled,
)
from samelaw.tables.reading.passwords import refuse_password
from samelaw.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

READABLE = (
    ".csv, .tsv, .parquet, .arrow, .feather, .json, .jsonl, .ndjson, .xlsx, .npy, .npz, and those "
    "of text in .gz, .bz2 or .zip"
)
LONGEST_PATH = 1024
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # of a web page or a store of files
STDIN = "-"
CSV = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
JSON = (".jsonl", ".ndjson", ".json")
_EXCEL = (".xlsx", ".xlsm")
_NUMPY = (".npy", ".npz")
_DATABASES = {".duckdb": "duckdb", ".sqlite": "sqlite", ".sqlite3": "sqlite"}


def read_table(
    source: object, columns: Collection[str] | None = None, *, text: CsvFormat = FOUND
) -> Table:
    """Read a table from wherever it is.

    Parameters
    ----------
    source : path, frame, array or dict
        A .csv, .tsv, .json, .jsonl or .ndjson file (each also with .gz, .bz2 or .zip), a .parquet,
        .arrow, .feather, .xlsx (with openpyxl), .npy or .npz file; ``"-"`` for standard input; a
        folder or pattern (``"day-*.parquet"``) of Parquet or CSV files; a frame or series of
        pandas, polars, pyarrow or duckdb; an array (n,) or (n, d) of numpy, torch or jax; a dict
        of columns. Folders such as ``city=Rome`` are columns of the files below.
    columns : names, optional
        Read only these of a Parquet or Arrow file, which may be larger than memory; others are
        read as a whole.
    text : CsvFormat
        What is known of CSV files and sheets; everything else is found by looking.

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
        return _read_path(_as_path(str(source)), columns, text)
    return source if isinstance(source, Table) else frames.from_memory(source)


def is_path(text: str) -> bool:
    """Whether a text may name a file at all."""
    names = 0 < len(text) <= LONGEST_PATH and not any(sign in text for sign in "\n\r\0")
    return names and not _ADDRESS.match(text)


def _as_path(text: str) -> Path:
    refuse_password(text)
    if _ADDRESS.match(text):
        raise ValueError(
            f"{text[:80]} is an address, and nothing is fetched; download it, or send it through a "
            "pipe: curl -s ADDRESS | samelaw compare A -."
        )
    if not is_path(text):
        raise ValueError(
            f"the text {text[:40]!r} is no path; write the data to a file or pass a dict."
        )
    return Path(text)


def _read_path(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Table:
    if str(path) == STDIN or is_stream(path):
        return _read_stream(path, columns, text)
    found = files_of(path)
    if found == [path]:
        return _read_file(path, columns, text)
    return _read_parts(found, str(path), columns, text)


def files_of(path: Path) -> list[Path]:
    """The files of a folder or pattern, or the one file that a path names."""
    try:
        folder = path.is_dir()
    except PermissionError as error:
        raise forbidden(path) from error
    if folder:
        return _files_of(path)
    if path.exists() or not has_magic(str(path)):
        return [path]
    if not (found := matching(str(path))):
        if "?table=" in str(path) or "?query=" in str(path):
            raise FileNotFoundError(
                f"{path} names a table as addresses of databases do; write "
                f"duckdb:///{path} or sqlite:///{path}."
            )
        raise FileNotFoundError(f"no file matches {path}; check the pattern.")
    return found


def _read_stream(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Table:
    """What comes from standard input or a pipe, through a file of its own.

    Its format is told by its first bytes, as it has no name.
    """
    said = _spoken(path)
    with spooled(path, said) as (file, start):
        named = file.with_suffix(_ending_of(start))
        file.rename(named)
        try:
            table = _read_file(named, columns, text)
        except (ValueError, OSError) as error:
            raise ValueError(str(error).replace(str(named), said)) from error
    return replace(table, source=said)


def _spoken(path: Path) -> str:
    """What to call a stream: a shell gives its pipes no names but numbers."""
    if str(path) == STDIN:
        return "standard input"
    return f"pipe {path.name}" if path.name.isdigit() else str(path)


def _ending_of(start: bytes) -> str:
    """The ending that files with such a beginning have."""
    known = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\x93NUMPY": ".npy"}
    for signature, ending in known.items():
        if start.startswith(signature):
            return ending
    words = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    return ".json" if words[:1] == b"{" or words[:2] in (b"[{", b"[\n", b"[ ") else ".csv"


def _read_file(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Table:
    ending = format_of(path)
    if ending in JSON:
        table = frames.from_dict(json_lines.read_json(path), str(path))
        return replace(table, open_ended=True)
    if ending in _EXCEL:
        cells, notes = excel.read_excel(path, text)
        return replace(frames.from_dict(cells, str(path)), notes=notes)
    if ending in _NUMPY:
        arrays = binary.read_numpy(path)
        if isinstance(arrays, dict):
            return frames.from_arrays(arrays, str(path))
        return frames.from_array(arrays, str(path))
    return _read_parts([path], str(path), columns, text)


def suffix_of(path: Path) -> str:
    """The suffix that names the format, without .gz; that of the file inside of a .zip."""
    if path.suffix.lower() not in PACKED:
        return path.suffix.lower()
    inside = path.with_suffix("").suffix.lower()
    if inside or path.suffix.lower() != ".zip" or not path.is_file():
        return inside
    with reading(path, "zip"), zipfile.ZipFile(path) as archive:
        return Path(only_member(archive, str(path)).filename).suffix.lower()


def format_of(path: Path) -> str:
    """The suffix that names the format; of a file without one, what its first bytes tell."""
    ending = suffix_of(path)
    if ending or not path.is_file():
        return ending
    with reading(path, "text"), opened(path) as file:
        return _ending_of(file.read(START))


def _files_of(folder: Path) -> list[Path]:
    """The Parquet files of a folder and those below it, or else its CSV files."""
    try:
        below = files_below(folder)
    except PermissionError as error:
        raise forbidden(folder) from error
    visible = [path for path in below if not path.name.startswith((".", "_"))]
    kinds = [[path for path in visible if suffix_of(path) in kind] for kind in (PARQUET, CSV)]
    if all(kinds):
        raise ValueError(
            f"{folder} holds both Parquet and CSV files; say which, as in {folder}/*.parquet."
        )
    if not any(kinds):
        raise FileNotFoundError(f"{folder} holds no Parquet or CSV file; check the path.")
    return kinds[0] or kinds[1]


def _read_parts(
    paths: list[Path], source: str, columns: Collection[str] | None, text: CsvFormat
) -> Table:
    """One or many files of one format, under each other."""
    parts = [
        _with_folders(_read_part(path, columns, text), values, columns)
        for path, values in zip(paths, partitions(paths, source), strict=True)
    ]
    whole = stacked(parts, source)
    if columns is not None:
        check_names(columns, (*whole.table.column_names, *whole.unread), source)
    table = frames.from_arrow(whole.table, source, comma=whole.comma)
    return replace(
        table,
        notes=(*whole.notes, *table.notes),
        unread=(*whole.unread, *table.unread),
        typed=whole.typed,
        first_line=whole.first_line,
    )


def _with_folders(
    part: Part, values: Mapping[str, "pa.Scalar"], columns: Collection[str] | None
) -> Part:
    """A file with the columns that are folders."""
    table = with_partition(part.table, values, columns)
    left = (n for n in values if n not in table.column_names and n not in part.unread)
    return replace(part, table=table, unread=(*part.unread, *left))


def _read_part(path: Path, columns: Collection[str] | None, text: CsvFormat) -> Part:
    ending = format_of(path)
    if ending in PARQUET:
        return binary.read_parquet(path, columns)
    if ending in ARROW:
        return binary.read_arrow(path, columns)
    if ending in CSV:
        return csv.read_csv(path, text)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist; check the path.")
    if ending == ".safetensors":
        raise ValueError(
            f"{path} is a reference, which holds sums and no rows; `samelaw compare` takes it for "
            "A or B, everything else needs the table itself."
        )
    if ending in _DATABASES:
        raise ValueError(
            f"{path} looks like a database, which holds several tables; name one of them: "
            f"{_DATABASES[ending]}:///{path}?table=NAME."
        )
    raise ValueError(f"{path} ends in {ending or 'nothing'!r}; samelaw reads {READABLE}.")
