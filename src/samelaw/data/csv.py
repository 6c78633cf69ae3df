"""CSV files with any separator, encoding or kind of line end, plain or gzipped."""

import codecs
import csv
import io
import math
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from samelaw.data.names import check_distinct
from samelaw.data.opening import arrow, opened, reading
from samelaw.data.parse import number
from samelaw.data.parts import Part
from samelaw.data.quotes import stray_quote

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.csv as pc

SAMPLE = 2**20  # bytes looked at to find separator, names and encoding
LINES = 20  # lines of them that must agree on the separator
BLOCK = 2**24  # bytes per block: wide rows must fit into one
SEPARATORS = ",;\t|"
SIGNATURES = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"PK\x03\x04": "a zip or Excel file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"SQLite format": "an SQLite database",
    b"\x93NUMPY": "a numpy file",
    b"%PDF": "a PDF",
}


def read_csv(path: Path) -> Part:
    """A CSV file as an Arrow table of words.

    Every value stays a word here: whether a column is numbers is decided on both tables.
    """
    with reading(path, "CSV"):
        with opened(path) as file:
            sample = file.read(SAMPLE)
        encoding = _encoding(path, sample)
        text = sample.decode(encoding, errors="ignore").removeprefix("\ufeff")
        separator, records = _first_records(path, text)
        names = [name.strip() or f"column {i + 1}" for i, name in enumerate(records[0])]

        def check_quotes() -> None:
            with opened(path) as file:
                if said := stray_quote(file, encoding, separator, records):
                    raise ValueError(f"{path}, {said}")

        try:
            check_distinct(names, str(path))
            table, quotes = _parse(path, names, separator, encoding)
        except ValueError as error:
            if "UTF8" not in str(error).upper().replace("-", ""):
                check_quotes()  # what looks like another mistake may come from it
                raise
            encoding = "latin-1"
            table, quotes = _parse(path, names, separator, encoding)
        if quotes % 2 or encoding == "utf-16" or _has_line_breaks(table):
            check_quotes()
    notes = []
    if encoding == "latin-1":
        notes.append("it is not UTF-8, so it was read as Western European text")
    if not any(math.isnan(number(name)) for name in names):
        notes.append("its first line holds only numbers; add a line of names if they are not")
    return Part(table.slice(1), separator != ",", tuple(notes))


def _encoding(path: Path, sample: bytes) -> str:
    for signature, what in SIGNATURES.items():
        if sample.startswith(signature):
            raise ValueError(
                f"{path} is not CSV but {what}; rename it or export it as CSV with UTF-8 text."
            )
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in sample:
        raise ValueError(f"{path} is not text but binary data; export it as CSV with UTF-8 text.")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _first_records(path: Path, text: str) -> tuple[str, list[list[str]]]:
    """The separator under which the first lines agree best, and these lines."""
    if not text.strip():
        raise ValueError(f"{path} is empty; expected a line of column names, then rows.")
    whole = text if len(text) < SAMPLE // 2 or "\n" not in text else text[: text.rindex("\n")]
    found = {separator: _records(whole, separator) for separator in SEPARATORS}

    def fit(separator: str) -> tuple[bool, bool, bool, int]:
        widths = {len(record) for record in found[separator]}
        wide, agree = len(found[separator][0]) > 1, len(widths) == 1
        return wide and agree, wide, agree, len(found[separator][0])

    best = max(SEPARATORS, key=fit)
    return best, found[best]


def _records(text: str, separator: str) -> list[list[str]]:
    """The first lines, without empty ones, up to one with a field too long for this reader."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    records: list[list[str]] = []
    with suppress(csv.Error):
        records.extend(islice(filter(None, lines), LINES))
    return records or [[""]]


def _has_line_breaks(table: "pa.Table") -> bool:
    compute = arrow("compute")
    found = (compute.any(compute.match_substring_regex(c, "[\r\n]")) for c in table.itercolumns())
    return any(one.as_py() for one in found)


def _parse(path: Path, names: list[str], separator: str, encoding: str) -> tuple["pa.Table", int]:
    """The table, its first line included, and the number of quotes in the file."""
    reader = arrow("csv")
    broken: list[pc.InvalidRow] = []

    def note(row: "pc.InvalidRow") -> str:
        broken.append(row)
        return "error"

    try:
        with opened(path) as file:
            table = reader.read_csv(
                file,
                reader.ReadOptions(column_names=names, block_size=BLOCK, encoding=encoding),
                reader.ParseOptions(
                    delimiter=separator, newlines_in_values=True, invalid_row_handler=note
                ),
                reader.ConvertOptions(column_types=dict.fromkeys(names, arrow().string())),
            )
            return table, file.raw.quotes
    except ValueError as error:
        if not broken:
            raise
        row = broken[0]
        raise ValueError(
            f"{path}: the row {row.text[:60]!r} has {row.actual_columns} fields, the first line "
            f"{row.expected_columns}; quote fields that hold {separator!r}, or complete the row."
        ) from error
