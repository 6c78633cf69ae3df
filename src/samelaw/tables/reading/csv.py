"""CSV files with any separator, encoding or kind of line end, plain or packed."""

import codecs
import csv
import io
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from samelaw.tables.columns.names import check_distinct, no_names, spoken
from samelaw.tables.columns.parse import number
from samelaw.tables.reading.arrow_batches import Part
from samelaw.tables.reading.csv_preamble import YEARS, title_note, titles
from samelaw.tables.reading.formats import FOUND, LINES, CsvFormat
from samelaw.tables.reading.opening import arrow, opened, reading
from samelaw.tables.reading.stray_quotes import formal_columns, is_formal, stray_quote

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.csv as pc

SAMPLE = 2**20  # bytes looked at to find separator, names and encoding
BLOCK = 2**24  # bytes per block: wide rows must fit into one
SEPARATORS = ",;\t|"
WESTERN = ("cp1252", "latin-1")
"""Of text that is not UTF-8: that of Windows, with € and round quotes, or one with all bytes."""

SIGNATURES = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xd0\xcf\x11\xe0": "an old Excel file",
    b"SQLite format": "an SQLite database",
    b"\x93NUMPY": "a numpy file",
    b"%PDF": "a PDF",
}

_MARKUP = (b"<!doctype", b"<html", b"<?xml")
_BLANKS = codecs.BOM_UTF8 + b" \t\r\n"

_BREAK = re.compile(r"\r\n|\n|\r")


def read_csv(path: Path, known: CsvFormat = FOUND) -> Part:
    """A CSV file as an Arrow table of words.

    Every value stays a word here: whether a column is numbers is decided on both tables.
    """
    with reading(path, "CSV"), _decoded(path, known):
        look = _look(path, known)
        encoding, line = look.encoding, look.line
        try:
            check_distinct(look.names, str(path))
            table, quotes = _parse(path, look)
        except ValueError as error:
            if known.encoding or not _is_undecoded(error):
                _check_quotes(path, look)  # what looks like another mistake may come from it
                raise
            look, table, quotes = _parse_western(path, look)
            encoding = look.encoding
        if quotes % 2 or encoding == "utf-16" or _has_line_breaks(table):
            _check_quotes(path, look)
    notes = _notes(look, known)
    doubtful = "" if _in_steps(look.records[0]) else line
    table = table if known.header is False else table.slice(1)
    return Part(table, look.separator != ",", notes, typed=False, first_line=doubtful)


def csv_batches(
    path: Path, known: CsvFormat = FOUND, columns: Collection[str] | None = None
) -> tuple[Part, Callable[[], Iterator["pa.Table"]]]:
    """The same block after block, for files larger than memory.

    First what is known of it, without rows, then a function that begins to read. Its encoding is
    that of its first megabyte: a later sign that does not fit is an error, which says what to do.
    """
    with reading(path, "CSV"), _decoded(path, known):
        look = _look(path, known)
        check_distinct(look.names, str(path))
    wanted = [name for name in look.names if columns is None or name in columns]
    nothing = arrow().table({name: arrow().array([], arrow().string()) for name in wanted})
    unread = tuple(name for name in look.names if name not in wanted)
    doubtful = "" if _in_steps(look.records[0]) else look.line
    notes = _notes(look, known)
    about = Part(nothing, look.separator != ",", notes, unread, typed=False, first_line=doubtful)

    def blocks() -> Iterator["pa.Table"]:
        skipped = known.header is False
        with (
            reading(path, "CSV"),
            _decoded(path, known),
            opened(path, math.inf) as file,
            _explained(path, look) as note,
        ):
            for batch in arrow("csv").open_csv(file, *_options(look, note, wanted)):
                table = arrow().Table.from_batches([batch])
                yield table if skipped else table.slice(1)
                skipped = True
            quotes = file.raw.quotes
        if quotes % 2:
            _check_quotes(path, look)

    return about, blocks


class _Look(NamedTuple):
    """What the beginning of a file tells."""

    encoding: str
    separator: str
    records: Sequence[Sequence[str]]  # from the names on
    names: list[str]
    line: str
    skip: int
    title: Sequence[str]


def _look(path: Path, known: CsvFormat) -> _Look:
    with opened(path) as file:
        sample = file.read(SAMPLE)
    if known.encoding:  # Arrow would say what does not fit from a thread, without a name
        codecs.getincrementaldecoder(known.encoding)().decode(sample)
    encoding = known.encoding or _encoding(path, sample)
    text = sample.decode(encoding, errors="ignore").removeprefix("\ufeff")
    separator, (records, skip, title) = _first_records(path, text, known.sep or SEPARATORS, known)
    if known.sep is not None and all(len(record) == 1 for record in records):
        _check_separator(path, text, known)
    names = _names(records[0], known)
    line = _first_line(records) if known.header is None else ""
    if line and len(set(names)) < len(names):
        raise no_names(str(path), line)
    return _Look(encoding, separator, records, names, line, skip, title)


def _check_separator(path: Path, text: str, known: CsvFormat) -> None:
    """A file in which only another sign separates would be one column of text."""
    other, (records, *_) = _first_records(path, text, SEPARATORS, known)
    widths = {len(record) for record in records}
    if len(records) > 1 and len(widths) == 1 and widths != {1}:
        raise ValueError(
            f"{path} has no {known.sep!r} (--sep), but {other!r} separates all of its lines alike; "
            f"say --sep {other!r}, or leave it out."
        )


@contextmanager
def _decoded(path: Path, known: CsvFormat) -> Iterator[None]:
    try:
        yield
    except UnicodeError as error:
        raise ValueError(
            f"{path} is not text in {known.encoding or 'UTF-8'} ({str(error)[:120]}); leave "
            "--encoding out or name another, such as 'utf-16-le'."
        ) from error


def _check_quotes(path: Path, look: _Look) -> None:
    with opened(path, math.inf) as file:
        if said := stray_quote(file, look.encoding, look.separator, look.records):
            raise ValueError(f"{path}, {said}")


def _is_undecoded(error: ValueError) -> bool:
    return isinstance(error, UnicodeError) or "UTF8" in str(error).upper().replace("-", "")


def _parse_western(path: Path, look: _Look) -> tuple[_Look, "pa.Table", int]:
    """A file whose first megabyte was of another encoding than the rest."""
    for encoding in WESTERN:
        look = look._replace(encoding=encoding)
        with suppress(UnicodeError):
            return look, *_parse(path, look)
    raise AssertionError  # every byte is a sign of Latin-1


def _notes(look: _Look, known: CsvFormat) -> tuple[str, ...]:
    notes = []
    if look.encoding in WESTERN and not known.encoding:
        notes.append(
            "it is not UTF-8, so it was read as Western European text (--encoding, encoding= in "
            "Python, says otherwise)"
        )
    if look.title:
        notes.append(title_note(look.title, look.skip))
    if look.line:
        notes.append(
            f"its first line looks like a row ({look.line}); if it is one, say --no-header "
            "(header=False in Python)"
        )
    return tuple(notes)


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
    if sample.lstrip(_BLANKS)[:9].lower().startswith(_MARKUP):
        raise ValueError(
            f"{path} is not CSV but a web page or XML, as a download that needs a login may be; "
            "open it to see what it says."
        )
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if b"\0" in sample:
        raise ValueError(f"{path} is not text but binary data; export it as CSV with UTF-8 text.")
    for encoding in ("utf-8", *WESTERN):
        with suppress(UnicodeDecodeError):
            codecs.getincrementaldecoder(encoding)().decode(sample)
            return encoding
    raise AssertionError  # every byte is a sign of Latin-1


def _after(skip: int | None) -> str:
    return f" after {skip} lines (--skip)" if skip else ""


class _Start(NamedTuple):
    """The first lines from the names on, how many stand above them, and the first if found so."""

    records: list[list[str]]
    skip: int
    title: Sequence[str]


def _first_records(path: Path, text: str, signs: str, known: CsvFormat) -> tuple[str, _Start]:
    """The separator under which the first lines agree best, and these lines."""
    lines = text if len(text) < SAMPLE // 2 or "\n" not in text else text[: text.rindex("\n")]
    if known.skip:
        lines = "".join(_BREAK.split(lines, known.skip)[known.skip :])
    if not lines.strip():
        raise ValueError(
            f"{path} is empty{_after(known.skip)}; expected a line of column names, then rows."
        )
    found = {separator: _start(lines, separator, known) for separator in signs}

    def fit(separator: str) -> tuple[bool, bool, bool, int]:
        records = found[separator].records
        wide, agree = len(records[0]) > 1, len({len(record) for record in records}) == 1
        return wide and agree, wide, agree, len(records[0])

    best = max(signs, key=fit)
    return best, found[best]


def _start(text: str, separator: str, known: CsvFormat) -> _Start:
    """The first lines, without empty ones, up to one with a field too long for this reader."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    records, ends = [], []
    with suppress(csv.Error):
        for record in islice(filter(None, lines), LINES):
            records.append(record)
            ends.append(lines.line_num)
    if known.skip is not None or known.header is False or not (above := titles(records)):
        return _Start(records or [[""]], known.skip or 0, ())
    return _Start(records[above:], ends[above - 1], records[0])


def _has_line_breaks(table: "pa.Table") -> bool:
    compute = arrow("compute")
    found = (compute.any(compute.match_substring_regex(c, "[\r\n]")) for c in table.itercolumns())
    return any(one.as_py() for one in found)


def _parse(path: Path, look: _Look) -> tuple["pa.Table", int]:
    """The table, its first line included, and the number of quotes in the file."""
    with opened(path) as file, _explained(path, look) as note:
        table = arrow("csv").read_csv(file, *_options(look, note))
        return table, file.raw.quotes


Note = Callable[["pc.InvalidRow"], str]


def _options(look: _Look, note: Note, columns: Sequence[str] | None = None) -> tuple[Any, Any, Any]:
    """How Arrow is to read: all values as words."""
    reader = arrow("csv")
    return (
        reader.ReadOptions(
            column_names=look.names,
            block_size=BLOCK,
            encoding=look.encoding,
            skip_rows=look.skip,
        ),
        reader.ParseOptions(
            delimiter=look.separator, newlines_in_values=True, invalid_row_handler=note
        ),
        reader.ConvertOptions(
            column_types=dict.fromkeys(look.names, arrow().string()), include_columns=columns
        ),
    )


@contextmanager
def _explained(path: Path, look: _Look) -> Iterator[Note]:
    """What to call for a row that does not fit, which becomes a sentence about it."""
    broken: list[pc.InvalidRow] = []

    def note(row: "pc.InvalidRow") -> str:
        broken.append(row)
        return "error"

    try:
        yield note
    except ValueError as error:
        if not broken:
            raise
        row = broken[0]
        remedy = "complete the row"
        if row.actual_columns > row.expected_columns:
            remedy = "say how many lines stand above the names (--skip)"
        raise ValueError(
            f"{path}: the row {row.text[:60]!r} has {row.actual_columns} fields, the first line "
            f"{row.expected_columns}; quote fields that hold {look.separator!r}, or {remedy}."
        ) from error
