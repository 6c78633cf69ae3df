"""CSV files with any separator, encoding or kind of line end, plain or packed."""

import codecs
import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from samelaw.data.names import check_distinct, no_names, spoken
from samelaw.data.opening import arrow, opened, reading
from samelaw.data.parse import number
from samelaw.data.parts import Part
from samelaw.data.quotes import formal_columns, is_formal, stray_quote

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
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"SQLite format": "an SQLite database",
    b"\x93NUMPY": "a numpy file",
    b"%PDF": "a PDF",
}


YEARS = range(1900, 2101)


@dataclass(frozen=True)
class CsvFormat:
    """What is known of CSV files; None is found by looking.

    Parameters
    ----------
    sep : str, optional
        The sign between two values.
    header : bool, optional
        Whether the first line holds names.
    encoding : str, optional
        As Python names it: "cp1252", "utf-16-le".
    """

    sep: str | None = None
    header: bool | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.sep is not None and (len(self.sep) != 1 or not self.sep.isascii()):
            raise ValueError(
                f"sep (--sep) is {self.sep!r}; expected one sign, such as ';' or a tab."
            )
        if self.sep is not None and self.sep in '"\r\n':
            raise ValueError("sep (--sep) is a quote or a line end, which mean something else.")
        if self.encoding is not None:
            self._check_encoding(self.encoding)

    def _check_encoding(self, encoding: str) -> None:
        try:
            text = codecs.lookup(encoding)._is_text_encoding
        except LookupError:
            text = False
        if not text:
            raise ValueError(
                f"encoding (--encoding) is {encoding!r}; expected one that Python knows, such as "
                "'utf-8', 'cp1252' or 'utf-16'."
            )


FOUND = CsvFormat()
"""Everything is found by looking."""


def read_csv(path: Path, known: CsvFormat = FOUND) -> Part:
    """A CSV file as an Arrow table of words.

    Every value stays a word here: whether a column is numbers is decided on both tables.
    """
    with reading(path, "CSV"):
        with opened(path) as file:
            sample = file.read(SAMPLE)
        encoding = known.encoding or _encoding(path, sample)
        text = sample.decode(encoding, errors="ignore").removeprefix("\ufeff")
        separator, records = _first_records(path, text, known.sep or SEPARATORS)
        names = _names(records[0], known)
        line = _first_line(records) if known.header is None else ""
        if line and len(set(names)) < len(names):
            raise no_names(str(path), line)

        def check_quotes() -> None:
            with opened(path) as file:
                if said := stray_quote(file, encoding, separator, records):
                    raise ValueError(f"{path}, {said}")

        try:
            check_distinct(names, str(path))
            table, quotes = _parse(path, names, separator, encoding)
        except ValueError as error:
            if known.encoding or "UTF8" not in str(error).upper().replace("-", ""):
                check_quotes()  # what looks like another mistake may come from it
                raise
            encoding = "latin-1"
            table, quotes = _parse(path, names, separator, encoding)
        if quotes % 2 or encoding == "utf-16" or _has_line_breaks(table):
            check_quotes()
    notes = []
    if encoding == "latin-1" and not known.encoding:
        notes.append(
            "it is not UTF-8, so it was read as Western European text (--encoding says otherwise)"
        )
    if line:
        notes.append(f"its first line looks like a row ({line}); if it is one, say --no-header")
    doubtful = "" if _in_steps(records[0]) else line
    table = table if known.header is False else table.slice(1)
    return Part(table, separator != ",", tuple(notes), typed=False, first_line=doubtful)


def _names(record: Sequence[str], known: CsvFormat) -> list[str]:
    return [spoken(None if known.header is False else name, i) for i, name in enumerate(record)]


def _first_line(records: Sequence[Sequence[str]]) -> str:
    """The first line, if it holds what the others hold: no name over any number or date.

    Without numbers and dates, a word that occurs again below itself tells.
    """
    first, below = records[0], records[1:]
    formal = [i for i in formal_columns(below, len(first)) if i < len(first)]
    again = any(
        word.strip() and any(i < len(record) and record[i] == word for record in below)
        for i, word in enumerate(first)
    )
    alike = all(is_formal(first[i]) for i in formal) if formal else again
    return ", ".join(repr(word) for word in first[:4]) if alike and below else ""


def _in_steps(record: Sequence[str]) -> bool:
    """Years, or numbers in equal steps: names after all."""
    found = [number(word) for word in record if is_formal(word)]
    if not found or not all(value.is_integer() for value in found):
        return False
    steps = {b - a for a, b in pairwise(found)}
    return all(value in YEARS for value in found) or (len(steps) == 1 and 0 not in steps)


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


def _first_records(path: Path, text: str, signs: str) -> tuple[str, list[list[str]]]:
    """The separator under which the first lines agree best, and these lines."""
    if not text.strip():
        raise ValueError(f"{path} is empty; expected a line of column names, then rows.")
    lines = text if len(text) < SAMPLE // 2 or "\n" not in text else text[: text.rindex("\n")]
    found = {separator: _records(lines, separator) for separator in signs}

    def fit(separator: str) -> tuple[bool, bool, bool, int]:
        widths = {len(record) for record in found[separator]}
        wide, agree = len(found[separator][0]) > 1, len(widths) == 1
        return wide and agree, wide, agree, len(found[separator][0])

    best = max(signs, key=fit)
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
