"""Excel files (.xlsx) as columns of Python objects, through openpyxl where it is installed."""

import zipfile
from collections.abc import Sequence
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from samelaw.core.free_memory import room, too_large
from samelaw.tables.columns.names import check_distinct, spoken
from samelaw.tables.reading.csv_preamble import title_note, titles
from samelaw.tables.reading.formats import FOUND, LINES, CsvFormat
from samelaw.tables.reading.opening import reading

Cells: TypeAlias = dict[str, list[object]]
"""Columns by name, as Python objects."""

_FEWEST_ROWS = 3  # names and two rows, which a comparison needs

SHEET_SHARE = 0.1
"""Of the room for a file: cells of Python take so much more than their XML."""


def read_excel(path: Path, known: CsvFormat = FOUND) -> tuple[Cells, tuple[str, ...]]:
    """The columns of a sheet, and what is left unread."""
    with reading(path, "Excel"):
        with zipfile.ZipFile(path) as members:
            if sum(member.file_size for member in members.infolist()) > SHEET_SHARE * room():
                raise too_large(str(path))
        sheets, rows = _sheet(path, known.sheet)
    filled = [row for row in rows[known.skip or 0 :] if any(cell is not None for cell in row)]
    _check_first(path, sheets, filled, known)
    if not filled:
        raise ValueError(f"{path}: its sheet is empty; expected a row of names, then rows.")
    header = known.header is not False
    above = titles(filled[:LINES]) if header and known.skip is None else 0
    columns = list(zip_longest(*filled[above:]))  # rows may end early
    used = [column for column in columns if any(cell is not None for cell in column)]
    start = 1 if header else 0
    names = [spoken(column[0] if header else None, i) for i, column in enumerate(used)]
    check_distinct(names, str(path))
    notes = []
    if len(sheets) > 1 and known.sheet is None:
        notes.append(
            f"of its {len(sheets)} sheets the first, {sheets[0]!r}, was read; --sheet (sheet= in "
            "Python) names another"
        )
    if above:
        notes.append(title_note(filled[0], above))
    return {n: list(c[start:]) for n, c in zip(names, used, strict=True)}, tuple(notes)


def _check_first(
    path: Path, sheets: Sequence[str], filled: Sequence[Sequence[object]], known: CsvFormat
) -> None:
    """Raise if the first sheet is the cover of a workbook: too few rows to be a table."""
    if len(sheets) > 1 and known.sheet is None and len(filled) < _FEWEST_ROWS:
        others = ", ".join(map(repr, sheets[1:]))
        raise ValueError(
            f"{path}: its first sheet, {sheets[0]!r}, holds no table; name one of the others "
            f"(--sheet): {others}."
        )


def _sheet(path: Path, name: str | None) -> tuple[list[str], list[Sequence[object]]]:
    """The names of all sheets, and the values of the one that is asked for, or of the first."""
    try:
        openpyxl = import_module("openpyxl")
    except ImportError as error:
        raise ValueError(
            f"reading {path} needs openpyxl; run: pip install samelaw[excel], or export it as CSV."
        ) from error
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (KeyError, TypeError) as error:  # parts of the archive that are not there
        raise OSError(f"it is no workbook: {error}") from error
    try:
        found = [sheet for sheet in book.worksheets if name in (None, sheet.title)]
        if not found:
            known = ", ".join(repr(sheet.title) for sheet in book.worksheets)
            raise ValueError(f"{path} has no sheet {name!r} (--sheet); it has {known}.")
        return book.sheetnames, list(found[0].iter_rows(values_only=True))
    finally:
        book.close()
