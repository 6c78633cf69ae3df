"""Excel files (.xlsx) as columns of Python objects, through openpyxl where it is installed."""

import zipfile
from collections.abc import Sequence
from importlib import import_module
from itertools import zip_longest
from pathlib import Path

from samelaw.data.limits import room, too_large
from samelaw.data.names import check_distinct, spoken
from samelaw.data.opening import reading

SHEET_SHARE = 0.1
"""Of the room for a file: cells of Python take so much more than their XML."""


def read_excel(
    path: Path, *, header: bool = True
) -> tuple[dict[str, list[object]], tuple[str, ...]]:
    """The columns of the first sheet, its first row being names, and what is left unread."""
    with reading(path, "Excel"):
        with zipfile.ZipFile(path) as members:
            if sum(member.file_size for member in members.infolist()) > SHEET_SHARE * room():
                raise too_large(str(path))
        sheets, rows = _first_sheet(path)
    filled = [row for row in rows if any(cell is not None for cell in row)]
    if not filled:
        raise ValueError(f"{path}: its first sheet is empty; expected a row of names, then rows.")
    columns = list(zip_longest(*filled))  # rows may end early
    used = [column for column in columns if any(cell is not None for cell in column)]
    start = 1 if header else 0
    names = [spoken(column[0] if header else None, i) for i, column in enumerate(used)]
    check_distinct(names, str(path))
    notes: tuple[str, ...] = ()
    if len(sheets) > 1:
        notes = (f"of its {len(sheets)} sheets the first, {sheets[0]!r}, was read",)
    return {n: list(c[start:]) for n, c in zip(names, used, strict=True)}, notes


def _first_sheet(path: Path) -> tuple[list[str], list[Sequence[object]]]:
    """The names of all sheets, and the values of the first."""
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
        return book.sheetnames, list(book.worksheets[0].iter_rows(values_only=True))
    finally:
        book.close()
