"""Rows as CSV that is safe to open in a spreadsheet."""

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # `samelaw --help` loads this file and needs no numpy
    from samelaw.comparison.findings import RowFinding
    from samelaw.comparison.result import Comparison

# A spreadsheet runs a cell that starts like this, also from a CSV file.
_FORMULA = re.compile(r"\s*[=+\-@\t\r＝＋－＠]")
_PLAIN = re.compile(r"[+-]?(?:\d[\d.,]*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)")


def rows_csv(comparison: "Comparison") -> str:
    """The rows that stand for the difference as CSV, safe to open in a spreadsheet."""
    names = list(dict.fromkeys(name for row in comparison.rows for name in row.values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["table", "row", "score", *map(harmless, names)])
    writer.writerows(_record(row, names) for row in comparison.rows)
    return text.getvalue()


def _record(row: "RowFinding", names: Sequence[str]) -> list[str]:
    values = (row.values.get(name) for name in names)
    cells = ["" if value is None else harmless(value) for value in values]
    return [row.table, str(row.row), f"{row.score:.6g}", *cells]


def harmless(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would run.

    Examples
    --------
    >>> harmless("=1+1"), harmless("-1.5"), harmless("plain")
    ("'=1+1", '-1.5', 'plain')
    """
    if _FORMULA.match(cell) and not _PLAIN.fullmatch(cell.strip()):
        return "'" + cell
    return cell
